// The embedding provider for a model2vec model in a local folder: its config, its probe and how it opens. Opening reads nothing.
import { basename } from 'node:path';
import * as z from 'zod';
import { toVaultgraphError, type VaultgraphError } from '../../base/errors.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { EmbeddingProvider } from '../../contracts/embedding.ts';
import type { Opened, Probe, Provider } from '../../contracts/provider.ts';
import { probeLevels } from '../model-server/probe-levels.ts';
import { createModelCache, type LoadedModel } from './loaded-model.ts';
import {
  createLocalEmbedding,
  embedSamples,
  type LocalEmbedding,
  type LocalModel,
  localEmbeddingShape,
} from './local-model.ts';
import { failuresOf, type ModelFailures, TYPE } from './model-failures.ts';
import { modelStamp } from './model-files.ts';
import { type ModelTensors, withTensors } from './safetensors.ts';
import { tableShape } from './static-model.ts';
import { MAX_TOKENS, type Tokens } from './tokenizer.ts';

/** Small enough that other calls need not wait long. */
const BATCH = Object.freeze({ items: 32, characters: 64_000 });

function createModel2vecEmbedding(config: Model2vecConfig, cache: LocalModel<LoadedModel>): EmbeddingProvider {
  const model = basename(config.model);
  const prefixes = { queryPrefix: config.query_prefix ?? '', documentPrefix: config.document_prefix ?? '' };
  const facts = { type: TYPE, model, batch: BATCH, contextTokens: MAX_TOKENS, reportsTokens: false };
  const embedding: LocalEmbedding<LoadedModel>['embedding'] = async (loaded, each, { trace }, signal) => {
    const failures = failuresOf(model);
    let [count, unknown] = [0, 0];
    await loaded.useTable(failures, (file) =>
      each(async (text) => {
        // Otherwise neither a timeout nor an abort would take effect before the end.
        await letOthersRun();
        signal.throwIfAborted();
        return vectorOrFailure(text, loaded, file, failures, (tokens) => {
          count += tokens.count;
          unknown += tokens.unknown;
        });
      }),
    );
    if (count > 0) trace.unknownShare = unknown / count;
  };
  return createLocalEmbedding(
    {
      ...facts,
      prefixes: () => prefixes,
      // The rest of a text after `MAX_TOKENS` tokens is not read, and no error says so.
      weights: ({ digest, table }) => ({ digest, dims: table.dims, truncation: 'silent' }),
      embedding,
    },
    cache,
  );
}

/** @throws PROVIDER_UNAVAILABLE if the disk fails, which concerns every text */
async function vectorOrFailure(
  text: string,
  { tokenizer, table }: LoadedModel,
  file: ModelTensors,
  failures: ModelFailures,
  onTokens: (tokens: Tokens) => void,
): Promise<Float32Array | VaultgraphError> {
  try {
    const tokens = tokensIn(text, tokenizer, failures);
    onTokens(tokens);
    return await table.vectorOf(tokens.ids, file, failures);
  } catch (thrown) {
    const error = toVaultgraphError(thrown);
    if (error.code === 'PROVIDER_UNAVAILABLE') throw error;
    return error;
  }
}

/** The library's errors concern only this text. */
function tokensIn(text: string, { tokensOf }: LoadedModel['tokenizer'], failures: ModelFailures): Tokens {
  try {
    return tokensOf(text);
  } catch (thrown) {
    throw failures.badAnswer('tokens of the text', 'none', thrown);
  }
}

const model2vecConfig = z.strictObject(localEmbeddingShape);
type Model2vecConfig = z.infer<typeof model2vecConfig>;

export const model2vecProvider = Object.freeze<Provider<'embedding', Model2vecConfig>>({
  capability: 'embedding',
  type: TYPE,
  config: model2vecConfig,
  limits: ({ timeout }) => ({ identify: timeout, embed: timeout, loaded: timeout, warmUp: timeout }),
  open: async (config) => openModel2vec(config),
});

function openModel2vec(config: Model2vecConfig): Opened<EmbeddingProvider> {
  const cache = createModelCache(config.model);
  const capability = createModel2vecEmbedding(config, cache);
  return Object.freeze({
    capability,
    probe: (signal: AbortSignal) => probe(config.model, capability, signal),
    close: async () => cache.close(),
  });
}

function probe(folder: string, capability: EmbeddingProvider, signal: AbortSignal): Promise<Probe> {
  const failures = failuresOf(capability.model);
  return probeLevels({
    reach: async () => {
      await modelStamp(folder, failures);
      return `the folder ${basename(folder)} has the files of a model`;
    },
    findModel: async () => {
      const [rows, dims] = await withTensors(folder, failures, async ({ header }) => tableShape(header, failures));
      return `${rows} rows of ${dims} dimensions`;
    },
    isLoaded: () => capability.loaded(signal),
    answer: () => embedSamples(capability, signal),
  });
}
