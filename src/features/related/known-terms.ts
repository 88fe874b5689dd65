// Keeps the terms of compared notes by the hash of their content, so that a note is split into words once and not at every call.
import { contentHash } from '../../base/content-hash.ts';
import type { Store } from '../../contracts/store.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import type { TermParts } from '../../graph/relatedness.ts';
import { TermNumbers } from './term-numbers.ts';

/** Together some six megabytes. */
const MAX_RUNS = 25_000;
const MAX_COUNTS = 400_000;

export class KnownTerms {
  readonly numbers = new TermNumbers();
  readonly #parts = new Map<string, TermParts>();
  #counts = 0;

  get isFull(): boolean {
    return this.numbers.runs > MAX_RUNS || this.#counts > MAX_COUNTS;
  }

  /** @param text called if the note is not known yet */
  partsOf(title: string, bytes: Uint8Array, text: () => string): TermParts {
    const key = `${contentHash(bytes)} ${title}`;
    const known = this.#parts.get(key);
    if (known !== undefined) return known;
    const parts = this.numbers.partsOf(title, text());
    this.#parts.set(key, parts);
    this.#counts += parts.terms.length;
    return parts;
  }
}

/** Numbers and notes are forgotten together, and never during a call that uses them. */
export async function knownTerms(store: Store, { storeCache, signal }: ReadContext): Promise<KnownTerms> {
  const kept = await storeCache.get(keepTerms, store, signal);
  if (kept.terms.isFull) kept.terms = new KnownTerms();
  return kept.terms;
}

/** Whatever the index does, the terms of a content stay the same. */
const keepTerms = async (_store: Store, _signal: AbortSignal, previous: { terms: KnownTerms } | undefined) =>
  previous ?? { terms: new KnownTerms() };
