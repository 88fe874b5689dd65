// Reads a model2vec model: its tokenizer into memory, and the shape of its table, which stays in its file.
import { basename } from 'node:path';
import { SAMPLE_SENTENCES } from '../../contracts/embedding.ts';
import { createLocalModel } from './local-model.ts';
import { failuresOf, type ModelFailures } from './model-failures.ts';
import { MODEL_FILES, modelStamp, provenDigest, readModelFile } from './model-files.ts';
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

export function createModelCache(folder: string) {
  return createLocalModel<LoadedModel>({
    stamp: () => modelStamp(folder, failuresOf(basename(folder))),
    read: (ending) => readModel(folder, ending),
  });
}

async function readModel(folder: string, signal: AbortSignal): Promise<LoadedModel> {
  const failures = failuresOf(basename(folder));
  signal.throwIfAborted();
  const digest = await provenDigest(folder, failures, signal);
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
