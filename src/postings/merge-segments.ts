// Merges segments into one, without the notes that have been replaced or removed.
import { type ByteReader, compareBytes } from './bytes.ts';
import { ListCursor, ListWriter, type PostingList } from './posting-list.ts';
import type { Segment, WordCursor } from './segment.ts';
import type { SegmentPacker } from './segment-packer.ts';

export interface SegmentToMerge {
  readonly segment: Segment;
  /** The number in the merged segment of each note; -1 for those that are left out. Ascending, and above those of segments before it. */
  readonly ordinals: Int32Array;
}

interface Input {
  readonly cursor: WordCursor;
  readonly ordinals: Int32Array;
}

const FIRST = new Uint8Array(0);

export function mergeSegments(segments: readonly SegmentToMerge[], packer: SegmentPacker): void {
  let inputs: readonly Input[] = segments.map(({ segment, ordinals }) => ({
    cursor: segment.cursorFrom(FIRST),
    ordinals,
  }));
  const list = new ListWriter();
  for (;;) {
    if (inputs.some(({ cursor }) => !cursor.isOpen)) inputs = inputs.filter(({ cursor }) => cursor.isOpen);
    const [first] = inputs;
    if (first === undefined) return;
    const least = leastWord(inputs, first.cursor);
    list.clear();
    for (const { cursor, ordinals } of inputs) {
      if (cursor === least || compareWordsOf(cursor, least) === 0) copyNotes(cursor.list(), ordinals, list);
    }
    if (list.count > 0) packer.add(least.word.bytes, least.word.length, list);
    advance(inputs, least);
  }
}

function leastWord(inputs: readonly Input[], first: WordCursor): WordCursor {
  let least = first;
  for (const { cursor } of inputs) if (compareWordsOf(cursor, least) < 0) least = cursor;
  return least;
}

/** The cursor with the word comes last, because the others are compared with its word. */
function advance(inputs: readonly Input[], least: WordCursor): void {
  for (const { cursor } of inputs) if (cursor !== least && compareWordsOf(cursor, least) === 0) cursor.next();
  least.next();
}

function compareWordsOf({ word: one }: WordCursor, { word: other }: WordCursor): number {
  return compareBytes(one.bytes, one.length, other.bytes, 0, other.length);
}

function copyNotes(from: PostingList, ordinals: Int32Array, to: ListWriter): void {
  const cursor = new ListCursor(from);
  let places: ByteReader | undefined;
  while (cursor.next()) {
    places ??= from.places();
    const start = places.at;
    places.skip(cursor.occurrences);
    const ordinal = ordinals[cursor.ordinal] as number;
    if (ordinal === -1) continue;
    to.addNote(ordinal, cursor.fields, cursor.counts);
    to.places.copy(places.data, start, places.at);
  }
}
