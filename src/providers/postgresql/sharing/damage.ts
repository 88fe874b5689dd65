// Marks the index in PostgreSQL as damaged for all servers, and empties its tables so that the notes are indexed again, at most once an hour.
import type { Database } from '../connection/database.ts';
import { beginAgain } from '../schema/begin-again.ts';
import { LEASE, type LeaseRow, leaseFrom } from './lease-row.ts';

/** Repeated damage points to a faulty disk or memory, which a rebuild does not repair. */
const PAUSE = `interval '1 hour'`;
/** Longer than from when damage is read to when it is marked. */
const LATE = `interval '1 minute'`;

/** Columns of the head: when a server rebuilds the index, `now` or a time, null if no damage is known; and when one last did. */
export const DAMAGE = `CASE WHEN damaged IS NULL THEN NULL WHEN rebuilt > now() - ${PAUSE} THEN ${iso(`rebuilt + ${PAUSE}`)}
  ELSE 'now' END AS rebuild, ${iso('rebuilt')} AS rebuilt`;

function iso(time: string): string {
  return `to_char((${time}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}

/**
 * Every server reads the mark with its next query.
 * @param epoch of the index in which the damage was found: one that was begun again since is not marked. Undefined if it is unknown: an
 * index that was begun again just now is not marked then, as another server may have found the same damage and repaired it
 * @returns when a server begins again; undefined if one has
 */
export async function markDamaged(
  database: Database,
  epoch: number | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const sql = `UPDATE $schema.head SET damaged = coalesce(damaged, now())
    WHERE CASE WHEN $1::bigint IS NULL THEN NOT coalesce(rebuilt > now() - ${LATE}, false) ELSE epoch = $1 END RETURNING ${DAMAGE}`;
  const [marked] = await database.query<{ rebuild: string }>('damage', sql, [epoch ?? null], signal);
  return marked?.rebuild;
}

/**
 * Does nothing unless the index is marked as damaged and an hour has passed. Frees the lease: the next leader compares the whole vault.
 * @param token of the lease of this server; another server that leads begins again itself
 */
export async function beginAgainIfDue(database: Database, token: number | null, signal: AbortSignal): Promise<void> {
  const due = `SELECT FROM $schema.head WHERE damaged IS NOT NULL AND NOT coalesce(rebuilt > now() - ${PAUSE}, false)`;
  if ((await database.query('rebuild', due, [], signal)).length === 0) return;
  await database.transaction('rebuild', signal, async (run) => {
    // In the order of every change, so that none waits for the other.
    const [lease] = await run<LeaseRow>(`${LEASE} FOR UPDATE`);
    const [isDue] = await run(`${due} FOR UPDATE`);
    if (isDue === undefined || (lease !== undefined && isHeldByOther(lease, token))) return;
    await beginAgain(run);
    await run('UPDATE $schema.head SET rebuilt = now()');
  });
}

/** A lease that cannot be read is part of the damage. */
export function isHeldByOther(row: LeaseRow, token: number | null): boolean {
  try {
    const { holder, isMine, isDead } = leaseFrom(row, token);
    return holder !== undefined && !isMine && !isDead;
  } catch {
    return false;
  }
}

/** Whether the tables were emptied, for the heartbeat of a leader: no set of changes reports rows that are missing. */
export const LACKS_FILES = 'living > 0 AND NOT EXISTS (SELECT FROM $schema.files WHERE NOT gone)';
