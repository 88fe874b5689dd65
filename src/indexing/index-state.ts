// What there is to say of the index: as this process knows it where it leads, as the one that leads told where it follows. Pure.
import type { IndexJob, IndexState, WatchState } from '../contracts/indexer.ts';
import type { Lease } from '../contracts/lease.ts';
import type { StoreProgress } from '../contracts/store.ts';

type Work = Pick<IndexState, 'freshness' | 'running' | 'embedJob' | 'lastError'>;

export function ownState(
  role: IndexState['role'],
  counts: StoreProgress | undefined,
  watching: WatchState,
  work: Work,
): IndexState {
  return { role, watching, ...countsOf(counts), ...work };
}

export function followedState(
  { holder, report }: Partial<Lease>,
  counts: StoreProgress | undefined,
  { running, embedJob }: { readonly running: IndexJob | undefined; readonly embedJob: IndexJob | undefined },
): IndexState {
  return {
    ...{ role: 'follower' as const, ...(holder && { holder }) },
    ...{ watching: report?.watching ?? { mode: 'off', pending: 0 }, freshness: report?.freshness ?? 'unknown' },
    ...countsOf(counts),
    ...(running && { running }),
    ...(embedJob && { embedJob }),
    ...(report?.lastError && { lastError: report.lastError }),
  };
}

function countsOf(counts: StoreProgress | undefined) {
  const { indexed = 0, pending = 0, quarantined = 0, scannedAt: asOf = null } = counts ?? {};
  return { complete: asOf !== null, asOf, total: indexed + pending, indexed, pending, quarantined };
}
