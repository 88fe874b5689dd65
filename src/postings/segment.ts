// Finds the words of one segment and their postings.
import { partitionPoint } from '../base/binary-search.ts';
import { ByteReader, ByteWriter, compareBytes } from './bytes.ts';
import type { PostingList } from './posting-list.ts';
import { END_MARK } from './word-ends.ts';

/** @returns the bytes of a row of the segment, counted from 0 @throws if the row is damaged */
export type ReadRow = (row: number) => Uint8Array;

export class Segment {
  readonly #readRow: ReadRow;
  /** The first word of each row with words, one after the other, where it ends, and the number of the row. */
  readonly #firsts: Uint8Array;
  readonly #ends: Int32Array;
  readonly #rows: Int32Array;

  constructor(directory: Uint8Array, readRow: ReadRow) {
    const { firsts, ends, rows } = readDirectory(directory);
    this.#firsts = firsts;
    this.#ends = ends;
    this.#rows = rows;
    this.#readRow = readRow;
  }

  find(word: Uint8Array): PostingList | undefined {
    const row = this.#rows[this.#rowWith(word)];
    if (row === undefined) return undefined;
    const reader = new ByteReader(this.#readRow(row));
    return seekWord(reader, word) ? listAt(reader, row, this.#readRow) : undefined;
  }

  /** A cursor on the first word that is not before the given one. */
  cursorFrom(word: Uint8Array): WordCursor {
    const cursor = new WordCursor(this.#rows, this.#rowWith(word), this.#readRow);
    cursor.next();
    while (cursor.isOpen && cursor.isBefore(word)) cursor.next();
    return cursor;
  }

  /** The last row whose first word is not after the given one, or the first row. */
  #rowWith(word: Uint8Array): number {
    const row = partitionPoint(this.#ends.length, (at) => {
      const from = at === 0 ? 0 : (this.#ends[at - 1] as number);
      return compareBytes(word, word.length, this.#firsts, from, this.#ends[at] as number) >= 0;
    });
    return Math.max(row - 1, 0);
  }
}

/**
 * Moves the reader past the word itself. `common`: how many bytes the last word had in common with the one sought; it sorted before it,
 * so a word that shares more with it does too, and one that shares less sorts after both.
 */
function seekWord(reader: ByteReader, word: Uint8Array): boolean {
  const { data } = reader;
  let common = 0;
  while (reader.at < data.length) {
    const shared = reader.number();
    const rest = reader.number();
    const from = reader.at;
    reader.at += rest;
    if (shared < common) return false;
    if (shared === common) {
      while (common < word.length && common - shared < rest && data[from + common - shared] === word[common])
        common += 1;
      const isWhole = common - shared === rest;
      if (isWhole && common === word.length) return true;
      if (!isWhole && (common === word.length || (data[from + common - shared] as number) > (word[common] as number)))
        return false;
    }
    skipList(reader);
  }
  return false;
}

function skipList(reader: ByteReader): void {
  reader.number();
  const notes = reader.number();
  const places = reader.number();
  reader.at += notes + Math.max(places - 1, 0);
}

/** The list of the word before the reader's place. */
function listAt(reader: ByteReader, row: number, readRow: ReadRow): PostingList {
  const { data } = reader;
  const count = reader.number();
  const notes = reader.number();
  const length = reader.number();
  const from = reader.at;
  const to = from + notes;
  const places = (): ByteReader => (length > 0 ? new ByteReader(data, to) : new ByteReader(readRow(row + 1)));
  return { count, data, from, to, places, placesLength: Math.max(length - 1, 0) };
}

function readDirectory(directory: Uint8Array) {
  const reader = new ByteReader(directory);
  const firsts = new ByteWriter();
  const [ends, rows]: [number[], number[]] = [[], []];
  let last = 0;
  let row = 0;
  while (reader.at < directory.length) {
    rows.push(row);
    row += 1 + reader.number();
    const shared = reader.number();
    const rest = reader.number();
    const from = firsts.length;
    firsts.copy(firsts.bytes, last, last + shared);
    firsts.copy(directory, reader.at, reader.at + rest);
    reader.at += rest;
    last = from;
    ends.push(firsts.length);
  }
  return { firsts: firsts.view().slice(), ends: Int32Array.from(ends), rows: Int32Array.from(rows) };
}

const NO_ROW = new Uint8Array(0);

/** Reads the words of a segment in their order. */
export class WordCursor {
  /** False after the last word. */
  isOpen = true;
  readonly word = new ByteWriter();
  readonly #rows: Int32Array;
  readonly #readRow: ReadRow;
  #next: number;
  #reader = new ByteReader(NO_ROW);
  #list = 0;

  constructor(rows: Int32Array, first: number, readRow: ReadRow) {
    this.#rows = rows;
    this.#next = first;
    this.#readRow = readRow;
  }

  next(): void {
    if (this.#reader.at >= this.#reader.data.length && !this.#openRow()) return;
    const reader = this.#reader;
    this.word.length = reader.number();
    const rest = reader.number();
    this.word.copy(reader.data, reader.at, reader.at + rest);
    reader.at += rest;
    this.#list = reader.at;
    skipList(reader);
    this.isOpen = this.word.bytes[0] !== END_MARK;
  }

  isBefore(word: Uint8Array): boolean {
    return compareBytes(this.word.bytes, this.word.length, word, 0, word.length) < 0;
  }

  startsWith(start: Uint8Array): boolean {
    const { bytes, length } = this.word;
    return length >= start.length && compareBytes(bytes, start.length, start, 0, start.length) === 0;
  }

  /** The number of notes with the present word. */
  count(): number {
    return new ByteReader(this.#reader.data, this.#list).number();
  }

  /** The postings of the present word; valid also after `next`. */
  list(): PostingList {
    return listAt(new ByteReader(this.#reader.data, this.#list), this.#rows[this.#next - 1] as number, this.#readRow);
  }

  #openRow(): boolean {
    this.isOpen = this.#next < this.#rows.length;
    if (this.isOpen) this.#reader = new ByteReader(this.#readRow(this.#rows[this.#next++] as number));
    return this.isOpen;
  }
}
