// Makes an index once, closed and sound, for tests that damage a copy of it again and again.
import { cpSync, rmSync } from 'node:fs';
import type { Store } from '../../../../src/contracts/store.ts';
import { asPath, changes, signal } from '../../../contracts/store/law.ts';
import { keptJob } from '../../../contracts/store/sharing.ts';
import { createIndexFolder, type IndexFolder } from './index-folder.ts';

export interface KeptIndex {
  readonly folder: IndexFolder;
  /** Brings the index back to what it was. */
  restore(): void;
  remove(): void;
}

export const TORN = { path: asPath('Bad.md'), phase: 'read', code: 'FILE_UNREADABLE', reason: 'torn' } as const;

/** The index also has a job, a quarantined note, and a complete scan; its lease is released. */
export async function keepIndex(fill: (store: Store) => Promise<void>): Promise<KeptIndex> {
  const folder = createIndexFolder();
  const { dataFolder } = folder.context;
  const { capability: store, close } = await folder.open();
  await store.takeLease({ client: 'a test', jobs: [keptJob('job_1')] }, signal);
  await store.apply(changes({ quarantined: [TORN] }), signal);
  await fill(store);
  await store.completeScan('2026-11-22T10:00:00.000Z', signal);
  await store.releaseLease(signal);
  await close();
  const kept = `${dataFolder}-kept`;
  cpSync(dataFolder, kept, { recursive: true });
  return {
    folder,
    restore: () => {
      rmSync(dataFolder, { recursive: true, force: true });
      cpSync(kept, dataFolder, { recursive: true });
    },
    remove: () => {
      rmSync(kept, { recursive: true, force: true });
      folder.remove();
    },
  };
}
