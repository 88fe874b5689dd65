// Tells which version of the index a file holds, and opens connections to it.
import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import * as modules from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import type * as SqliteVec from 'sqlite-vec';
import { VaultgraphError } from '../../../base/errors.ts';
import { APPLICATION_ID, SCHEMA_STEPS, type SchemaSteps } from './schema.ts';
import { retryWhileBusy, shownPath } from './store-errors.ts';

/** KiB of pages kept in memory; bytes the log keeps on disk between checkpoints. */
const READER_CACHE = 16_384;
const WRITER_CACHE = 16_384;
const KEPT_LOG = 8 * 1024 * 1024;

/** Pages in the log before a commit takes them back into the file: what many commits write again is taken back once. */
const LOGGED_PAGES = 4_000;

/** @returns 0 where there is no file, or an empty one. @throws STORE_CORRUPT, STORE_SCHEMA_TOO_NEW, STORE_BUSY */
export async function foundVersion(
  engine: Engine,
  file: string,
  signal: AbortSignal,
  steps: SchemaSteps = SCHEMA_STEPS,
): Promise<number> {
  const attempt = { op: 'open', file, stop: () => signal.throwIfAborted() };
  const found = await retryWhileBusy(attempt, () => versionIn(engine, file));
  refuseNewer(found, steps);
  return found;
}

/** @throws STORE_SCHEMA_TOO_NEW */
export function refuseNewer(found: number, { length: supported }: SchemaSteps): void {
  if (found > supported) throw new VaultgraphError('STORE_SCHEMA_TOO_NEW', { found, supported });
}

/** A connection that cannot write; it never waits for a lock by itself. */
export function openReader(engine: Engine, file: string): Connection {
  const connection = new engine(file, { readonly: true, fileMustExist: true, timeout: 0 });
  connection.pragma(`cache_size = -${READER_CACHE}`);
  return connection;
}

/** As `openReader`, and it may write. */
export function openWriter(engine: Engine, file: string): Connection {
  const connection = new engine(file, { fileMustExist: true, timeout: 0 });
  connection.pragma('synchronous = NORMAL');
  connection.pragma(`cache_size = -${WRITER_CACHE}`);
  connection.pragma(`journal_size_limit = ${KEPT_LOG}`);
  connection.pragma(`wal_autocheckpoint = ${LOGGED_PAGES}`);
  return connection;
}

function versionIn(engine: Engine, file: string): number {
  const header = readDatabaseHeader(file);
  if (header === 'none') return 0;
  if (header === 'foreign' || header.applicationId !== APPLICATION_ID) {
    throw new VaultgraphError('STORE_CORRUPT', { op: 'open', sqlite_code: 'SQLITE_NOTADB', file: shownPath(file) });
  }
  // Of a first commit that was cut off: only who may write can take it back.
  const isCutOff = existsSync(`${file}-journal`);
  const connection = isCutOff ? openWriter(engine, file) : openReader(engine, file);
  try {
    return versionOf(connection);
  } finally {
    connection.close();
  }
}

export function versionOf(connection: Connection): number {
  return connection.pragma('user_version', { simple: true }) as number;
}

const MAGIC = 'SQLite format 3\0';
const LENGTH = 100;
const APPLICATION_ID_AT = 68;

/** `none`: no file, or an empty one · `foreign`: no database at all · else what its header says. */
type DatabaseHeader = 'none' | 'foreign' | { readonly applicationId: number };

/** @throws the system's error when the file is there and cannot be read */
function readDatabaseHeader(file: string): DatabaseHeader {
  const descriptor = openExisting(file);
  if (descriptor === undefined) return 'none';
  try {
    if (!fstatSync(descriptor).isFile()) return 'foreign';
    const bytes = Buffer.alloc(LENGTH);
    return parseHeader(bytes.subarray(0, readSync(descriptor, bytes, 0, LENGTH, 0)));
  } finally {
    closeSync(descriptor);
  }
}

function parseHeader(bytes: Buffer): DatabaseHeader {
  if (bytes.length === 0) return 'none';
  if (bytes.length < LENGTH || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return 'foreign';
  return { applicationId: bytes.readInt32BE(APPLICATION_ID_AT) };
}

/** Without blocking on a pipe that has the file's name. */
function openExisting(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined;
    throw thrown;
  }
}

export type Connection = BetterSqlite3.Database;
export type Engine = typeof BetterSqlite3;

/** To import them instead would take twice the time, at every start. (The name `createRequire` itself is taken in the bundle.) */
const requireModule = modules.createRequire(import.meta.url);

const MODULE = 'better-sqlite3';
const VECTOR_MODULE = 'sqlite-vec';

/** @throws STORE_UNAVAILABLE with the module's name when it is missing or its binary does not load */
export function loadEngine(): Engine {
  try {
    const engine = requireModule(MODULE) as Engine;
    new engine(':memory:').close();
    return engine;
  } catch (thrown) {
    throw unloadable(MODULE, thrown);
  }
}

/** From then on the connection can compare vectors. @throws STORE_UNAVAILABLE with the module's name, also where no binary was installed */
export function loadVectorFunctions(connection: Connection): void {
  try {
    const { load } = requireModule(VECTOR_MODULE) as typeof SqliteVec;
    load(connection);
  } catch (thrown) {
    throw unloadable(VECTOR_MODULE, thrown);
  }
}

function unloadable(module: string, cause: unknown): VaultgraphError {
  const reason = `the module ${module} does not load`;
  return new VaultgraphError('STORE_UNAVAILABLE', { op: 'load', module, reason }, { cause });
}
