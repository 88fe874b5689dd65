// The embedding provider for a model2vec model in a local folder: its config, its probe and how it opens. Opening reads nothing.
import { homedir } from 'node:os';
import { basename, isAbsolute, join, normalize } from 'node:path';
import * as z from 'zod';
import { type EmbeddingProvider, SAMPLE_SENTENCES } from '../../contracts/embedding.ts';
import type { Opened, Probe, Provider } from '../../contracts/provider.ts';
import { probeCall } from '../../contracts/provider-call.ts';
import { probeLevels } from '../model-server/probe-levels.ts';
import { createModelCache } from './loaded-model.ts';
import { failuresOf, TYPE } from './model-failures.ts';
import { modelStamp } from './model-files.ts';
import { withTensors } from './model-tensors.ts';
import { createModel2vecEmbedding } from './model2vec-embedding.ts';
import { tableShape } from './static-model.ts';

interface Model2vecConfig {
  /** The folder, absolute; a leading `~` is expanded. */
  model: string;
  /** Milliseconds. */
  timeout: number;
  query_prefix?: string | undefined;
  document_prefix?: string | undefined;
}

/** As for model servers. */
const MAX_TIMEOUT_MS = 290_000;

const expandHome = (path: string): string => (/^~(?=$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path);

const model2vecConfig: z.ZodType<Model2vecConfig> = z.strictObject({
  model: z
    .string()
    .trim()
    .min(1)
    .transform(expandHome)
    .refine(isAbsolute, 'the path of a folder, absolute or from `~/`')
    .transform(normalize),
  timeout: z.int().min(1).max(MAX_TIMEOUT_MS).default(30_000),
  query_prefix: z.string().optional(),
  document_prefix: z.string().optional(),
});

export const model2vecProvider: Provider<'embedding', Model2vecConfig> = Object.freeze<
  Provider<'embedding', Model2vecConfig>
>({
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
async function embedSamples(capability: EmbeddingProvider, signal: AbortSignal): Promise<string> {
  const inputs = SAMPLE_SENTENCES.map((text, at) => ({ id: `${at}`, text }));
  const { succeeded } = await capability.embed(inputs, 'document', probeCall(), signal);
  return `embeds ${succeeded.length} of ${inputs.length} sample sentences`;
}
