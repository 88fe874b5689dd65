// The thread that reads and writes the kept history: texts are packed and unpacked outside the main thread.
import '../../../base/threads/dialect.ts';
import { parentPort, workerData } from 'node:worker_threads';
import { serializeError } from '../../../base/errors/serialized-error.ts';
import { watchMainThread } from '../../../base/threads/worker-threads.ts';
import type { HistorySettings, HistoryState } from '../../../contracts/feed.ts';
import { DamagedRow } from '../database/checksum.ts';
import type { Connection } from '../database/connection.ts';
import { loadEngine } from '../database/engine.ts';
import {
  bytesIn,
  faultsIn,
  fileIdentity,
  type KeptFile,
  openKeptReader,
  openKeptWriter,
  setAsideIfDamaged,
} from '../database/kept-file.ts';
import { createRows, type Rows } from '../database/rows.ts';
import { isCorruptionOf, toStoreError } from '../database/store-errors.ts';
import { findVersion } from './find-version.ts';
import type { EarlierAnswer, HistoryReply, HistoryRequest, Stepped } from './history-messages.ts';
import { compareNewest, endIfOlder, keepTexts, leavePaths, metaOf } from './keep-texts.ts';
import { textIn } from './packed-text.ts';
import type { Version } from './versions.ts';

type Read = Extract<HistoryRequest, { op: 'earlier' | 'state' | 'faults' }>;
type Write = Exclude<HistoryRequest, Read | { op: 'close' }>;

interface OpenHistory {
  readonly connection: Connection;
  readonly rows: Rows;
  readonly identity: string | undefined;
}

/** Holds the lock for some milliseconds. */
const MAX_RETURNED_PAGES = 2_000;
/** Another process writes for some milliseconds. */
const WAIT_MS = 2_000;

const settings = workerData as HistorySettings;
const { file } = settings;
const engine = loadEngine(settings.driver);
let open: OpenHistory | undefined;

watchMainThread();

parentPort?.on('message', (request: HistoryRequest) => parentPort?.postMessage(replyTo(request)));

function replyTo(request: HistoryRequest): HistoryReply {
  try {
    return { result: perform(request) };
  } catch (thrown) {
    closeWriter();
    const error = toStoreError(thrown, { op: 'history', file });
    return { refusal: serializeError(error) };
  }
}

function perform(request: HistoryRequest): unknown {
  switch (request.op) {
    case 'close':
      return closeWriter();
    case 'earlier':
      return earlier(request);
    case 'state':
      return reading(stateOf);
    case 'faults':
      return reading(faultsIn) ?? [];
    default:
      return writing(request);
  }
}

/** A damaged file is set aside, and the write begins a new one. */
function writing(request: Write): unknown {
  try {
    return written(request);
  } catch (thrown) {
    closeWriter();
    if (!setAsideIfDamaged(engine, file, toStoreError(thrown, { op: 'history', file }))) throw thrown;
    return written(request);
  }
}

function written(request: Write): unknown {
  const { connection, rows } = writer();
  const result = connection.transaction(() => write(rows, request, Date.now())).immediate();
  if (request.op === 'prune') connection.pragma(`incremental_vacuum(${MAX_RETURNED_PAGES})`);
  return result;
}

function write(history: Rows, request: Write, now: number): unknown {
  switch (request.op) {
    case 'keep':
      return inStep(history, request.leftAt, () => {
        keepTexts(history, request.texts, now, request.isInStep);
        pruneBySize(history, settings);
      });
    case 'leave':
      return inStep(history, request.leftAt, () => leavePaths(history, request.paths, now, request.isInStep));
    case 'compare':
      return compareNewest(history, request, settings.bytes, now);
    case 'prune':
      pruneByAge(history, settings, now);
      return pruneBySize(history, settings);
  }
}

function inStep(history: Rows, leftAt: number, work: () => void): Stepped {
  const isOlder = endIfOlder(history, leftAt);
  work();
  return { leftAt: metaOf(history).seen_at, isOlder };
}

/** Another process may have set the file aside. */
function writer(): OpenHistory {
  if (open !== undefined && open.identity === fileIdentity(file)) return open;
  closeWriter();
  const connection = openKeptWriter(engine, file, HISTORY_FILE, WAIT_MS);
  open = { connection, rows: createRows(connection), identity: fileIdentity(file) };
  return open;
}

function closeWriter(): void {
  open?.connection.close();
  open = undefined;
}

function reading<T>(work: (history: Rows) => T): T | undefined {
  const connection = openKeptReader(engine, file, HISTORY_FILE, WAIT_MS);
  if (connection === undefined) return undefined;
  try {
    return connection.transaction(() => work(createRows(connection)))();
  } finally {
    connection.close();
  }
}

/** Damage is an answer, and never a text: the file stays, because others of its texts may be whole. */
function earlier(request: Extract<Read, { op: 'earlier' }>): EarlierAnswer {
  try {
    return reading((history) => earlierIn(history, request)) ?? { reason: 'not_kept' };
  } catch (thrown) {
    if (thrown instanceof DamagedRow || isCorruptionOf('file', toStoreError(thrown, { op: 'history', file })))
      return { reason: 'damaged' };
    throw thrown;
  }
}

