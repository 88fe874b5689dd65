// Leads an index file to the schema of this build, in one transaction and behind a backup of what it was.
import { renameSync, rmSync } from 'node:fs';
import { VaultgraphError } from '../../../base/errors.ts';
import { type Connection, type Engine, foundVersion, openReader, refuseNewer, versionOf } from './open-database.ts';
import { APPLICATION_ID, SCHEMA_STEPS, type SchemaSteps } from './schema.ts';
import { type Attempt, retryWhileBusy, shownPath, toStoreFault } from './store-errors.ts';

/** Milliseconds for which a migration in another process is waited for: it may have a large index to copy first. */
const PATIENCE = 600_000;

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
  const found = await foundVersion(engine, file, signal, steps);
  if (found < steps.length) await migrateDatabase(engine, file, steps, () => signal.throwIfAborted());
}

/**
 * Creates the database when there is none. Of several processes one migrates, and the others find it done.
 * @param stop throws when the caller has given up
 * @throws STORE_MIGRATION_FAILED, rolled back and with the backup named; STORE_SCHEMA_TOO_NEW, STORE_FULL, STORE_BUSY and the rest
 */
export async function migrateDatabase(
  engine: Engine,
  file: string,
  steps: SchemaSteps,
  stop: () => void,
): Promise<void> {
  const attempt = { op: 'migrate', file, stop };
  const connection = await retryWhileBusy(attempt, () => new engine(file, { timeout: 0 }), PATIENCE);
  try {
    await retryWhileBusy(attempt, () => markAsOurs(connection), PATIENCE);
    await retryWhileBusy(attempt, () => connection.exec('BEGIN IMMEDIATE'), PATIENCE);
    await underLock(engine, connection, attempt, steps);
  } catch (thrown) {
    throw toStoreFault(thrown, attempt);
  } finally {
    connection.close();
  }
}

/** With the lock from here to the commit, the backup is of the version that the steps begin with. A close without it rolls back. */
async function underLock(engine: Engine, connection: Connection, { file, stop }: Attempt, steps: SchemaSteps) {
  const from = versionOf(connection);
  refuseNewer(from, steps);
  if (from === steps.length) return;
  const backup = from === 0 ? undefined : await backUp(engine, file, from);
  for (const [version, step] of steps.entries()) {
    stop();
    if (version >= from) takeStep(connection, step, { from, to: steps.length, step: version + 1, backup });
  }
  connection.pragma(`user_version = ${steps.length}`);
  connection.exec('COMMIT');
}

/**
 * Freed pages can be given back later. The mark is in the file's first commit, which is made before the log exists, so that no
 * kill leaves an index without it and nobody else takes what is being made for a foreign file.
 */
function markAsOurs(connection: Connection): void {
  // Of an attempt before that met a lock.
  if (connection.inTransaction) connection.exec('ROLLBACK');
  if (connection.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
    // Not begun as a writer: the first page would be laid out before the engine knows how.
    connection.exec(`BEGIN; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = ${APPLICATION_ID}; COMMIT`);
  }
  connection.pragma('journal_mode = WAL');
}

/** Under its own name only once it is whole: a kill leaves no half of one there. */
async function backUp(engine: Engine, file: string, version: number): Promise<string> {
  const backup = `${file}.schema-${version}`;
  const half = `${backup}.part`;
  const connection = openReader(engine, file);
  try {
    rmSync(half, { force: true });
    await connection.backup(half);
    renameSync(half, backup);
    return backup;
  } catch (thrown) {
    rmSync(half, { force: true });
    throw toStoreFault(thrown, { op: 'backup', file: backup });
  } finally {
    connection.close();
  }
}

interface Step {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly backup: string | undefined;
}

function takeStep(connection: Connection, sql: string, { backup, ...at }: Step): void {
  try {
    connection.exec(sql);
  } catch (thrown) {
    if (backup === undefined) throw thrown;
    throw new VaultgraphError('STORE_MIGRATION_FAILED', { ...at, backup: shownPath(backup) }, { cause: thrown });
  }
}
