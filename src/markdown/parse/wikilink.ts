// Parses the inside of `[[…]]` into link and display text.
import { isLineEnd } from './characters.ts';

/**
 * The offset of the `]]` that closes the wikilink at `from`; -1 if there is no `[[`, or if another `[[` or the end
 * of the line comes first.
 */
export function wikilinkClose(text: string, from: number): number {
  if (text.charAt(from) !== '[' || text.charAt(from + 1) !== '[') return -1;
  for (let at = from + 2; at + 1 < text.length; at += 1) {
    const code = text.charAt(at);
    if (code === ']' && text.charAt(at + 1) === ']') return at;
    if (code === '[' && text.charAt(at + 1) === '[') return -1;
    if (isLineEnd(text.charCodeAt(at))) return -1;
  }
  return -1;
}

const TEMPLATE_CODE = /<%.*%>/s;

export interface LinkText {
  readonly link: string;
  readonly display: string;
}

/** Reads the text between the brackets; undefined if it names no link, or if code of a template makes its name. */
export function readWikilink(content: string): LinkText | undefined {
  const bar = content.indexOf('|');
  if (bar <= 0) return linkText(content.trim());
  const escaped = content.charAt(bar - 1) === '\\';
  const link = content.slice(0, escaped ? bar - 1 : bar).trim();
  return link === '' || TEMPLATE_CODE.test(link) ? undefined : { link, display: content.slice(bar + 1).trim() };
}

function linkText(link: string): LinkText | undefined {
  return link === '' || TEMPLATE_CODE.test(link) ? undefined : { link, display: displayOf(link) };
}

/** The text shown for a link without a bar: its parts, joined by ` > `. */
export function displayOf(link: string): string {
  if (!link.includes('#')) return link.trim();
  const parts = link.split('#').filter((part) => part !== '');
  return parts.join(' > ').trim();
}
