// Loads the model at its first use and again when its files change, once for all concurrent callers.
import { basename } from 'node:path';
import { repeatFailure, VaultgraphError } from '../../base/errors.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import { SAMPLE_SENTENCES } from '../../contracts/embedding.ts';
import type { ProviderTrace } from '../../contracts/provider-call.ts';
import { failuresOf, type ModelFailures } from './model-failures.ts';
import { MODEL_FILES, modelDigest, modelStamp, readModelFile } from './model-files.ts';
import { type ModelTensors, withTensors } from './safetensors.ts';
import { readStaticModel, type StaticModel } from './static-model.ts';
import { type ModelTokenizer, readTokenizer } from './tokenizer.ts';

export interface LoadedModel {
  readonly digest: string;
  readonly table: StaticModel;
  /** Opens the file of the table for `work`: no file stays open between calls, so none has to be closed with the model. */
  readonly useTable: <T>(failures: ModelFailures, work: (file: ModelTensors) => Promise<T>) => Promise<T>;
  readonly tokenizer: ModelTokenizer;
}

export type ModelCache = ReturnType<typeof createModelCache>;

interface Reading {
  readonly stamp: string;
  readonly model: Promise<LoadedModel>;
  isDone: boolean;
}

export function createModelCache(folder: string) {
  const closing = new AbortController();
  let reading: Reading | undefined;

  /**
   * The model as its files are now. An abort ends only the wait: the model is still read, for the next call.
   * @throws PROVIDER_MODEL_MISSING, PROVIDER_MODEL_UNSUITABLE, PROVIDER_UNAVAILABLE; the signal's reason
   */
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

async function readModel(folder: string, signal: AbortSignal): Promise<LoadedModel> {
  const failures = failuresOf(basename(folder));
  signal.throwIfAborted();
  const digest = await modelDigest(folder, failures, signal);
  const file = await readModelFile(folder, 'tokenizer.json', failures, signal);
  const tokenizer = await readTokenizer(file, failures);
  signal.throwIfAborted();
  return withTensors(folder, failures, async (file) => {
    const table = await readStaticModel(file, tokenizer.end, failures);
    const useTable: LoadedModel['useTable'] = (failures, work) => withTensors(folder, failures, work, file.header);
    return Object.freeze({ digest, tokenizer, table, useTable });
  });
}

/** The files of a model in this format. */
export const LOCAL_MODEL_FILES = MODEL_FILES;

/** @returns the dimensions of its vectors @throws PROVIDER_MODEL_MISSING, PROVIDER_MODEL_UNSUITABLE, PROVIDER_UNAVAILABLE */
export async function checkModel(folder: string, signal: AbortSignal): Promise<number> {
  const cache = createModelCache(folder);
  try {
    const { tokenizer, table, useTable } = await cache.load(signal);
    const failures = failuresOf(basename(folder));
    // The sentence may have no token of a model of another language.
    const { ids: tokens } = tokenizer.tokensOf(SAMPLE_SENTENCES[0] ?? '');
    if (tokens.length > 0) await useTable(failures, (file) => table.vectorOf(tokens, file, failures));
    return table.dims;
  } finally {
    cache.close();
  }
}
