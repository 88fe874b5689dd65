// Generates answers with an OpenAI-compatible server, with one attempt for each call.

import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { NEVER } from '../../base/async/waits.ts';
import type { LLMAnswer, LLMIdentity, LLMProvider, LLMRequest } from '../../contracts/llm.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import { type Attempt, beginAttempt, endRequest, type ModelServer } from '../model-server/attempt.ts';
import { badResponse, inShape, isAboutOneInput, serverMessage, streamedFailure } from '../model-server/failures.ts';
import {
  answerOf,
  answerSchema,
  type Completion,
  FIXED_SAMPLING,
  llmProvider,
  MAX_ANSWER_LENGTH,
  messagesOf,
  refuseTooLong,
} from '../model-server/llm-exchange.ts';
import { mayBeSameModel } from '../model-server/model-config.ts';
import { bodyLines, openRequest, parseJson } from '../model-server/send.ts';
import { plausibleCount } from '../model-server/silent-cuts.ts';
import type { Reply } from '../model-server/transport.ts';
import { listModels, withInstalled } from './openai-client.ts';

/** The message of a request that only loads the model. */
const HELLO = 'Hello';

export interface OpenaiLlm {
  readonly provider: LLMProvider;
  readonly readContext: ReadContext;
}

export function createOpenaiLlm(server: ModelServer, settings: ReadContextSettings): OpenaiLlm {
  const { model, provider } = server;
  const readContext = new ReadContext(settings, countTokens);

  async function chat(more: object, attempt: Attempt): Promise<Completion> {
    // A stream shows that the server is working, and closing its socket ends it.
    const body = { model, ...FIXED_SAMPLING, stream: true, stream_options: { include_usage: true }, ...more };
    try {
      return await readChat(await openRequest({ path: CHAT_PATH, body }, attempt), attempt);
    } catch (thrown) {
      throw await withInstalled(thrown, attempt);
    }
  }

  /** The server reports no digest; this only checks that it is there. */
  async function identify(call: ProviderCall, signal: AbortSignal): Promise<LLMIdentity> {
    await listModels(beginAttempt(server, signal, call));
    return { provider, model, digest: null };
  }

  async function generate<T>(request: LLMRequest<T>, call: ProviderCall, signal: AbortSignal): Promise<LLMAnswer<T>> {
    const attempt = beginAttempt(server, signal, call, [request.instructions, request.prompt]);
    refuseTooLong(request, readContext.tokens, attempt);
    const shape = { name: 'answer', strict: true, schema: answerSchema(request.schema) };
    const response_format = { type: 'json_schema', json_schema: shape };
    const body = { messages: messagesOf(request), max_tokens: request.maxAnswerTokens, response_format };
    const completion = await readContext.during(() => chat(body, attempt));
    return answerOf(request, completion, readContext.tokens, attempt);
  }

  /** The answer has one token: only the prompt is of interest. */
  async function countTokens(content: string, signal: AbortSignal): Promise<number | undefined> {
    const messages = [{ role: 'user', content }];
    const { promptTokens } = await chat({ messages, max_tokens: 1 }, beginAttempt(server, signal));
    return promptTokens;
  }

  async function loaded(signal: AbortSignal): Promise<undefined> {
    signal.throwIfAborted();
  }

  /** These servers load a model only with a request, and do not report how much of a prompt it reads. */
  async function warmUp(signal: AbortSignal): Promise<void> {
    await countTokens(HELLO, signal);
    await readContext.measure(signal);
  }

  const methods = { identify, generate, loaded, warmUp };
  return { provider: llmProvider(server, () => readContext.tokens, methods), readContext };
}

const CHAT_PATH = '/chat/completions';

const END_OF_STREAM = '[DONE]';
/** `data:`, or llama.cpp's `error:` for a failure in the middle of a stream; only with a value. */
const FIELD = /^(data|error): ?(?=\S)/;
/** Comments, which servers send to keep the connection open, and fields without content. */
const OTHER_FIELD = /^(?::|data:|event:|id:|retry:)/;

/** The model's thoughts come in a separate field, which is not read. */
const MESSAGE = z.object({ content: z.string().nullish(), refusal: z.string().nullish() });
const PIECE = z.object({
  model: z.string().nullish(),
  choices: z
    .array(z.object({ delta: MESSAGE.nullish(), message: MESSAGE.nullish(), finish_reason: z.string().nullish() }))
    .default([]),
  usage: z.object({ prompt_tokens: z.int().min(0).nullish(), completion_tokens: z.int().min(0).nullish() }).nullish(),
  error: z.unknown().optional(),
});
type Piece = z.infer<typeof PIECE>;

/**
 * A stream without a finish reason gives an answer without one.
 * @throws PROVIDER_*, the signal's reason
 */
async function readChat(reply: Reply, attempt: Attempt): Promise<Completion> {
  const streamed = new StreamedAnswer(attempt);
  for await (const data of payloads(reply, attempt)) {
    if (data === END_OF_STREAM) break;
    streamed.add(inShape(PIECE, parseJson(data, attempt, reply.header('content-type')), attempt), data);
  }
  const answer = streamed.end();
  endRequest(attempt);
  return answer;
}

/** The values of a stream's fields, or the whole answer of a server that does not stream. */
async function* payloads(reply: Reply, attempt: Attempt): AsyncGenerator<string> {
  const others: string[] = [];
  for await (const line of bodyLines(reply, attempt)) {
    const field = FIELD.exec(line);
    if (field !== null) yield payloadOf(field[1], line.slice(field[0].length).trim());
    else if (!OTHER_FIELD.test(line)) others.push(line);
  }
  if (others.length > 0) yield others.join('\n');
}

