// Adds up the weights of the terms that a stretch of text contains.
import type { TermMatch } from './term-matches.ts';

/** A term of which a stretch has only other forms counts so much. */
const FORM_SHARE = 0.7;

/** Each term counts once. */
export class HeldTerms {
  weight = 0;
  readonly #weightOf: (term: number) => number;
  readonly #words: number[] = [];
  readonly #forms: number[] = [];

  constructor(weightOf: (term: number) => number) {
    this.#weightOf = weightOf;
  }

  add(match: TermMatch): void {
    this.#change(match, 1);
  }

  drop(match: TermMatch): void {
    this.#change(match, -1);
  }

  #change({ term, isForm }: TermMatch, by: number): void {
    const before = this.#shareOf(term);
    const counts = isForm === true ? this.#forms : this.#words;
    counts[term] = (counts[term] ?? 0) + by;
    this.weight += (this.#shareOf(term) - before) * this.#weightOf(term);
  }

  #shareOf(term: number): number {
    if ((this.#words[term] ?? 0) > 0) return 1;
    return (this.#forms[term] ?? 0) > 0 ? FORM_SHARE : 0;
  }
}
