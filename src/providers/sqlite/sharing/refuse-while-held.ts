// Keeps an index in its place that another process works with, also when the index itself can no longer be read. Changes nothing.
import type { Engine } from '../database/engine.ts';
import { openReader } from '../database/open-database.ts';
import { createRows } from '../database/rows.ts';
import { livingHolder } from './holder-note.ts';
import { conflict, leaseNow } from './lease-row.ts';

/** @throws INDEX_CONFLICT while somebody holds its lease who has not provably ended */
export function refuseWhileHeld(engine: Engine, file: string): void {
  const lease = readLease(engine, file);
  const holder = lease === 'unreadable' ? livingHolder(file) : lease.isDead ? undefined : lease.holder;
  if (holder !== undefined) throw conflict(holder);
}

function readLease(engine: Engine, file: string): ReturnType<typeof leaseNow> | 'unreadable' {
  try {
    const connection = openReader(engine, file);
    try {
      return leaseNow(createRows(connection), null);
    } finally {
      connection.close();
    }
  } catch {
    return 'unreadable';
  }
}
