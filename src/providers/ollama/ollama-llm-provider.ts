// Ollama as a provider of answers: its limits, its probe, and how it opens. Opening touches no network.
import type { LLMProvider } from '../../contracts/llm.ts';
import type { Opened, Probe, Provider } from '../../contracts/provider.ts';
import { probeCall } from '../../contracts/provider-call.ts';
import { beginAttempt, type ModelServer } from '../model-server/attempt.ts';
import { onePerEndpoint } from '../model-server/model-config.ts';
import { probeLevels } from '../model-server/probe-levels.ts';
import { installedModels } from './installed-models.ts';
import { type OllamaLlmConfig, ollamaLlmConfig } from './ollama-config.ts';
import { createOllamaLlm } from './ollama-llm.ts';
import { LOADED_LIMIT_MS, reachOllama, TYPE } from './ollama-server.ts';
import { openedOn } from './opened-on.ts';
import { createVetting } from './vet-model.ts';

export const ollamaLlmProvider: Provider<'llm', OllamaLlmConfig> = Object.freeze<Provider<'llm', OllamaLlmConfig>>({
  capability: 'llm',
  type: TYPE,
  config: ollamaLlmConfig,
  limits: ({ timeout, load_timeout }) => ({
    identify: timeout,
    generate: timeout,
    loaded: LOADED_LIMIT_MS,
    warmUp: load_timeout,
  }),
  endpoints: onePerEndpoint,
  installed: (endpoint, signal) => installedModels('llm', endpoint, signal),
  open: async (config) => openOllama(config),
});

function openOllama(config: OllamaLlmConfig): Opened<LLMProvider> {
  const { endpoint, model, headers, auto_pull: autoPull } = config;
  const server: ModelServer = { capability: 'llm', provider: TYPE, endpoint, model, headers, autoPull };
  const capability = createOllamaLlm(config, server, createVetting(config, 'completion'));
  return openedOn(server, capability, (signal) => probe(capability, server, signal));
}

function probe(capability: LLMProvider, server: ModelServer, signal: AbortSignal): Promise<Probe> {
  return probeLevels({
    reach: () => reachOllama(beginAttempt(server, signal)),
    findModel: async () => {
      const { digest } = await capability.identify(probeCall(), signal);
      return `${server.model} is there (${digest?.slice(0, 12)})`;
    },
    isLoaded: () => capability.loaded(signal),
  });
}
