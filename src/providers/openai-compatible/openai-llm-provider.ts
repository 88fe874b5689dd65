// Servers that speak OpenAI's wire as a provider of answers: limits, probe, and how it opens. Opening touches no network.
import type { LLMProvider } from '../../contracts/llm.ts';
import type { Opened, Provider } from '../../contracts/provider.ts';
import type { ModelServer } from '../model-server/attempt.ts';
import { probeLevels } from '../model-server/probe-levels.ts';
import { headersFor, type OpenaiLlmConfig, openaiLlmConfig } from './openai-config.ts';
import { createOpenaiLlm } from './openai-llm.ts';
import { listedSteps, TYPE } from './openai-server.ts';

export const openaiLlmProvider: Provider<'llm', OpenaiLlmConfig> = Object.freeze<Provider<'llm', OpenaiLlmConfig>>({
  capability: 'llm',
  type: TYPE,
  config: openaiLlmConfig,
  limits: ({ timeout, load_timeout }) => ({
    identify: timeout,
    generate: timeout,
    loaded: 'bounded',
    warmUp: load_timeout,
  }),
  open: async (config) => openOpenai(config),
});

function openOpenai(config: OpenaiLlmConfig): Opened<LLMProvider> {
  const { endpoint, model, context } = config;
  const server: ModelServer = { capability: 'llm', provider: TYPE, endpoint, model, headers: headersFor(config) };
  const capability = createOpenaiLlm(server, context);
  return Object.freeze({
    capability,
    probe: (signal: AbortSignal) =>
      probeLevels({ ...listedSteps(server, signal), isLoaded: () => capability.loaded(signal) }),
    close: async () => undefined,
  });
}
