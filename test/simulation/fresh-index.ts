// Builds an index of the vault of a simulation from nothing, with a store that is emptied for the next one.
import { join } from 'node:path';
import { contentOf, indexOver, type OpenParts, openParts, signal } from '../indexing/index-under-test.ts';
import { vaultFolderAt } from '../providers/filesystem/vault-folder.ts';
import type { SimulatedDisk } from './simulated-disk.ts';
import { inProcess, useWorld, World } from './world.ts';

const PROCESS = { name: 'reference', pid: 99_999, isDead: false };
/** Its time goes on from one use to the next, and has nothing to do with that of a schedule. */
const world = new World(0);
let parts: OpenParts | undefined;

/** @param root of the vault, always the same */
export async function freshIndex(root: string, disk: SimulatedDisk): Promise<unknown> {
  const { costMs } = disk;
  disk.costMs = 0;
  useWorld(world);
  let outcome: PromiseSettledResult<unknown> | undefined;
  inProcess(PROCESS, () => void Promise.allSettled([build(root)]).then(([ended]) => (outcome = ended)));
  await world.runUntil(() => outcome !== undefined);
  await world.runUntil(() => false, 1);
  useWorld(disk.world);
  disk.costMs = costMs;
  if (outcome?.status === 'fulfilled') return outcome.value;
  throw outcome?.reason;
}

async function build(root: string): Promise<unknown> {
  const folder = vaultFolderAt(join(root, '..'));
  parts ??= await openParts(folder, join(root, '../reference'), {});
  await parts.store.reset(signal);
  const index = indexOver(parts);
  const job = await index.run();
  if (job.state !== 'succeeded') throw job.error;
  const content = await contentOf(parts.store);
  await index.close();
  return content;
}
