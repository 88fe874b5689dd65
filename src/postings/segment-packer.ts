// Packs the words of a segment, given in their order, into rows and a directory of the rows.
import { ByteWriter } from './bytes.ts';
import type { ListWriter } from './posting-list.ts';
import { WordEnds } from './word-ends.ts';

/** A row of this length fits into a page of the database. */
const MAX_ROW_BYTES = 4_000;
/** A longer list has a row of its own, and another one for its places: most queries do not read them. */
const MAX_SHARED_BYTES = 1_500;

/**
 * A row is a sequence of words. Each begins with the number of bytes that it shares with the word before, then its other bytes, the
 * number of its notes, the lengths of both streams of its list, and the streams. The length of places in the next row is written as 0,
 * others as one more than they are. After the words, the lists of `WordEnds` are written like theirs. The directory has the first word of each row, except of rows of places.
 */
export class SegmentPacker {
  readonly #emit: (row: Uint8Array) => void;
  readonly #row = new ByteWriter();
  readonly #directory = new ByteWriter();
  readonly #last = new ByteWriter();
  readonly #first = new ByteWriter();
  readonly #ends = new WordEnds();
  #hasDirectory = false;

  /** @param emit takes a row; its bytes change afterwards */
  constructor(emit: (row: Uint8Array) => void) {
    this.#emit = emit;
  }

  /** @param word in UTF-8, after the one before */
  add(word: Uint8Array, length: number, list: ListWriter): void {
    this.#ends.add(word, length);
    this.#addList(word, length, list);
  }

  #addList(word: Uint8Array, length: number, list: ListWriter): void {
    const { notes, places } = list;
    const bytes = notes.length + places.length;
    const isLong = bytes > MAX_SHARED_BYTES;
    if (isLong || this.#row.length + length + bytes + 12 > MAX_ROW_BYTES) this.#endRow();
    if (this.#row.length === 0) this.#beginRow(word, length, isLong);
    this.#addWord(word, length);
    this.#row.number(list.count);
    this.#row.number(notes.length);
    this.#row.number(isLong ? 0 : places.length + 1);
    this.#row.copy(notes.bytes, 0, notes.length);
    if (isLong) {
      this.#endRow();
      this.#emit(places.view());
    } else this.#row.copy(places.bytes, 0, places.length);
  }

  /** @returns the directory */
  finish(): Uint8Array {
    this.#ends.write((key, list) => this.#addList(key, key.length, list));
    this.#endRow();
    return this.#directory.view();
  }

  #endRow(): void {
    if (this.#row.length > 0) this.#emit(this.#row.view());
    this.#row.clear();
    this.#last.clear();
  }

  #beginRow(word: Uint8Array, length: number, hasPlaces: boolean): void {
    const shared = this.#hasDirectory ? sharedBytes(this.#first, word, length) : 0;
    this.#hasDirectory = true;
    this.#directory.number(hasPlaces ? 1 : 0);
    writeRest(this.#directory, shared, word, length);
    this.#first.clear();
    this.#first.copy(word, 0, length);
  }

  #addWord(word: Uint8Array, length: number): void {
    writeRest(this.#row, sharedBytes(this.#last, word, length), word, length);
    this.#last.clear();
    this.#last.copy(word, 0, length);
  }
}

function writeRest(to: ByteWriter, shared: number, word: Uint8Array, length: number): void {
  to.number(shared);
  to.number(length - shared);
  to.copy(word, shared, length);
}

function sharedBytes(last: ByteWriter, word: Uint8Array, length: number): number {
  const most = Math.min(last.length, length);
  let shared = 0;
  while (shared < most && last.bytes[shared] === word[shared]) shared += 1;
  return shared;
}
