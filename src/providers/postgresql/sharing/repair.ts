// Empties a damaged index in PostgreSQL so that it is rebuilt, for the command that a user runs.
import { NEVER } from '../../../base/async/waits.ts';
import { leaseConflict } from '../../sqlite/sharing/lease.ts';
import { Database } from '../connection/database.ts';
import type { ConnectionSettings } from '../connection/settings.ts';
import { faultsInTables } from '../copy/check-tables.ts';
import { beginAgain } from '../schema/begin-again.ts';
import { prepareSchema } from '../schema/prepare-schema.ts';
import { isHeldByOther } from './damage.ts';
import { LEASE, type LeaseRow, leaseFrom } from './lease-row.ts';

/** Leaves sound tables as they are. @throws INDEX_CONFLICT while a process that may still be running holds the lease; STORE_* */
export async function repair(settings: ConnectionSettings): Promise<void> {
  const database = new Database(settings, 1, () => undefined);
  try {
    await prepareSchema(database, () => true, NEVER);
    const [row] = await database.query<LeaseRow>('lease', LEASE, [], NEVER);
    if (row !== undefined && isHeldByOther(row, null)) throw leaseConflict(leaseFrom(row, null).holder);
    if (await isDamaged(database)) await database.transaction('rebuild', NEVER, beginAgain);
  } finally {
    await database.close();
  }
}

async function isDamaged(database: Database): Promise<boolean> {
  const marked = await database.query('rebuild', 'SELECT FROM $schema.head WHERE damaged IS NOT NULL', [], NEVER);
  return marked.length > 0 || (await faultsInTables(database, NEVER)).length > 0;
}
