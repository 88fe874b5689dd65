// Caches the model in memory: reads it at its first use and again when its files change, once for all concurrent callers.
import { basename } from 'node:path';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { repeatFailure, VaultgraphError } from '../../base/errors.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { ProviderTrace } from '../../contracts/provider-call.ts';
import { failuresOf } from './model-failures.ts';
import { modelStamp, readModelFiles } from './model-files.ts';
import { readStaticModel, type StaticModel } from './static-model.ts';
import { type ModelTokenizer, readTokenizer } from './tokenizer.ts';

export interface LoadedModel {
  readonly digest: string;
  readonly table: StaticModel;
  readonly tokenizer: ModelTokenizer;
}

export interface ModelCache {
  isLoaded(): boolean;
  /**
   * The model as its files are now. An abort ends only the wait: the model is still read, for the next call.
   * @throws PROVIDER_MODEL_MISSING, PROVIDER_MODEL_UNSUITABLE, PROVIDER_UNAVAILABLE; the signal's reason
   */
  load(signal: AbortSignal, trace?: ProviderTrace): Promise<LoadedModel>;
  close(): void;
}

interface Reading {
  readonly stamp: string;
  readonly model: Promise<LoadedModel>;
  isDone: boolean;
}

export function createModelCache(folder: string): ModelCache {
  const closing = new AbortController();
  let reading: Reading | undefined;

  async function load(signal: AbortSignal, trace?: ProviderTrace): Promise<LoadedModel> {
    signal.throwIfAborted();
    const stamp = await untilAborted(modelStamp(folder, failuresOf(basename(folder))), signal);
    if (reading?.stamp !== stamp) reading = begin(stamp);
    if (reading.isDone) return reading.model;
    if (trace !== undefined) Object.assign(trace, { phase: 'load', coldStart: true });
    const model = await waitFor(reading, signal);
    if (trace !== undefined) Object.assign(trace, { phase: 'body', coldStart: false });
    return model;
  }

  /** A failed reading is forgotten, so that the next call tries again. */
  function begin(stamp: string): Reading {
    const started: Reading = { stamp, model: readModel(folder, closing.signal), isDone: false };
    started.model.then(
      () => {
        started.isDone = true;
      },
      () => {
        if (reading === started) reading = undefined;
      },
    );
    return started;
  }

  function close(): void {
    closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    reading = undefined;
  }

  return Object.freeze({ isLoaded: () => reading?.isDone === true, load, close });
}

/** Gives each of several waiting callers an error of its own. */
async function waitFor({ model }: Reading, signal: AbortSignal): Promise<LoadedModel> {
  try {
    return await untilAborted(model, signal);
  } catch (thrown) {
    throw thrown instanceof VaultgraphError && !signal.aborted ? repeatFailure(thrown) : thrown;
  }
}

/** Yields to other work between the files. */
async function readModel(folder: string, signal: AbortSignal): Promise<LoadedModel> {
  const failures = failuresOf(basename(folder));
  signal.throwIfAborted();
  const { tensors, tokenizer: file, digest } = await readModelFiles(folder, failures, signal);
  const tokenizer = await readTokenizer(file, failures);
  await yieldToOthers();
  signal.throwIfAborted();
  return Object.freeze({ digest, tokenizer, table: readStaticModel(tensors, tokenizer.end, failures) });
}
