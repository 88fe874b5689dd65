// Counts the terms of texts as numbers, which are compared many times faster than words.
import { partitionPoint } from '../base/binary-search.ts';
import type { TermParts } from '../graph/relatedness.ts';
import { isStopWord } from '../markdown/excerpt/stop-words.ts';
import { addWord, eachForm, formsOf, MAYBE_UNSPACED, termOf } from '../markdown/excerpt/terms.ts';
import { ByteWriter } from './bytes.ts';
import { APART, foldedUnits, NEEDS_CONTEXT, OWN_WORD } from './folded-units.ts';
import { WordTable } from './word-table.ts';

/** Word forms per part without the title: one or two paragraphs. */
const PART_FORMS = 100;
const NO_TERM = -1;
const NO_FORM = -2;

interface Columns {
  readonly terms: number[];
  readonly counts: number[];
  readonly ends: number[];
}

export class TermNumbers {
  /** The terms by number. */
  readonly texts: string[] = [];
  readonly #table = new WordTable();
  readonly #word = new ByteWriter();
  /** Of each word of the table. */
  readonly #termOfWord: number[] = [];
  readonly #byTerm = new Map<string, number>();
  /** How often each term occurs in the part that is being counted. */
  readonly #counts: number[] = [];

  /** The terms of a text, which is split after every 100 forms; each part includes the terms of the title. Stop words are left out. */
  partsOf(title: string, text: string): TermParts {
    const named = [...formsOf(title)].map(([form, count]) => [this.#numberOf(form), count] as const);
    const columns: Columns = { terms: [], counts: [], ends: [] };
    for (const [term, count] of named) this.#add(term, count, columns);
    let held = 0;
    this.#eachTerm(text, (term) => {
      if (held === PART_FORMS) {
        this.#endPart(columns);
        for (const [name, count] of named) this.#add(name, count, columns);
        held = 0;
      }
      held += 1;
      this.#add(term, 1, columns);
    });
    this.#endPart(columns);
    return { terms: new Int32Array(columns.terms), counts: new Int32Array(columns.counts), ends: columns.ends };
  }

  /** Calls `add` for every form of the text. */
  #eachTerm(text: string, add: (term: number) => void): void {
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
  #eachFormOfLine(line: string, add: (term: number) => void): void {
    if (needsContext(line)) {
      eachForm(line, (form) => add(this.#numberOf(form)));
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
  #addRun(line: string, from: number, add: (term: number) => void): number {
    let end = from + 1;
    while (isOwnWord(line, end)) end += 1;
    if (end === from + 1) add(this.#termAt(line, from, end));
    for (let at = from; at + 2 <= end; at++) add(this.#termAt(line, at, at + 2));
    return end;
  }

  /** The term of one or two letters that are words of their own. */
  #termAt(line: string, from: number, to: number): number {
    const word = this.#table.numberOfUnits(line, from, to);
    this.#termOfWord[word] ??= this.#numberOf(line.slice(from, to));
    return this.#termOfWord[word];
  }

  /** The same for a text without scripts that are written without spaces: most words are known, so that no text is made of them. */
  #eachWord(text: string, add: (term: number) => void): void {
    const table = this.#table;
    table.total = 0;
    table.add(text);
    const { words, total } = table;
    for (let at = 0; at < total; at++) {
      const word = words[at] as number;
      this.#termOfWord[word] ??= this.#termOf(word);
      const term = this.#termOfWord[word];
      if (term !== NO_FORM) add(term);
    }
  }

  #termOf(word: number): number {
    let term = NO_FORM;
    this.#table.copyTo(word, this.#word);
    const { bytes, length } = this.#word;
    addWord(Buffer.from(bytes.buffer, 0, length).toString(), (form) => {
      term = this.#numberOf(form);
    });
    return term;
  }

  #add(term: number, count: number, { terms }: Columns): void {
    if (term === NO_TERM) return;
    if (this.#counts[term] === 0) terms.push(term);
    this.#counts[term] = (this.#counts[term] as number) + count;
  }

  #endPart({ terms, counts, ends }: Columns): void {
    for (let at = counts.length; at < terms.length; at++) {
      const term = terms[at] as number;
      counts.push(this.#counts[term] as number);
      this.#counts[term] = 0;
    }
    ends.push(terms.length);
  }

  #numberOf(form: string): number {
    if (isStopWord(form)) return NO_TERM;
    const term = termOf(form);
    const known = this.#byTerm.get(term);
    if (known !== undefined) return known;
    const number = this.texts.push(term) - 1;
    this.#counts.push(0);
    this.#byTerm.set(term, number);
    return number;
  }
}

function needsContext(line: string): boolean {
  const { folded } = foldedUnits();
  for (let at = 0; at < line.length; at++) if (folded[line.charCodeAt(at)] === NEEDS_CONTEXT) return true;
  return false;
}

const isOwnWord = (line: string, at: number): boolean =>
  at < line.length && foldedUnits().folded[line.charCodeAt(at)] === OWN_WORD;

/** The parts with only these terms. */
export function keptTerms({ terms, counts, ends }: TermParts, keeps: (term: number) => boolean): TermParts {
  const kept = [...terms.keys()].filter((at) => keeps(terms[at] as number));
  return {
    terms: Int32Array.from(kept, (at) => terms[at] as number),
    counts: Int32Array.from(kept, (at) => counts[at] as number),
    ends: ends.map((end) => partitionPoint(kept.length, (index) => (kept[index] as number) < end)),
  };
}
