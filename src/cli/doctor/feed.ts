// The doctor check of the feed of changes: its size, since when it knows changes, and whether it is sound.
import { NEVER } from '../../base/until-aborted.ts';
import type { StoredFeed } from '../../contracts/feed.ts';
import { localTime } from '../output.ts';
import { type Finding, failing, ok } from './finding.ts';

const MIB = 1024 * 1024;
const SAMPLES = 3;

export async function feedFinding({ feed }: { readonly feed?: StoredFeed }): Promise<Finding> {
  if (feed === undefined) return ok('none is kept');
  const faults = await feed.faults(NEVER);
  if (faults.length > 0) return failing(`${feed.file}: ${faults.slice(0, SAMPLES).join('; ')}`, feed.remedy);
  const state = await feed.state(NEVER);
  const earlier = feed.hadDamage() ? '; an earlier one was damaged, and is kept beside it' : '';
  const since = state?.knownSince ?? null;
  if (state === undefined || since === null) return ok(`${feed.file} begins with the next scan${earlier}`);
  const known = `${state.last - state.forgotten} changes since ${localTime(since)}`;
  return ok(`${feed.file}, ${(state.bytes / MIB).toFixed(1)} MiB, ${known}${earlier}`);
}
