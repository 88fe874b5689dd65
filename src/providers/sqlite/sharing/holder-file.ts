// Writes the process that holds the lease to a file next to the index, in case the index cannot be read.
import { rmSync } from 'node:fs';
import { replaceFileSync } from '../../../base/atomic-write.ts';
import { packKept, unpackKept } from '../../../base/kept-json.ts';
import { readOwnFile } from '../../../base/system/own-file.ts';
import type { IndexHolder } from '../../../contracts/indexer.ts';
import { hasEnded } from '../../processes/process-identity.ts';
import type { Engine } from '../database/connection.ts';
import { openReader } from '../database/open-database.ts';
import { createRows } from '../database/rows.ts';
import { type HolderRow, leaseConflict, readLease } from './lease.ts';

const pathOf = (file: string): string => `${file}.holder`;
const ABOUT = 'holder';

/** @throws INDEX_CONFLICT while a process that may still be running holds the lease */
export function refuseWhileHeld(engine: Engine, file: string): void {
  const holder = holderOf(engine, file);
  if (holder !== undefined) throw leaseConflict(holder);
}

function holderOf(engine: Engine, file: string): IndexHolder | undefined {
  try {
    const connection = openReader(engine, file);
    try {
      const lease = readLease(createRows(connection), null);
      return lease.isDead ? undefined : lease.holder;
    } finally {
      connection.close();
    }
  } catch {
    return holderInFile(file);
  }
}

/** Whether a process that may still be running holds the lease, as far as the file says. */
export function isHeld(file: string): boolean {
  return holderInFile(file) !== undefined;
}

/** The process that holds the lease and may still be running, as far as the file says. */
export function holderInFile(file: string): IndexHolder | undefined {
  const holder = readHolderFile(file);
  if (holder === undefined || hasEnded(holder.life)) return undefined;
  const { pid, client, since } = holder;
  return { pid, client, since, heartbeat_age_ms: 0 };
}

/** A failure is ignored: the file is only a fallback. */
export function writeHolderFile(file: string, holder: HolderRow): void {
  ignoreErrors(() => replaceFileSync(pathOf(file), packKept(holder, ABOUT), 0o600));
}

/** Leaves the file of another process in place. */
export function removeHolderFile(file: string): void {
  if (readHolderFile(file)?.pid === process.pid) ignoreErrors(() => rmSync(pathOf(file), { force: true }));
}

/** One that is damaged names no process, or it would keep the index from being replaced for ever. */
function readHolderFile(file: string): HolderRow | undefined {
  return ignoreErrors(() => unpackKept(readOwnFile(pathOf(file)).toString(), ABOUT) as HolderRow | undefined);
}

function ignoreErrors<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
