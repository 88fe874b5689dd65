// Parses the inside of `[[…]]` into link and display text.
import { currentDialect } from '../../base/note.ts';
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
  const { from, to, display } = partsOfWikilink(content);
  const link = content.slice(from, to).trim();
  if (currentDialect() === 'wiki' && NOT_A_PAGE.test(link)) return undefined;
  if (display === undefined) return linkText(link);
  return link === '' || TEMPLATE_CODE.test(link) ? undefined : { link, display };
}

/** Where a wiki has a table of contents or an address of the web. */
const NOT_A_PAGE = /^(?:_TOC_$|(?:https?|mailto):)/i;

/** Whether a wikilink has its text before the bar, and its target after it. */
export const hasTextFirst = (): boolean => currentDialect() === 'dendron' || currentDialect() === 'wiki';

/** In Dendron the name may begin with that of its vault. */
const OTHER_VAULT = /^\s*dendron:\/\/[^/]+\//;
/** A picture of a wiki comes before what says how it is shown. */
const WITH_OPTIONS = /^[^|]+\.[A-Za-z\d]{2,5}(?:\|[ \t]*(?:[a-z]+=[^|]*|frame|framed|float|border))+$/;

/** Where the link is between the brackets, and the text beside it. */
export function partsOfWikilink(content: string): { from: number; to: number; display?: string } {
  const isLast = hasTextFirst() && !(currentDialect() === 'wiki' && WITH_OPTIONS.test(content));
  const bar = isLast ? content.lastIndexOf('|') : content.indexOf('|');
  const from = isLast ? bar + 1 + (OTHER_VAULT.exec(content.slice(bar + 1))?.[0].length ?? 0) : 0;
  if (bar <= 0) return { from, to: content.length };
  const before = content.charAt(bar - 1) === '\\' ? bar - 1 : bar;
  if (isLast) return { from, to: content.length, display: content.slice(0, before).trim() };
  return { from, to: before, display: content.slice(bar + 1).trim() };
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
