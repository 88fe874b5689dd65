// Numbers the distinct words of texts in the order in which they first occur, without making a string of each.
import { FNV_START, fnvWith } from '../base/fnv.ts';
import { ByteWriter } from './bytes.ts';
import { APART, BEYOND_ASCII, foldedUnits, OWN_WORD } from './folded-units.ts';
import { cutLength, wordsOf } from './words.ts';

const encoder = new TextEncoder();
const LINE_FEED = 10;
const FIRST_SLOTS = 1 << 12;
const FIRST_BYTES = 3;
/** Together with the first bytes, the number of a word fits into a number of 53 bits. */
const MAX_WORDS = 2 ** 29;
/** More than is indexed of a word. */
const MAX_BYTES = 1_024;

/** A hash table of words in UTF-8. */
export class WordTable {
  count = 0;
  readonly #folding = foldedUnits();
  /** All words one after the other, and where each ends. */
  readonly #bytes = new ByteWriter();
  #byteEnds = new Int32Array(FIRST_SLOTS / 2);
  #hashes = new Int32Array(FIRST_SLOTS / 2);
  /** The number of a word plus one; 0 in an empty slot. */
  #slots = new Int32Array(FIRST_SLOTS);
  readonly #word = new Uint8Array(MAX_BYTES);

  /** Every word of every text, in their order. */
  words = new Int32Array(FIRST_SLOTS);
  /** Where each ends in its text; of the words of a line that was folded as a whole, the end of the line, negative. */
  ends = new Int32Array(FIRST_SLOTS);
  /** The number of `words`. */
  total = 0;

  /** Adds the words of a text to `words`. */
  add(text: string): void {
    const { folded, forms } = this.#folding;
    const word = this.#word;
    let [from, to] = [0, 0];
    let length = 0;
    let lineStart = 0;
    let lineTotal = this.total;
    for (let at = 0; at < text.length; at++) {
      if (at >= to) [from, to] = [at, readUnits(text, at)];
      const unit = units[at - from] as number;
      const form = folded[unit] as number;
      if (form === APART) {
        if (length > 0) this.#addWord(length, at);
        length = 0;
        if (unit === LINE_FEED) [lineStart, lineTotal] = [at + 1, this.total];
      } else if (form < BEYOND_ASCII) word[length < MAX_BYTES ? length++ : length] = form;
      else if (form < OWN_WORD) length = addForm(forms[form - BEYOND_ASCII] as Uint8Array, word, length);
      else if (form === OWN_WORD) {
        if (length > 0) this.#addWord(length, at);
        writeUnit(unit, word, 0);
        this.#push(this.#numberOf(UNIT_BYTES), at + 1);
        length = 0;
      } else {
        // Folding a line does not depend on the others, so it begins again with the whole line.
        this.total = lineTotal;
        length = 0;
        at = this.#addLine(text, lineStart) - 1;
      }
    }
    if (length > 0) this.#addWord(length, text.length);
  }

