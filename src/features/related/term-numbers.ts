// Counts the terms of texts as numbers, which are compared many times faster than words.
import { partitionPoint } from '../../base/binary-search.ts';
import type { TermParts } from '../../graph/relatedness.ts';
import { isStopWord } from '../../markdown/excerpt/stop-words.ts';
import { addWord, eachForm, formsOf, termOf } from '../../markdown/excerpt/terms.ts';
import { eachRun, isWritten, type Run } from './word-runs.ts';

/** Word forms per part without the title: one or two paragraphs. */
const PART_FORMS = 100;
const NO_TERM = -1;

interface KnownRun {
  /** In lower case if it is plain. */
  readonly written: string;
  readonly terms: readonly number[];
}

interface Columns {
  readonly terms: number[];
  readonly counts: number[];
  readonly ends: number[];
}

export class TermNumbers {
  /** The terms by number. */
  readonly texts: string[] = [];
  readonly #byHash = new Map<number, KnownRun>();
  readonly #byTerm = new Map<string, number>();
  /** How often each term occurs in the part that is being counted. */
  readonly #counts: number[] = [];

  /** How many different runs the memory is held for. */
  get runs(): number {
    return this.#byHash.size;
  }

  /** The terms of a text, which is split after every 100 forms; each part includes the terms of the title. Stop words are left out. */
  partsOf(title: string, text: string): TermParts {
    const named = [...formsOf(title)];
    const columns: Columns = { terms: [], counts: [], ends: [] };
    for (const [form, count] of named) this.#add(this.#numberOf(form), count, columns);
    let held = 0;
    const addTerm = (term: number): void => {
      if (held === PART_FORMS) {
        this.#endPart(columns);
        for (const [form, count] of named) this.#add(this.#numberOf(form), count, columns);
        held = 0;
      }
      held += 1;
      this.#add(term, 1, columns);
    };
    eachRun(text, (run) => {
      for (const term of this.#termsOf(run)) addTerm(term);
    });
    this.#endPart(columns);
    return { terms: Int32Array.from(columns.terms), counts: Int32Array.from(columns.counts), ends: columns.ends };
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

  /** Most runs are known, so that no text has to be made of them. */
  #termsOf(run: Run): readonly number[] {
    const known = this.#byHash.get(run.hash);
    if (known !== undefined && isWritten(run, known.written)) return known.terms;
    const text = ownText(run.text.slice(run.from, run.to));
    const written = run.isPlain ? text.toLowerCase() : text;
    const terms: number[] = [];
    const add = (form: string) => terms.push(this.#numberOf(form));
    // A plain run in lower case is a form.
    if (run.isPlain) addWord(written, add);
    else eachForm(written, add);
    if (known === undefined) this.#byHash.set(run.hash, { written, terms });
    return terms;
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

/** V8 copies shorter parts of a text by itself. */
const MIN_HOLDING = 13;

/** Part of a text, without holding all of the text in memory. */
function ownText(part: string): string {
  return part.length < MIN_HOLDING ? part : Buffer.from(part, 'utf16le').toString('utf16le');
}

/** The parts with only these terms. */
export function keptTerms({ terms, counts, ends }: TermParts, keeps: (term: number) => boolean): TermParts {
  const kept = [...terms.keys()].filter((at) => keeps(terms[at] as number));
  return {
    terms: Int32Array.from(kept, (at) => terms[at] as number),
    counts: Int32Array.from(kept, (at) => counts[at] as number),
    ends: ends.map((end) => partitionPoint(kept.length, (index) => (kept[index] as number) < end)),
  };
}
