// Notices an index of another vault: index and vault have hardly any note in common.
import { VaultgraphError } from '../base/errors.ts';
import { outcomeOf } from '../base/outcome.ts';
import type { Store } from '../contracts/store.ts';
import type { Vault } from '../contracts/vault.ts';
import { compareListing, isNote, type MassDeleteLimits, missingNotes } from './jobs/comparison.ts';
import { knownOf } from './jobs/run-job.ts';

interface MatchParts {
  readonly store: Store;
  readonly vault: Vault;
  readonly limits: MassDeleteLimits;
}

const SAMPLE = 32;
/** A vault of which most notes were removed or moved still has more of them than that. */
const MIN_FOUND = 4;
/** Two vaults may both have a README and notes of the same days. */
const MAX_COMMON = 0.1;

/**
 * Paths say nothing: a vault may be moved, or be at another place on each machine. So a few notes of the index are looked up in the
 * vault, before the first answer and whenever another scan of the whole vault has ended, which also another server may have made.
 */
export class VaultMatch {
  readonly #parts: MatchParts;
  /** The scan of the index that was found to be of this vault. */
  #matchedAt: string | undefined;

  constructor(parts: MatchParts) {
    this.#parts = parts;
  }

  /** An index that is not complete is being built from this vault. @throws MASS_DELETE_BLOCKED; what the store throws */
  async check(signal: AbortSignal): Promise<void> {
    const { scannedAt } = await this.#parts.store.progress(signal);
    if (scannedAt === null || scannedAt === this.#matchedAt) return;
    const foreign = await outcomeOf(this.#foreignNotes(signal));
    signal.throwIfAborted();
    // A vault that cannot be read is reported by what reads it.
    if ('error' in foreign) return;
    if (foreign.value !== undefined) throw new VaultgraphError('MASS_DELETE_BLOCKED', foreign.value);
    this.#matchedAt = scannedAt;
  }

  async #foreignNotes(signal: AbortSignal) {
    const { store, vault, limits } = this.#parts;
    const { notes, total } = await store.listNotes({}, 'random', 'asc', { limit: SAMPLE, offset: 0 }, signal);
    if (total < limits.minNotes) return undefined;
    const { files } = await vault.listAt(
      notes.map(({ path }) => path),
      signal,
    );
    if (files.length >= Math.min(MIN_FOUND, notes.length)) return undefined;
    const listing = await vault.list(signal);
    const known = await knownOf(await store.fileStates(signal), store, signal);
    const comparison = await compareListing(listing, known, new Set());
    const listed = listing.files.filter(isNote).length;
    const missing = missingNotes(comparison);
    const indexed = [...known.files.values()].filter(isNote).length;
    const common = indexed - missing;
    const isForeign = listed > 0 && common < MAX_COMMON * Math.min(indexed, listed);
    return isForeign ? { known: indexed, missing, ratio: missing / indexed } : undefined;
  }
}
