// Reads the schema version of an index file, and opens connections to it.
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  opendirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isErrno } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { checkOwnFile } from '../../../base/system/own-file.ts';
import { ROW_CHECKSUM, rowChecksum } from './checksum.ts';
import type { Connection, Engine } from './connection.ts';
import { addVectorFunctions } from './engine.ts';
import { APPLICATION_ID, namesIn, SCHEMA_STEPS, type SchemaSteps, UNPUBLISHED_IDS } from './schema.ts';
import { corruptError, retryWhileBusy, toStoreError } from './store-errors.ts';

/** The system keeps the pages too, so a larger cache makes no call faster. */
const CACHE_KIB = 4_096;
/** The size to which the write-ahead log is cut after a checkpoint. */
const MAX_LOG_BYTES = 8 * 1024 * 1024;
/** A larger log is checkpointed less often: pages that several commits change are written to the database once. */
const CHECKPOINT_PAGES = 4_000;
/** The size of a log that the next commit checkpoints; each page of it has a header. */
export const CHECKPOINT_BYTES = CHECKPOINT_PAGES * (4_096 + 24);

/** @param prepare if it fails, the connection is closed */
type Prepare = (connection: Connection) => void;

/** A connection that fails at once if it meets a lock. */
function openConnection(engine: Engine, file: string, readonly: boolean, prepare: Prepare): Connection {
  checkOwnFile(file);
  const connection = openFile(engine, file, { readonly, fileMustExist: true, timeout: 0 });
  try {
    prepare(connection);
    return connection;
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
}

export const openFile = (engine: Engine, file: string, options: ConstructorParameters<Engine>[1]): Connection =>
  seeingFolder(file, () => new engine(file, options));

/** The engine does not say why it cannot open a file: the system does, or opens it this time. */
function seeingFolder<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof TypeError || Object(thrown).code === 'SQLITE_CANTOPEN')) throw thrown;
    statSync(dirname(file));
    refuseWithoutDescriptors(dirname(file));
    return work();
  }
}

/** By the folder: closing the file itself would drop the locks that this process has on it. @throws EMFILE, ENFILE */
function refuseWithoutDescriptors(folder: string): void {
  try {
    opendirSync(folder).closeSync();
  } catch (thrown) {
    if (isErrno(thrown, 'EMFILE', 'ENFILE')) throw thrown;
  }
}

/** A read-only connection. */
export function openReader(engine: Engine, file: string, prepare?: Prepare): Connection {
  return openConnection(engine, file, true, (connection) => {
    connection.pragma(`cache_size = -${CACHE_KIB}`);
    prepare?.(connection);
  });
}

/** While an index is built from nothing: each commit changes many of the pages that the last one changed. */
const BUILD_CHECKPOINT_PAGES = 16_000;
const BUILD_CACHE_KIB = 16_384;

/** Until a first scan has ended: far fewer pages are written twice. */
export function prepareForBuild(connection: Connection): void {
  connection.pragma(`cache_size = -${BUILD_CACHE_KIB}`);
  connection.pragma(`wal_autocheckpoint = ${BUILD_CHECKPOINT_PAGES}`);
}

/** Does what `openReader` does, and runs a query, so that a damaged schema is found at the start. */
export function openCheckedReader(engine: Engine, file: string): Connection {
  return openReader(engine, file, (connection) => {
    connection.prepare('SELECT revision FROM state').get();
    addVectorFunctions(connection);
  });
}

/** A connection that can write. */
export function openWriter(engine: Engine, file: string, prepare?: Prepare): Connection {
  return openConnection(engine, file, false, (connection) => {
    removeSeal(connection, file);
    addChecksumFunction(connection);
    connection.pragma('synchronous = NORMAL');
    connection.pragma(`cache_size = -${CACHE_KIB}`);
    connection.pragma(`journal_size_limit = ${MAX_LOG_BYTES}`);
    connection.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    prepare?.(connection);
  });
}

/** Before the first write. Reading makes the write-ahead log, by which a process that seals the file notices this one. */
export function removeSeal(connection: Connection, file: string): void {
  connection.pragma('user_version');
  rmSync(sealPath(file), { force: true });
}

/** The tables need it in every connection that writes to them. */
export function addChecksumFunction(connection: Connection): void {
  connection.function(ROW_CHECKSUM, { deterministic: true, varargs: true }, rowChecksum);
}

/** @returns 0 if the file is missing or empty. @throws STORE_CORRUPT, STORE_SCHEMA_TOO_NEW, STORE_BUSY */
export async function readVersion(
  engine: Engine,
  file: string,
  signal: AbortSignal,
  steps: SchemaSteps = SCHEMA_STEPS,
): Promise<number> {
  const attempt = { op: 'open', file, checkCancelled: () => signal.throwIfAborted() };
  const version = await retryWhileBusy(attempt, () => versionOfFile(engine, file, steps));
  refuseNewer(version, steps);
  return version;
}

