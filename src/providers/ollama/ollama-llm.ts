// Answers from an Ollama server: each call is one attempt, with one answer or one failure. Keeps no time and tries nothing twice.
import * as z from 'zod';
import type { LLMAnswer, LLMIdentity, LLMProvider, LLMRequest } from '../../contracts/llm.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import { answerSchema } from '../model-server/answer-schema.ts';
import { type Attempt, beginAttempt, endRequest, type ModelServer } from '../model-server/attempt.ts';
import { bodyLines } from '../model-server/body-lines.ts';
import { streamedFailure } from '../model-server/failure-table.ts';
import { badResponse, inShape, isAboutOneInput } from '../model-server/found-failures.ts';
import { messagesOf, refuseTooLong, STEADY } from '../model-server/prompt.ts';
import { openAnswer, parseJson, wired } from '../model-server/send.ts';
import { answerOf, type Written } from '../model-server/written-answer.ts';
import { isLoaded } from './loaded-model.ts';
import type { OllamaLlmConfig } from './ollama-config.ts';
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

const CHAT_PATH = '/api/chat';

/** Far more than any answer that was asked for; beyond it, a server does not heed what it was told. */
const MAX_CHARACTERS = 1_000_000;

/** What the model thinks stands beside its content, and is not read. */
const RECORD = z.object({
  message: z.object({ content: z.string().nullish() }).nullish(),
  done: z.boolean().nullish(),
  done_reason: z.string().nullish(),
  prompt_eval_count: z.int().min(0).nullish(),
  eval_count: z.int().min(0).nullish(),
  error: z.unknown().optional(),
});

/**
 * A stream that ends without its last record is an answer without an end.
 * @throws PROVIDER_*, the signal's reason
 */
async function readChat(reply: Response, attempt: Attempt): Promise<Written> {
  let text = '';
  let records = 0;
  for await (const line of bodyLines(reply, attempt)) {
    const record = inShape(RECORD, parseJson(line, attempt, reply.headers.get('content-type')), attempt);
    if (record.error) throw streamedFailure(line, CHAT_PATH, attempt);
    records += 1;
    text += record.message?.content ?? '';
    if (text.length > MAX_CHARACTERS) throw badResponse('an answer as short as asked', 'one without end', attempt);
    if (record.done !== true) continue;
    endRequest(attempt);
    return { text, end: record.done_reason ?? undefined, ...countsOf(record) };
  }
  if (records === 0) throw badResponse('a stream of records', 'an empty one', attempt);
  return { text, end: undefined };
}

const countsOf = ({ prompt_eval_count, eval_count }: z.infer<typeof RECORD>) => ({
  promptTokens: prompt_eval_count ?? undefined,
  answerTokens: eval_count ?? undefined,
});
