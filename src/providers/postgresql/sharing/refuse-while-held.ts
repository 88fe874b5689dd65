// Refuses what no running server may see while one of them holds the lease.
import { NEVER } from '../../../base/until-aborted.ts';
import { leaseConflict } from '../../sqlite/sharing/lease.ts';
import { Database } from '../connection/database.ts';
import type { ConnectionSettings } from '../connection/settings.ts';
import { prepareSchema } from '../schema/prepare-schema.ts';
import { LEASE, type LeaseRow, leaseFrom } from './lease-row.ts';

/** @throws INDEX_CONFLICT while a process that may still be running holds the lease; STORE_* */
export async function refuseWhileHeld(settings: ConnectionSettings): Promise<void> {
  const database = new Database(settings, 1, () => undefined);
  try {
    await prepareSchema(database, NEVER);
    const [row] = await database.query<LeaseRow>('lease', LEASE, [], NEVER);
    const lease = row && leaseFrom(row, null);
    if (lease?.holder !== undefined && !lease.isDead) throw leaseConflict(lease.holder);
  } finally {
    await database.close();
  }
}