  /** @returns the end of the line */
  #addLine(text: string, from: number): number {
    const end = text.indexOf('\n', from);
    const to = end === -1 ? text.length : end;
    for (const word of wordsOf(text.slice(from, to))) {
      this.#addWord(encoder.encodeInto(word, this.#word).written, -to);
    }
    return to;
  }

  /** The numbers of all words, in the order of their bytes. */
  sorted(): Int32Array {
    // Numbers sort much faster than words: first by the first bytes of each word, then the words with the same first bytes.
    const keys = new Float64Array(this.count);
    for (let word = 0; word < this.count; word++) keys[word] = this.#firstBytes(word) * MAX_WORDS + word;
    keys.sort();
    const sorted = Int32Array.from(keys, (key) => key % MAX_WORDS);
    let from = 0;
    for (let at = 1; at <= sorted.length; at++) {
      if (Math.floor((keys[at] as number) / MAX_WORDS) === Math.floor((keys[from] as number) / MAX_WORDS)) continue;
      if (at - from > 1) sorted.subarray(from, at).sort((one, other) => this.#compare(one, other));
      from = at;
    }
    return sorted;
  }

  copyTo(word: number, to: ByteWriter): void {
    to.clear();
    to.copy(this.#bytes.bytes, this.#start(word), this.#byteEnds[word] as number);
  }

  /** FNV-1a of the bytes of a word. */
  hashOf(word: number): number {
    return this.#hashes[word] as number;
  }

  /** Adds one word, in UTF-8, to `words`. */
  addWord(word: Uint8Array): void {
    this.#word.set(word);
    this.#push(this.#numberOf(word.length), 0);
  }

  /** The number of a word of a few units, each of which is three bytes in UTF-8. It is not added to `words`. */
  numberOfUnits(text: string, from: number, to: number): number {
    for (let at = from; at < to; at++) writeUnit(text.charCodeAt(at), this.#word, (at - from) * UNIT_BYTES);
    return this.#numberOf((to - from) * UNIT_BYTES);
  }

  /** For a counting sort of `words`: where the places of each word begin, and at last their number. */
  starts(): Int32Array {
    const starts = new Int32Array(this.count + 1);
    for (let at = 0; at < this.total; at++) {
      const after = (this.words[at] as number) + 1;
      starts[after] = (starts[after] as number) + 1;
    }
    for (let word = 1; word <= this.count; word++)
      starts[word] = (starts[word] as number) + (starts[word - 1] as number);
    return starts;
  }

  /** Adds the word in the first bytes of `#word`. */
  #addWord(whole: number, end: number): void {
    this.#push(this.#numberOf(cutLength(this.#word, whole)), end);
  }

  #push(word: number, end: number): void {
    if (this.total === this.words.length) {
      this.words = resized(this.words, this.total * 2);
      this.ends = resized(this.ends, this.total * 2);
    }
    this.ends[this.total] = end;
    this.words[this.total++] = word;
  }

  /** Finds the number of the word in the bytes of `#word`. */
  #numberOf(length: number): number {
    let hash = FNV_START;
    for (let at = 0; at < length; at++) hash = fnvWith(hash, this.#word[at] as number);
    const mask = this.#slots.length - 1;
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const word = (this.#slots[slot] as number) - 1;
      if (word === -1) return this.#insert(slot, hash, length);
      if (this.#hashes[word] === hash && this.#isWord(word, length)) return word;
    }
  }

  #isWord(word: number, length: number): boolean {
    const start = this.#start(word);
    if ((this.#byteEnds[word] as number) - start !== length) return false;
    const own = this.#word;
    const { bytes } = this.#bytes;
    for (let at = 0; at < length; at++) if (own[at] !== bytes[start + at]) return false;
    return true;
  }

  #insert(slot: number, hash: number, length: number): number {
    const word = this.count++;
    this.#slots[slot] = word + 1;
    this.#bytes.copy(this.#word, 0, length);
    this.#byteEnds[word] = this.#bytes.length;
    this.#hashes[word] = hash;
    if (this.count === this.#byteEnds.length) this.#grow();
    return word;
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    this.#byteEnds = resized(this.#byteEnds, this.#byteEnds.length * 2);
    this.#hashes = resized(this.#hashes, this.#hashes.length * 2);
    const mask = this.#slots.length - 1;
    for (let word = 0; word < this.count; word++) {
      const hash = this.#hashes[word] as number;
      let slot = (hash ^ (hash >>> 15)) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = word + 1;
    }
  }

  #start(word: number): number {
    return word === 0 ? 0 : (this.#byteEnds[word - 1] as number);
  }

  #firstBytes(word: number): number {
    const [start, end] = [this.#start(word), this.#byteEnds[word] as number];
    let first = 0;
    for (let at = start; at < start + FIRST_BYTES; at++)
      first = first * 256 + (at < end ? (this.#bytes.bytes[at] as number) : 0);
    return first;
  }

  /** Compares two words with the same first bytes. */
  #compare(one: number, other: number): number {
    const [start, otherStart] = [this.#start(one), this.#start(other)];
    const [length, otherLength] = [
      (this.#byteEnds[one] as number) - start,
      (this.#byteEnds[other] as number) - otherStart,
    ];
    const { bytes } = this.#bytes;
    for (let at = FIRST_BYTES; at < length && at < otherLength; at++) {
      const difference = (bytes[start + at] as number) - (bytes[otherStart + at] as number);
      if (difference !== 0) return difference;
    }
    return length - otherLength;
  }
}

function addForm(form: Uint8Array, word: Uint8Array, from: number): number {
  let length = from;
  for (let at = 0; at < form.length && length < MAX_BYTES; at++) word[length++] = form[at] as number;
  return length;
}

const UNIT_BYTES = 3;

/** In UTF-8. */
function writeUnit(unit: number, to: Uint8Array, at: number): void {
  to[at] = 0xe0 | (unit >> 12);
  to[at + 1] = 0x80 | ((unit >> 6) & 63);
  to[at + 2] = 0x80 | (unit & 63);
}

/** Read so many at once from an array, which is much faster than one by one from a string. */
const units = new Uint16Array(1 << 14);
const unitBytes = Buffer.from(units.buffer);

/** Puts the next units of the text into `units`. @returns where they end */
function readUnits(text: string, from: number): number {
  const to = Math.min(text.length, from + units.length);
  unitBytes.write(text.slice(from, to), 'utf16le');
  return to;
}

function resized(from: Int32Array, capacity: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(capacity);
  larger.set(from);
  return larger;
}