/** @throws STORE_SCHEMA_TOO_NEW */
export function refuseNewer(version: number, { length: supported }: SchemaSteps): void {
  if (version > supported) throw new VaultgraphError('STORE_SCHEMA_TOO_NEW', { found: version, supported });
}

export function versionOf(connection: Connection): number {
  return connection.pragma('user_version', { simple: true }) as number;
}

function versionOfFile(engine: Engine, file: string, steps: SchemaSteps): number {
  const header = readHeader(file);
  if (header === 'none') return 0;
  if (header === 'foreign' || header.applicationId !== APPLICATION_ID) {
    throw corruptError({ op: 'open', file }, 'SQLITE_NOTADB');
  }
  // A journal is left if the process ended during the first commit. Only a connection that can write rolls it back.
  const needsRollback = existsSync(`${file}-journal`);
  const connection = needsRollback ? openWriter(engine, file) : openReader(engine, file);
  try {
    // Another process may be migrating: both are read from one state of the file.
    const { version, names } = connection.transaction(() => ({
      version: versionOf(connection),
      names: new Set(connection.prepare<[], string>(OBJECT_NAMES).pluck().all()),
    }))();
    if (!hasSchemaOf(version, names, steps)) throw corruptError({ op: 'open', file }, 'SQLITE_CORRUPT');
    return version;
  } finally {
    connection.close();
  }
}

const OBJECT_NAMES = `SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`;

/** Whether the file has every table and index of its version and none of a later one. A newer version is not judged. */
function hasSchemaOf(version: number, names: ReadonlySet<string>, steps: SchemaSteps): boolean {
  if (version > steps.length) return true;
  if (version <= 0) return version === 0 && names.size === 0;
  const expected = namesIn(steps.slice(0, version));
  const isMissing = [...expected].some((name) => !names.has(name));
  return !isMissing && ![...namesIn(steps.slice(version))].some((name) => names.has(name) && !expected.has(name));
}

/** Whether the file is an intact database with tables of another program, or no file at all. An empty one has nothing to lose. */
export function isForeign(engine: Engine, file: string): boolean {
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return true;
    const connection = openReader(engine, file);
    try {
      const names = connection.prepare<[], string>(OBJECT_NAMES).pluck().all();
      return names.length > 0 && !names.some((name) => OWN_NAMES.has(name));
    } finally {
      connection.close();
    }
  } catch {
    // What cannot be read has been damaged.
    return false;
  }
}

/** The same, where there is something to lose. */
export function holdsForeign(engine: Engine, file: string): boolean {
  try {
    return readHeader(file) !== 'none' && isForeign(engine, file);
  } catch {
    return false;
  }
}

const OWN_NAMES = namesIn(SCHEMA_STEPS);

/** Whether the file is the index of a build before the first release, whose tables no step leads to the present ones. */
export function isUnpublished(file: string): boolean {
  const header = readHeader(file);
  return typeof header === 'object' && UNPUBLISHED_IDS.includes(header.applicationId);
}

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;
const APPLICATION_ID_OFFSET = 68;

/** `none`: the file is missing or empty · `foreign`: it is not an SQLite database. */
type DatabaseHeader = 'none' | 'foreign' | { readonly applicationId: number };

/** @throws STORE_UNAVAILABLE and others if the file exists and cannot be read */
function readHeader(file: string): DatabaseHeader {
  try {
    return headerOf(file);
  } catch (thrown) {
    throw toStoreError(thrown, { op: 'open', file });
  }
}

function headerOf(file: string): DatabaseHeader {
  const descriptor = openExisting(file);
  if (descriptor === undefined) return 'none';
  try {
    if (!fstatSync(descriptor).isFile()) return 'foreign';
    const bytes = Buffer.alloc(HEADER_BYTES);
    let length = 0;
    // A read may return less than there is.
    for (let count = 1; count > 0 && length < HEADER_BYTES; length += count)
      count = readSync(descriptor, bytes, length, HEADER_BYTES - length, length);
    if (length === 0) return 'none';
    if (length < HEADER_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return 'foreign';
    return { applicationId: bytes.readInt32BE(APPLICATION_ID_OFFSET) };
  } finally {
    closeSync(descriptor);
  }
}

/** Does not block if a named pipe has the file's name. */
function openExisting(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT')) return undefined;
    throw thrown;
  }
}

export const sealPath = (file: string): string => `${file}.seal`;
