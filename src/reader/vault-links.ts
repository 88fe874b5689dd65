// Markdown rules for what links notes in Obsidian: `[[wikilinks]]`, `![[embeds]]` and `#tags`.
import type { MarkdownIt, StateInline } from 'markdown-it';
import { tagNameEnd } from '../markdown/parse/tag.ts';
import { readWikilink, wikilinkClose } from '../markdown/parse/wikilink.ts';
import type { Outlet } from './outlet.ts';
import { attributeText, escapeHtml } from './outlet.ts';
import { slugOf } from './slug.ts';

export function vaultLinks(markdown: MarkdownIt, outlet: Outlet): void {
  const { inline, renderer } = markdown;
  inline.ruler.before('image', 'embed', (state, isSilent) => readLink(state, isSilent, 'embed', '![['));
  inline.ruler.before('link', 'wikilink', (state, isSilent) => readLink(state, isSilent, 'wikilink', '[['));
  inline.ruler.before('link', 'tag', readTag);
  renderer.rules.wikilink = (tokens, at) => {
    const { content, info } = tokens[at] ?? { content: '', info: '' };
    return `<a${attributeText(linkTo(content, outlet))}>${escapeHtml(info)}</a>`;
  };
  renderer.rules.embed = (tokens, at) => outlet.embed(tokens[at]?.content ?? '', tokens[at]?.info ?? '');
  renderer.rules.tag = (tokens, at) => {
    const tag = tokens[at]?.content ?? '';
    return `<a${attributeText(outlet.tag(tag))}>${escapeHtml(tag)}</a>`;
  };
}

/** `#Heading` alone leads to a place in the same note. */
export function linkTo(written: string, outlet: Outlet): Readonly<Record<string, string>> {
  return written.startsWith('#') ? outlet.jump(slugOf(written)) : outlet.link(written);
}

type Kind = 'wikilink' | 'embed';

/** @param opening of the link: `[[` or `![[` */
function readLink(state: StateInline, isSilent: boolean, kind: Kind, opening: string): boolean {
  const { src, pos } = state;
  if (!src.startsWith(opening, pos)) return false;
  const start = pos + opening.length - 2;
  const close = wikilinkClose(src, start);
  if (close === -1) return false;
  const link = readWikilink(src.slice(start + 2, close));
  if (link === undefined) return false;
  if (!isSilent) {
    const token = state.push(kind, '', 0);
    token.content = link.link;
    token.info = link.display || link.link;
  }
  state.pos = close + 2;
  return true;
}

function readTag(state: StateInline, isSilent: boolean): boolean {
  const { src, pos } = state;
  if (src[pos] !== '#' || !/^$|\s/.test(src.slice(Math.max(0, pos - 1), pos))) return false;
  const end = tagNameEnd(src, pos);
  if (end === 0) return false;
  if (!isSilent) state.push('tag', '', 0).content = src.slice(pos, end);
  state.pos = end;
  return true;
}
