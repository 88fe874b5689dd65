// Finds and reads the JSON front matter of a note of Hugo.
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { currentDialect, type Properties } from '../../base/note.ts';
import { skipBlanks } from '../parse/characters.ts';
import { type Lines, lineIndexAt, positionAt } from '../parse/lines.ts';
import { contentOf, MAX_DEPTH, NO_CONTENT, type PlainContent, TOO_DEEP } from './toml-properties.ts';

/** A shortcode, `{{< … >}}`, begins with a brace too. */
const BEGINS = /^\{\s{0,100}["}]/;

/** The first line after the object with which the text begins, 0-based; 0 if there is none, or anything else on its last line. */
export function lineAfterJson(text: string, lines: Lines): number {
  if (text.charCodeAt(0) !== 123 || currentDialect() !== 'hugo' || !BEGINS.test(text)) return 0;
  const { end } = objectIn(text);
  const last = lineIndexAt(lines, end);
  const lineEnd = lines.ends[last] ?? text.length;
  return end > 0 && skipBlanks(text, end, lineEnd) === lineEnd ? last + 1 : 0;
}

/** Where the object ends, 0 if it does not, and how deep it is. */
function objectIn(text: string): { readonly end: number; readonly depth: number } {
  let level = 0;
  let depth = 0;
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (isText && sign === '\\') at += 1;
    else if (sign === '"') isText = !isText;
    else if (!isText && (sign === '{' || sign === '[')) depth = Math.max(depth, ++level);
    else if (!isText && (sign === '}' || sign === ']') && --level === 0) return { end: at + 1, depth };
  }
  return { end: 0, depth };
}

/** @param source from the start of the file, one whole object */
export function readJson(source: string, lines: Lines): PlainContent {
  if (objectIn(source).depth > MAX_DEPTH) return faulty(TOO_DEEP, 0, lines);
  try {
    return contentOf(JSON.parse(source) as Properties, source, lines, 0);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    const errors: ParseError[] = [];
    // The parser of the engine does not always say where.
    parse(source, errors, { disallowComments: true });
    const [{ error, offset } = { error: Number.NaN, offset: 0 }] = errors;
    return faulty(reasonOf(error), offset, lines);
  }
}

/** `value expected` for `ValueExpected`. */
function reasonOf(code: number): string {
  return printParseErrorCode(code)
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase();
}

function faulty(reason: string, offset: number, lines: Lines): PlainContent {
  const { line, column } = positionAt(lines, offset);
  return { ...NO_CONTENT, fault: { line, column, reason } };
}