function earlierIn(history: Rows, { path, at }: Extract<Read, { op: 'earlier' }>): EarlierAnswer {
  const earlier = findVersion(history, path, at);
  if (earlier === undefined) return { reason: 'not_kept', keptSince: keptSince(history) };
  if ('deletedMs' in earlier) return { reason: 'deleted', deletedMs: earlier.deletedMs };
  const { version } = earlier;
  const bytes = textIn(history, version.hash);
  return { path: version.path, bytes, hash: version.hash, since: version.since, isNewest: version.until === null };
}

function keptSince(history: Rows): number {
  const { known_since, forgotten } = metaOf(history);
  return Math.max(known_since, forgotten);
}

function stateOf(history: Rows): HistoryState {
  const texts = history.value<number>('SELECT count(*) FROM texts') ?? 0;
  return { bytes: bytesIn(history), texts, since: keptSince(history), unkept: metaOf(history).unkept };
}

// The file of the kept history and its tables.

/** `VGhi`. */
const HISTORY_ID = 0x56476869;
const VERSION = 1;

/**
 * A version is the text of a note from a time on, until another one replaces it or the note is gone; null for the newest. So a row that
 * is lost makes a gap, and never the time of another text longer. `sum` is the checksum of the row; a text is checked by its hash.
 */
const SCHEMA = `
CREATE TABLE meta (known_since INTEGER NOT NULL, forgotten INTEGER NOT NULL, seen_at INTEGER NOT NULL, pruned_at INTEGER NOT NULL, unkept INTEGER);
CREATE TABLE texts (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, packed BLOB NOT NULL);
CREATE TABLE versions (path TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER, gone INTEGER NOT NULL, hash TEXT NOT NULL,
  sum INTEGER NOT NULL, PRIMARY KEY (path, since)) WITHOUT ROWID;
CREATE INDEX versions_by_hash ON versions (hash);
CREATE INDEX versions_by_since ON versions (since);
CREATE INDEX versions_by_until ON versions (until) WHERE until IS NOT NULL;
CREATE INDEX newest_versions ON versions (path, hash) WHERE until IS NULL;
PRAGMA application_id = ${HISTORY_ID};
PRAGMA user_version = ${VERSION};
`;

/** The file of the history, as `openKeptWriter` and `openKeptReader` take it. */
const HISTORY_FILE: KeptFile = {
  op: 'history',
  id: HISTORY_ID,
  version: VERSION,
  make: (connection) => {
    connection.exec(SCHEMA);
    connection.prepare('INSERT INTO meta VALUES (?, 0, 0, 0, NULL)').run(Date.now());
  },
};

const DAY_MS = 24 * 60 * 60_000;
/** A clock that is so much later than at the last write may be wrong: the next look, a day later by the same clock, believes it. */
const MAX_GAP_MS = 30 * DAY_MS;
/** Versions at a time. */
const BATCH = 64;

type Limits = Pick<HistorySettings, 'days' | 'bytes'>;

/** A text ages from the moment on at which it was replaced: the newest text of a note stays. */
function pruneByAge(history: Rows, { days }: Limits, now: number): void {
  const { seen_at = 0, pruned_at = 0 } =
    history.first<{ seen_at: number; pruned_at: number }>('SELECT seen_at, pruned_at FROM meta') ?? {};
  if (Math.abs(now - pruned_at) < DAY_MS) return;
  if (seen_at === 0 || now - seen_at <= MAX_GAP_MS) forgetUntil(history, now - days * DAY_MS);
  history.run('UPDATE meta SET pruned_at = ?', now);
}

function forgetUntil(history: Rows, time: number): void {
  forget(history, history.all<Version>('SELECT * FROM versions WHERE until < ? ORDER BY until', time));
}

/** The texts that were replaced first go first; only without any others the newest texts of notes, those that are unchanged for longest. */
function pruneBySize(history: Rows, { bytes }: Limits): void {
  while (bytesIn(history) > bytes) {
    const replaced = history.all<Version>(
      'SELECT * FROM versions WHERE until IS NOT NULL ORDER BY until LIMIT ?',
      BATCH,
    );
    const rows =
      replaced.length > 0 ? replaced : history.all<Version>('SELECT * FROM versions ORDER BY since LIMIT ?', BATCH);
    if (rows.length === 0) return;
    forget(history, rows);
  }
}

function forget(history: Rows, versions: readonly Version[]): void {
  for (const { path, since, until, hash } of versions) {
    history.run('DELETE FROM versions WHERE path = ? AND since = ?', path, since);
    if (history.value('SELECT 1 FROM versions WHERE hash = ? LIMIT 1', hash) === undefined)
      history.run('DELETE FROM texts WHERE hash = ?', hash);
    history.run('UPDATE meta SET forgotten = max(forgotten, ?)', until ?? since);
  }
}
