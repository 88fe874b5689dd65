// Lets one server at a time write notes, whichever machine and copy of the vault it writes to.
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { VaultgraphError } from '../../../base/errors.ts';
import { packKept } from '../../../base/kept-json.ts';
import type { WriteLock } from '../../../contracts/session.ts';
import { MAX_CHANGE_AGE_DAYS } from '../../../contracts/writer.ts';
import type { Database } from '../connection/database.ts';
import { emptied } from '../connection/failures.ts';

/** By the clock of the database server. A server that is cut off or killed keeps the others from writing for so long. */
const LIFETIME = '30 seconds';
const RENEW_EVERY_MS = 10_000;
const MAX_WAIT_MS = 10_000;
const PAUSE_MS = 50;
/** A lock that cannot be freed ends by itself. */
const MAX_FREE_MS = 5_000;

const TAKE = `UPDATE $schema.write_lock SET token = token + 1, holder = $1, expires_at = now() + interval '${LIFETIME}'
  WHERE holder IS NULL OR expires_at < now() RETURNING token`;
const RENEW = `UPDATE $schema.write_lock SET expires_at = now() + interval '${LIFETIME}' WHERE token = $1`;
const FREE = 'UPDATE $schema.write_lock SET holder = NULL WHERE token = $1';

/**
 * A row that is taken by one conditional update, so that it works behind a pooler.
 * @param ready resolves once the tables are there
 */
export function createWriteLock(
  database: Database,
  ready: (signal: AbortSignal) => Promise<unknown>,
  maxWaitMs = MAX_WAIT_MS,
): WriteLock {
  return Object.freeze<WriteLock>({
    ...createChangePlaces(database, ready),
    hold: async (signal, work) => {
      await ready(signal);
      const token = await take(database, maxWaitMs, signal);
      const renewal = setInterval(() => void settle(database, RENEW, token), RENEW_EVERY_MS);
      try {
        return await work();
      } finally {
        clearInterval(renewal);
        await settle(database, FREE, token);
      }
    },
  });
}

/** @throws STORE_BUSY with the machine that holds it, after a while */
async function take(database: Database, maxWaitMs: number, signal: AbortSignal): Promise<number> {
  for (const began = performance.now(); ; await sleep(PAUSE_MS)) {
    signal.throwIfAborted();
    const [lock] = await database.query<{ token: number }>('write', TAKE, [hostname()], signal);
    if (lock !== undefined) return lock.token;
    const waited = performance.now() - began;
    if (waited > maxWaitMs) throw await heldError(database, Math.round(waited), signal);
  }
}

async function heldError(database: Database, waitedMs: number, signal: AbortSignal): Promise<VaultgraphError> {
  const [held] = await database.query<{ holder: string | null }>(
    'write',
    'SELECT holder FROM $schema.write_lock',
    [],
    signal,
  );
  if (held === undefined) return emptied({ op: 'write', settings: database.settings });
  return new VaultgraphError('STORE_BUSY', {
    op: 'write',
    waited_ms: waitedMs,
    writer: held.holder ?? 'another machine',
  });
}

/** Whether it succeeds or not: what was written stays written, and the lock ends by itself. */
async function settle(database: Database, sql: string, token: number): Promise<void> {
  await Promise.allSettled([database.query('write', sql, [token], AbortSignal.timeout(MAX_FREE_MS))]);
}

const MAX_RECORD_MS = 5_000;

/** What a change of more files did is not recorded. */
const MAX_CHANGE_LENGTH = 1024 * 1024;

const RECORD = `WITH undone AS (UPDATE $schema.changes SET undone = true WHERE id = $1),
    old AS (DELETE FROM $schema.changes WHERE made_at < now() - interval '${MAX_CHANGE_AGE_DAYS} days')
  INSERT INTO $schema.changes (id, machine, made_at, change) VALUES ($2, $3, now(), $4) ON CONFLICT (id) DO NOTHING`;
const FIND = 'SELECT machine FROM $schema.changes WHERE id = $1 AND NOT undone';

/** @param ready resolves once the tables are there */
function createChangePlaces(
  database: Database,
  ready: (signal: AbortSignal) => Promise<unknown>,
): Pick<WriteLock, 'record' | 'machineOf'> {
  return {
    record: async ({ id, undoes = null, tool, files }) => {
      const packed = files === undefined ? null : packKept({ tool, files }, id);
      const change = (packed?.length ?? 0) > MAX_CHANGE_LENGTH ? null : packed;
      await database.query('write', RECORD, [undoes, id, hostname(), change], AbortSignal.timeout(MAX_RECORD_MS));
    },
    machineOf: async (changeId, signal) => {
      await ready(signal);
      const [row] = await database.query<{ machine: string }>('write', FIND, [changeId], signal);
      return row?.machine;
    },
  };
}
