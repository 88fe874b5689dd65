// Opens a database that cannot be made again from the notes, makes its tables, and moves a damaged one aside.

import { closeSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOrRethrow } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/make-folder.ts';
import { checkOwnFile } from '../../../base/system/own-file.ts';
import { renamePatientlySync } from '../../../base/system/rename.ts';
import type { Connection, Engine } from './connection.ts';
import { openFile } from './open-database.ts';
import type { Rows } from './rows.ts';
import { DOUBTFUL, displayPath, isCorruptionOf, isMissing, toStoreError } from './store-errors.ts';

const MAX_FAULTS = 10;
const MAX_LOG_BYTES = 4 * 1024 * 1024;

export interface KeptFile {
  /** One word, for the details of errors. */
  readonly op: string;
  /** The `application_id`: another program's file is never touched. */
  readonly id: number;
  readonly version: number;
  /** Makes the tables and sets both numbers. */
  readonly make: (connection: Connection) => void;
}

/** @param waitMs for a lock, which blocks the thread @throws the error of SQLite or of the file system; STORE_* if it is not ours */
export function openKeptWriter(engine: Engine, file: string, kept: KeptFile, waitMs: number): Connection {
  makeFolder(dirname(file), 0o700);
  checkOwnFile(file);
  const connection = openFile(engine, file, { timeout: waitMs });
  return closedOnFailure(connection, () => {
    // Nothing of another program's file is changed.
    if (isEmpty(connection)) connection.pragma('auto_vacuum = INCREMENTAL');
    else checkVersion(connection, file, kept);
    connection.pragma('journal_mode = WAL');
    connection.pragma('synchronous = NORMAL');
    connection.pragma(`journal_size_limit = ${MAX_LOG_BYTES}`);
    connection
      .transaction(() => {
        if (isEmpty(connection)) kept.make(connection);
      })
      .immediate();
    checkVersion(connection, file, kept);
    return connection;
  });
}

/** Undefined without a file, also if it goes meanwhile, or while it is being made. @param waitMs as for writing @throws as for writing */
export function openKeptReader(engine: Engine, file: string, kept: KeptFile, waitMs: number): Connection | undefined {
  if (isMissing(file, kept.op)) return undefined;
  checkOwnFile(file);
  const connection = openUnlessMissing(engine, file, kept.op, waitMs);
  if (connection === undefined) return undefined;
  return closedOnFailure(connection, () => {
    if (isEmpty(connection)) {
      connection.close();
      return undefined;
    }
    checkVersion(connection, file, kept);
    return connection;
  });
}

function openUnlessMissing(engine: Engine, file: string, op: string, waitMs: number): Connection | undefined {
  try {
    return openFile(engine, file, { readonly: true, fileMustExist: true, timeout: waitMs });
  } catch (thrown) {
    if (isMissing(file, op)) return undefined;
    throw thrown;
  }
}

function closedOnFailure<T>(connection: Connection, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
}

const isEmpty = (connection: Connection): boolean =>
  connection.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;

function checkVersion(connection: Connection, file: string, { op, id, version }: KeptFile): void {
  const foundId = connection.pragma('application_id', { simple: true });
  const fileVersion = connection.pragma('user_version', { simple: true }) as number;
  const refusal = (what: string, advice: string) =>
    new VaultgraphError('STORE_UNAVAILABLE', { op, reason: `${displayPath(file)} ${what}`, advice });
  if (foundId !== id) throw refusal('is a file of another program', 'Move it away.');
  if (fileVersion > version) throw refusal('was written by a later version of vaultgraph', 'Update vaultgraph.');
}

/** Without the pages that are free. */
export function bytesIn(kept: Rows): number {
  const pragma = (name: string): number => kept.value<number>(`PRAGMA ${name}`) ?? 0;
  return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
}

export function faultsIn(kept: Rows): readonly string[] {
  const faults = kept.column<string>(`PRAGMA quick_check(${MAX_FAULTS})`);
  return faults.length === 1 && faults[0] === 'ok' ? [] : faults;
}

/** Changes when another file takes its place; undefined without one. */
export function fileIdentity(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

export const damagedPath = (file: string): string => `${file}.damaged`;

/** @returns whether the error says that the file is damaged, and it is out of the way: the next write begins a new one */
export const setAsideIfDamaged = (engine: Engine, file: string, error: unknown): boolean =>
  isCorruptionOf('file', error) && (isCertain(error) ? setFileAside(file) : setAsideIfFoundAgain(engine, file));

/** The engine also reports a read that the disk refused as a corruption, and another look may succeed: nothing makes the file again. */
export const isCertain = ({ cause }: VaultgraphError): boolean => !DOUBTFUL.test(String(Object(cause).code));

/** Reads the whole file. @returns as `setAsideIfDamaged` */
export const setAsideIfFoundAgain = (engine: Engine, file: string): boolean =>
  isFoundAgain(engine, file) && setFileAside(file);

function isFoundAgain(engine: Engine, file: string): boolean {
  try {
    for (const name of [file, `${file}-wal`]) if (fileIdentity(name) !== undefined) readAll(name);
    const connection = openFile(engine, file, { readonly: true, fileMustExist: true, timeout: 0 });
    return closedOnFailure(connection, () => {
      const verdict = connection.prepare<[], string>('PRAGMA integrity_check(1)').pluck().get();
      connection.close();
      return verdict !== 'ok';
    });
  } catch (thrown) {
    return isCorruptionOf('file', toStoreError(thrown, { op: 'check', file }));
  }
}

const CHUNK_BYTES = 1024 * 1024;

/** @throws the system's error, which the engine hides */
function readAll(file: string): void {
  const descriptor = openSync(file, 'r');
  try {
    for (const buffer = Buffer.allocUnsafe(CHUNK_BYTES); readSync(descriptor, buffer) > 0; );
  } finally {
    closeSync(descriptor);
  }
}

/** Keeps the damaged file under another name, the last one only. @returns whether the system lets it */
export function setFileAside(file: string): boolean {
  try {
    for (const suffix of ['', '-wal', '-shm']) {
      rmSync(damagedPath(file) + suffix, { force: true });
      if (fileIdentity(file + suffix) !== undefined) renamePatientlySync(file + suffix, damagedPath(file) + suffix);
    }
    return true;
  } catch (thrown) {
    errnoOrRethrow(thrown);
    return false;
  }
}
