// Merges segments into one, without the notes that have been replaced or removed.
import { type ByteReader, compareBytes } from './bytes.ts';
import { cursorOn, ListWriter, type PostingList } from './posting-list.ts';
import type { Segment, WordCursor } from './segment.ts';
import type { SegmentPacker } from './segment-packer.ts';

export interface SegmentToMerge {
  readonly segment: Segment;
  /** The number in the merged segment of each note; -1 for those that are left out. Ascending, and above those of segments before it. */
  readonly ordinals: Int32Array;
}

interface Input {
  readonly words: WordCursor;
  readonly ordinals: Int32Array;
  /** By how much the number of each note grows; undefined if some are left out. */
  readonly shift: number | undefined;
}

const FIRST = new Uint8Array(0);

export function mergeSegments(segments: readonly SegmentToMerge[], packer: SegmentPacker): void {
  let inputs: readonly Input[] = segments.map(({ segment, ordinals }) => ({
    words: segment.cursorFrom(FIRST),
    ordinals,
    shift: shiftOf(ordinals),
  }));
  const list = new ListWriter();
  for (;;) {
    if (inputs.some(({ words }) => !words.isOpen)) inputs = inputs.filter(({ words }) => words.isOpen);
    const [first] = inputs;
    if (first === undefined) return;
    const least = leastWord(inputs, first.words);
    list.clear();
    for (const input of inputs) {
      if (input.words === least || compareWordsOf(input.words, least) === 0) copyNotes(input, list);
    }
    if (list.count > 0) packer.add(least.word.bytes, least.word.length, list);
    advance(inputs, least);
  }
}

function leastWord(inputs: readonly Input[], first: WordCursor): WordCursor {
  let least = first;
  for (const { words } of inputs) if (compareWordsOf(words, least) < 0) least = words;
  return least;
}

/** The cursor with the word comes last, because the others are compared with its word. */
function advance(inputs: readonly Input[], least: WordCursor): void {
  for (const { words } of inputs) if (words !== least && compareWordsOf(words, least) === 0) words.next();
  least.next();
}

function compareWordsOf({ word: one }: WordCursor, { word: other }: WordCursor): number {
  return compareBytes(one.bytes, one.length, other.bytes, 0, other.length);
}

function shiftOf(ordinals: Int32Array): number | undefined {
  return ordinals.includes(-1) ? undefined : (ordinals[0] ?? 0);
}

function copyNotes({ words, ordinals, shift }: Input, to: ListWriter): void {
  if (shift === undefined) copyEach(words.list(), ordinals, to);
  else to.copyList(words.list(), shift);
}

function copyEach(from: PostingList, ordinals: Int32Array, to: ListWriter): void {
  const cursor = cursorOn(from);
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
