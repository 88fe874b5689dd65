// The thread that writes the index: to PostgreSQL, and to the copy on this machine. Runs one job at a time and replies.
import { parentPort, workerData } from 'node:worker_threads';
import { NEVER } from '../../../base/async/waits.ts';
import { toVaultgraphError, type VaultgraphError } from '../../../base/errors.ts';
import { errorOf, outcomeOf } from '../../../base/outcome.ts';
import { watchMainThread } from '../../../base/threads/worker-threads.ts';
import type { FeedSettings } from '../../../contracts/provider.ts';
import { faultsInFile } from '../../sqlite/database/check-index.ts';
import { loadEngine } from '../../sqlite/database/engine.ts';
import { isCorruptionOf, toStoreError } from '../../sqlite/database/store-errors.ts';
import type { CloseRequest, StoreRequest, WriterReply } from '../../sqlite/write/writer-messages.ts';
import { DamagedOriginal, damagedError, toDamagedError } from '../checked-values.ts';
import { Database } from '../connection/database.ts';
import type { ConnectionSettings } from '../connection/settings.ts';
import { catchUp, leaveIfRestored } from '../copy/catch-up.ts';
import { faultsInTables } from '../copy/check-tables.ts';
import { beginAgainIfDue, markDamaged } from '../sharing/damage.ts';
import { addRequest, cacheAnswer } from '../sharing/jobs.ts';
import { releaseLease, takeLease, updateHolder } from '../sharing/lease-row.ts';
import { LocalCopy } from './local-copy.ts';
import { OutdatedCopy } from './send-changes.ts';
import { noSuchJob, writeIndex } from './write-index.ts';

/** How the thread is started. */
export interface StoreThreadData {
  readonly file: string;
  readonly settings: ConnectionSettings;
  /** Counts the transactions that were run again. */
  readonly conflicts: Int32Array<SharedArrayBuffer>;
  /** Whether the process is a server, which rebuilds a damaged index in PostgreSQL. */
  readonly serves: boolean;
  /** The feed of changes that it keeps beside the index. */
  readonly feedSettings: FeedSettings | undefined;
}

/** A change runs again after so many times that another server changed the index meanwhile. */
const MAX_TRIES = 20;
const CONNECTIONS = 2;

class Cancelled extends Error {}

const { file, settings, conflicts, serves, feedSettings } = workerData as StoreThreadData;
const engine = loadEngine(settings.driver);
const database = new Database(settings, CONNECTIONS, () => Atomics.add(conflicts, 0, 1));
let copy: LocalCopy | undefined;

watchMainThread();

parentPort?.on('message', async (request: StoreRequest | CloseRequest) => {
  parentPort?.postMessage(request === 'close' ? await close() : await replyTo(request));
});

async function close(): Promise<WriterReply> {
  copy?.close();
  copy = undefined;
  await database.close();
  return { kind: 'done', result: undefined };
}

async function replyTo(request: StoreRequest): Promise<WriterReply> {
  const stop = new AbortController();
  const cancelled = watchCancelled(request.cancelled, stop);
  try {
    return { kind: 'done', result: await perform(request, stop.signal, cancelled) };
  } catch (thrown) {
    copy?.close();
    copy = undefined;
    if (thrown instanceof Cancelled || stop.signal.aborted) return { kind: 'cancelled' };
    const { code, details, retry, cause } = await explained(thrown, request);
    return { kind: 'failed', code, details, retry, cause: cause instanceof Error ? cause.stack : undefined };
  }
}

/** Says which of the two is damaged: the index in PostgreSQL, or the copy. Empties the tables if a rebuild is due. */
async function explained(thrown: unknown, { op, token }: StoreRequest): Promise<VaultgraphError> {
  const error = toVaultgraphError(toStoreError(toDamagedError(thrown, settings, op), { op, file }));
  if (!isCorruptionOf('server', error)) return error;
  // A server without the right to write cannot mark the damage for the others.
  const epoch = thrown instanceof DamagedOriginal ? thrown.epoch : undefined;
  const marked = await outcomeOf(markDamaged(database, epoch, NEVER));
  if (!serves || 'error' in marked) return error;
  await errorOf(beginAgainIfDue(database, token, NEVER));
  return damagedError(settings, op, marked.value ?? 'now', thrown);
}

/** Aborts the signal once the caller cancels. @returns a check for work that does not wait */
function watchCancelled(cell: StoreRequest['cancelled'], stop: AbortController): () => void {
  const isCancelled = (): boolean => Atomics.load(cell, 0) === 1;
  const { value } = Atomics.waitAsync(cell, 0, 0);
  void Promise.resolve(value).then(() => isCancelled() && stop.abort(new Cancelled()));
  return () => {
    if (isCancelled()) throw new Cancelled();
  };
}

async function perform(request: StoreRequest, signal: AbortSignal, checkCancelled: () => void): Promise<unknown> {
  const now = new Date().toISOString();
  const { token } = request;
  checkCancelled();
  switch (request.op) {
    case 'takeLease':
      return database.transaction('lease', signal, (run) => takeLease(run, request.request, token, now));
    case 'publish':
      await database.transaction('publish', signal, (run) => updateHolder(run, request.update, token, now));
      await leaveIfRestored(openCopy(), database, signal);
      return serves ? beginAgainIfDue(database, token, signal) : undefined;
    case 'releaseLease':
      return database.transaction('lease', signal, (run) => releaseLease(run, token));
    case 'requestFromLeader':
      return database.transaction('request', signal, (run) => addRequest(run, request.request));
    case 'cacheAnswer':
      return database.transaction('cache', signal, (run) => cacheAnswer(run, request.key, request.answer));
    case 'catchUp':
      return catchUp(openCopy(), database, signal, checkCancelled);
    case 'integrity':
      return [...faultsInFile(engine, file), ...(await faultsInTables(database, signal))];
    case 'migrate':
    case 'setAside':
      throw noSuchJob(request.op);
    default:
      return writeOnPresent(request, signal, checkCancelled);
  }
}

type IndexRequest = StoreRequest & Parameters<typeof writeIndex>[0];

/** Catches up first where that is needed: the change is made on the present state of the index. */
async function writeOnPresent(
  request: IndexRequest,
  signal: AbortSignal,
  checkCancelled: () => void,
): Promise<unknown> {
  for (let tries = 1; ; tries++) {
    const now = new Date().toISOString();
    const current = openCopy();
    try {
      return await writeIndex(request, {
        copy: current,
        database,
        token: request.token,
        now,
        signal,
        checkCancelled,
        ...(feedSettings && { feed: { engine, settings: feedSettings } }),
      });
    } catch (thrown) {
      if (!(thrown instanceof OutdatedCopy) || tries === MAX_TRIES) throw thrown;
      while (!(await catchUp(current, database, signal, checkCancelled)).isWhole) checkCancelled();
    }
  }
}

function openCopy(): LocalCopy {
  copy ??= new LocalCopy(engine, file);
  return copy;
}
