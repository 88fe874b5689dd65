// The model in memory: read at its first use and again when its files change, once for all who wait for it. Embeds nothing.
import { basename } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
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
   * The model as its files are now. An abort ends the wait alone: the model is read to its end, for the next call.
   * @throws PROVIDER_MODEL_MISSING, PROVIDER_MODEL_UNSUITABLE, PROVIDER_UNAVAILABLE; the signal's reason
   */
  load(signal: AbortSignal, trace?: ProviderTrace): Promise<LoadedModel>;
  close(): void;
}

interface Reading {
  readonly stamp: string;
  readonly model: Promise<LoadedModel>;
  done: boolean;
}

export function createModelCache(folder: string): ModelCache {
  const closing = new AbortController();
  let reading: Reading | undefined;

  async function load(signal: AbortSignal, trace?: ProviderTrace): Promise<LoadedModel> {
    signal.throwIfAborted();
    const stamp = await untilAborted(modelStamp(folder, failuresOf(basename(folder))), signal);
    if (reading?.stamp !== stamp) reading = begin(stamp);
    if (reading.done) return reading.model;
    if (trace !== undefined) Object.assign(trace, { phase: 'load', coldStart: true });
    const model = await waitFor(reading, signal);
    if (trace !== undefined) Object.assign(trace, { phase: 'body', coldStart: false });
    return model;
  }

  /** A reading that fails is forgotten: the next call tries for real. */
  function begin(stamp: string): Reading {
    const begun: Reading = { stamp, model: readModel(folder, closing.signal), done: false };
    begun.model.then(
      () => {
        begun.done = true;
      },
      () => {
        if (reading === begun) reading = undefined;
      },
    );
    return begun;
  }

  function close(): void {
    closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    reading = undefined;
  }

  return Object.freeze({ isLoaded: () => reading?.done === true, load, close });
}

/** Of a failure that several wait for, each has one of its own. */
async function waitFor({ model }: Reading, signal: AbortSignal): Promise<LoadedModel> {
  try {
    return await untilAborted(model, signal);
  } catch (thrown) {
    throw thrown instanceof VaultgraphError && !signal.aborted ? repeatFailure(thrown) : thrown;
  }
}

/** Nothing interrupts the reading of one file; between them others have their turn. */
async function readModel(folder: string, signal: AbortSignal): Promise<LoadedModel> {
  const failures = failuresOf(basename(folder));
  signal.throwIfAborted();
  const { tensors, tokenizer: file, digest } = await readModelFiles(folder, failures, signal);
  const tokenizer = await readTokenizer(file, failures);
  await turn();
  signal.throwIfAborted();
  return Object.freeze({ digest, tokenizer, table: readStaticModel(tensors, tokenizer.end, failures) });
}
