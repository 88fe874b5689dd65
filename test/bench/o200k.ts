// Counts the tokens of a text with the o200k vocabulary.
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** Text that looks like a control token is counted as plain text. */
export function countO200k(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set<string>() });
}
