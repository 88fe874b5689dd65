// Renders the Markdown of a note as HTML, as Obsidian shows it.

import createMarkdown, { type MarkdownIt, type StateInline } from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import highlights from 'markdown-it-mark';
import { tagNameEnd } from '../markdown/parse/tag.ts';
import { readWikilink, wikilinkClose } from '../markdown/parse/wikilink.ts';
import { noteBlocks } from './blocks.ts';
import { mathAndComments } from './math.ts';
import { attributeText, escapeHtml, type Outlet } from './outlet.ts';
import { slugOf } from './slug.ts';

function vaultLinks(markdown: MarkdownIt, outlet: Outlet): void {
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
function linkTo(written: string, outlet: Outlet): Readonly<Record<string, string>> {
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

export type Render = (text: string) => string;

/** @returns a function from the text of a note, with or without properties, to HTML, which is only as safe as what the outlet returns */
export function createRenderer(outlet: Outlet): Render {
  const markdown = createMarkdown({ html: true, breaks: true, linkify: true });
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  markdown.use(footnotes).use(highlights);
  vaultLinks(markdown, outlet);
  mathAndComments(markdown, outlet);
  noteBlocks(markdown, outlet);
  linksAndImages(markdown, outlet);
  codeAndHtml(markdown, outlet);
  footnotePlaces(markdown, outlet);
  return (text) => markdown.render(withoutProperties(text));
}

export function withoutProperties(text: string): string {
  return text.replace(/^\ufeff?---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/, '');
}

const isWeb = (address: string): boolean => /^(?:https?|mailto|obsidian):/i.test(address);

function linksAndImages(markdown: MarkdownIt, outlet: Outlet): void {
  const { rules } = markdown.renderer;
  rules.link_open = (tokens, at) => {
    const token = tokens[at];
    const href = String(token?.attrGet('href') ?? '');
    const title = String(token?.attrGet('title') ?? '');
    const attributes = isWeb(href) ? outlet.web(href) : linkTo(decoded(href), outlet);
    return `<a${attributeText(title === '' ? attributes : { ...attributes, title })}>`;
  };
  rules.image = (tokens, at, options, env, self) => {
    const token = tokens[at];
    const shown = self.renderInlineAsText(token?.children ?? [], options, env);
    const source = String(token?.attrGet('src') ?? '');
    return outlet.embed(isWeb(source) ? source : decoded(source), shown);
  };
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

function codeAndHtml(markdown: MarkdownIt, outlet: Outlet): void {
  const { rules } = markdown.renderer;
  rules.fence = (tokens, at) => {
    const { content, info } = tokens[at] ?? { content: '', info: '' };
    return outlet.code(content, info.trim().split(/[\s{]/)[0] ?? '');
  };
  rules.code_block = (tokens, at) => outlet.code(tokens[at]?.content ?? '', '');
  rules.html_block = (tokens, at) => outlet.html(tokens[at]?.content ?? '', true);
  rules.html_inline = (tokens, at) => outlet.html(tokens[at]?.content ?? '', false);
}

interface FootnoteMark {
  readonly id: number;
  readonly subId: number;
}

/** The plugin's own rules write ids, which would be those of the whole page. */
function footnotePlaces(markdown: MarkdownIt, outlet: Outlet): void {
  const { rules } = markdown.renderer;
  const markOf = (meta: unknown): FootnoteMark => meta as FootnoteMark;
  const from = ({ id, subId }: FootnoteMark): string => `from-footnote-${id + 1}${subId > 0 ? `-${subId}` : ''}`;
  rules.footnote_ref = (tokens, at) => {
    const mark = markOf(tokens[at]?.meta);
    const attributes = { ...outlet.place(from(mark)), ...outlet.jump(`footnote-${mark.id + 1}`) };
    return `<sup data-footnote=""><a${attributeText(attributes)}>${mark.id + 1}</a></sup>`;
  };
  rules.footnote_block_open = () => '<section data-footnotes=""><ol>\n';
  rules.footnote_block_close = () => '</ol></section>\n';
  rules.footnote_open = (tokens, at) =>
    `<li${attributeText(outlet.place(`footnote-${markOf(tokens[at]?.meta).id + 1}`))}>`;
  rules.footnote_close = () => '</li>\n';
  rules.footnote_anchor = (tokens, at) => {
    const attributes = { ...outlet.jump(from(markOf(tokens[at]?.meta))), title: 'Back to the text' };
    return ` <a${attributeText(attributes)}>${escapeHtml('↩')}</a>`;
  };
}
