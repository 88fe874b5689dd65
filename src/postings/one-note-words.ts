// Takes the packed words of several notes apart into those of each note, and joins them again.
import type { PackedWords } from '../contracts/change-set.ts';
import { ByteWriter } from './bytes.ts';
import { mergeSegments } from './merge-segments.ts';
import { ListCursor, ListWriter, type PostingList } from './posting-list.ts';
import { Segment } from './segment.ts';
import { SegmentPacker } from './segment-packer.ts';

/** The words of more segments at once would take longer to compare. */
const MAX_MERGED = 16;
const FIRST = new Uint8Array(0);

/** The words of each note, in their order. Joined again they are the same bytes. */
export function splitWords(words: PackedWords): PackedWords[] {
  const parts = Array.from(words.lengths, () => new RowCollector());
  const list = new ListWriter();
  for (const cursor = segmentOf(words).cursorFrom(FIRST); cursor.isOpen; cursor.next()) {
    const { bytes, length } = cursor.word;
    copyEach(cursor.list(), list, (note) => parts[note]?.packer.add(bytes, length, list));
  }
  return parts.map((part, at) => ({
    lengths: words.lengths.slice(at, at + 1),
    ...part.finish(),
    ...vectorOf(words, at),
  }));
}

/** Calls `take` for each note of a word, with the note as the only one of the list. */
function copyEach(from: PostingList, list: ListWriter, take: (note: number) => void): void {
  const cursor = new ListCursor(from);
  const places = from.places();
  while (cursor.next()) {
    const start = places.at;
    places.skip(cursor.occurrences);
    list.clear();
    list.addNote(0, cursor.fields, cursor.counts);
    list.places.copy(places.data, start, places.at);
    take(cursor.ordinal);
  }
}

function vectorOf({ vectors, vectorEnds }: PackedWords, at: number): Pick<PackedWords, 'vectors' | 'vectorEnds'> {
  const vector = vectors.slice(at === 0 ? 0 : vectorEnds[at - 1], vectorEnds[at]);
  return { vectors: vector, vectorEnds: Int32Array.of(vector.length) };
}

type Rows = Pick<PackedWords, 'directory' | 'rows' | 'ends'>;

interface Part extends Rows {
  readonly notes: number;
}

/** One set of words with the notes of all, in their order. */
export function joinWords(parts: readonly PackedWords[]): PackedWords {
  let merged: readonly Part[] = parts.map((part) => ({ ...part, notes: part.lengths.length }));
  while (merged.length > 1) {
    const groups = Array.from({ length: Math.ceil(merged.length / MAX_MERGED) }, (_, at) => at * MAX_MERGED);
    merged = groups.map((from) => mergeParts(merged.slice(from, from + MAX_MERGED)));
  }
  const { directory, rows, ends } = merged[0] ?? new RowCollector().finish();
  return { lengths: joined(parts.map(({ lengths }) => lengths)), directory, rows, ends, ...joinedVectors(parts) };
}

function mergeParts(parts: readonly Part[]): Part {
  let notes = 0;
  const toMerge = parts.map((part) => {
    const first = notes;
    notes += part.notes;
    return { segment: segmentOf(part), ordinals: Int32Array.from({ length: part.notes }, (_, at) => first + at) };
  });
  const collector = new RowCollector();
  mergeSegments(toMerge, collector.packer);
  return { ...collector.finish(), notes };
}

function joinedVectors(parts: readonly PackedWords[]): Pick<PackedWords, 'vectors' | 'vectorEnds'> {
  let before = 0;
  const ends = parts.map(({ vectors, vectorEnds }) => {
    const moved = vectorEnds.map((end) => before + end);
    before += vectors.length;
    return moved;
  });
  return { vectors: Buffer.concat(parts.map(({ vectors }) => vectors)), vectorEnds: joined(ends) };
}

const joined = (lists: readonly Int32Array[]): Int32Array => Int32Array.from(lists.flatMap((list) => [...list]));

function segmentOf({ directory, rows, ends }: Rows): Segment {
  return new Segment(directory, (row) => rows.subarray(row === 0 ? 0 : ends[row - 1], ends[row]));
}

class RowCollector {
  readonly packer: SegmentPacker;
  readonly #rows = new ByteWriter();
  readonly #ends: number[] = [];

  constructor() {
    this.packer = new SegmentPacker((row) => {
      this.#rows.copy(row, 0, row.length);
      this.#ends.push(this.#rows.length);
    });
  }

  finish(): Rows {
    const directory = this.packer.finish().slice();
    return { directory, rows: this.#rows.view().slice(), ends: Int32Array.from(this.#ends) };
  }
}
