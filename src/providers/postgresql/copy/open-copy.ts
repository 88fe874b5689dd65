// Opens the copy of the index on this machine.
import { createHash } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errnoOrRethrow } from '../../../base/errno.ts';
import type { Store, StoreDriver, StoredIndex } from '../../../contracts/store.ts';
import type { Connection, Engine } from '../../sqlite/database/connection.ts';
import { prepareDatabase } from '../../sqlite/database/migrate-database.ts';
import { isUnpublished, openCheckedReader, readVersion } from '../../sqlite/database/open-database.ts';
import { createRows } from '../../sqlite/database/rows.ts';
import { SCHEMA_STEPS } from '../../sqlite/database/schema.ts';
import { retryWhileBusy, unreadableError } from '../../sqlite/database/store-errors.ts';
import { createStore } from '../../sqlite/store.ts';
import { openStoredIndex } from '../../sqlite/stored-index.ts';
import type { DamageCheck } from '../../sqlite/write/damage-check.ts';
import type { Writer } from '../../sqlite/write/writer.ts';
import type { ConnectionSettings } from '../connection/settings.ts';
import { isWhole, NOTHING, type Position, readPosition } from './position.ts';

/** Another process has begun the copy from nothing. */
export class UnfinishedCopy extends Error {}

export interface Copy {
  /** The store answers queries while the copy is whole. @throws UnfinishedCopy */
  createStore(): Store;
  readonly reader: Connection;
  position(): Position;
}

export async function openReadableCopy(
  engine: Engine,
  file: string,
  writer: Writer,
  check: DamageCheck,
  signal: AbortSignal,
): Promise<Copy> {
  const attempt = { op: 'open', file, checkCancelled: () => signal.throwIfAborted() };
  const reader = await retryWhileBusy(attempt, () => openCheckedReader(engine, file));
  const rows = createRows(reader);
  let isPlaced = false;
  const position = (): Position => {
    // The thread that writes the copy makes the table.
    isPlaced ||= rows.value(`SELECT 1 FROM sqlite_schema WHERE name = 'replica'`) === 1;
    return isPlaced ? readPosition(rows) : NOTHING;
  };
  const throwIfDamaged = (): void => {
    if (!isWhole(position())) throw new UnfinishedCopy();
    check.throwIfDamaged();
  };
  // Another server that leads has not written this copy.
  const own = { start: () => undefined, throwIfDamaged };
  return { createStore: () => createStore(reader, file, writer, own), reader, position };
}

/** A copy of an earlier version of the program is made again: that takes less time than to read the notes again. */
export async function prepareCopy(engine: Engine, file: string, signal: AbortSignal): Promise<void> {
  const version = isUnpublished(file) ? undefined : await readVersion(engine, file, signal);
  if (version !== 0 && version !== SCHEMA_STEPS.length)
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  await prepareDatabase(engine, file, signal);
}

// Names the file of the copy of the index on this machine.

const PREFIX = 'postgresql-';
const SUFFIX = '.db';

/** The copy of each original has a file of its own. @param place where the tables are @param identity drawn when they were made */
export function copyFile(dataFolder: string, place: ConnectionSettings, identity: string): string {
  const { host, port, database, schema } = place;
  const names = [JSON.stringify([host, port, database, schema]), identity].map((name) =>
    createHash('sha256').update(name).digest('hex').slice(0, 12),
  );
  return join(dataFolder, `${PREFIX}${names.join('-')}${SUFFIX}`);
}

/** Removes the copies of earlier tables in the place of those that `file` is a copy of. What was set aside as damaged is kept. */
export function removeEarlierCopies(file: string): void {
  const name = basename(file);
  const ofPlace = name.slice(0, name.lastIndexOf('-') + 1);
  try {
    const copies = readdirSync(dirname(file)).filter((one) => one.startsWith(ofPlace) && isCopy(one) && one !== name);
    // The database last: without it, the next start would not find the others.
    for (const copy of copies)
      for (const suffix of ['.seal', '.damaged', '-shm', '-wal', ''])
        rmSync(join(dirname(file), copy + suffix), { force: true });
  } catch (thrown) {
    // Another process has it open, or the folder cannot be written: a later start removes it.
    errnoOrRethrow(thrown);
  }
}

const isCopy = (name: string): boolean => name.startsWith(PREFIX) && name.endsWith(SUFFIX);

/** The names of all copies in the folder. @throws STORE_UNAVAILABLE if the system does not list it */
export function copiesIn(dataFolder: string): readonly string[] {
  try {
    return readdirSync(dataFolder).filter(isCopy);
  } catch (thrown) {
    const errno = errnoOrRethrow(thrown);
    if (errno === 'ENOENT') return [];
    throw unreadableError(dataFolder, 'open', errno);
  }
}

// Opens the newest copy on this machine to be taken over by another store: it is an index of its own, and needs no server.

/** @returns the reason if there is none that can be copied @throws STORE_* */
export function openStoredCopy(dataFolder: string, driver: StoreDriver | undefined): StoredIndex | string {
  const changedAt = (name: string): number => statSync(join(dataFolder, name)).mtimeMs;
  const [newest] = copiesIn(dataFolder).toSorted((one, other) => changedAt(other) - changedAt(one));
  if (newest === undefined) return 'there is no such index on this machine';
  return openStoredIndex(join(dataFolder, newest), driver, (rows) => isWhole(readPosition(rows)));
}
