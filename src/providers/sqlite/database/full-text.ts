// Prepares note text and query terms for the full-text index.
import type { TextTerm } from '../../../contracts/store.ts';
import { hasUnspacedScript, UNSPACED_SCRIPTS } from '../../../markdown/excerpt/term-matches.ts';

const ALL_UNSPACED = new RegExp(UNSPACED_SCRIPTS, 'gu');
/** A quick check: most texts have no character in these ranges, and so no character of those scripts. */
const MAYBE_UNSPACED = /[\u0E00-\u1FFF\u2E80-\uFFFF]/;
const WORD_CHARACTER = /[\p{L}\p{N}\p{Co}]/u;

/**
 * Puts spaces around every character of scripts that are written without spaces, so that each is a word of its own. Texts that
 * are equal in any Unicode normal form give the same result.
 */
export function splitUnspaced(text: string): string {
  return MAYBE_UNSPACED.test(text) && hasUnspacedScript(text)
    ? text.normalize('NFC').replace(ALL_UNSPACED, ' $& ')
    : text;
}

/** A term quoted for FTS5, so that nothing in it is read as an operator; undefined if its text has no word. */
export function quoteTerm({ text, kind }: Pick<TextTerm, 'text' | 'kind'>): string | undefined {
  if (!WORD_CHARACTER.test(text)) return undefined;
  const quoted = `"${splitUnspaced(text).replaceAll('\0', ' ').replaceAll('"', '""')}"`;
  return kind === 'prefix' ? `${quoted} *` : quoted;
}

/** @param wanted at least one quoted term */
export function matchExpression(wanted: readonly string[], unwanted: readonly string[], mode: 'any' | 'all'): string {
  const positive = `(${wanted.join(mode === 'any' ? ' OR ' : ' AND ')})`;
  return unwanted.length === 0 ? positive : `${positive} NOT (${unwanted.join(' OR ')})`;
}
