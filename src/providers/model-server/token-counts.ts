// Compares the tokens that a server counted with the fewest that a text can have.
import * as z from 'zod';

/** Few tokens have as many Chinese characters. Of other scripts without spaces, some models make one unknown token of a whole line. */
const IDEOGRAPHS_PER_TOKEN = 8;
const HAS_WORD = /[\p{L}\p{N}]/u;
const IDEOGRAPH = /\p{Script=Han}/gu;

/** A lower bound for every tokenizer: no token crosses a blank. */
export function leastTokens(text: string): number {
  let tokens = 0;
  for (const word of text.split(/\s+/))
    if (HAS_WORD.test(word)) tokens += Math.max(1, (word.match(IDEOGRAPH)?.length ?? 0) / IDEOGRAPHS_PER_TOKEN);
  return Math.floor(tokens);
}

/** The smallest context of a model. A server that counts less counts something else, or leaves out what it has in a cache. */
const MIN_CONTEXT = 256;

/** The count if it can be one of a long text; some servers report 0. */
export const plausibleCount = (tokens: number | undefined): number | undefined =>
  tokens === undefined || tokens < MIN_CONTEXT ? undefined : tokens;

/** A count in an answer. Another value is as good as none: nothing else depends on it. */
export const COUNT = z.int().min(0).optional().catch(undefined);
