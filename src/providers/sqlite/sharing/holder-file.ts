// A note beside the index of who holds its lease, for whoever cannot read the index itself any more.
import { readFileSync, rmSync } from 'node:fs';
import { replaceFileSync } from '../../../base/atomic-write.ts';
import type { IndexHolder } from '../../../contracts/indexer.ts';
import { hasEnded } from '../../processes/process-identity.ts';
import { type Engine, openReader } from '../database/open-database.ts';
import { createRows } from '../database/rows.ts';
import { conflict, type HolderRow, leaseNow } from './lease.ts';

const noteOf = (file: string): string => `${file}.holder`;

/** Whole or not at all; it only helps, so a disk that takes no note keeps nobody from working. @returns whether it was written */
export function leaveNote(file: string, holder: HolderRow): boolean {
  return attempted(() => replaceFileSync(noteOf(file), JSON.stringify(holder), 0o600));
}

/** Where it is still this process's own. */
export function takeNoteAway(file: string): void {
  if (noteIn(file)?.pid === process.pid) attempted(() => rmSync(noteOf(file), { force: true }));
}

/** Whoever left a note and has not provably ended. */
export function livingHolder(file: string): IndexHolder | undefined {
  const holder = noteIn(file);
  if (holder === undefined || hasEnded(holder.life)) return undefined;
  const { pid, client, since } = holder;
  return { pid, client, since, heartbeat_age_ms: 0 };
}

function noteIn(file: string): HolderRow | undefined {
  let holder: HolderRow | undefined;
  attempted(() => {
    holder = JSON.parse(readFileSync(noteOf(file), 'utf8')) as HolderRow;
  });
  return holder;
}

function attempted(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

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
