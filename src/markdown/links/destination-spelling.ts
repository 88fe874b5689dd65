// Writes a path as the destination of a Markdown link, encoded as the one before it was. Knows nothing of where it leads.
import { decodeDestination } from '../parse/markdown-link.ts';

/** @param before the path that stood there, as written */
export function encodeDestination(path: string, before: string, enclosed: boolean): string {
  const encoded = enclosed ? path.replace(IN_BRACKETS, hexOf) : encodeBare(path, before);
  return inSpellingOf(before, encoded);
}

/** What ends a destination between `<` and `>`, or reads there as something else. */
const IN_BRACKETS = /[<>\\]|%(?=[\da-f]{2})/gi;
/** The same without them: blanks, signs of Markdown; brackets and letters beyond ASCII as they were before. */
const BARE = /[\0- <>\\`\x7F]|%(?=[\da-f]{2})|[()]|[^\0-\x7F]+/gi;

function encodeBare(path: string, before: string): string {
  const keepsBrackets = /(?<!\\)[()]/.test(before);
  const keepsLetters = !/%[89a-f][\da-f]/i.test(before);
  const inLowerCase = /%(?:[a-f][\da-f]|\d[a-f])/.test(before);
  return path.replace(BARE, (signs) => {
    if (/^[()]/.test(signs) ? keepsBrackets : signs > '\x7F' && keepsLetters) return signs;
    return inLowerCase ? hexOf(signs).toLowerCase() : hexOf(signs);
  });
}

function hexOf(signs: string): string {
  return encodeURIComponent(signs).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The path with the last segments spelled as they were, as far as they are the same. */
function inSpellingOf(before: string, encoded: string): string {
  const old = before.split('/');
  const segments = encoded.split('/');
  for (let at = 1; at <= Math.min(old.length, segments.length); at += 1) {
    const written = old.at(-at) ?? '';
    if (decodeDestination(written) !== decodeDestination(segments.at(-at) ?? '')) break;
    segments[segments.length - at] = written;
  }
  return segments.join('/');
}
