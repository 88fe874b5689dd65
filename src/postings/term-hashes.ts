// Hashes the terms of a note, part by part, from its words in the table, without making a string of each.
import { FNV_START, fnvWith } from '../base/fnv.ts';
import { isStopWord, MAX_COMPARED, STOP_WORDS } from '../markdown/excerpt/stop-words.ts';
import {
  eachForm,
  formsOf,
  linkSpans,
  MAX_FORM_LENGTH,
  MAYBE_UNSPACED,
  MIN_FORM_LENGTH,
  termOf,
  withoutLinks,
} from '../markdown/excerpt/terms.ts';
import { ByteWriter } from './bytes.ts';
import { foldedUnits, OWN_WORD } from './folded-units.ts';
import type { HeadingPlace } from './note-texts.ts';
import { WordTable } from './word-table.ts';

/** Word forms per part without the title: one or two paragraphs. */
const PART_FORMS = 100;
/** With 24 bits, one in 200 notes seems to share a term with another of the same length that it does not share. */
const HASH_BITS = 24;
/** In place of the hash of a stop word, and of a word that is too short or too long. */
const STOP_WORD = -1;
const NO_FORM = -2;

/** A text whose words are in the table, from the first to before the last. */
export interface TextWords {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** What of a note is compared. */
export interface ComparedWords {
  readonly title: string;
  readonly headings: TextWords;
  readonly body: TextWords;
  readonly places: readonly HeadingPlace[];
}

/** The words of a text that have not been hashed yet. */
interface Rest {
  readonly text: string;
  at: number;
  readonly to: number;
  /** Whether a word that ends there is in a link. */
  readonly isInLink: (end: number) => boolean;
}

export class TermHashes {
  readonly #table: WordTable;
  readonly #word = new ByteWriter();
  /** The hash of each word of the table. */
  readonly #hashes: number[] = [];
  /** Pairs of letters that are words of their own. */
  readonly #pairs = new WordTable();
  readonly #hashesOfPairs: number[] = [];

  constructor(table: WordTable) {
    this.#table = table;
  }

  /**
   * Calls `addPart` with the hashes of each part of a note, whose text is split after every 100 forms; each part includes the terms of the
   * title. Ascending, one for each occurrence, and valid during the call. Links and stop words are left out.
   */
  eachPart({ title, headings, body, places }: ComparedWords, addPart: (hashes: Uint32Array) => void): void {
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
    const add = (hash: number) => {
      if (hash === NO_FORM) return;
      if (forms === PART_FORMS) endPart();
      forms += 1;
      if (hash !== STOP_WORD) part[held++] = hash;
    };
    const [headingsLeft, bodyLeft] = [restOf(headings), restOf(body)];
    for (const { cut, end, isTitle } of places) {
      if (cut > MAX_COMPARED) break;
      this.#eachTerm(bodyLeft, cut, add);
      if (isTitle) for (const hash of named) add(hash);
      else this.#eachTerm(headingsLeft, end, add);
    }
    this.#eachTerm(bodyLeft, MAX_COMPARED, add);
    endPart();
  }

  /** Those of the next words, up to an offset in the text. */
  #eachTerm(rest: Rest, until: number, add: (hash: number) => void): void {
    const { words, ends } = this.#table;
    const { folded } = foldedUnits();
    const { text, to, isInLink } = rest;
    const last = Math.min(until, MAX_COMPARED);
    while (rest.at < to) {
      const { at } = rest;
      const end = ends[at] as number;
      if (Math.abs(end) > last && (end > 0 || last < MAX_COMPARED)) return;
      if (end < 0) rest.at = this.#addLine(text, at, to, add);
      else if (isInLink(end)) rest.at = at + 1;
      else if (folded[text.charCodeAt(end - 1)] === OWN_WORD) rest.at = this.#addRun(text, at, to, add);
      else {
        add(this.#hashOf(words[at] as number));
        rest.at = at + 1;
      }
    }
  }

