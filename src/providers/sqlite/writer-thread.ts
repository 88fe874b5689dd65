// The thread that holds the one writing connection: one request, one transaction, one reply. Knows nothing of who asks.
import { parentPort, workerData } from 'node:worker_threads';
import { toVaultgraphError } from '../../base/errors.ts';
import { type ApplyChanges, createApplyChanges, noteScan, resetIndex } from './apply-changes.ts';
import { type Connection, loadEngine } from './engine.ts';
import { openWriter } from './open-database.ts';
import { retryWhileBusy } from './retry-while-busy.ts';
import { createRows, type Rows } from './rows.ts';
import { applyVectors } from './vectors/apply-vectors.ts';
import { activate, dropUnfinished, openGeneration } from './vectors/generation-steps.ts';
import { deleteDropped, deleteUnused } from './vectors/unused-rows.ts';
import type { WriterReply, WriterRequest } from './writer-messages.ts';

interface Writing {
  readonly connection: Connection;
  readonly rows: Rows;
  readonly apply: ApplyChanges;
}

const LARGEST_FREE_SHARE = 0.01;
/** Pages that one end of a scan gives back: a whole generation's would hold the lock for long, and the next one takes them up again. */
const MOST_RETURNED = 16_000;

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
  writing ??= openWriting();
  const current = writing;
  const { connection } = current;
  if (request.op === 'integrity') return faultsOf(connection);
  const answer = connection.transaction(() => write(current, request, stop)).immediate();
  if (request.op === 'completeScan') afterScan(connection);
  if (request.op === 'activate' || request.op === 'sweepVectors') inSlices(current, deleteDropped, stop);
  if (request.op === 'sweepVectors') inSlices(current, deleteUnused, stop);
  return answer;
}

/** Each slice is a transaction of its own: what is given up in between goes on the next time. */
function inSlices({ connection, rows }: Writing, deleteSlice: (rows: Rows) => boolean, stop: () => void): void {
  const slice = connection.transaction(() => deleteSlice(rows));
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
  if (free > pages * LARGEST_FREE_SHARE) connection.pragma(`incremental_vacuum(${MOST_RETURNED})`);
}

function write(
  { rows, apply }: Writing,
  request: Exclude<WriterRequest, { op: 'integrity' }>,
  stop: () => void,
): unknown {
  const now = new Date().toISOString();
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

function faultsOf(connection: Connection): string[] {
  const found = connection.pragma('integrity_check(100)') as { integrity_check: string }[];
  return found.map((row) => row.integrity_check).filter((line) => line !== 'ok');
}
