// Servers that speak OpenAI's wire as a provider of answers: limits, probe, and how it opens. Opening touches no network.
import type { LLMAnswer, LLMIdentity, LLMProvider, LLMRequest } from '../../contracts/llm.ts';
import type { Opened, Provider } from '../../contracts/provider.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import { answerSchema } from '../model-server/answer-schema.ts';
import { type Attempt, beginAttempt, type ModelServer } from '../model-server/attempt.ts';
import { probeLevels } from '../model-server/probe-levels.ts';
import { messagesOf, refuseTooLong, STEADY } from '../model-server/prompt.ts';
import { openAnswer, wired } from '../model-server/send.ts';
import { answerOf, type Written } from '../model-server/written-answer.ts';
import { listModels, withInstalled } from './ask-openai.ts';
import { headersFor, type OpenaiLlmConfig, openaiLlmConfig } from './openai-config.ts';
import { listedSteps, TYPE } from './openai-server.ts';
import { CHAT_PATH, readChat } from './read-chat.ts';

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

/** What a model is asked that is only to be loaded. */
const HELLO = [{ role: 'user', content: 'Hello' }];

function createOpenaiLlm(server: ModelServer, contextTokens: number): LLMProvider {
  const { model, provider, endpoint } = server;

  async function chat(more: object, attempt: Attempt): Promise<Written> {
    // A stream shows that the server is at work, and ends with its socket.
    const body = { model, ...STEADY, stream: true, stream_options: { include_usage: true }, ...more };
    try {
      return await readChat(await openAnswer(...wired({ path: CHAT_PATH, body }, attempt), attempt), attempt);
    } catch (thrown) {
      throw await withInstalled(thrown, attempt);
    }
  }

  /** It tells no digest, so all there is to ask is whether it is there. */
  async function identify(call: ProviderCall, signal: AbortSignal): Promise<LLMIdentity> {
    await listModels(beginAttempt(server, signal, call));
    return { provider, model, digest: null };
  }

  async function generate<T>(request: LLMRequest<T>, call: ProviderCall, signal: AbortSignal): Promise<LLMAnswer<T>> {
    const attempt = beginAttempt(server, signal, call, [request.instructions, request.prompt]);
    refuseTooLong(request, contextTokens, attempt);
    const shape = { name: 'answer', strict: true, schema: answerSchema(request.schema) };
    const response_format = { type: 'json_schema', json_schema: shape };
    const asked = { messages: messagesOf(request), max_tokens: request.maxAnswerTokens, response_format };
    return answerOf(request, await chat(asked, attempt), contextTokens, attempt);
  }

  async function loaded(signal: AbortSignal): Promise<undefined> {
    signal.throwIfAborted();
  }

  /** There is no other way than to ask it for something. */
  async function warmUp(signal: AbortSignal): Promise<void> {
    await chat({ messages: HELLO, max_tokens: 1 }, beginAttempt(server, signal));
  }

  return Object.freeze({ type: provider, model, endpoint, contextTokens, identify, generate, loaded, warmUp });
}
