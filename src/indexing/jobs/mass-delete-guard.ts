// Tells a vault whose notes were deleted from one that is not there whole, before the index forgets them. Pure.
import { VaultgraphError } from '../../base/errors.ts';
import type { FileState } from '../../contracts/store.ts';
import type { FileEntry } from '../../contracts/vault.ts';
import type { Comparison, Known } from './comparison.ts';

export interface MassDeleteLimits {
  /** Share of the known notes that one scan may remove. */
  readonly ratio: number;
  /** Below this many known notes only an empty vault is suspicious. */
  readonly minNotes: number;
}

/** A note found elsewhere with the same name, size and time was moved, not lost. @throws MASS_DELETE_BLOCKED */
export function checkMassDelete(
  { found, removed }: Comparison,
  listed: readonly FileEntry[],
  known: Known,
  limits: MassDeleteLimits,
): void {
  const notes = [...known.files.values()].filter(isNote).length;
  const arrived = new Set(found.filter(isNote).map(fingerprint));
  const missing = removed.filter((file) => isNote(file) && !arrived.has(fingerprint(file))).length;
  if (missing === 0) return;
  const ratio = missing / notes;
  const isEmpty = !listed.some(isNote);
  if (isEmpty || (notes >= limits.minNotes && ratio > limits.ratio))
    throw new VaultgraphError('MASS_DELETE_BLOCKED', { known: notes, missing, ratio });
}

const isNote = ({ kind }: FileEntry | FileState): boolean => kind !== 'attachment';

function fingerprint({ path, sizeBytes, modifiedMs }: FileEntry | FileState): string {
  return `${sizeBytes} ${modifiedMs} ${path.slice(path.lastIndexOf('/') + 1)}`;
}
