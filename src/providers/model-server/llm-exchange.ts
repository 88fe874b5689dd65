// Builds a language model's request and checks its answer: complete, not truncated and of the requested shape.
import * as z from 'zod';
import { parsedJson } from '../../base/plain-object.ts';
import { FRAME_TOKENS, type LLMAnswer, type LLMProvider, type LLMRequest } from '../../contracts/llm.ts';
import { sizeOf } from '../../markdown/chunk/text-size.ts';
import type { Attempt, ModelServer } from './attempt.ts';
import { badResponse, firstFault, tooLongInput } from './failures.ts';
import { leastTokens, plausibleCount } from './silent-cuts.ts';

/** The same for each request, so that a model that can repeat itself does, and the server need not reload it. */
export const FIXED_SAMPLING = Object.freeze({ temperature: 0, seed: 7 });

/** Far more than any requested answer; a server that sends more ignores its token limit. */
export const MAX_ANSWER_LENGTH = 1_000_000;

interface Message {
  readonly role: 'system' | 'user';
  readonly content: string;
}

/** Keeps instructions and notes in separate messages. Replaces unpaired surrogates, which some servers refuse. */
export function messagesOf({ instructions, prompt }: LLMRequest<unknown>): readonly Message[] {
  return [
    { role: 'system', content: instructions.toWellFormed() },
    { role: 'user', content: prompt.toWellFormed() },
  ];
}

/**
 * Checked here because servers truncate a long request without saying so.
 * @param contextTokens for the request and its answer together
 * @throws PROVIDER_INPUT_TOO_LONG
 */
export function refuseTooLong(request: LLMRequest<unknown>, contextTokens: number, attempt: Attempt): void {
  const { instructions, prompt, maxAnswerTokens } = request;
  const tokens = Math.ceil(sizeOf(instructions).tokens + sizeOf(prompt).tokens) + FRAME_TOKENS;
  const limit = contextTokens - maxAnswerTokens;
  if (tokens > limit) throw tooLongInput(tokens, Math.max(0, limit), attempt);
}

/**
 * The JSON Schema keywords that every server supports. Some refuse a schema with any other keyword, and some expand lengths and
 * patterns until they run out of memory. What the schema leaves out is checked when the answer arrives.
 */
const SUPPORTED_KEYWORDS = new Set(
  'type properties required additionalProperties items minItems maxItems enum const anyOf oneOf minimum maximum description'.split(
    ' ',
  ),
);
/** zod's bounds for every integer: grammars would expand them digit by digit. */
const SAFE_BOUNDS: readonly unknown[] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/**
 * The schema of the answer that the model is to write. Without `$ref`, which not every grammar supports. It allows no other keys,
 * as some servers demand; other keys of an answer are ignored all the same.
 */
export function answerSchema(schema: z.ZodType): object {
  const { $schema: _dialect, ...written } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    reused: 'inline',
    cycles: 'throw',
    override: ({ jsonSchema }) => {
      for (const [keyword, value] of Object.entries(jsonSchema))
        if (!SUPPORTED_KEYWORDS.has(keyword) || SAFE_BOUNDS.includes(value)) delete jsonSchema[keyword as keyof object];
      if (jsonSchema.properties !== undefined) jsonSchema.additionalProperties = false;
    },
  });
  return written;
}

export interface Completion {
  readonly text: string;
  /** In the server's words; undefined where it gave none. */
  readonly finishReason: string | undefined;
  /** The tokens that the server counted. */
  readonly promptTokens?: number | undefined;
  readonly answerTokens?: number | undefined;
}

/** The finish reason of a complete answer. */
const COMPLETE = 'stop';
/** A model may think aloud although the request says not to, and a server may not separate that from the answer. */
const THOUGHT = /^\s*<think>[\s\S]*?<\/think>/;
/** A name such as `content_filter`. Other text could be the model's words, which no error repeats. */
const REASON_NAME = /^[a-z_]{1,40}$/;

/**
 * @param contextTokens for the request and its answer together
 * @throws PROVIDER_BAD_RESPONSE, PROVIDER_INPUT_TOO_LONG, both of level `item`
 */
export function answerOf<T>(
  request: LLMRequest<T>,
  completion: Completion,
  contextTokens: number,
  attempt: Attempt,
): LLMAnswer<T> {
  const { text, finishReason, promptTokens, answerTokens } = completion;
  refuseCut(request, completion, contextTokens, attempt);
  if (finishReason !== COMPLETE)
    throw badResponse('a complete answer', describeFinish(finishReason, request.maxAnswerTokens), attempt, 'item');
  const value = parseAnswer(request.schema, text.replace(THOUGHT, '').trim(), attempt);
  return {
    value,
    ...(promptTokens === undefined ? {} : { promptTokens }),
    ...(answerTokens === undefined ? {} : { answerTokens }),
  };
}

/** A server that reads less than the whole request says so only by what it counts. @throws PROVIDER_INPUT_TOO_LONG */
function refuseCut(
  { instructions, prompt, maxAnswerTokens }: LLMRequest<unknown>,
  { promptTokens = 0, answerTokens = 0 }: Completion,
  contextTokens: number,
  attempt: Attempt,
): void {
  const isFull = promptTokens >= contextTokens || promptTokens + answerTokens > contextTokens;
  if (isFull) throw tooLongInput(promptTokens, Math.max(0, contextTokens - maxAnswerTokens), attempt);
  const least = leastTokens(instructions) + leastTokens(prompt);
  const counted = plausibleCount(promptTokens);
  if (counted !== undefined && counted < least) throw tooLongInput(least, counted, attempt);
}

function describeFinish(finishReason: string | undefined, maxAnswerTokens: number): string {
  if (finishReason === 'length') return `one cut at ${maxAnswerTokens} tokens`;
  if (finishReason === undefined) return 'one that stops without a finish reason';
  return REASON_NAME.test(finishReason) ? `one ended by ${finishReason}` : 'one ended for an unknown reason';
}

/** No error repeats the answer: it may contain text of a note. */
function parseAnswer<T>(schema: LLMRequest<T>['schema'], text: string, attempt: Attempt): T {
  if (text === '') throw badResponse('an answer', 'an empty one', attempt, 'item');
  const parsed = schema.safeParse(parseJsonAnswer(text, attempt));
  if (parsed.success) return parsed.data;
  throw badResponse('an answer of the requested shape', firstFault(parsed.error), attempt, 'item');
}

function parseJsonAnswer(text: string, attempt: Attempt): unknown {
  const answer = parsedJson(text);
  if (answer === undefined) throw badResponse('JSON', 'something else', attempt, 'item');
  return answer;
}

/** @param tokens that one request and its answer may have together, as far as it is known by now */
export function llmProvider(
  { provider: type, model, endpoint }: ModelServer,
  tokens: () => number,
  methods: Pick<LLMProvider, 'identify' | 'generate' | 'loaded' | 'warmUp'>,
): LLMProvider {
  return Object.freeze({
    type,
    model,
    endpoint,
    ...methods,
    get contextTokens() {
      return tokens();
    },
  });
}
