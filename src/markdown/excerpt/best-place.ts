// Chooses the place of a text that says most about the terms of a query.
import { HeldTerms } from './held-terms.ts';
import type { Window } from './sentence.ts';
import type { SentenceCuts } from './sentence-cuts.ts';
import type { TermMatch } from './term-matches.ts';

export interface PlacesToRate {
  readonly text: string;
  readonly cuts: SentenceCuts;
  /** In the order of the text. */
  readonly matches: readonly TermMatch[];
  readonly weightOf: (term: number) => number;
  /** The most characters that are shown. */
  readonly size: number;
  readonly fits: (window: Window) => boolean;
}

/** Terms this near count for a place too: they say what the place is about. */
const REACH = 400;
const REACH_SHARE = 0.6;
/** Scores that differ less are equal. */
const EQUAL = 1e-9;

/**
 * The stretch from the first to the last match in the sentences, as many as can be shown together, or in the part of a longer
 * sentence, with the highest total weight of terms, each counted once; ties go to the shortest, then to the most matches, then to
 * the first.
 */
export function bestPlace(request: PlacesToRate): Window | undefined {
  const { matches } = request;
  const weightOf = weightsIn(request);
  const [inside, around] = [new Stretch(matches, weightOf), new Stretch(matches, weightOf)];
  let best: RatedPlace | undefined;
  for (const { from, to } of stretches(request)) {
    inside.moveTo(from, to);
    around.moveTo(from - REACH, to + REACH);
    const score = inside.weight + REACH_SHARE * around.weight;
    const rated = { ...inside.hull(), score, matches: inside.matches };
    if (best === undefined || isBetter(rated, best)) best = rated;
  }
  return best;
}

interface RatedPlace extends Window {
  readonly score: number;
  readonly matches: number;
}

function isBetter(one: RatedPlace, other: RatedPlace): boolean {
  if (Math.abs(one.score - other.score) > EQUAL) return one.score > other.score;
  const longer = one.to - one.from - (other.to - other.from);
  return longer === 0 ? one.matches > other.matches : longer < 0;
}

/** A term that is in few parts of the text counts more: the words that a long note is about are everywhere in it. */
function weightsIn({ text, matches, weightOf, size }: PlacesToRate): (term: number) => number {
  const parts = text.length / size;
  const holding = new Map<number, Set<number>>();
  for (const { term, from } of matches) {
    const held = holding.get(term) ?? new Set();
    holding.set(term, held.add(Math.floor(from / size)));
  }
  const weights = new Map(
    [...holding].map(([term, { size: held }]) => [term, weightOf(term) + Math.log(1 + parts / (held + 0.5))]),
  );
  return (term) => weights.get(term) ?? 0;
}

/** From each sentence with a match as many sentences as fit; of a sentence that does not fit, a part from each of its matches. */
function* stretches({ cuts, matches, size, fits }: PlacesToRate): Generator<Window> {
  let last: number | undefined;
  for (const { from, to } of matches) {
    const begin = cuts.notAfter(from);
    let end = cuts.after(from) ?? to;
    if (!fits({ from: begin, to: end })) yield { from, to: Math.max(to, Math.min(end, from + size)) };
    else if (begin !== last) {
      for (let next = cuts.after(end); next !== undefined && fits({ from: begin, to: next }); next = cuts.after(end))
        end = next;
      yield { from: begin, to: end };
    }
    last = begin;
  }
}

/** The matches of a stretch that only moves ahead. */
class Stretch {
  readonly #matches: readonly TermMatch[];
  readonly #held: HeldTerms;
  #first = 0;
  #end = 0;

  constructor(matches: readonly TermMatch[], weightOf: (term: number) => number) {
    this.#matches = matches;
    this.#held = new HeldTerms(weightOf);
  }

  get weight(): number {
    return this.#held.weight;
  }

  get matches(): number {
    return this.#end - this.#first;
  }

  moveTo(from: number, to: number): void {
    for (; (this.#matches[this.#end]?.to ?? Number.POSITIVE_INFINITY) <= to; this.#end += 1)
      this.#held.add(this.#matches[this.#end] as TermMatch);
    for (; this.#first < this.#end && (this.#matches[this.#first]?.from ?? 0) < from; this.#first += 1)
      this.#held.drop(this.#matches[this.#first] as TermMatch);
  }

  /** From the first to the last match; of a single term only its first match, so that the text after it is shown. */
  hull(): Window {
    const first = this.#matches[this.#first];
    let last = this.#end - 1;
    while (last > this.#first && this.#matches[last]?.term === first?.term) last -= 1;
    return { from: first?.from ?? 0, to: this.#matches[last === this.#first ? last : this.#end - 1]?.to ?? 0 };
  }
}
