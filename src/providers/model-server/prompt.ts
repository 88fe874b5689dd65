// What is sent to a language model, and whether it fits: servers cut what does not, and say nothing of it. Sends nothing.
import { FRAME_TOKENS, type LLMRequest } from '../../contracts/llm.ts';
import { sizeOf } from '../../markdown/chunk/text-size.ts';
import type { Attempt } from './attempt.ts';
import { tooLongInput } from './found-failures.ts';

/** The same with each request: a model that can repeat itself does, and a server need not load it anew. */
export const STEADY = Object.freeze({ temperature: 0, seed: 7 });

interface Message {
  readonly role: 'system' | 'user';
  readonly content: string;
}

/** Our words and the words of notes never share a message. Half a character, which some servers refuse, becomes a sign of its own. */
export function messagesOf({ instructions, prompt }: LLMRequest<unknown>): readonly Message[] {
  return [
    { role: 'system', content: instructions.toWellFormed() },
    { role: 'user', content: prompt.toWellFormed() },
  ];
}

/**
 * @param contextTokens for the request and its answer together
 * @throws PROVIDER_INPUT_TOO_LONG
 */
export function refuseTooLong(request: LLMRequest<unknown>, contextTokens: number, attempt: Attempt): void {
  const { instructions, prompt, maxAnswerTokens } = request;
  const tokens = Math.ceil(sizeOf(instructions).tokens + sizeOf(prompt).tokens) + FRAME_TOKENS;
  const limit = contextTokens - maxAnswerTokens;
  if (tokens > limit) throw tooLongInput(tokens, Math.max(0, limit), attempt);
}
