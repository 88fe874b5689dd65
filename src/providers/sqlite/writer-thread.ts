// The thread that holds the one writing connection: one request, one transaction, one reply. Knows nothing of who asks.
import { parentPort, workerData } from 'node:worker_threads';
import { toVaultgraphError } from '../../base/errors.ts';
import { applyChanges, noteScan, resetIndex } from './apply-changes.ts';
import { type Connection, loadEngine } from './engine.ts';
import { openWriter } from './open-database.ts';
import { retryWhileBusy } from './retry-while-busy.ts';
import { createRows, type Rows } from './rows.ts';
import type { WriterReply, WriterRequest } from './writer-messages.ts';

interface Writing {
  readonly connection: Connection;
  readonly rows: Rows;
}

class GivenUp extends Error {}

const { file } = workerData as { readonly file: string };
const engine = await loadEngine();
let writing: Writing | undefined;

parentPort?.on('message', async (request: WriterRequest | 'close') => {
  if (request !== 'close') return parentPort?.postMessage(await replyTo(request));
  writing?.connection.close();
  parentPort?.close();
});

async function replyTo(request: WriterRequest): Promise<WriterReply> {
  const stop = () => {
    if (Atomics.load(request.givenUp, 0) === 1) throw new GivenUp();
  };
  try {
    return { kind: 'done', answer: await retryWhileBusy({ op: request.op, file, stop }, () => perform(request, stop)) };
  } catch (thrown) {
    if (thrown instanceof GivenUp) return { kind: 'given_up' };
    const { code, details, cause } = toVaultgraphError(thrown);
    return { kind: 'failed', code, details, cause: cause instanceof Error ? cause.stack : undefined };
  }
}

function perform(request: WriterRequest, stop: () => void): unknown {
  writing ??= openWriting();
  const { connection, rows } = writing;
  if (request.op === 'integrity') return faultsOf(connection);
  return connection.transaction(() => write(rows, request, stop)).immediate();
}

function write(rows: Rows, request: Exclude<WriterRequest, { op: 'integrity' }>, stop: () => void): unknown {
  if (request.op === 'apply') {
    return { revision: applyChanges(rows, request.changes, new Date().toISOString(), stop) };
  }
  if (request.op === 'reset') resetIndex(rows);
  else noteScan(rows, request.at);
  return null;
}

function openWriting(): Writing {
  const connection = openWriter(engine, file);
  return { connection, rows: createRows(connection) };
}

function faultsOf(connection: Connection): string[] {
  const found = connection.pragma('integrity_check(100)') as { integrity_check: string }[];
  return found.map((row) => row.integrity_check).filter((line) => line !== 'ok');
}
