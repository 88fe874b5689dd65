// Opens an index in a folder that cannot be written: in place while another process updates it, otherwise a private copy of it.
import { constants } from 'node:fs';
import { chmod, copyFile, mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAll } from '../../../base/closers.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { ownRules } from '../../../base/system/system-rules.ts';
import { isHeld } from '../sharing/holder-file.ts';
import type { IndexWriter } from '../write/writer.ts';
import { faultsIn } from './check-index.ts';
import type { Connection, Engine } from './connection.ts';
import { isUnpublished, openCheckedReader, openWriter, readVersion } from './open-database.ts';
import { createRows } from './rows.ts';
import { SCHEMA_STEPS } from './schema.ts';
import { displayPath, retryWhileBusy, toStoreError } from './store-errors.ts';

export interface UnwritableIndex {
  readonly connection: Connection;
  /** For `status`. */
  readonly detail: string;
  close(): Promise<void>;
}

const IN_PLACE = 'read in place, as its folder cannot be written; this server never updates it, another one does';

/**
 * In place while another process updates the index, so that its changes are seen: only then are the files there that SQLite shares
 * with it and cannot make.
 * @throws STORE_READONLY if there is no index yet, or one of an older version; STORE_FULL, STORE_CORRUPT and others
 */
export async function openUnwritableIndex(engine: Engine, file: string, signal: AbortSignal): Promise<UnwritableIndex> {
  if (isUnpublished(file)) throw unreadable(file, 'outdated');
  const connection = isHeld(file) ? await openInPlace(engine, file, signal) : undefined;
  if (connection === undefined) return openCopy(engine, file, signal);
  return { connection, detail: IN_PLACE, close: async () => void connection.close() };
}

/** Undefined if the index has to be copied first. */
async function openInPlace(engine: Engine, file: string, signal: AbortSignal): Promise<Connection | undefined> {
  try {
    const version = await readVersion(engine, file, signal);
    return version === SCHEMA_STEPS.length ? await openReading(engine, file, signal) : undefined;
  } catch (thrown) {
    if (thrown instanceof VaultgraphError && isRefusal(thrown)) return undefined;
    throw thrown;
  }
}

/** Whether SQLite cannot read the file without writing to its folder. */
function isRefusal({ details }: VaultgraphError): boolean {
  return 'sqlite_code' in details && /^SQLITE_(CANTOPEN|READONLY|PROTOCOL)/.test(String(details.sqlite_code));
}

function openReading(engine: Engine, file: string, signal: AbortSignal): Promise<Connection> {
  const attempt = { op: 'open', file, checkCancelled: () => signal.throwIfAborted() };
  return retryWhileBusy(attempt, () => openCheckedReader(engine, file));
}

/** The folder is removed at once where the system allows that for open files, so that a killed server leaves nothing. */
async function openCopy(engine: Engine, file: string, signal: AbortSignal): Promise<UnwritableIndex> {
  try {
    return await openAll(async (closers) => {
      const folder = await mkdtemp(join(tmpdir(), 'vaultgraph-index-'));
      const remove = (): Promise<void> => removeCopy(folder);
      closers.add({ close: remove });
      const copy = join(folder, 'index.db');
      const at = new Date().toISOString();
      await copyIndex(file, copy, signal);
      await prepareCopy(engine, file, copy, signal);
      const connection = closers.add(await openReading(engine, copy, signal));
      if (ownRules().canRemoveOpenFiles) await remove();
      const detail = `read from a private copy of ${at}, as its folder cannot be written; this server never updates it`;
      return { connection, detail, close: () => closers.close() };
    });
  } catch (thrown) {
    throw toStoreError(thrown, { op: 'copy', file });
  }
}

async function removeCopy(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch (thrown) {
    throw toStoreError(thrown, { op: 'remove the copy', file: folder });
  }
}

/** The database and what SQLite needs to bring it to its last commit. */
const COPIED = ['', '-wal', '-journal'];
const MAX_TRIES = 3;
const MARGIN_BYTES = 16 * 1024 * 1024;

/** Copies again if a process changes the files meanwhile. @throws STORE_FULL, STORE_BUSY */
async function copyIndex(file: string, copy: string, signal: AbortSignal): Promise<void> {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    signal.throwIfAborted();
    const before = await statesOf(file);
    await checkSpace(copy, before);
    for (const { suffix } of before) {
      await copyFile(file + suffix, copy + suffix, constants.COPYFILE_FICLONE);
      await chmod(copy + suffix, 0o600);
    }
    if (JSON.stringify(await statesOf(file)) === JSON.stringify(before)) return;
    for (const suffix of COPIED) await rm(copy + suffix, { force: true });
  }
  throw new VaultgraphError('STORE_BUSY', { op: 'copy', waited_ms: 0 });
}

interface FileState {
  readonly suffix: string;
  readonly size: number;
  readonly changedMs: number;
}

async function statesOf(file: string): Promise<readonly FileState[]> {
  const states = await Promise.allSettled(COPIED.map((suffix) => stat(file + suffix)));
  return states.flatMap((state, at) =>
    state.status === 'rejected'
      ? []
      : [{ suffix: COPIED[at] ?? '', size: state.value.size, changedMs: state.value.ctimeMs }],
  );
}

/** @throws STORE_FULL */
async function checkSpace(copy: string, states: readonly FileState[]): Promise<void> {
  const { bavail, bsize } = await statfs(join(copy, '..'));
  const needed = states.reduce((sum, { size }) => sum + size, MARGIN_BYTES);
  if (bavail * bsize >= needed) return;
  throw new VaultgraphError('STORE_FULL', { op: 'copy', file: displayPath(copy), free_bytes: bavail * bsize });
}

/**
 * Takes the copy out of the hands of the process that held the lease when it was made. An older index cannot be upgraded here: all
 * notes would have to be read again.
 */
async function prepareCopy(engine: Engine, file: string, copy: string, signal: AbortSignal): Promise<void> {
  const version = await readVersion(engine, copy, signal);
  if (version < SCHEMA_STEPS.length) throw unreadable(file, version === 0 ? 'missing' : 'outdated');
  const connection = openWriter(engine, copy);
  try {
    connection.exec('UPDATE lease SET holder = NULL, report = NULL');
    // Without a write-ahead log SQLite opens no more files, so that the folder can be removed.
    connection.pragma('journal_mode = DELETE');
  } finally {
    connection.close();
  }
}

function unreadable(file: string, index: 'missing' | 'outdated'): VaultgraphError {
  return new VaultgraphError('STORE_READONLY', { op: 'open', file: displayPath(file), index });
}

/** Refuses every change of the index, so that this process can never lead. A check does not change it; only `doctor` asks for it. */
export function refusingWrites(file: string, connection: Connection): IndexWriter {
  return {
    token: () => null,
    run: async ({ op }) => {
      if (op !== 'integrity') throw new VaultgraphError('STORE_READONLY', { op, file: displayPath(file) });
      const rows = createRows(connection);
      return connection.transaction(() => faultsIn(rows))() as never;
    },
  };
}
