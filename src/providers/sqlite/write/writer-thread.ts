// The thread with the write connection: runs each request in one transaction and replies.
import { parentPort, workerData } from 'node:worker_threads';
import '../../../base/threads/dialect.ts';
import { toVaultgraphError } from '../../../base/errors.ts';
import { shrinkLargeHeap } from '../../../base/system/memory.ts';
import { watchMainThread } from '../../../base/threads/worker-threads.ts';
import type { ChangeSet } from '../../../contracts/change-set.ts';
import { faultsInFile } from '../database/check-index.ts';
import type { Connection } from '../database/connection.ts';
import { loadEngine } from '../database/engine.ts';
import { setAsideIfFoundAgain } from '../database/kept-file.ts';
import { migrateDatabase } from '../database/migrate-database.ts';
import { openWriter, prepareForBuild } from '../database/open-database.ts';
import { createRows, type Rows } from '../database/rows.ts';
import { SCHEMA_STEPS } from '../database/schema.ts';
import { retryWhileBusy } from '../database/store-errors.ts';
import { FeedWriter } from '../feed/feed-writer.ts';
import { checkLease, releaseLease, takeLease, updateHolder } from '../sharing/lease.ts';
import { addRequest } from '../sharing/packed-jobs.ts';
import { applyVectors, deleteDropped, deleteUnused } from '../vectors/apply-vectors.ts';
import { activate, dropUnfinished, openGeneration } from '../vectors/generations.ts';
import { cacheAnswer } from './answer-cache.ts';
import { ChangeWriter, revisionOf } from './apply-changes.ts';
import { hasOnlySightings, unpackChanges } from './unpack-changes.ts';
import type { WriterData } from './writer.ts';
import type { CloseRequest, WriterReply, WriterRequest } from './writer-messages.ts';

/** The write connection with what is cached for it. */
interface Session {
  readonly connection: Connection;
  readonly rows: Rows;
  readonly changes: ChangeWriter;
  /** Absent if no feed of changes is kept. */
  readonly feed: FeedWriter | undefined;
  /** Whether an index is being built from nothing. */
  readonly isBuild: boolean;
}

class Cancelled extends Error {}

const { file, driver, feed } = workerData as WriterData;
const engine = loadEngine(driver);
let session: Session | undefined;

// A long job runs while no file thread does.
watchMainThread();

parentPort?.on('message', async (request: WriterRequest | CloseRequest) => {
  if (request === 'close') return parentPort?.postMessage(close());
  const isLarge = request.op === 'apply' && (request.changes.parsed?.byteLength ?? 0) > LARGE_BYTES;
  parentPort?.postMessage(await replyTo(request));
  if (isLarge) await shrinkLargeHeap();
});

/** More than a slice of many notes has. */
const LARGE_BYTES = 8 * 2 ** 20;

function close(): WriterReply {
  closeSession();
  return { kind: 'done', result: undefined };
}

async function replyTo(request: WriterRequest): Promise<WriterReply> {
  const checkCancelled = () => {
    if (Atomics.load(request.cancelled, 0) === 1) throw new Cancelled();
  };
  try {
    const attempt = { op: request.op, file, checkCancelled };
    return { kind: 'done', result: await retryWhileBusy(attempt, () => perform(request, checkCancelled)) };
  } catch (thrown) {
    // Cached ids may belong to rows that were rolled back.
    closeSession();
    if (thrown instanceof Cancelled) return { kind: 'cancelled' };
    const { code, details, retry, cause } = toVaultgraphError(thrown);
    return { kind: 'failed', code, details, retry, cause: cause instanceof Error ? cause.stack : undefined };
  }
}

function perform(request: WriterRequest, checkCancelled: () => void): unknown {
  if (request.op === 'integrity') return faultsInFile(engine, file);
  if (request.op === 'setAside') return setAsideIfFoundAgain(engine, file);
  if (request.op === 'migrate') return migrateDatabase(engine, file, SCHEMA_STEPS, checkCancelled);
  session ??= openSession();
  const current = session;
  const { connection } = current;
  const result = connection.transaction(() => write(current, request, checkCancelled)).immediate();
  if (request.op === 'completeScan') cleanUpAfterScan(current);
  if (request.op === 'activate' || request.op === 'sweepVectors')
    deleteInBatches(current, request, deleteDropped, checkCancelled);
  if (request.op === 'sweepVectors') deleteInBatches(current, request, deleteUnused, checkCancelled);
  return result;
}

