// Judges what a language model wrote: whole, not cut, and of the shape that was asked for, or no answer at all. Asks nobody.
import type { LLMAnswer, LLMRequest } from '../../contracts/llm.ts';
import type { Attempt } from './attempt.ts';
import { badResponse, tooLongInput } from './found-failures.ts';

export interface Written {
  readonly text: string;
  /** In the server's word; undefined where it said none. */
  readonly end: string | undefined;
  /** As the server counted them. */
  readonly promptTokens?: number | undefined;
  readonly answerTokens?: number | undefined;
}

/** The one end that is the model's own. */
const OWN_END = 'stop';
/** A model that was told not to think aloud may do it all the same, and a server may not know it for what it is. */
const THOUGHT = /^\s*<think>[\s\S]*?<\/think>/;
/** Names of ends that servers give, such as `content_filter`: no place for a model's words. */
const PLAIN_END = /^[a-z_]{1,40}$/;

/**
 * @param contextTokens that the request and its answer had together
 * @throws PROVIDER_BAD_RESPONSE, PROVIDER_INPUT_TOO_LONG, both about this request alone
 */
export function answerOf<T>(
  { schema, maxAnswerTokens }: LLMRequest<T>,
  written: Written,
  contextTokens: number,
  attempt: Attempt,
): LLMAnswer<T> {
  const { text, end, promptTokens, answerTokens } = written;
  if (end !== OWN_END) throw badResponse('an answer to its end', endWords(end, maxAnswerTokens), attempt, 'item');
  // More than the context holds went through it: the beginning was gone before the end was written.
  if ((promptTokens ?? 0) + (answerTokens ?? 0) > contextTokens)
    throw tooLongInput(promptTokens ?? 0, Math.max(0, contextTokens - maxAnswerTokens), attempt);
  const value = heldAgainst(schema, text.replace(THOUGHT, '').trim(), attempt);
  return {
    value,
    ...(promptTokens === undefined ? {} : { promptTokens }),
    ...(answerTokens === undefined ? {} : { answerTokens }),
  };
}

function endWords(end: string | undefined, maxAnswerTokens: number): string {
  if (end === 'length') return `one cut at ${maxAnswerTokens} tokens`;
  if (end === undefined) return 'one without an end';
  return PLAIN_END.test(end) ? `one ended by ${end}` : 'one ended otherwise';
}

/** No word of the answer goes into the failure: it may be made of a note's. */
function heldAgainst<T>(schema: LLMRequest<T>['schema'], text: string, attempt: Attempt): T {
  if (text === '') throw badResponse('an answer', 'an empty one', attempt, 'item');
  const parsed = schema.safeParse(jsonIn(text, attempt));
  if (parsed.success) return parsed.data;
  const at = parsed.error.issues[0]?.path.join('.') ?? '';
  const where = at === '' ? '' : ` at \`${at}\``;
  throw badResponse('an answer of the shape asked for', `another shape${where}`, attempt, 'item');
}

function jsonIn(text: string, attempt: Attempt): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw badResponse('JSON', 'what is none', attempt, 'item');
  }
}
