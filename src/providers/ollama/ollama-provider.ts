// Ollama as a provider of vectors: its limits, its probe, and how it opens. Opening touches no network.
import type { EmbeddingProvider } from '../../contracts/embedding.ts';
import type { Opened, Probe, Provider } from '../../contracts/provider.ts';
import { probeCall } from '../../contracts/provider-call.ts';
import { beginAttempt, type ModelServer } from '../model-server/attempt.ts';
import { traitsOf } from '../model-server/families.ts';
import { onePerEndpoint } from '../model-server/model-config.ts';
import { answerToProbe, probeLevels } from '../model-server/probe-levels.ts';
import { installedModels } from './installed-models.ts';
import { type OllamaConfig, ollamaConfig } from './ollama-config.ts';
import { createOllamaEmbedding } from './ollama-embedding.ts';
import { LOADED_LIMIT_MS, reachOllama, TYPE } from './ollama-server.ts';
import { openedOn } from './opened-on.ts';
import { createVetting } from './vet-model.ts';

export const ollamaProvider: Provider<'embedding', OllamaConfig> = Object.freeze<Provider<'embedding', OllamaConfig>>({
  capability: 'embedding',
  type: TYPE,
  config: ollamaConfig,
  limits: ({ timeout, load_timeout }) => ({
    identify: timeout,
    embed: timeout,
    loaded: LOADED_LIMIT_MS,
    warmUp: load_timeout,
  }),
  endpoints: onePerEndpoint,
  installed: (endpoint, signal) => installedModels('embedding', endpoint, signal),
  open: async (config) => openOllama(config),
});

function openOllama(config: OllamaConfig): Opened<EmbeddingProvider> {
  const { endpoint, model, headers, auto_pull: autoPull } = config;
  const server: ModelServer = { capability: 'embedding', provider: TYPE, endpoint, model, headers, autoPull };
  const capability = createOllamaEmbedding(config, server, traitsOf(config), createVetting(config, 'embedding'));
  return openedOn(server, capability, (signal) => probe(capability, server, signal));
}

function probe(capability: EmbeddingProvider, server: ModelServer, signal: AbortSignal): Promise<Probe> {
  const call = probeCall();
  return probeLevels({
    reach: () => reachOllama(beginAttempt(server, signal)),
    findModel: async () => {
      const { digest, dims } = await capability.identify(call, signal);
      return `${server.model} is there (${digest?.slice(0, 12)}, ${dims} dimensions)`;
    },
    isLoaded: () => capability.loaded(signal),
    answer: () => answerToProbe(capability, server, call, signal),
  });
}