  /** The words of a line that was folded as a whole. @returns the first word after it */
  #addLine(text: string, from: number, to: number, add: (hash: number) => void): number {
    const { words, ends } = this.#table;
    const lineEnd = -(ends[from] as number);
    const lineStart = text.lastIndexOf('\n', lineEnd - 1) + 1;
    if (lineStart >= MAX_COMPARED) return to;
    const line = text.slice(lineStart, Math.min(lineEnd, MAX_COMPARED));
    const isOfWords = lineEnd <= MAX_COMPARED && !MAYBE_UNSPACED.test(line) && linkSpans(line).length === 0;
    if (!isOfWords) eachForm(withoutLinks(line), (form) => add(hashOfForm(form)));
    let at = from;
    for (; at < to && ends[at] === -lineEnd; at++) if (isOfWords) add(this.#hashOf(words[at] as number));
    return at;
  }

  /** Adds every pair of letters that are words of their own, or the only one. @returns the first word after them */
  #addRun(text: string, from: number, to: number, add: (hash: number) => void): number {
    const { ends } = this.#table;
    const { folded } = foldedUnits();
    const start = (ends[from] as number) - 1;
    let count = 1;
    while (
      from + count < to &&
      ends[from + count] === start + count + 1 &&
      folded[text.charCodeAt(start + count)] === OWN_WORD
    )
      count += 1;
    if (count === 1) add(hashOfForm(text.charAt(start)));
    for (let at = start; at + 1 < start + count; at++) add(this.#hashOfPair(text, at));
    return from + count;
  }

  #hashOfPair(text: string, at: number): number {
    const pair = this.#pairs.numberOfUnits(text, at, at + 2);
    this.#hashesOfPairs[pair] ??= hashOfForm(text.slice(at, at + 2));
    return this.#hashesOfPairs[pair];
  }

  #hashOf(word: number): number {
    this.#hashes[word] ??= this.#computeHash(word);
    return this.#hashes[word];
  }

  #computeHash(word: number): number {
    this.#table.copyTo(word, this.#word);
    const bytes = this.#word.view();
    const hash = this.#table.hashOf(word);
    if (isTermItself(bytes) && !stopWordHashes().has(hash)) return shortened(hash);
    const form = Buffer.from(bytes.buffer, 0, bytes.length).toString();
    return form.length < MIN_FORM_LENGTH || form.length > MAX_FORM_LENGTH ? NO_FORM : hashOfForm(form);
  }
}

function restOf({ text, from, to }: TextWords): Rest {
  return { text, at: from, to, isInLink: spanFinder(linkSpans(text.slice(0, MAX_COMPARED))) };
}

/** Hashes a folded form. */
function hashOfForm(form: string): number {
  return isStopWord(form) ? STOP_WORD : termHash(termOf(form));
}

const LETTER_S = 0x73;

/**
 * Whether the bytes of a word are certainly those of its term, if it is no stop word: it is no plural and long enough, and begins with a
 * letter of one byte, as no pair of letters of a script without spaces does.
 */
function isTermItself(bytes: Uint8Array): boolean {
  const isLongEnough = (bytes[0] as number) < 128 && bytes.length >= MIN_FORM_LENGTH;
  return isLongEnough && bytes.length <= MAX_FORM_LENGTH && bytes.at(-1) !== LETTER_S;
}

let knownStopWords: ReadonlySet<number> | undefined;

function stopWordHashes(): ReadonlySet<number> {
  knownStopWords ??= new Set(Array.from(STOP_WORDS, fnvOfText));
  return knownStopWords;
}

export function termHash(term: string): number {
  return shortened(fnvOfText(term));
}

/** Hashes the bytes in UTF-8, as the table of words does. */
function fnvOfText(text: string): number {
  return Buffer.from(text).reduce(fnvWith, FNV_START);
}

function shortened(hash: number): number {
  return ((hash >>> HASH_BITS) ^ hash) & (2 ** HASH_BITS - 1);
}

/** The returned function says whether an offset is in a span, or at its end; offsets ascend from call to call. */
function spanFinder(spans: readonly (readonly [from: number, to: number])[]): (end: number) => boolean {
  let next = 0;
  return (end) => {
    while (next < spans.length && (spans[next]?.[1] as number) < end) next += 1;
    const span = spans[next];
    return span !== undefined && span[0] < end;
  };
}
