// A model2vec model as a provider of vectors: its limits, its probe, and how it opens. Opening reads nothing.
import { basename } from 'node:path';
import { type EmbeddingProvider, SAMPLE_SENTENCES } from '../../contracts/embedding.ts';
import type { Opened, Probe, Provider } from '../../contracts/provider.ts';
import { probeCall } from '../../contracts/provider-call.ts';
import { probeLevels } from '../model-server/probe-levels.ts';
import { createModelCache } from './loaded-model.ts';
import { failuresOf, TYPE } from './model-failures.ts';
import { modelStamp, readModelHeader } from './model-files.ts';
import { type Model2vecConfig, model2vecConfig } from './model2vec-config.ts';
import { createModel2vecEmbedding } from './model2vec-embedding.ts';
import { tableShape } from './static-model.ts';

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
      const [rows, dims] = tableShape(await readModelHeader(folder, failures), failures);
      return `${rows} rows of ${dims} dimensions`;
    },
    isLoaded: () => capability.loaded(signal),
    answer: () => embedSamples(capability, signal),
  });
}

/** A model of another language may know none of the sentences; that is no fault of it. @throws PROVIDER_* */
async function embedSamples(capability: EmbeddingProvider, signal: AbortSignal): Promise<string> {
  const inputs = SAMPLE_SENTENCES.map((text, at) => ({ id: `${at}`, text }));
  const { succeeded } = await capability.embed(inputs, 'document', probeCall(), signal);
  return `embeds ${succeeded.length} of ${inputs.length} sample sentences`;
}
