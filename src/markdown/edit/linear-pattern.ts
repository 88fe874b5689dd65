// Compiles a regular expression with RE2, which searches in linear time, and names what RE2 does not support.
import { RE2JS, RE2JSSyntaxException } from 're2js';

/** Why an expression cannot be used. */
export interface PatternRefusal {
  /** `looking ahead or behind`; absent if the expression is not one of RE2 at all. */
  readonly construct?: string;
  readonly reason: string;
  /** The part of the expression. */
  readonly part: string;
}

const UNSUPPORTED: readonly (readonly [RegExp, string])[] = [
  [/^\(\?<?[=!]/, 'looking ahead or behind'],
  [/^\\(?:[1-9]|k<)/, 'a reference back to a group'],
  [/^\(\?>/, 'an atomic group'],
  [/^[*+?}]\+/, 'a possessive repetition'],
  [/^\(\?#/, 'a comment'],
];

/** @param flags of RE2JS */
export function compilePattern(pattern: string, flags: number): RE2JS | PatternRefusal {
  try {
    return RE2JS.compile(pattern, flags);
  } catch (thrown) {
    if (!(thrown instanceof RE2JSSyntaxException)) throw thrown;
    const part = (thrown.input ?? pattern).replace(/^(?:\(\?[ims]\))+/, '');
    return refusalOf(part, thrown.error);
  }
}

export function refusalOf(part: string, reason: string): PatternRefusal {
  const [, construct] = UNSUPPORTED.find(([start]) => start.test(part)) ?? [];
  return construct === undefined ? { reason, part } : { construct, reason, part };
}
