// Hashes the terms of texts, part by part, without making a string of each word.
import { FNV_START, fnvWith } from '../base/fnv.ts';
import { isStopWord, STOP_WORDS } from '../markdown/excerpt/stop-words.ts';
import {
  eachForm,
  formsOf,
  MAX_FORM_LENGTH,
  MAYBE_UNSPACED,
  MIN_FORM_LENGTH,
  termOf,
} from '../markdown/excerpt/terms.ts';
import { ByteWriter } from './bytes.ts';
import { APART, foldedUnits, NEEDS_CONTEXT, OWN_WORD } from './folded-units.ts';
import { WordTable } from './word-table.ts';

/** Word forms per part without the title: one or two paragraphs. */
const PART_FORMS = 100;
/** With 24 bits, one in 200 notes seems to share a term with another of the same length that it does not share. */
const HASH_BITS = 24;
/** In place of the hash of a stop word, and of a word that is too short or too long. */
const STOP_WORD = -1;
const NO_FORM = -2;

export class TermHashes {
  readonly #table = new WordTable();
  readonly #word = new ByteWriter();
  /** Of each word of the table. */
  readonly #hashes: number[] = [];

  /**
   * Calls `addPart` with the hashes of each part of the text, which is split after every 100 forms; each part includes the terms of the
   * title. Ascending, one for each occurrence, and valid during the call. Stop words are left out.
   */
  eachPart(title: string, text: string, addPart: (hashes: Uint32Array) => void): void {
    const named = [...formsOf(title)].flatMap(([form, count]) => new Array<number>(count).fill(hashOfForm(form)));
    const start = named.filter((hash) => hash !== STOP_WORD);
    const part = new Uint32Array(start.length + PART_FORMS);
    part.set(start);
    let held = start.length;
    let forms = 0;
    const endPart = () => {
      addPart(part.subarray(0, held).sort());
      part.set(start);
      held = start.length;
      forms = 0;
    };
    this.#eachTerm(text, (hash) => {
      if (forms === PART_FORMS) endPart();
      forms += 1;
      if (hash !== STOP_WORD) part[held++] = hash;
    });
    endPart();
  }

  /** Calls `add` for every form of the text. */
  #eachTerm(text: string, add: (hash: number) => void): void {
    for (let from = 0; from < text.length; ) {
      const unspaced = text.slice(from).search(MAYBE_UNSPACED);
      if (unspaced === -1) {
        this.#eachWord(text.slice(from), add);
        return;
      }
      // No word continues on the next line.
      const line = text.lastIndexOf('\n', from + unspaced) + 1;
      const lineFeed = text.indexOf('\n', line);
      const end = lineFeed === -1 ? text.length : lineFeed;
      if (line > from) this.#eachWord(text.slice(from, line), add);
      this.#eachFormOfLine(text.slice(line, end), add);
      from = end + 1;
    }
  }

  /** As `eachForm`; but if no character needs its neighbours to be folded, no strings are made of known pairs. */
  #eachFormOfLine(line: string, add: (hash: number) => void): void {
    if (needsContext(line)) {
      eachForm(line, (form) => add(hashOfForm(form)));
      return;
    }
    const { folded } = foldedUnits();
    /** Where the words begin that have not been added yet. */
    let from: number | undefined;
    for (let at = 0; at < line.length; at++) {
      const form = folded[line.charCodeAt(at)];
      if (form !== OWN_WORD) {
        if (form !== APART) from ??= at;
        continue;
      }
      if (from !== undefined) this.#eachWord(line.slice(from, at), add);
      from = undefined;
      at = this.#addRun(line, at, add) - 1;
    }
    if (from !== undefined) this.#eachWord(line.slice(from), add);
  }

  /** Adds every pair of letters that are words of their own, or the only one. @returns where they end */
  #addRun(line: string, from: number, add: (hash: number) => void): number {
    let end = from + 1;
    while (isOwnWord(line, end)) end += 1;
    if (end === from + 1) add(hashOfForm(line.slice(from, end)));
    for (let at = from; at + 2 <= end; at++) add(this.#hashOfPair(line, at));
    return end;
  }

  #hashOfPair(line: string, at: number): number {
    const word = this.#table.numberOfUnits(line, at, at + 2);
    this.#hashes[word] ??= hashOfForm(line.slice(at, at + 2));
    return this.#hashes[word];
  }

  /** The same for a text without scripts that are written without spaces: most words are known, so that no string is made of them. */
  #eachWord(text: string, add: (hash: number) => void): void {
    const table = this.#table;
    table.total = 0;
    table.add(text);
    const { words, total } = table;
    for (let at = 0; at < total; at++) {
      const word = words[at] as number;
      this.#hashes[word] ??= this.#hashOf(word);
      const hash = this.#hashes[word];
      if (hash !== NO_FORM) add(hash);
    }
  }

  #hashOf(word: number): number {
    this.#table.copyTo(word, this.#word);
    const bytes = this.#word.view();
    const hash = this.#table.hashOf(word);
    if (isTermItself(bytes) && !stopWordHashes().has(hash)) return shortened(hash);
    const form = Buffer.from(bytes.buffer, 0, bytes.length).toString();
    return form.length < MIN_FORM_LENGTH || form.length > MAX_FORM_LENGTH ? NO_FORM : hashOfForm(form);
  }
}

/** Of a folded form. */
function hashOfForm(form: string): number {
  return isStopWord(form) ? STOP_WORD : termHash(termOf(form));
}

const FIRST_UNSPACED = 0xe2;
const LETTER_S = 0x73;

/** Whether the bytes of a word are those of its term, if it is no stop word: neither a plural nor letters of a script without spaces. */
function isTermItself(bytes: Uint8Array): boolean {
  const first = bytes[0] as number;
  const isLongEnough = first < 128 && bytes.length >= MIN_FORM_LENGTH;
  return isLongEnough && bytes.length <= MAX_FORM_LENGTH && first < FIRST_UNSPACED && bytes.at(-1) !== LETTER_S;
}

let knownStopWords: ReadonlySet<number> | undefined;

function stopWordHashes(): ReadonlySet<number> {
  knownStopWords ??= new Set(Array.from(STOP_WORDS, fnvOfText));
  return knownStopWords;
}

export function termHash(term: string): number {
  return shortened(fnvOfText(term));
}

/** Of the bytes in UTF-8, as the table of words hashes them. */
function fnvOfText(text: string): number {
  return Buffer.from(text).reduce(fnvWith, FNV_START);
}

function shortened(hash: number): number {
  return ((hash >>> HASH_BITS) ^ hash) & (2 ** HASH_BITS - 1);
}

function needsContext(line: string): boolean {
  const { folded } = foldedUnits();
  for (let at = 0; at < line.length; at++) if (folded[line.charCodeAt(at)] === NEEDS_CONTEXT) return true;
  return false;
}

const isOwnWord = (line: string, at: number): boolean =>
  at < line.length && foldedUnits().folded[line.charCodeAt(at)] === OWN_WORD;
