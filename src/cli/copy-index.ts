// Copies the index that another store has left on this machine to the configured store.

import type { GraphCore } from '../app/graph-core.ts';
import { storedIndex } from '../app/load-providers.ts';
import { VaultgraphError } from '../base/errors.ts';
import { createLog } from '../base/log.ts';
import { NEVER } from '../base/until-aborted.ts';
import type { Store, StoreCounts } from '../contracts/store.ts';
import type { StoredGeneration, StoredIndex } from '../contracts/stored-index.ts';
import { report } from './output.ts';
import { type Manner, showProgress } from './screen/show-progress.ts';

/**
 * Reads no note. What has changed in the vault since is found by the index job afterwards.
 * @param to the type that the configured store must have @throws CONFIG_INVALID, also if the configured store has an index; STORE_*
 */
export async function copyIndex({ config, store }: GraphCore, to: string, manner: Manner): Promise<void> {
  const stored = await storedIndex(config, to, createLog('warn', report));
  try {
    const { files } = await store.counts(NEVER);
    if (files > 0) throw isUsed(files);
    await copyStored(stored, store, manner);
  } finally {
    stored.close();
  }
}

/** @param store an empty one @throws STORE_*; INTERNAL if it does not have the same counts afterwards */
export async function copyStored(stored: StoredIndex, store: Store, manner: Manner): Promise<void> {
  await copyFiles(stored, store, manner);
  for (const generation of stored.generations) await copyGeneration(generation, store);
  await store.completeScan(stored.counts.scannedAt ?? '', NEVER);
  compare(stored.counts, await store.counts(NEVER));
}

function isUsed(files: number): VaultgraphError {
  const what = `the configured store has an index of ${files} files, and an index is copied only to an empty one`;
  return new VaultgraphError('CONFIG_INVALID', { faults: [{ file: '--store', what }] });
}

async function copyFiles(stored: StoredIndex, store: Store, manner: Manner): Promise<void> {
  const progress = showProgress('copying', manner);
  let done = 0;
  for (const changes of stored.changes()) {
    await store.apply(changes, NEVER);
    done += changes.indexed.length;
    progress.show(done, stored.counts.indexed, '');
  }
  progress.end();
}

async function copyGeneration({ role, state, fingerprint, changes }: StoredGeneration, store: Store): Promise<void> {
  const { id } = await store.openGeneration(role, fingerprint, NEVER);
  for (const part of changes()) await store.applyVectors(id, part, NEVER);
  if (state !== 'building') await store.activate(id, NEVER);
}

const COMPARED = [
  'files',
  'notes',
  'indexed',
  'quarantined',
  'links',
  'unresolved',
  'embeds',
  'tags',
  'aliases',
] as const;

/** @throws INTERNAL */
function compare(stored: StoreCounts, copied: StoreCounts): void {
  const different = COMPARED.find((key) => stored[key] !== copied[key]);
  if (different !== undefined) throw new VaultgraphError('INTERNAL', { kind: `the copy has other ${different}` });
}
