// Creates or migrates an index file to the current schema, in one transaction and after a backup.
import { rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { VaultgraphError } from '../../../base/errors.ts';
import { checkOwnFile } from '../../../base/system/own-file.ts';
import { renamePatientlySync } from '../../../base/system/rename.ts';
import type { Connection, Engine } from './connection.ts';
import {
  addChecksumFunction,
  openFile,
  openReader,
  readVersion,
  refuseNewer,
  removeSeal,
  versionOf,
} from './open-database.ts';
import { APPLICATION_ID, SCHEMA_STEPS, type SchemaSteps } from './schema.ts';
import { type Attempt, displayPath, retryWhileBusy, toStoreError } from './store-errors.ts';

/** Another process may be migrating, and may have a large index to copy first. */
const MAX_WAIT_MS = 600_000;

/**
 * Creates the database if it does not exist, migrates an older one, and leaves a current one alone.
 * @throws STORE_CORRUPT if the file is not an index, and what `migrateDatabase` throws
 */
export async function prepareDatabase(
  engine: Engine,
  file: string,
  signal: AbortSignal,
  steps: SchemaSteps = SCHEMA_STEPS,
): Promise<void> {
  const version = await readVersion(engine, file, signal, steps);
  if (version < steps.length) await migrateDatabase(engine, file, steps, () => signal.throwIfAborted());
}

/**
 * Creates or migrates the database. If several processes try, one migrates and the others find it done.
 * @throws STORE_MIGRATION_FAILED, after a rollback and naming the backup; STORE_SCHEMA_TOO_NEW, STORE_FULL, STORE_BUSY and others
 */
export async function migrateDatabase(
  engine: Engine,
  file: string,
  steps: SchemaSteps,
  checkCancelled: () => void,
): Promise<void> {
  const attempt = { op: 'migrate', file, checkCancelled };
  const open = () => {
    checkOwnFile(file);
    return openFile(engine, file, { timeout: 0 });
  };
  const connection = await retryWhileBusy(attempt, open, MAX_WAIT_MS);
  try {
    addChecksumFunction(connection);
    await retryWhileBusy(attempt, () => removeSeal(connection, file), MAX_WAIT_MS);
    await retryWhileBusy(attempt, () => markAsOurs(connection), MAX_WAIT_MS);
    await retryWhileBusy(attempt, () => connection.exec('BEGIN IMMEDIATE'), MAX_WAIT_MS);
    await migrateInTransaction(engine, connection, attempt, steps);
  } catch (thrown) {
    throw toStoreError(thrown, attempt);
  } finally {
    connection.close();
  }
}

/** The write lock is held from here to the commit, so the backup has the version that the steps begin with. A close without a commit rolls back. */
async function migrateInTransaction(
  engine: Engine,
  connection: Connection,
  { file, checkCancelled }: Attempt,
  steps: SchemaSteps,
): Promise<void> {
  const from = versionOf(connection);
  refuseNewer(from, steps);
  if (from === steps.length) return;
  const backup = from === 0 ? undefined : await createBackup(engine, file, from);
  for (const [version, sql] of steps.entries()) {
    checkCancelled();
    if (version < from) continue;
    try {
      connection.exec(sql);
    } catch (cause) {
      if (backup === undefined) throw cause;
      const details = { from, to: steps.length, step: version + 1, backup: displayPath(backup) };
      throw new VaultgraphError('STORE_MIGRATION_FAILED', details, { cause });
    }
  }
  connection.pragma(`user_version = ${steps.length}`);
  connection.exec('COMMIT');
}

/**
 * Sets the application id in the first commit of the file, before the write-ahead log exists. So even if the process is killed,
 * another process does not take the new file for a foreign database. Incremental vacuum has to be set at the same time.
 */
function markAsOurs(connection: Connection): void {
  // An earlier attempt that met a lock has left its transaction open.
  if (connection.inTransaction) connection.exec('ROLLBACK');
  if (connection.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
    // BEGIN IMMEDIATE would write the first page before SQLite knows the vacuum mode.
    connection.exec(`BEGIN; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = ${APPLICATION_ID}; COMMIT`);
  }
  connection.pragma('journal_mode = WAL');
}

/** The backup gets its name once it is complete, so a killed process leaves no partial backup under that name. */
async function createBackup(engine: Engine, file: string, version: number): Promise<string> {
  const backup = `${file}.schema-${version}`;
  const partial = `${backup}.part`;
  const connection = openReader(engine, file, addChecksumFunction);
  try {
    rmSync(partial, { force: true });
    await connection.backup(partial).catch((thrown: unknown) => {
      if (!(thrown instanceof TypeError)) throw thrown;
      // The engine does not say why it cannot see the folder.
      statSync(dirname(partial));
      return connection.backup(partial);
    });
    renamePatientlySync(partial, backup);
    return backup;
  } catch (thrown) {
    rmSync(partial, { force: true });
    throw toStoreError(thrown, { op: 'backup', file: backup });
  } finally {
    connection.close();
  }
}
