// Recognizes HTML inside Markdown: blocks of lines, and tags in the text.
import { isBlankOrLineEnd, isDigit, isLatinLetter, skipSpace } from './characters.ts';

const BLOCK_NAMES =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|' +
  'fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|' +
  'menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul';

const BLOCKS: readonly { readonly opening: RegExp; readonly closing: RegExp | 'blank line' }[] = [
  { opening: /^<(?:script|pre|style|textarea)(?:[\s>]|$)/i, closing: /<\/(?:script|pre|style|textarea)>/i },
  { opening: /^<!--/, closing: /-->/ },
  { opening: /^<\?/, closing: /\?>/ },
  { opening: /^<![a-z]/i, closing: />/ },
  { opening: /^<!\[CDATA\[/, closing: /\]\]>/ },
  { opening: new RegExp(`^</?(?:${BLOCK_NAMES})(?:\\s|/?>|$)`, 'i'), closing: 'blank line' },
];

/**
 * What closes the HTML block that `line` opens, if it opens one. A tag with any other name must be alone on its line
 * and cannot interrupt a paragraph.
 */
export function htmlBlockClosing(line: string, inParagraph: boolean): RegExp | 'blank line' | undefined {
  const block = BLOCKS.find(({ opening }) => opening.test(line));
  if (block !== undefined) return block.closing;
  if (inParagraph) return undefined;
  const end = tagEnd(line, 0);
  return end > 0 && line.slice(end).trim() === '' ? 'blank line' : undefined;
}

/** The offset after the opening or closing tag at `from` (its `<`), or 0 if there is none. */
export function tagEnd(text: string, from: number): number {
  const closing = text.charAt(from + 1) === '/';
  const name = nameEnd(text, from + (closing ? 2 : 1));
  if (name === 0) return 0;
  let at = closing ? skipSpace(text, name) : attributesEnd(text, name);
  if (!closing && text.charAt(at) === '/') at += 1;
  return text.charAt(at) === '>' ? at + 1 : 0;
}

function nameEnd(text: string, from: number): number {
  if (!isLatinLetter(text.charCodeAt(from))) return 0;
  let at = from + 1;
  while (isLatinLetter(text.charCodeAt(at)) || isDigit(text.charCodeAt(at)) || text.charAt(at) === '-') at += 1;
  return at;
}

function attributesEnd(text: string, from: number): number {
  let at = from;
  for (;;) {
    const start = skipSpace(text, at);
    if (start === at) return at;
    const name = attributeNameEnd(text, start);
    if (name === start) return start;
    at = attributeValueEnd(text, name);
  }
}

function attributeNameEnd(text: string, from: number): number {
  const first = text.charAt(from);
  if (!isLatinLetter(text.charCodeAt(from)) && first !== '_' && first !== ':') return from;
  let at = from + 1;
  while (isLatinLetter(text.charCodeAt(at)) || isDigit(text.charCodeAt(at)) || isOneOf('_:.-', text.charAt(at)))
    at += 1;
  return at;
}

function attributeValueEnd(text: string, from: number): number {
  const equals = skipSpace(text, from);
  if (text.charAt(equals) !== '=') return from;
  const start = skipSpace(text, equals + 1);
  const quote = text.charAt(start);
  if (quote === '"' || quote === "'") {
    const end = text.indexOf(quote, start + 1);
    return end === -1 ? from : end + 1;
  }
  let at = start;
  while (at < text.length && !isBlankOrLineEnd(text.charCodeAt(at)) && !isOneOf('"\'=<>`', text.charAt(at))) at += 1;
  return at === start ? from : at;
}

/** The offset after the `<scheme:…>` or `<name@host>` at `from`, or 0. */
export function autolinkEnd(text: string, from: number): number {
  const scheme = /[a-z][a-z\d+.-]{1,31}:|[\w.!#$%&'*+/=?^`{|}~-]{1,64}@/iy;
  scheme.lastIndex = from + 1;
  if (!scheme.test(text)) return 0;
  let at = scheme.lastIndex;
  while (at < text.length && !isBlankOrLineEnd(text.charCodeAt(at)) && !isOneOf('<>', text.charAt(at))) at += 1;
  return text.charAt(at) === '>' ? at + 1 : 0;
}

function isOneOf(signs: string, character: string): boolean {
  return character !== '' && signs.includes(character);
}