type WriteRequest = Exclude<WriterRequest, { op: 'integrity' | 'setAside' | 'migrate' }>;

function write(session: Session, request: WriteRequest, checkCancelled: () => void): unknown {
  const now = new Date().toISOString();
  const { rows } = session;
  const { token } = request;
  switch (request.op) {
    case 'takeLease':
      return takeLease(rows, request.request, token, now);
    case 'publish':
      return updateHolder(rows, request.update, token, now);
    case 'releaseLease':
      return releaseLease(rows, token);
    case 'requestFromLeader':
      return addRequest(rows, request.request);
    case 'cacheAnswer':
      return cacheAnswer(rows, request.key, request.answer);
    default:
      checkLease(rows, token, now);
      return writeIndex(session, request, now, checkCancelled);
  }
}

type LeaselessOp = 'takeLease' | 'publish' | 'releaseLease' | 'requestFromLeader' | 'cacheAnswer';
type IndexRequest = Exclude<WriteRequest, { op: LeaselessOp }>;

/** Changes that only the holder of the lease may make. */
function writeIndex(session: Session, request: IndexRequest, now: string, checkCancelled: () => void) {
  const { rows, changes } = session;
  switch (request.op) {
    case 'apply':
      return apply(session, request.changes, now, checkCancelled);
    case 'completeScan':
      changes.completeScan(request.at);
      return session.feed?.scanCompleted(rows);
    case 'reset':
      return changes.reset();
    case 'openGeneration':
      return openGeneration(rows, request.role, request.fingerprint, now);
    case 'applyVectors':
      return applyVectors(rows, request.generation, request.changes, now, checkCancelled);
    case 'activate':
      return activate(rows, request.generation, now);
    case 'sweepVectors':
      return dropUnfinished(rows, request.kept);
  }
}

/** The feed first, in a transaction of its own: it compares each change with its own snapshot, so that a repeated one makes no second entry. */
function apply({ rows, changes, feed }: Session, packed: ChangeSet, now: string, checkCancelled: () => void) {
  const unpacked = unpackChanges(packed);
  if (!hasOnlySightings(unpacked)) feed?.record(rows, unpacked, revisionOf(rows) + 1);
  return { revision: changes.apply(unpacked, now, checkCancelled) };
}

/** Each batch is a transaction of its own. After a cancellation the next call continues. */
function deleteInBatches(
  { connection, rows }: Session,
  { token }: WriterRequest,
  deleteBatch: (rows: Rows) => boolean,
  checkCancelled: () => void,
): void {
  const batch = connection.transaction(() => {
    checkLease(rows, token, new Date().toISOString());
    return deleteBatch(rows);
  });
  while (batch.immediate()) checkCancelled();
}

const MAX_FREE_SHARE = 0.01;
/** Returning the pages of a whole generation would hold the lock for long; later writes reuse the rest. */
const MAX_RETURNED_PAGES = 16_000;

/** After fewer changed rows the prepared statements serve the next changes. */
const MAX_KEPT_CHANGES = 10_000;

/** Frees disk space and memory that a long run of changes has used. */
function cleanUpAfterScan({ connection, rows, isBuild }: Session): void {
  const free = connection.pragma('freelist_count', { simple: true }) as number;
  const pages = connection.pragma('page_count', { simple: true }) as number;
  // A few free pages are not worth moving other pages: the next changes reuse them.
  if (free > pages * MAX_FREE_SHARE) connection.pragma(`incremental_vacuum(${MAX_RETURNED_PAGES})`);
  connection.pragma('wal_checkpoint(TRUNCATE)');
  if (isBuild || (rows.value<number>('SELECT total_changes()') ?? 0) > MAX_KEPT_CHANGES) closeSession();
}

function openSession(): Session {
  let isBuild = false;
  const connection = openWriter(engine, file, (opened) => {
    isBuild = opened.prepare('SELECT scanned_at FROM state').pluck().get() === null;
    // The end of the scan closes the session.
    if (isBuild) prepareForBuild(opened);
  });
  const rows = createRows(connection);
  const changes = new ChangeWriter(rows);
  return { connection, rows, changes, feed: feed && new FeedWriter(engine, feed, file), isBuild };
}

function closeSession(): void {
  session?.feed?.close();
  session?.connection.close();
  session = undefined;
}
