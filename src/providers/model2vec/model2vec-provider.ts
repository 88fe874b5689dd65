// The embedding provider for a model2vec model in a local folder: its config, its probe and how it opens. Opening reads nothing.
import { homedir } from 'node:os';
import { basename, isAbsolute, join, normalize } from 'node:path';
import * as z from 'zod';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { type EmbeddingIdentity, type EmbeddingProvider, SAMPLE_SENTENCES } from '../../contracts/embedding.ts';
import type { Opened, Probe, Provider } from '../../contracts/provider.ts';
import { type ProviderCall, type ProviderTrace, probeCall } from '../../contracts/provider-call.ts';
import { checkTexts, prefixed } from '../model-server/model-families.ts';
import { probeLevels } from '../model-server/probe-levels.ts';
import { createModelCache, type LoadedModel, type ModelCache } from './loaded-model.ts';
import { failuresOf, type ModelFailures, TYPE } from './model-failures.ts';
import { modelStamp } from './model-files.ts';
import { type ModelTensors, withTensors } from './safetensors.ts';
import { tableShape } from './static-model.ts';
import { MAX_TOKENS, type Tokens } from './tokenizer.ts';

/** Small enough that other calls need not wait long. */
const BATCH = Object.freeze({ items: 32, characters: 64_000 });

interface EmbeddingOptions {
  /** The folder's name. */
  readonly model: string;
  readonly query_prefix?: string | undefined;
  readonly document_prefix?: string | undefined;
}

/** The model of a folder for one call, whose trace says so. @param type of the provider */
export async function loadFor<T>(
  type: string,
  model: { load(signal: AbortSignal, trace: ProviderTrace): Promise<T> },
  { trace }: ProviderCall,
  signal: AbortSignal,
): Promise<T> {
  signal.throwIfAborted();
  trace.attempts += 1;
  const loaded = await model.load(signal, trace);
  trace.servedBy = type;
  return loaded;
}

function createModel2vecEmbedding(options: EmbeddingOptions, cache: ModelCache): EmbeddingProvider {
  const { model } = options;
  const traits = Object.freeze({
    queryPrefix: options.query_prefix ?? '',
    documentPrefix: options.document_prefix ?? '',
    contextTokens: MAX_TOKENS,
  });

  const load = (call: ProviderCall, signal: AbortSignal) => loadFor(TYPE, cache, call, signal);

  async function identify(call: ProviderCall, signal: AbortSignal): Promise<EmbeddingIdentity> {
    const { digest, table } = await load(call, signal);
    const { queryPrefix, documentPrefix } = traits;
    // The rest of a text after `MAX_TOKENS` tokens is not read, and no error says so.
    const weights = { digest, samples: [], dims: table.dims, truncation: 'silent' } as const;
    return { provider: TYPE, model, queryPrefix, documentPrefix, ...weights };
  }

  const embed: EmbeddingProvider['embed'] = async (inputs, purpose, call, signal) => {
    signal.throwIfAborted();
    if (inputs.length === 0) return { succeeded: [], failed: [] };
    checkTexts(inputs);
    const loaded = await load(call, signal);
    const failures = failuresOf(model);
    const succeeded: { id: string; result: Float32Array }[] = [];
    const failed: { id: string; error: VaultgraphError }[] = [];
    let [count, unknown] = [0, 0];
    await loaded.useTable(failures, async (file) => {
      for (const input of inputs) {
        // Otherwise neither a timeout nor an abort would take effect before the end.
        await letOthersRun();
        signal.throwIfAborted();
        const text = prefixed(input, purpose, traits);
        const result = await vectorOrFailure(text, loaded, file, failures, (tokens) => {
          count += tokens.count;
          unknown += tokens.unknown;
        });
        if (result instanceof VaultgraphError) failed.push({ id: input.id, error: result });
        else succeeded.push({ id: input.id, result });
      }
    });
    if (count > 0) call.trace.unknownShare = unknown / count;
    return { succeeded, failed };
  };

  async function loaded(signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    return cache.isLoaded();
  }

  async function warmUp(signal: AbortSignal): Promise<void> {
    await cache.load(signal);
  }

  const facts = { type: TYPE, model, endpoint: null, batch: BATCH, contextTokens: MAX_TOKENS, reportsTokens: false };
  return Object.freeze({ ...facts, identify, embed, loaded, warmUp });
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

interface Model2vecConfig {
  /** The folder, absolute; a leading `~` is expanded. */
  model: string;
  /** Milliseconds. */
  timeout: number;
  query_prefix?: string | undefined;
  document_prefix?: string | undefined;
}

/** The limit is that of model servers. */
export const MAX_TIMEOUT_MS = 290_000;

const expandHome = (path: string): string => (/^~(?=$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path);

export const modelFolder = z
  .string()
  .trim()
  .min(1)
  .transform(expandHome)
  .refine(isAbsolute, 'the path of a folder, absolute or from `~/`')
  .transform(normalize);

const model2vecConfig: z.ZodType<Model2vecConfig> = z.strictObject({
  model: modelFolder,
  timeout: z.int().min(1).max(MAX_TIMEOUT_MS).default(30_000),
  query_prefix: z.string().optional(),
  document_prefix: z.string().optional(),
});

export const model2vecProvider = Object.freeze<Provider<'embedding', Model2vecConfig>>({
  capability: 'embedding',
  type: TYPE,
  config: model2vecConfig,
  limits: ({ timeout }) => ({ identify: timeout, embed: timeout, loaded: timeout, warmUp: timeout }),
  open: async (config) => openModel2vec(config),
});

function openModel2vec(config: Model2vecConfig): Opened<EmbeddingProvider> {
  const cache = createModelCache(config.model);
  const capability = createModel2vecEmbedding({ ...config, model: basename(config.model) }, cache);
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

/** A model of another language may know none of the sentences, which is not an error. @throws PROVIDER_* */
export async function embedSamples(capability: EmbeddingProvider, signal: AbortSignal): Promise<string> {
  const inputs = SAMPLE_SENTENCES.map((text, at) => ({ id: `${at}`, text }));
  const { succeeded } = await capability.embed(inputs, 'document', probeCall(), signal);
  return `embeds ${succeeded.length} of ${inputs.length} sample sentences`;
}
