// Keeps a checksum of the closed index file beside it, so that damage done while no process had it open is found before it is used.
import { existsSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import * as z from 'zod';
import { NEVER } from '../../../base/async/waits.ts';
import { replaceFileSync } from '../../../base/atomic-write.ts';
import { errnoOf, errnoOrRethrow } from '../../../base/errno.ts';
import { readOwnJson } from '../../../base/system/own-file.ts';
import { mayExist } from '../../../base/system/presence.ts';
import { letOthersRun } from '../../../base/threads/turns.ts';
import type { Connection, Engine } from './connection.ts';
import { openReader, sealPath } from './open-database.ts';
import { corruptError, retryWhileBusy } from './store-errors.ts';

const SEAL = z.strictObject({ size: z.int().min(0), crc: z.int().min(0) });
type Seal = z.infer<typeof SEAL>;

const CHUNK_BYTES = 1024 * 1024;
/** A server has to end before its client kills it; an index without a seal is checked row by row when it is opened. */
const MAX_SEALING_MS = 700;

/**
 * Compares the file with its seal, which every connection that can write removes before its first write. The read transaction keeps
 * other processes from moving their changes into the file meanwhile.
 * @returns whether there is a seal @throws STORE_CORRUPT, STORE_BUSY
 */
export async function checkSeal(engine: Engine, file: string, signal: AbortSignal): Promise<boolean> {
  if (!existsSync(sealPath(file)) || !statSync(file, { throwIfNoEntry: false })?.isFile()) return false;
  const attempt = { op: 'open', file, checkCancelled: () => signal.throwIfAborted() };
  const connection = await retryWhileBusy(attempt, () => openReading(engine, file));
  try {
    return await isSealed(file);
  } finally {
    connection.close();
  }
}

/** Does what `checkSeal` does, where SQLite cannot read the file in place. */
export async function isSealed(file: string): Promise<boolean> {
  const seal = readSeal(file);
  if (seal === undefined) return false;
  const present = await sealOf(file, NEVER);
  if (present.size === seal.size && present.crc === seal.crc) return true;
  if (!existsSync(sealPath(file))) return false;
  throw corruptError({ op: 'open', file }, 'SQLITE_CORRUPT');
}

/** After the last connection is closed; does nothing while another process has the index open, or if it is sealed. */
export async function seal(file: string): Promise<void> {
  if (existsSync(sealPath(file)) || isOpen(file)) return;
  try {
    const sealed = await sealOf(file, AbortSignal.timeout(MAX_SEALING_MS));
    if (isOpen(file)) return;
    replaceFileSync(sealPath(file), JSON.stringify(sealed), 0o600);
  } catch (thrown) {
    // Without space, time or rights there is no seal, and the next opening checks all rows.
    if (errnoOf(thrown) === 'unknown' && !(thrown instanceof DOMException)) throw thrown;
  }
  // A process that opened it meanwhile has a write-ahead log, or removes the seal after it has made one.
  if (isOpen(file)) unseal(file);
}

/** If the disk refuses, the process that opened it does it before its first write. */
function unseal(file: string): void {
  try {
    rmSync(sealPath(file), { force: true });
  } catch (thrown) {
    errnoOrRethrow(thrown);
  }
}

const isOpen = (file: string): boolean => mayExist(`${file}-wal`) || mayExist(`${file}-journal`);

function openReading(engine: Engine, file: string): Connection {
  return openReader(engine, file, (connection) => {
    connection.exec('BEGIN');
    connection.prepare('SELECT count(*) FROM sqlite_schema').get();
  });
}

/** A seal that cannot be read says nothing. */
function readSeal(file: string): Seal | undefined {
  try {
    return SEAL.safeParse(readOwnJson(sealPath(file))).data;
  } catch (thrown) {
    errnoOrRethrow(thrown);
    return undefined;
  }
}

async function sealOf(file: string, signal: AbortSignal): Promise<Seal> {
  const handle = await open(file, 'r');
  try {
    const { size } = statSync(file);
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(1, size)));
    let crc = 0;
    for (let at = 0; at < size; ) {
      signal.throwIfAborted();
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) return { size: at, crc };
      crc = crc32(buffer.subarray(0, bytesRead), crc);
      at += bytesRead;
      await letOthersRun();
    }
    return { size, crc };
  } finally {
    await handle.close();
  }
}