const payloadOf = (field: string | undefined, data: string): string => (field === 'error' ? `{"error":${data}}` : data);

/** Collects the pieces of a streamed answer. */
class StreamedAnswer {
  readonly #attempt: Attempt;
  #text = '';
  #pieces = 0;
  #finishReason: string | undefined;
  #usage: Piece['usage'];

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
  }

  add(piece: Piece, data: string): void {
    const attempt = this.#attempt;
    if (piece.error) throw failureIn(data, this.#pieces, attempt);
    checkModelName(piece, attempt);
    this.#pieces += 1;
    const [choice] = piece.choices;
    const message = choice?.delta ?? choice?.message;
    if (message?.refusal) throw badResponse('an answer', 'a refusal', attempt, 'item');
    this.#text += message?.content ?? '';
    if (this.#text.length > MAX_ANSWER_LENGTH)
      throw badResponse(`at most ${MAX_ANSWER_LENGTH} characters`, 'more', attempt);
    this.#finishReason = choice?.finish_reason ?? this.#finishReason;
    this.#usage = piece.usage ?? this.#usage;
  }

  end(): Completion {
    if (this.#pieces === 0) throw badResponse('a stream of pieces', 'an empty one', this.#attempt);
    return {
      text: this.#text,
      finishReason: this.#finishReason,
      promptTokens: this.#usage?.prompt_tokens ?? undefined,
      answerTokens: this.#usage?.completion_tokens ?? undefined,
    };
  }
}

/** An error instead of an answer is a bad response; after the first piece it is a failure of the server. */
function failureIn(data: string, pieces: number, attempt: Attempt): unknown {
  if (pieces > 0) return streamedFailure(data, CHAT_PATH, attempt);
  return badResponse('an answer', `the error ${JSON.stringify(serverMessage(data))}`, attempt);
}

/** Some servers answer with whatever model they have loaded. An answer without a model name is accepted. */
function checkModelName({ model: answered }: Piece, attempt: Attempt): void {
  if (!answered || mayBeSameModel(answered, attempt.model)) return;
  throw badResponse(`an answer of ${attempt.model}`, `one of ${answered}`, attempt);
}

/** Sends one prompt. @returns its tokens as the server counts them */
type CountTokens = (prompt: string, signal: AbortSignal) => Promise<number | undefined>;

interface ReadContextSettings {
  /** `context` in the config. */
  readonly configured: number;
  /** A prompt that takes longer is too long for every call. */
  readonly limitMs: number;
  /** How long no call is made before the measurement begins. */
  readonly idleMs: number;
}

/** One long prompt in the background, after the first answer: a model that no tool uses is not loaded, and no call waits for it. */
class ReadContext {
  readonly #settings: ReadContextSettings;
  readonly #count: CountTokens;
  #tokens: number;
  #finding: string;
  #isKnown = false;
  #calls = 0;
  #timer: NodeJS.Timeout | undefined;
  #interrupt = new AbortController();

  constructor(settings: ReadContextSettings, count: CountTokens) {
    this.#settings = settings;
    this.#count = count;
    this.#tokens = settings.configured;
    this.#finding = `not known yet whether it reads ${settings.configured} tokens`;
  }

  /** The configured limit, or the measured one if it is less. */
  get tokens(): number {
    return this.#tokens;
  }

  /** One line for the user. */
  get finding(): string {
    return this.#finding;
  }

  /** Ends a measurement that is running, so that the call need not wait for it; one begins after the call if there was none yet. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    this.close();
    try {
      const answer = await call();
      if (this.#calls === 1 && !this.#isKnown) this.#begin();
      return answer;
    } finally {
      this.#calls -= 1;
    }
  }

  /** Sends one prompt of the configured size. A failure is a finding. @throws the signal's reason */
  async measure(signal: AbortSignal): Promise<void> {
    const { configured, limitMs } = this.#settings;
    const lapse = AbortSignal.timeout(limitMs);
    const interrupted = this.#interrupt.signal;
    // The beginning is a new one each time: some servers do not count what they have in a cache.
    const prompt = `${randomUUID()} ${'the '.repeat(configured)}`;
    const [outcome] = await Promise.allSettled([this.#count(prompt, AbortSignal.any([signal, lapse, interrupted]))]);
    signal.throwIfAborted();
    if (outcome.status === 'fulfilled') this.#learn(outcome.value);
    else if (lapse.aborted) this.#know(`it did not read ${configured} tokens within ${limitMs} ms`);
    else if (isAboutOneInput(outcome.reason)) this.#know('it refuses what is longer than it reads');
  }

  /** Ends a measurement that is running or waits. */
  close(): void {
    clearTimeout(this.#timer);
    this.#interrupt.abort();
    this.#interrupt = new AbortController();
  }

  #begin(): void {
    this.#timer = setTimeout(() => void this.measure(NEVER), this.#settings.idleMs).unref();
  }

  /** Every tokenizer makes at least a token of each word, so fewer tokens than words are a prompt that was cut. */
  #learn(counted: number | undefined): void {
    const { configured } = this.#settings;
    const tokens = plausibleCount(counted);
    this.#tokens = Math.min(configured, tokens ?? configured);
    if (tokens === undefined) this.#know('it counts no tokens, so a prompt that it cuts cannot be noticed');
    else if (tokens < configured) this.#know(`it reads ${tokens} of the ${configured} tokens in \`context\``);
    else this.#know(`it reads ${configured} tokens`);
  }

  #know(finding: string): void {
    this.#finding = finding;
    this.#isKnown = true;
  }
}
