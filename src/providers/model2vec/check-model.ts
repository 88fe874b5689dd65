// Checks that a folder is a usable model: loads it as the provider does and embeds a sentence.
import { basename } from 'node:path';
import { SAMPLE_SENTENCES } from '../../contracts/embedding.ts';
import { createModelCache } from './loaded-model.ts';
import { failuresOf } from './model-failures.ts';
import { MODEL_FILES } from './model-files.ts';

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
