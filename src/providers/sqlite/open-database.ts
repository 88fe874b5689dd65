// Brings the index file to the schema this build knows, and opens connections to it. Knows how versions follow each other, not what is in them.
import { VaultgraphError } from '../../base/errors.ts';
import { readDatabaseHeader } from './database-header.ts';
import type { Connection, Engine } from './engine.ts';
import { shownPath, toStoreFault } from './faults.ts';
import { retryWhileBusy } from './retry-while-busy.ts';
import { APPLICATION_ID, SCHEMA_STEPS, type SchemaSteps } from './schema.ts';

/** KiB of pages kept in memory; bytes the log keeps on disk between checkpoints. */
const READER_CACHE = 16_384;
const WRITER_CACHE = 16_384;
const KEPT_LOG = 8 * 1024 * 1024;

/** Pages in the log before a commit takes them back into the file: what many commits write again is taken back once. */
const LOGGED_PAGES = 4_000;

/**
 * Creates the database when there is none, migrates an older one, leaves a current one alone.
 * @throws STORE_CORRUPT for a file that is no index of ours, STORE_SCHEMA_TOO_NEW, STORE_MIGRATION_FAILED, STORE_BUSY and the rest
 */
export async function prepareDatabase(
  engine: Engine,
  file: string,
  signal: AbortSignal,
  steps: SchemaSteps = SCHEMA_STEPS,
): Promise<void> {
  const attempt = { op: 'open', file, stop: () => signal.throwIfAborted() };
  const found = await retryWhileBusy(attempt, () => foundVersion(engine, file));
  if (found > steps.length) {
    throw new VaultgraphError('STORE_SCHEMA_TOO_NEW', { found, supported: steps.length });
  }
  if (found === steps.length) return;
  const backup = found === 0 ? undefined : await backUp(engine, file, found);
  await retryWhileBusy(attempt, () => migrate(engine, file, steps, backup));
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

function foundVersion(engine: Engine, file: string): number {
  const header = readDatabaseHeader(file);
  if (header === 'none') return 0;
  if (header === 'foreign' || header.applicationId !== APPLICATION_ID) {
    throw new VaultgraphError('STORE_CORRUPT', { op: 'open', sqlite_code: 'SQLITE_NOTADB', file: shownPath(file) });
  }
  const connection = openReader(engine, file);
  try {
    return versionOf(connection);
  } finally {
    connection.close();
  }
}

function versionOf(connection: Connection): number {
  return connection.pragma('user_version', { simple: true }) as number;
}

async function backUp(engine: Engine, file: string, version: number): Promise<string> {
  const backup = `${file}.schema-${version}`;
  const connection = openReader(engine, file);
  try {
    await connection.backup(backup);
    return backup;
  } catch (thrown) {
    throw toStoreFault(thrown, { op: 'backup', file: backup });
  } finally {
    connection.close();
  }
}

function migrate(engine: Engine, file: string, steps: SchemaSteps, backup: string | undefined): void {
  const connection = new engine(file, { timeout: 0 });
  try {
    markAsOurs(connection);
    connection.transaction(() => runSteps(connection, steps, backup)).immediate();
  } finally {
    connection.close();
  }
}

/** Freed pages can be given back later. The mark is the file's first commit, made before the log exists, so that no kill leaves an index without it. */
function markAsOurs(connection: Connection): void {
  if (connection.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
    connection.pragma('auto_vacuum = INCREMENTAL');
    connection.pragma(`application_id = ${APPLICATION_ID}`);
  }
  connection.pragma('journal_mode = WAL');
}

/** From the version found inside the transaction: another process may have been faster. */
function runSteps(connection: Connection, steps: SchemaSteps, backup: string | undefined): void {
  const from = versionOf(connection);
  for (const [version, step] of steps.entries()) {
    if (version < from) continue;
    try {
      connection.exec(step);
    } catch (thrown) {
      throw migrationFault(thrown, { from, to: steps.length, step: version + 1, backup });
    }
  }
  connection.pragma(`user_version = ${steps.length}`);
}

interface FailedStep {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly backup: string | undefined;
}

function migrationFault(thrown: unknown, { backup, ...failed }: FailedStep): unknown {
  if (backup === undefined) return thrown;
  return new VaultgraphError('STORE_MIGRATION_FAILED', { ...failed, backup: shownPath(backup) }, { cause: thrown });
}
