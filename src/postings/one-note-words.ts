// Takes the packed words of several notes apart into those of each note, and joins them again.
import type { PackedWords } from '../contracts/change-set.ts';
import { ByteWriter } from './bytes.ts';
import { cursorOn, ListWriter, type PostingList } from './posting-list.ts';
import { Segment } from './segment.ts';
import { SegmentPacker } from './segment-packer.ts';
import { WordTable } from './word-table.ts';

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
  const cursor = cursorOn(from);
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

/** One set of words of all notes. @param parts of one note each */
export function joinWords(parts: readonly PackedWords[]): PackedWords {
  const lists = new ListsByWord();
  for (const part of parts) lists.addNote(segmentOf(part));
  const collector = new RowCollector();
  lists.pack(collector.packer);
  return { lengths: joined(parts.map(({ lengths }) => lengths)), ...collector.finish(), ...joinedVectors(parts) };
}

/** Sorts the words of all notes at once: merging a segment of each note compares the words many times. */
class ListsByWord {
  /** The word of each list, in the order of the notes, and where the lists of each note end. */
  readonly #table = new WordTable();
  readonly #noteEnds: number[] = [];
  /** Both streams of each list, without the distance of its note, and where each of the two ends. */
  readonly #bytes = new ByteWriter();
  readonly #ends: number[] = [];

  addNote(segment: Segment): void {
    for (const cursor = segment.cursorFrom(FIRST); cursor.isOpen; cursor.next()) {
      this.#table.addWord(cursor.word.view());
      this.#addList(cursor.list());
    }
    this.#noteEnds.push(this.#table.total);
  }

  pack(packer: SegmentPacker): void {
    const { ends, lists, notes } = this.#byWord();
    const [list, bytes] = [new ListWriter(), new ByteWriter()];
    for (const word of this.#table.sorted()) {
      list.clear();
      const [from, to] = [word === 0 ? 0 : (ends[word - 1] as number), ends[word] as number];
      for (let at = from; at < to; at++) this.#copyList(lists[at] as number, notes[at] as number, list);
      this.#table.copyTo(word, bytes);
      packer.add(bytes.bytes, bytes.length, list);
    }
  }

  #addList(from: PostingList): void {
    const places = from.places();
    const start = places.at;
    const cursor = cursorOn(from);
    cursor.next();
    places.skip(cursor.occurrences);
    // The distance of the only note, 0, is one byte.
    this.#bytes.copy(from.data, from.from + 1, from.to);
    this.#ends.push(this.#bytes.length);
    this.#bytes.copy(places.data, start, places.at);
    this.#ends.push(this.#bytes.length);
  }

  #copyList(at: number, note: number, to: ListWriter): void {
    const { bytes } = this.#bytes;
    const start = at === 0 ? 0 : (this.#ends[2 * at - 1] as number);
    const [middle, end] = [this.#ends[2 * at] as number, this.#ends[2 * at + 1] as number];
    to.copyNote(note, bytes, start, middle);
    to.places.copy(bytes, middle, end);
  }

  /** A counting sort: the list and the note of each word, one word after the other, and where each word ends. */
  #byWord() {
    const { words, total } = this.#table;
    const ends = this.#table.starts();
    const [lists, notes] = [new Int32Array(total), new Int32Array(total)];
    let at = 0;
    for (const [note, end] of this.#noteEnds.entries()) {
      for (; at < end; at++) {
        const word = words[at] as number;
        const to = ends[word] as number;
        ends[word] = to + 1;
        lists[to] = at;
        notes[to] = note;
      }
    }
    return { ends, lists, notes };
  }
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
