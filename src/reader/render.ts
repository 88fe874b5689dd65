// Renders the Markdown of a note as HTML, as Obsidian shows it.
import createMarkdown, {
  type MarkdownIt,
  type StateBlock,
  type StateCore,
  type StateInline,
  type Token,
} from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import highlights from 'markdown-it-mark';
import { partitionPoint } from '../base/binary-search.ts';
import { tagNameEnd } from '../markdown/parse/tag.ts';
import { readWikilink, wikilinkClose } from '../markdown/parse/wikilink.ts';
import { attributeText, escapeHtml, type Outlet, slugOf } from './outlet.ts';

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
function linkTo(link: string, outlet: Outlet): Readonly<Record<string, string>> {
  return link.startsWith('#') ? outlet.jump(slugOf(link)) : outlet.link(link);
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

function withoutProperties(text: string): string {
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

function noteBlocks(markdown: MarkdownIt, outlet: Outlet): void {
  markdown.core.ruler.after('block', 'note_blocks', (state) => {
    state.tokens = withCallouts(state);
    for (const [at, { type }] of state.tokens.entries()) {
      if (type === 'list_item_open') readTask(state.tokens, at);
      if (type === 'inline') placeBlock(state.tokens, at, outlet);
      if (type === 'th_open' || type === 'td_open') alignCell(state.tokens[at]);
    }
    for (const [at, { type }] of state.tokens.entries())
      if (type === 'heading_open') placeHeading(state.tokens, at, outlet);
  });
  markdown.renderer.rules.list_item_open = (tokens, at, options, _env, self) => {
    const item = self.renderToken(tokens, at, options);
    const mark = tokens[at]?.attrGet('data-task');
    return typeof mark === 'string' ? `${item}${outlet.checkbox(mark)}` : item;
  };
}

const CALLOUT = /^\[!([^\]\n]{1,60})\]([+-]?)[^\S\n]*([^\n]*)(?:\n|$)/;

/** `> [!tip]- Title` makes a callout of a quote; `-` and `+` make one that folds. */
function withCallouts(state: StateCore): Token[] {
  const { tokens } = state;
  const output: Token[] = [];
  const boxes: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as Token;
    output.push(token);
    if (token.type === 'blockquote_close') token.tag = boxes.pop() ?? token.tag;
    if (token.type !== 'blockquote_open') continue;
    const words = tokens[at + 2];
    const callout = words?.type === 'inline' ? CALLOUT.exec(words.content) : null;
    if (words !== undefined && callout !== null) {
      output.push(...calloutTitle(state, token, callout));
      words.content = words.content.slice(callout[0].length);
      // The paragraph of the title has no other text.
      if (words.content.trim() === '') at += 3;
    }
    boxes.push(token.tag);
  }
  return output;
}

/** Makes the token open a callout. @returns its title */
function calloutTitle(state: StateCore, box: Token, [, kind = '', fold = '', title = '']: RegExpExecArray): Token[] {
  const name = kind.split('|')[0]?.trim() ?? '';
  box.tag = fold === '' ? 'div' : 'details';
  box.attrSet('data-callout', name.toLowerCase());
  if (fold === '+') box.attrSet('open', '');
  const shown = title.trim() || name.charAt(0).toUpperCase() + name.slice(1);
  return titleTokens(state, fold === '' ? 'div' : 'summary', shown);
}

/** A style would be against the policy of the page. */
function alignCell(cell: Token | undefined): void {
  const style = String(cell?.attrGet('style') ?? '');
  if (cell === undefined || style === '') return;
  cell.attrs = [['align', style.replace('text-align:', '')]];
}

function titleTokens(state: StateCore, tag: string, title: string): Token[] {
  const open = new state.Token('callout_title_open', tag, 1);
  open.block = true;
  open.attrSet('data-title', '');
  const words = new state.Token('inline', '', 0);
  words.content = title;
  words.children = [];
  return [open, words, new state.Token('callout_title_close', tag, -1)];
}

function readTask(tokens: readonly Token[], at: number): void {
  const words = tokens[at + 2];
  const task = words?.type === 'inline' ? /^\[(.)\](?:\s+|$)/u.exec(words.content) : null;
  if (words === undefined || task === null) return;
  words.content = words.content.slice(task[0].length);
  tokens[at]?.attrSet('data-task', task[1] ?? ' ');
}

function placeHeading(tokens: readonly Token[], at: number, outlet: Outlet): void {
  const slug = slugOf(tokens[at + 1]?.content.replaceAll('#', ' ') ?? '');
  if (slug !== '') place(tokens[at], slug, outlet);
}

const BLOCK_ID = /(?:^|\s)\^([A-Za-z0-9-]{1,100})$/;

