// Generates answers with an Ollama server, with one attempt for each call.
import * as z from 'zod';
import type { LLMAnswer, LLMIdentity, LLMProvider, LLMRequest } from '../../contracts/llm.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import { type Attempt, beginAttempt, endRequest, type ModelServer } from '../model-server/attempt.ts';
import { badResponse, inShape, isAboutOneInput, streamedFailure } from '../model-server/failures.ts';
import {
  answerOf,
  answerSchema,
  type Completion,
  FIXED_SAMPLING,
  MAX_ANSWER_LENGTH,
  messagesOf,
  refuseTooLong,
} from '../model-server/llm-exchange.ts';
import { bodyLines, openRequest, parseJson } from '../model-server/send.ts';
import type { Reply } from '../model-server/transport.ts';
import { isLoaded } from './ollama-client.ts';
import type { OllamaLlmConfig } from './ollama-config.ts';
import type { ModelVetting } from './vet-model.ts';

export function createOllamaLlm(config: OllamaLlmConfig, server: ModelServer, vetting: ModelVetting): LLMProvider {
  const { model, context } = config;
  /** The same for each request, because the server reloads the model when its settings change. */
  const settings = { ...FIXED_SAMPLING, num_ctx: context };
  /** As configured, or as the model has it if that is less. */
  let limit = context;

  async function chat(messages: readonly object[], more: object, attempt: Attempt): Promise<Completion> {
    // A stream shows that the server is working, and closing its socket ends it. Without `think: false` some models think.
    const body = { model, messages, stream: true, think: false, options: settings, ...more };
    return readChat(await openRequest({ path: CHAT_PATH, body }, attempt), attempt);
  }

  async function answer<T>(request: LLMRequest<T>, attempt: Attempt): Promise<LLMAnswer<T>> {
    const { contextTokens = context } = await vetting.vetIfStale(attempt);
    limit = Math.min(context, contextTokens);
    refuseTooLong(request, limit, attempt);
    const format = answerSchema(request.schema);
    const options = { ...settings, num_predict: request.maxAnswerTokens };
    // Without these two the server drops what does not fit. Older servers do so anyway.
    const noTruncation = { truncate: false, shift: false };
    const completion = await chat(messagesOf(request), { format, options, ...noTruncation }, attempt);
    return answerOf(request, completion, limit, attempt);
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

  /** A chat without messages only loads the model. */
  async function warmUp(signal: AbortSignal): Promise<void> {
    const attempt = beginAttempt(server, signal);
    await vetting.vetIfStale(attempt);
    await chat([], {}, attempt);
  }

  const capability = {
    ...{ type: server.provider, model, endpoint: server.endpoint, identify, generate, loaded, warmUp },
    get contextTokens() {
      return limit;
    },
  };
  return Object.freeze(capability);
}

const CHAT_PATH = '/api/chat';

/** The model's thoughts come in a separate field, which is not read. */
const RECORD = z.object({
  message: z.object({ content: z.string().nullish() }).nullish(),
  done: z.boolean().nullish(),
  done_reason: z.string().nullish(),
  prompt_eval_count: z.int().min(0).nullish(),
  eval_count: z.int().min(0).nullish(),
  error: z.unknown().optional(),
});

/**
 * A stream without its final record gives an answer without a finish reason.
 * @throws PROVIDER_*, the signal's reason
 */
async function readChat(reply: Reply, attempt: Attempt): Promise<Completion> {
  let text = '';
  let records = 0;
  for await (const line of bodyLines(reply, attempt)) {
    const record = inShape(RECORD, parseJson(line, attempt, reply.header('content-type')), attempt);
    if (record.error) throw streamedFailure(line, CHAT_PATH, attempt);
    records += 1;
    text += record.message?.content ?? '';
    if (text.length > MAX_ANSWER_LENGTH) throw badResponse(`at most ${MAX_ANSWER_LENGTH} characters`, 'more', attempt);
    if (record.done !== true) continue;
    endRequest(attempt);
    return { text, finishReason: record.done_reason ?? undefined, ...countsOf(record) };
  }
  if (records === 0) throw badResponse('a stream of records', 'an empty one', attempt);
  return { text, finishReason: undefined };
}

const countsOf = ({ prompt_eval_count, eval_count }: z.infer<typeof RECORD>) => ({
  promptTokens: prompt_eval_count ?? undefined,
  answerTokens: eval_count ?? undefined,
});
