// The stretch of a text in which what is looked for stands best together. Knows no sentences.
import type { Finding } from './term-matches.ts';
import type { Window } from './window.ts';

interface Rated extends Window {
  readonly weight: number;
  readonly span: number;
  readonly held: number;
}

/** Where, within `size`, the most weight stands; then the nearest together; then where most is found; the first of equals. */
export function bestPlace(
  findings: readonly Finding[],
  weightOf: (term: number) => number,
  size: number,
): Window | undefined {
  const within = createTally();
  const nearest = createTally();
  let [first, near] = [0, 0];
  let best: Rated | undefined;
  for (const [index, { term, to }] of findings.entries()) {
    within.add(term);
    nearest.add(term);
    for (; to - (findings[first]?.from ?? 0) > size && first < index; first += 1) within.drop(termAt(findings, first));
    for (; near < first || nearest.holdsTwice(termAt(findings, near)); near += 1) nearest.drop(termAt(findings, near));
    const weight = within.sum(weightOf);
    // Of one word alone the first of those that stand close together begins the piece.
    const from = findings[nearest.size() > 1 ? near : first]?.from ?? 0;
    const end = nearest.size() > 1 ? to : (findings[first]?.to ?? to);
    const rated = { from, to: end, weight, span: end - from, held: index - first + 1 };
    if (best === undefined || isBetter(rated, best)) best = rated;
  }
  return best;
}

const termAt = (findings: readonly Finding[], at: number): number => findings[at]?.term ?? 0;

function isBetter(one: Rated, other: Rated): boolean {
  if (one.weight !== other.weight) return one.weight > other.weight;
  return one.span === other.span ? one.held > other.held : one.span < other.span;
}

/** How often each term stands in a stretch. */
function createTally() {
  const counts = new Map<number, number>();
  return {
    add: (term: number): void => void counts.set(term, (counts.get(term) ?? 0) + 1),
    drop: (term: number): void => {
      const left = (counts.get(term) ?? 0) - 1;
      if (left > 0) counts.set(term, left);
      else counts.delete(term);
    },
    holdsTwice: (term: number): boolean => (counts.get(term) ?? 0) > 1,
    size: (): number => counts.size,
    sum: (weightOf: (term: number) => number): number => {
      let sum = 0;
      for (const term of counts.keys()) sum += weightOf(term);
      return sum;
    },
  };
}
