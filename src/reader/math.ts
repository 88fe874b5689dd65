// Markdown rules for formulas, `$inline$` and `$$block$$`, and for `%%comments%%`, which are not shown.
import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it';
import { partitionPoint } from '../base/binary-search.ts';
import type { Outlet } from './outlet.ts';

/** A dollar sign whose partner is further away is an amount of money. */
const MAX_FORMULA = 4_000;

export function mathAndComments(markdown: MarkdownIt, outlet: Outlet): void {
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

/** As in Obsidian, no blank follows the first mark or precedes the last, and no digit follows that. */
function closerAfter(src: string, start: number): number {
  if (/\s/.test(src[start] ?? ' ')) return -1;
  const closers = closersOf(src);
  return closers[partitionPoint(closers.length, (at) => (closers[at] ?? 0) <= start)] ?? -1;
}

/** Of the text that is being parsed, so that each is searched once however many marks it has. */
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
