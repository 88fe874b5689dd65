// How many tokens a text costs a model with the o200k vocabulary.
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** What looks like a sign of control is counted as the text it is. */
export function countO200k(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set<string>() });
}
