// Records which machine made each change of notes: only its change log has the bytes that undo it.
import { hostname } from 'node:os';
import type { WriteLock } from '../../../contracts/session.ts';
import { MAX_CHANGE_AGE_DAYS } from '../../../contracts/writer.ts';
import type { Database } from '../connection/database.ts';

const MAX_RECORD_MS = 5_000;

const RECORD = `WITH undone AS (DELETE FROM $schema.changes WHERE id = $1),
    old AS (DELETE FROM $schema.changes WHERE made_at < now() - interval '${MAX_CHANGE_AGE_DAYS} days')
  INSERT INTO $schema.changes (id, machine, made_at) VALUES ($2, $3, now()) ON CONFLICT (id) DO NOTHING`;
const FIND = 'SELECT machine FROM $schema.changes WHERE id = $1';

/** @param ready resolves once the tables are there */
export function createChangePlaces(
  database: Database,
  ready: (signal: AbortSignal) => Promise<unknown>,
): Pick<WriteLock, 'record' | 'machineOf'> {
  return {
    record: async ({ id, undoes = null }) => {
      await database.query('write', RECORD, [undoes, id, hostname()], AbortSignal.timeout(MAX_RECORD_MS));
    },
    machineOf: async (changeId, signal) => {
      await ready(signal);
      const [row] = await database.query<{ machine: string }>('write', FIND, [changeId], signal);
      return row?.machine;
    },
  };
}
