// The nearest right name for a wrong one, for every refusal that can suggest one. Knows nothing of what is named.
import { distance } from 'fastest-levenshtein';

/** A name further away than this share of its length is a different word, not a slip. */
const FARTHEST_SHARE = 0.4;

/** The allowed name with the fewest edits from `name`, or undefined when none is near. The first of equals wins. */
export function nearestName(name: string, allowed: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length * FARTHEST_SHARE)) + 1;
  for (const candidate of allowed) {
    if (Math.abs(candidate.length - wanted.length) >= least) continue;
    const edits = distance(wanted, candidate.toLowerCase());
    if (edits < least) [best, least] = [candidate, edits];
  }
  return best;
}

export interface NearName {
  readonly name: string;
  readonly edits: number;
}

/** The allowed names that are no different words, fewest edits first, at most `most`; equals in the order given. */
export function nearestNames(name: string, allowed: Iterable<string>, most: number): readonly NearName[] {
  const wanted = name.toLowerCase();
  const farthest = Math.max(1, Math.floor(wanted.length * FARTHEST_SHARE));
  const near: NearName[] = [];
  for (const candidate of allowed) {
    if (Math.abs(candidate.length - wanted.length) > farthest) continue;
    const edits = distance(wanted, candidate.toLowerCase());
    if (edits <= farthest) near.push({ name: candidate, edits });
  }
  return near.sort((one, other) => one.edits - other.edits).slice(0, most);
}
