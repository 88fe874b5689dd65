// Changes the parsed blocks of a note to what they are in Obsidian: callouts, tasks, block ids and places of headings.
import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import type { Outlet } from './outlet.ts';
import { slugOf } from './slug.ts';

export function noteBlocks(markdown: MarkdownIt, outlet: Outlet): void {
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
  const made: Token[] = [];
  const boxes: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as Token;
    made.push(token);
    if (token.type === 'blockquote_close') token.tag = boxes.pop() ?? token.tag;
    if (token.type !== 'blockquote_open') continue;
    const words = tokens[at + 2];
    const found = words?.type === 'inline' ? CALLOUT.exec(words.content) : null;
    if (words !== undefined && found !== null) {
      made.push(...calloutTitle(state, token, found));
      words.content = words.content.slice(found[0].length);
      // The paragraph of the title has no other text.
      if (words.content.trim() === '') at += 3;
    }
    boxes.push(token.tag);
  }
  return made;
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
  const found = words?.type === 'inline' ? /^\[(.)\](?:\s+|$)/u.exec(words.content) : null;
  if (words === undefined || found === null) return;
  words.content = words.content.slice(found[0].length);
  tokens[at]?.attrSet('data-task', found[1] ?? ' ');
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
