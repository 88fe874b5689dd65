// Classifies characters as the Markdown syntax needs it.

export const TAB = 9;
const SPACE = 32;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Whether the character is a space or a tab, which can indent a line and make it blank. U+00A0 is text. */
export function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

export function isLineEnd(code: number): boolean {
  return code === LINE_FEED || code === CARRIAGE_RETURN;
}

export function isBlankOrLineEnd(code: number): boolean {
  return isBlank(code) || isLineEnd(code);
}

const WIDE_SPACES: readonly number[] = [0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff];

/** Whether the character matches `\s`. */
export function isWhiteSpace(code: number): boolean {
  if (code < 128) return code === SPACE || (code >= TAB && code <= CARRIAGE_RETURN);
  return WIDE_SPACES.includes(code) || (code >= 0x2000 && code <= 0x200a);
}

/** The first offset in `[from, to)` that is not white space, or `to`. */
export function skipWhiteSpace(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isWhiteSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** The end of `[from, to)` without trailing white space. */
export function trimWhiteSpace(text: string, from: number, to: number): number {
  let at = to;
  while (at > from && isWhiteSpace(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isLatinLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

/** Whether the character is ASCII punctuation, which a backslash can escape. */
export function isPunctuation(code: number): boolean {
  return (
    (code >= 33 && code <= 47) ||
    (code >= 58 && code <= 64) ||
    (code >= 91 && code <= 96) ||
    (code >= 123 && code <= 126)
  );
}

/** The first offset in `[from, to)` that is neither a space nor a tab, or `to`. */
export function skipBlanks(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

/** The first offset from `from` on that is neither a blank nor a line end, or the end of the text. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlankOrLineEnd(text.charCodeAt(at))) at += 1;
  return at;
}

/** The end of `[from, to)` without trailing spaces and tabs. */
export function trimBlanks(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

/** How often the character at `from` is repeated, up to `to`. */
export function runLength(text: string, from: number, to: number): number {
  const code = text.charCodeAt(from);
  let at = from;
  while (at < to && text.charCodeAt(at) === code) at += 1;
  return at - from;
}

/** The offset behind the JSON string that begins with the quote at `from`. */
export function stringEnd(json: string, from: number): number {
  let at = from + 1;
  while (at < json.length && json.charAt(at) !== '"') at += json.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}