/** A block id belongs to the paragraph, heading or list item whose text it ends. */
function placeBlock(tokens: readonly Token[], at: number, outlet: Outlet): void {
  const words = tokens[at] as Token;
  const id = BLOCK_ID.exec(words.content)?.[1];
  if (id === undefined) return;
  words.content = words.content.replace(BLOCK_ID, '');
  const holder = tokens[at - 1]?.hidden ? tokens[at - 2] : tokens[at - 1];
  if (holder?.nesting === 1 && holder.type !== 'heading_open') place(holder, `^${id.toLowerCase()}`, outlet);
}

function place(token: Token | undefined, slug: string, outlet: Outlet): void {
  for (const [name, value] of Object.entries(outlet.place(slug))) token?.attrSet(name, value);
}

/** A dollar sign whose partner is further away is an amount of money. */
const MAX_FORMULA = 4_000;

function mathAndComments(markdown: MarkdownIt, outlet: Outlet): void {
  const { block, inline, renderer } = markdown;
  const alt = { alt: ['paragraph', 'reference', 'blockquote', 'list'] };
  block.ruler.before('fence', 'math_block', readMathBlock, alt);
  block.ruler.before('fence', 'comment_block', readCommentBlock, alt);
  inline.ruler.before('escape', 'math', readMath);
  inline.ruler.before('escape', 'comment', readComment);
  renderer.rules.math = (tokens, at) => outlet.math(tokens[at]?.content ?? '', false);
  renderer.rules.math_block = (tokens, at) => outlet.math(tokens[at]?.content ?? '', true);
}

function readMath(state: StateInline, isSilent: boolean): boolean {
  const { src, pos } = state;
  if (src[pos] !== '$') return false;
  const isDouble = src[pos + 1] === '$';
  const start = isDouble ? pos + 2 : pos + 1;
  const end = isDouble ? src.indexOf('$$', start) : closerAfter(src, start);
  if (end <= start || end - start > MAX_FORMULA) return false;
  if (!isSilent) state.push(isDouble ? 'math_block' : 'math', '', 0).content = src.slice(start, end);
  state.pos = isDouble ? end + 2 : end + 1;
  return true;
}

/** No blank follows, as in Obsidian, the first mark or precedes the last, and no digit follows that. */
function closerAfter(src: string, start: number): number {
  if (/\s/.test(src[start] ?? ' ')) return -1;
  const closers = closersOf(src);
  return closers[partitionPoint(closers.length, (at) => (closers[at] ?? 0) <= start)] ?? -1;
}

/** The marks of the text that is being parsed, so that each is searched once however many it has. */
let latest: { readonly src: string; readonly closers: readonly number[] } = { src: '', closers: [] };

function closersOf(src: string): readonly number[] {
  if (latest.src !== src)
    latest = { src, closers: Array.from(src.matchAll(/(?<![\s\\$])\$(?![\d$])/g), ({ index }) => index) };
  return latest.closers;
}

function readComment(state: StateInline, _isSilent: boolean): boolean {
  const { src, pos } = state;
  if (!src.startsWith('%%', pos)) return false;
  const end = src.indexOf('%%', pos + 2);
  if (end === -1) return false;
  state.pos = end + 2;
  return true;
}

const lineOf = ({ src, bMarks, eMarks, tShift }: StateBlock, line: number): string =>
  src.slice((bMarks[line] ?? 0) + (tShift[line] ?? 0), eMarks[line]).trim();

/** @returns the line that ends what begins at `from`; -1 if none does */
function closingLine(state: StateBlock, from: number, to: number, mark: string): number {
  for (let line = from; line < to; line++) {
    if ((state.sCount[line] ?? 0) < state.blkIndent) return -1;
    if (lineOf(state, line).endsWith(mark)) return line;
  }
  return -1;
}

function readMathBlock(state: StateBlock, from: number, to: number, isSilent: boolean): boolean {
  const first = lineOf(state, from);
  if (!first.startsWith('$$')) return false;
  const isOneLine = first.length > 3 && first.endsWith('$$');
  const last = isOneLine ? from : closingLine(state, from + 1, to, '$$');
  if (last === -1) return false;
  if (isSilent) return true;
  const lines = [...Array(last - from + 1).keys()].map((at) => lineOf(state, from + at));
  const token = state.push('math_block', '', 0);
  token.content = lines.join('\n').slice(2, -2).trim();
  token.map = [from, last + 1];
  state.line = last + 1;
  return true;
}

/** A comment without an end hides the rest of the note. */
function readCommentBlock(state: StateBlock, from: number, to: number, isSilent: boolean): boolean {
  const first = lineOf(state, from);
  if (!first.startsWith('%%') || first.indexOf('%%', 2) !== -1) return false;
  if (isSilent) return true;
  const last = closingLine(state, from + 1, to, '%%');
  state.line = last === -1 ? to : last + 1;
  return true;
}
