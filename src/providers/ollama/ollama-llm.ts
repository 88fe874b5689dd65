// Answers from an Ollama server: each call is one attempt, with one answer or one failure. Keeps no time and tries nothing twice.
import type { LLMAnswer, LLMIdentity, LLMProvider, LLMRequest } from '../../contracts/llm.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import { answerSchema } from '../model-server/answer-schema.ts';
import { type Attempt, beginAttempt, type ModelServer } from '../model-server/attempt.ts';
import { isAboutOneInput } from '../model-server/found-failures.ts';
import { messagesOf, refuseTooLong, STEADY } from '../model-server/prompt.ts';
import { openAnswer, wired } from '../model-server/send.ts';
import { answerOf, type Written } from '../model-server/written-answer.ts';
import { isLoaded } from './loaded-model.ts';
import type { OllamaLlmConfig } from './ollama-config.ts';
import { CHAT_PATH, readChat } from './read-chat.ts';
import type { Vetting } from './vet-model.ts';

export function createOllamaLlm(config: OllamaLlmConfig, server: ModelServer, vetting: Vetting): LLMProvider {
  const { model, context } = config;
  /** Settings that change have the server load the model anew. */
  const steady = { ...STEADY, num_ctx: context };

  async function chat(messages: readonly object[], more: object, attempt: Attempt): Promise<Written> {
    // A stream shows that the server is at work, and ends with its socket. Thinking is on where nobody says otherwise.
    const body = { model, messages, stream: true, think: false, options: steady, ...more };
    return readChat(await openAnswer(...wired({ path: CHAT_PATH, body }, attempt), attempt), attempt);
  }

  async function answer<T>(request: LLMRequest<T>, attempt: Attempt): Promise<LLMAnswer<T>> {
    const { contextTokens = context } = await vetting.vetOnceInAWhile(attempt);
    const limit = Math.min(context, contextTokens);
    refuseTooLong(request, limit, attempt);
    const format = answerSchema(request.schema);
    const options = { ...steady, num_predict: request.maxAnswerTokens };
    // Without the two a server drops what does not fit and goes on; older ones do it all the same.
    const whole = { truncate: false, shift: false };
    const written = await chat(messagesOf(request), { format, options, ...whole }, attempt);
    return answerOf(request, written, limit, attempt);
  }

  async function identify(call: ProviderCall, signal: AbortSignal): Promise<LLMIdentity> {
    const { digest } = await vetting.vet(beginAttempt(server, signal, call));
    return { provider: server.provider, model, digest };
  }

  async function generate<T>(request: LLMRequest<T>, call: ProviderCall, signal: AbortSignal): Promise<LLMAnswer<T>> {
    const attempt = beginAttempt(server, signal, call, [request.instructions, request.prompt]);
    try {
      return await answer(request, attempt);
    } catch (thrown) {
      if (!isAboutOneInput(thrown)) vetting.forget();
      throw thrown;
    }
  }

  const loaded = async (signal: AbortSignal): Promise<boolean> => isLoaded(beginAttempt(server, signal));

  /** A chat without messages loads the model and answers that it did. */
  async function warmUp(signal: AbortSignal): Promise<void> {
    const attempt = beginAttempt(server, signal);
    await vetting.vetOnceInAWhile(attempt);
    await chat([], {}, attempt);
  }

  const told = { type: server.provider, model, endpoint: server.endpoint, contextTokens: context };
  return Object.freeze({ ...told, identify, generate, loaded, warmUp });
}
