// Marks the words of code for colouring.
import highlighter from 'highlight.js/lib/common';

/** Longer code is shown as it is, because marking takes time that grows with it. */
const MAX_CODE = 50_000;

/** HTML with a class for each kind of word; undefined for an unknown language. */
export function highlighted(code: string, language: string): string | undefined {
  if (code.length > MAX_CODE || highlighter.getLanguage(language) === undefined) return undefined;
  return highlighter.highlight(code, { language, ignoreIllegals: true }).value;
}
