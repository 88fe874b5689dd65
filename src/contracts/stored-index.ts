// An index that a store has left on this machine, as another store takes it over without reading the notes again.
import type { ChangeSet } from './change-set.ts';
import type { StoreCounts } from './store.ts';
import type { Generation, VectorChanges } from './vectors.ts';

export interface StoredGeneration extends Pick<Generation, 'role' | 'state' | 'fingerprint'> {
  /** All its vectors and notes, in parts. */
  changes(): Iterable<VectorChanges>;
}

/** All answers are of one moment. */
export interface StoredIndex {
  readonly counts: StoreCounts;
  /** What an empty index has to apply, in this order. */
  changes(): Iterable<ChangeSet>;
  /** Oldest first. */
  readonly generations: readonly StoredGeneration[];
  close(): void;
}
