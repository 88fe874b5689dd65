// Keeps the thread of a model: starts it at the first use and again when the files change, and ends it when it hangs or is idle.
import { basename } from 'node:path';
import { Serial } from '../../base/async/serial.ts';
import { NEVER, untilAborted } from '../../base/async/waits.ts';
import { commandLine } from '../../base/command-line.ts';
import type { VaultgraphError } from '../../base/errors.ts';
import { WorkerClient } from '../../base/threads/worker-client.ts';
import { startErrno, threadScript } from '../../base/threads/worker-threads.ts';
import { createLocalModel } from '../model2vec/local-model.ts';
import { failuresOf, type ModelFailures } from '../model2vec/model-failures.ts';
import { modelStamp, provenDigest } from '../model2vec/model-files.ts';
import type { TextRequest, ThreadReply, ThreadRequest } from './messages.ts';
import { type Configured, filesOf, isCrossEncoder, type ModelSettings, readSettings } from './model-settings.ts';
import { RUNTIME, runtimeFolder } from './runtime.ts';

/** The `type` in the config. */
export const TYPE = 'onnx';

export interface ModelOptions extends Configured {
  /** The folder of the model. */
  readonly model: string;
  /** MiB. */
  readonly max_memory: number;
}

export interface LoadedModel {
  readonly digest: string;
  readonly dims: number;
  readonly settings: ModelSettings;
  readonly thread: WorkerClient<ThreadRequest, ThreadReply>;
  readonly turns: Serial;
}

export interface ModelTimes {
  /** After so long without a text, the thread ends and its memory is free. */
  readonly idleMs: number;
  /** A thread that is still busy so long after its call ended is ended too. */
  readonly graceMs: number;
}

const TIMES: ModelTimes = { idleMs: 600_000, graceMs: 2_000 };
/** Loading never takes so long, unless it hangs. */
const MAX_LOAD_MS = 290_000;
const THREAD = threadScript('onnx-thread', import.meta.url);
const MIB = 1024 * 1024;
/** Measured with weights of 22 to 448 MiB and word lists of half a MiB and nine: the library and the largest text; the weights are read, copied and packed. */
const BASE_MIB = 280;
const WEIGHTS_COPIES = 4;
const TOKENIZER_COPIES = 20;

export type ModelThread = ReturnType<typeof createModelThread>;

export function createModelThread(options: ModelOptions, times: ModelTimes = TIMES) {
  let idle: NodeJS.Timeout | undefined;
  const local = createLocalModel<LoadedModel>({
    stamp: () => stampOf(options.model, failuresIn(options)),
    read: (ending) => openModel(options, ending),
    isAlive: ({ thread }) => thread.isAlive,
    onRead: rest,
  });

  /** The time until the memory is given back begins again. */
  function rest(): void {
    clearTimeout(idle);
    idle = setTimeout(() => local.isLoaded() && local.end(), times.idleMs).unref();
  }

  /** Waits for its turn; an abort ends the wait at once, and the thread if it does not end the text by itself soon. */
  async function ask({ thread, turns }: LoadedModel, request: TextRequest, signal: AbortSignal): Promise<ThreadReply> {
    const answer = turns.run(() => {
      rest();
      return endedLate(thread, thread.ask(request), times.graceMs, signal);
    }, signal);
    return untilAborted(answer, signal);
  }

  function close(): void {
    clearTimeout(idle);
    local.close();
  }

  return Object.freeze({ ...local, ask, close });
}

export const failuresIn = ({ model, pairs }: ModelOptions): ModelFailures =>
  failuresOf(basename(model), TYPE, pairs ? 'rerank' : 'embedding');

/** All files whose change makes another model of it. */
async function stampOf(folder: string, failures: ModelFailures): Promise<string> {
  const files = await filesOf(folder, failures);
  return `${files}:${await modelStamp(folder, failures, files ?? [])}`;
}

async function endedLate(
  thread: WorkerClient<ThreadRequest, ThreadReply>,
  answer: Promise<ThreadReply>,
  graceMs: number,
  signal: AbortSignal,
): Promise<ThreadReply> {
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    timer = setTimeout(() => void thread.close(), graceMs);
  };
  signal.addEventListener('abort', onAbort);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** @param ending ends the thread, also later @throws PROVIDER_*, SHUTTING_DOWN */
async function openModel(options: ModelOptions, ending: AbortSignal): Promise<LoadedModel> {
  const folder = options.model;
  const failures = failuresIn(options);
  const settings = await readSettings(folder, options, failures, ending);
  checkMemory(settings, options, failures);
  const digest = await provenDigest(folder, failures, ending, settings.files);
  ending.throwIfAborted();
  const thread = new WorkerClient<ThreadRequest, ThreadReply>(THREAD, {
    name: 'vaultgraph-onnx',
    failure: (cause) =>
      ending.aborted ? ending.reason : failuresIn(options).unavailable(startErrno(cause) ?? 'THREAD_ENDED', cause),
  });
  ending.addEventListener('abort', () => void thread.close(), { once: true });
  const { pooling, contextTokens, files } = settings;
  const request = {
    kind: 'load',
    folder,
    weights: files[0],
    runtime: runtimeFolder(folder),
    pooling,
    contextTokens,
  } as const;
  const limit = setTimeout(() => void thread.close(), MAX_LOAD_MS);
  const reply = await thread.ask(request).finally(() => clearTimeout(limit));
  if (reply.kind === 'loaded') return { digest, dims: reply.dims, settings, thread, turns: new Serial() };
  await thread.close();
  throw notLoaded(reply, folder, failures);
}

function notLoaded(reply: ThreadReply, folder: string, failures: ModelFailures): VaultgraphError {
  if (reply.kind !== 'unsuitable') return failures.unsuitable(`it answers with ${reply.kind}`);
  const { reason, cause, advise } = reply;
  const add = commandLine(`models add ${basename(folder)} --from FOLDER --replace`);
  const advice = `Ask the user to run \`${add}\`, which installs ${RUNTIME.name} beside the model.`;
  return failures.unsuitable(reason, cause, advise && advice);
}

/** @throws PROVIDER_MODEL_UNSUITABLE before anything large is read */
function checkMemory(
  { weightsBytes, tokenizerBytes }: ModelSettings,
  options: ModelOptions,
  failures: ModelFailures,
): void {
  const { max_memory: max, pairs } = options;
  const needed = Math.ceil(BASE_MIB + (WEIGHTS_COPIES * weightsBytes + TOKENIZER_COPIES * tokenizerBytes) / MIB);
  if (needed <= max) return;
  const advice = `Ask the user to set providers.${pairs ? 'rerank' : 'embedding'}.max_memory to ${needed} or more, or a smaller model.`;
  throw failures.unsuitable(`it needs about ${needed} MiB of memory, and max_memory is ${max}`, undefined, advice);
}

/** @returns the dimensions of its vectors, 1 of a model that scores pairs @throws PROVIDER_MODEL_MISSING, PROVIDER_MODEL_UNSUITABLE, PROVIDER_UNAVAILABLE */
export async function checkOnnxModel(folder: string, signal: AbortSignal = NEVER): Promise<number> {
  const options = { model: folder, max_memory: Number.POSITIVE_INFINITY };
  const scores = await isCrossEncoder(folder, failuresIn(options), signal);
  const thread = createModelThread({ ...options, ...(scores && { pairs: true }) });
  try {
    return (await thread.load(signal)).dims;
  } finally {
    thread.close();
  }
}
