// Who may write the index: reads the one row of the lease, and holds every change of the index to it.
import { VaultgraphError } from '../../../base/errors.ts';
import type { IndexHolder } from '../../../contracts/indexer.ts';
import type { Lease } from '../../../contracts/lease.ts';
import type { Rows } from '../database/rows.ts';
import { unpackReport } from './packed-job.ts';
import { hasEnded, type ProcessLife } from './process-life.ts';

/** As it is kept. `pid` is as the process itself knows it. */
export interface HolderRow extends Pick<IndexHolder, 'pid' | 'client' | 'since'> {
  readonly life: ProcessLife;
}

interface LeaseColumns {
  readonly token: number;
  readonly beats: number;
  readonly holder: string | null;
  readonly beatAt: string | null;
  readonly report: string | null;
}

const COLUMNS = 'SELECT token, beats, holder, beat_at AS beatAt, report FROM lease';

/** @param token under which the asking store holds it; null where it does not */
export function leaseNow(rows: Rows, token: number | null): Lease {
  const row = columns(rows);
  const holder = holderIn(row);
  return {
    ...{ token: row.token, beats: row.beats, isMine: holder !== undefined && token === row.token },
    ...(holder && { holder: shown(holder, row) }),
    isDead: holder !== undefined && hasEnded(holder.life),
    ...(row.report === null ? {} : { report: unpackReport(row.report) }),
  };
}

/**
 * Called inside every transaction that changes the index, and a sign of life in itself: one that takes long holds its lease.
 * @param token null of a store that never took the lease, which may write while nobody has it
 * @throws INDEX_CONFLICT
 */
export function mayWrite(rows: Rows, token: number | null, now: string): void {
  const row = columns(rows);
  const holder = holderIn(row);
  if (token === null && holder === undefined) return;
  if (token !== row.token || holder === undefined) throw conflict(holder && shown(holder, row));
  rows.run('UPDATE lease SET beats = beats + 1, beat_at = ?', now);
}

export function conflict(holder: IndexHolder | undefined): VaultgraphError {
  return new VaultgraphError('INDEX_CONFLICT', holder === undefined ? {} : { holder });
}

function columns(rows: Rows): LeaseColumns {
  const row = rows.first<LeaseColumns>(COLUMNS);
  if (row === undefined) throw new VaultgraphError('INTERNAL', { kind: 'no_lease' });
  return row;
}

function holderIn({ holder }: LeaseColumns): HolderRow | undefined {
  return holder === null ? undefined : (JSON.parse(holder) as HolderRow);
}

function shown({ pid, client, since }: HolderRow, { beatAt, report }: LeaseColumns): IndexHolder {
  const age = beatAt === null ? 0 : Math.max(0, Date.now() - Date.parse(beatAt));
  // A client may tell its name later than its process took the lease.
  return { pid, client: report === null ? client : unpackReport(report).client, since, heartbeat_age_ms: age };
}
