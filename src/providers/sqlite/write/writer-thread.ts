// The thread that holds the one writing connection: one request, one transaction, one reply.
import { parentPort, workerData } from 'node:worker_threads';
import { toVaultgraphError } from '../../../base/errors.ts';
import { migrateDatabase } from '../database/migrate-database.ts';
import { type Connection, loadEngine, openReader, openWriter } from '../database/open-database.ts';
import { createRows, type Rows } from '../database/rows.ts';
import { SCHEMA_STEPS } from '../database/schema.ts';
import { retryWhileBusy } from '../database/store-errors.ts';
import { addRequest } from '../sharing/jobs-and-requests.ts';
import { mayWrite, releaseLease, takeLease, tell } from '../sharing/lease.ts';
import { applyVectors } from '../vectors/apply-vectors.ts';
import { deleteDropped, deleteUnused } from '../vectors/delete-vectors.ts';
import { activate, dropUnfinished, openGeneration } from '../vectors/generations.ts';
import { keepAnswer } from './answer-cache.ts';
import { type ApplyChanges, createApplyChanges, noteScan, resetIndex } from './apply-changes.ts';
import type { WriterReply, WriterRequest } from './writer-messages.ts';

interface Writing {
  readonly connection: Connection;
  readonly rows: Rows;
  readonly apply: ApplyChanges;
}

const MAX_FREE_SHARE = 0.01;
/** Pages that one end of a scan gives back: a whole generation's would hold the lock for long, and the next one takes them up again. */
const MAX_RETURNED = 16_000;

class GivenUp extends Error {}

const { file } = workerData as { readonly file: string };
const engine = loadEngine();
let writing: Writing | undefined;

parentPort?.on('message', async (request: WriterRequest | 'close') => {
  if (request !== 'close') return parentPort?.postMessage(await replyTo(request));
  closeWriting();
  parentPort?.close();
});

function closeWriting(): void {
  writing?.connection.close();
  writing = undefined;
}

async function replyTo(request: WriterRequest): Promise<WriterReply> {
  const stop = () => {
    if (Atomics.load(request.givenUp, 0) === 1) throw new GivenUp();
  };
  try {
    return { kind: 'done', answer: await retryWhileBusy({ op: request.op, file, stop }, () => perform(request, stop)) };
  } catch (thrown) {
    closeWriting();
    if (thrown instanceof GivenUp) return { kind: 'given_up' };
    const { code, details, cause } = toVaultgraphError(thrown);
    return { kind: 'failed', code, details, cause: cause instanceof Error ? cause.stack : undefined };
  }
}

function perform(request: WriterRequest, stop: () => void): unknown {
  if (request.op === 'integrity') return faultsNow();
  if (request.op === 'migrate') return migrateDatabase(engine, file, SCHEMA_STEPS, stop).then(() => null);
  writing ??= openWriting();
  const current = writing;
  const { connection } = current;
  const answer = connection.transaction(() => write(current, request, stop)).immediate();
  if (request.op === 'completeScan') afterScan(connection);
  if (request.op === 'activate' || request.op === 'sweepVectors') inSlices(current, request, deleteDropped, stop);
  if (request.op === 'sweepVectors') inSlices(current, request, deleteUnused, stop);
  return answer;
}

/** Each slice is a transaction of its own: what is given up in between goes on the next time. */
function inSlices(
  { connection, rows }: Writing,
  { token }: WriterRequest,
  deleteSlice: (rows: Rows) => boolean,
  stop: () => void,
): void {
  const slice = connection.transaction(() => {
    mayWrite(rows, token, new Date().toISOString());
    return deleteSlice(rows);
  });
  while (slice.immediate()) stop();
}

/** What a long run of changes looked up, left free and logged is not kept beyond its end. */
function afterScan(connection: Connection): void {
  returnFreePages(connection);
  connection.pragma('wal_checkpoint(TRUNCATE)');
  closeWriting();
}

/** Merging text leaves pages free that the next changes would use again: only a good many are worth moving the rest for. */
function returnFreePages(connection: Connection): void {
  const free = connection.pragma('freelist_count', { simple: true }) as number;
  const pages = connection.pragma('page_count', { simple: true }) as number;
  if (free > pages * MAX_FREE_SHARE) connection.pragma(`incremental_vacuum(${MAX_RETURNED})`);
}

type WritingRequest = Exclude<WriterRequest, { op: 'integrity' | 'migrate' }>;
type SharingRequest = Extract<
  WriterRequest,
  { op: 'takeLease' | 'tell' | 'releaseLease' | 'askHolder' | 'keepAnswer' }
>;
type IndexRequest = Exclude<WritingRequest, SharingRequest>;

function write({ rows, apply }: Writing, request: WritingRequest, stop: () => void): unknown {
  const now = new Date().toISOString();
  const { token } = request;
  switch (request.op) {
    case 'takeLease':
      return takeLease(rows, request.taking, token, now);
    case 'tell':
      tell(rows, request.told, token, now);
      return null;
    case 'releaseLease':
      return releaseLease(rows, token);
    case 'askHolder':
      return addRequest(rows, request.request);
    case 'keepAnswer':
      keepAnswer(rows, request.key, request.answer);
      return null;
    default:
      mayWrite(rows, token, now);
      return change({ rows, apply }, request, now, stop);
  }
}

/** What only who holds the lease may do. */
function change(
  { rows, apply }: Pick<Writing, 'rows' | 'apply'>,
  request: IndexRequest,
  now: string,
  stop: () => void,
) {
  if (request.op === 'apply') return { revision: apply(request.changes, now, stop) };
  if (request.op === 'openGeneration') return openGeneration(rows, request.role, request.fingerprint, now);
  if (request.op === 'reset') resetIndex(rows);
  else if (request.op === 'completeScan') noteScan(rows, request.at);
  else if (request.op === 'applyVectors') applyVectors(rows, request.generation, request.changes, now, stop);
  else if (request.op === 'activate') activate(rows, request.generation, now);
  else dropUnfinished(rows, request.kept);
  return null;
}

function openWriting(): Writing {
  const connection = openWriter(engine, file);
  const rows = createRows(connection);
  return { connection, rows, apply: createApplyChanges(rows) };
}

/** On a connection that cannot write: closing another one may take the log back into the file. */
function faultsNow(): string[] {
  const connection = openReader(engine, file);
  try {
    const found = connection.pragma('integrity_check(100)') as { integrity_check: string }[];
    return found.map((row) => row.integrity_check).filter((line) => line !== 'ok');
  } finally {
    connection.close();
  }
}
