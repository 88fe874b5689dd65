// Parses the target of Markdown links: `(…)`, `[id]: …`, destinations, titles and labels.
import { isBlankOrLineEnd, isPunctuation, skipSpace, trimBlanks } from './characters.ts';
import { siteMacroAt } from './site-syntax.ts';

const MAX_BRACKET_DEPTH = 32;

export interface Destination {
  /** The target as written: not decoded, without `<` and `>`. */
  readonly raw: string;
  /** The offset after it. */
  readonly end: number;
}

/** The destination at `from`, which may be empty, or undefined if it is incomplete. */
function destinationAt(text: string, from: number): Destination | undefined {
  const macro = siteMacroAt(text, from);
  if (macro !== undefined) return macro;
  return text.charAt(from) === '<' ? enclosedDestination(text, from) : bareDestination(text, from);
}

function enclosedDestination(text: string, from: number): Destination | undefined {
  for (let at = from + 1; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === '>') return { raw: text.slice(from + 1, at), end: at + 1 };
    if (sign === '<' || sign === '\n' || sign === '\r') return undefined;
    if (sign === '\\') at += 1;
  }
  return undefined;
}

function bareDestination(text: string, from: number): Destination | undefined {
  let depth = 0;
  let at = from;
  for (; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (isBlankOrLineEnd(text.charCodeAt(at)) || (sign === ')' && depth === 0)) break;
    if (sign === '\\' && isPunctuation(text.charCodeAt(at + 1))) at += 1;
    else if (sign === '(') depth += 1;
    else if (sign === ')') depth -= 1;
    if (depth > MAX_BRACKET_DEPTH) return undefined;
  }
  return depth === 0 ? { raw: text.slice(from, at), end: at } : undefined;
}

const TITLE_ENDS: Readonly<Record<string, string>> = { '"': '"', "'": "'", '(': ')' };

/** The offset after the title at `from`, `from` if there is none, or -1 if it is incomplete. */
function titleEnd(text: string, from: number): number {
  const closing = TITLE_ENDS[text.charAt(from)];
  if (closing === undefined) return from;
  for (let at = from + 1; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === closing) return at + 1;
    if (sign === '\\') at += 1;
    else if (sign === '(' && closing === ')') return -1;
  }
  return -1;
}

/** The `(destination "title")` whose bracket is at `from`, with the offset after it. */
export function inlineTargetAt(text: string, from: number): Destination | undefined {
  const destination = destinationAt(text, skipSpace(text, from + 1));
  if (destination === undefined) return undefined;
  const titleStart = skipSpace(text, destination.end);
  const end = titleStart > destination.end ? titleEnd(text, titleStart) : titleStart;
  if (end === -1) return undefined;
  const closing = skipSpace(text, end);
  return text.charAt(closing) === ')' ? { raw: destination.raw, end: closing + 1 } : undefined;
}

export type Definition = NonNullable<ReturnType<typeof definitionIn>>;

const MAX_LABEL_LENGTH = 999;

/**
 * The `[id]: destination "title"` that fills the line, if any, with the offset of its destination. Footnotes are not
 * definitions. Nor is `[[Name]]: …`: a label holds no bracket without a backslash.
 */
export function definitionIn(line: string) {
  const close = line.startsWith('[') && !line.startsWith('[^') ? labelEnd(line) : -1;
  if (close === -1 || line.charAt(close + 1) !== ':') return undefined;
  const label = labelOf(line.slice(1, close));
  const start = skipSpace(line, close + 2);
  const destination = line.startsWith('[[', start) ? undefined : destinationAt(line, start);
  if (label === '' || destination === undefined || destination.end === start) return undefined;
  const titleStart = skipSpace(line, destination.end);
  const end = titleStart > destination.end ? titleEnd(line, titleStart) : titleStart;
  const isWhole = end !== -1 && skipSpace(line, end) === trimmedEnd(line, end);
  return isWhole ? { label, raw: destination.raw, start } : undefined;
}

/** The offset of the `]` that closes the label at the start of the line, or -1. */
function labelEnd(line: string): number {
  for (let at = 1; at < line.length && at <= MAX_LABEL_LENGTH; at += 1) {
    const sign = line.charAt(at);
    if (sign === ']') return at;
    if (sign === '[') return -1;
    if (sign === '\\') at += 1;
  }
  return -1;
}

function trimmedEnd(line: string, from: number): number {
  return Math.max(trimBlanks(line, from, line.length), skipSpace(line, from));
}

/** A label in the form in which labels are compared: lower case, with runs of blanks collapsed. */
export function labelOf(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase();
}

const EMPHASIS = /(\*{1,3}|~~|==)(?=\S)(.*?\S)\1|(?<!\w)(_{1,3})(?=\S)(.*?\S)\3(?!\w)/g;

/** The visible text of a link: on one line, without emphasis. A very long text is returned as written. */
export function readableText(text: string): string {
  if (text.length > MAX_LABEL_LENGTH) return text;
  return text.replace(/\s*[\r\n]\s*/g, ' ').replace(EMPHASIS, '$2$4');
}

/** Whether the destination has a scheme, so that it leads out of the vault; also one that is a link with an address in its text. */
export function isExternal(raw: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*:|\[[a-z][a-z\d+.-]*:\/\/)/i.test(raw);
}

/** The destination with escapes and percent-encoding decoded; sequences that are not valid UTF-8 are kept. */
export function decodeDestination(raw: string): string {
  const unescaped = raw.includes('\\') ? raw.replace(/\\([!-/:-@[-`{-~])/g, '$1') : raw;
  return unescaped.includes('%') ? unescaped.replace(/(?:%[\da-f]{2})+/gi, decodeSequence) : unescaped;
}

function decodeSequence(sequence: string): string {
  try {
    return decodeURIComponent(sequence);
  } catch (malformed) {
    if (malformed instanceof URIError) return sequence;
    throw malformed;
  }
}
