// Servers that speak OpenAI's wire as a provider of vectors: limits, probe, and how it opens. Opening touches no network.
import type { EmbeddingProvider } from '../../contracts/embedding.ts';
import type { Opened, Probe, Provider } from '../../contracts/provider.ts';
import { probeCall } from '../../contracts/provider-call.ts';
import type { ModelServer } from '../model-server/attempt.ts';
import { type ModelTraits, traitsOf } from '../model-server/families.ts';
import { onePerEndpoint } from '../model-server/model-config.ts';
import { answerToProbe, probeLevels } from '../model-server/probe-levels.ts';
import { headersFor, type OpenaiConfig, openaiConfig } from './openai-config.ts';
import { createOpenaiEmbedding } from './openai-embedding.ts';
import { listedSteps, TYPE } from './openai-server.ts';

/** What these servers read when nobody told them otherwise; beyond it some cut and do not say so. */
const USUAL_CONTEXT = 512;

export const openaiProvider: Provider<'embedding', OpenaiConfig> = Object.freeze<Provider<'embedding', OpenaiConfig>>({
  capability: 'embedding',
  type: TYPE,
  config: openaiConfig,
  limits: ({ timeout, load_timeout }) => ({
    identify: timeout,
    embed: timeout,
    loaded: 'bounded',
    warmUp: load_timeout,
  }),
  endpoints: onePerEndpoint,
  open: async (config) => openOpenai(config),
});

function openOpenai(config: OpenaiConfig): Opened<EmbeddingProvider> {
  const { endpoint, model, dimensions } = config;
  const server: ModelServer = { capability: 'embedding', provider: TYPE, endpoint, model, headers: headersFor(config) };
  const capability = createOpenaiEmbedding(server, cautiousTraits(config), dimensions);
  return Object.freeze({
    capability,
    probe: (signal: AbortSignal) => probe(capability, server, signal),
    close: async () => undefined,
  });
}

function cautiousTraits(config: OpenaiConfig): ModelTraits {
  const traits = traitsOf(config);
  return { ...traits, contextTokens: config.context ?? Math.min(traits.contextTokens, USUAL_CONTEXT) };
}

function probe(capability: EmbeddingProvider, server: ModelServer, signal: AbortSignal): Promise<Probe> {
  return probeLevels({
    ...listedSteps(server, signal),
    isLoaded: () => capability.loaded(signal),
    answer: () => answerToProbe(capability, server, probeCall(), signal),
  });
}
