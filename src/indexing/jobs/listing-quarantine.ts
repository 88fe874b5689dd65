// Names in the ledger what a scan had to leave out, and takes out of it what is no longer so. Pure.
import { VaultgraphError } from '../../base/errors.ts';
import type { QuarantineRow } from '../../contracts/store.ts';
import type { SkippedEntry, VaultListing } from '../../contracts/vault.ts';
import type { Comparison, Known } from './comparison.ts';

export interface LedgerChange {
  readonly quarantined: readonly QuarantineRow[];
  readonly released: readonly string[];
}

/** Only what is new or different is written: an unchanged vault costs no write. */
export function ledgerChange(listing: VaultListing, comparison: Comparison, { quarantine }: Known): LedgerChange {
  const rows = new Map(listingRows(listing, comparison).map((row) => [row.path, row]));
  const gone = new Set<string>(comparison.removed.map(({ path }) => path));
  const isOver = ({ path, phase }: QuarantineRow): boolean => !rows.has(path) && (phase === 'list' || gone.has(path));
  return {
    quarantined: [...rows.values()].filter((row) => {
      const before = quarantine.get(row.path);
      return before?.code !== row.code || before.reason !== row.reason;
    }),
    released: [...quarantine.values()].filter(isOver).map(({ path }) => path),
  };
}

function listingRows(listing: VaultListing, { unknown }: Comparison): readonly QuarantineRow[] {
  const evicted = listing.files.filter((file) => file.evicted && file.kind !== 'attachment');
  return [
    ...listing.unreadableFolders.map(({ path, errno }) => unreadable(path, errno)),
    ...unknown.map(({ file, errno }) => unreadable(file.path, errno)),
    ...listing.skipped.map(skippedRow),
    ...evicted.map(({ path }) => unreadable(path, 'EVICTED')),
  ];
}

const RULES = {
  symlink: 'a symbolic link is not followed',
  not_a_file: 'it is named like a note and is no file',
  unlistable_name: 'its name is no valid UTF-8',
} as const;

function skippedRow({ path, reason }: SkippedEntry): QuarantineRow {
  if (reason === 'evicted_stub') return unreadable(path, 'EVICTED');
  return rowOf(path, new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: RULES[reason] }));
}

function unreadable(path: string, errno: string): QuarantineRow {
  return rowOf(path, new VaultgraphError('FILE_UNREADABLE', { path, errno }));
}

function rowOf(path: string, error: VaultgraphError): QuarantineRow {
  return { path, phase: 'list', code: error.code, reason: error.message };
}
