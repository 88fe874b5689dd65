// Reads the blocks with ids of Logseq, the days of its tasks, and its links that other systems do not have: `((id))` of a block, also in `[text](((id)))` and `{{embed ((id))}}`, and `[text]([[page]])`.
import { type Block, currentDialect, type Task } from '../../base/note.ts';
import type { FoundLink, InlineFindings } from '../parse/inline.ts';
import type { Lines } from '../parse/lines.ts';
import { readWikilink } from '../parse/wikilink.ts';
import { coveredBy } from './covered-by.ts';

const ID = String.raw`[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}`;
const REFERENCE = new RegExp(String.raw`\(\((${ID})\)\)`, 'gi');
const WHOLE = new RegExp(String.raw`^\(\((${ID})\)\)$`, 'i');
const EMBED = /\{\{embed[ \t]{1,10}$/;
const MAX_EMBED_LENGTH = 20;

/** A line `id:: …` of a block. */
const ID_LINE = new RegExp(String.raw`^[ \t]*(?:- )?id::[ \t]+(${ID})[ \t]*$`, 'i');
const BULLET = /^([ \t]*)-(?:[ \t]|$)/;
const FENCE = /^[ \t]*(?:- )?(?:`{3}|~{3})/;

/**
 * The blocks with an id: items with all that is below them. Logseq nests items by their indentation alone, also where Markdown has a
 * paragraph or code.
 * @param firstLine of the body, 0-based
 */
export function blocksOfLogseq(text: string, lines: Lines, firstLine: number): Block[] {
  if (currentDialect() !== 'logseq' || !text.includes('id::')) return [];
  const blocks: { id: string; line: number; endLine: number }[] = [];
  const open: { readonly indent: number; readonly line: number; readonly blocks: (typeof blocks)[number][] }[] = [];
  const close = (indent: number, endLine: number): void => {
    for (let last = open.at(-1); last !== undefined && last.indent >= indent; last = open.at(-1)) {
      for (const block of last.blocks) block.endLine = endLine;
      open.pop();
    }
  };
  let isCode = false;
  for (let at = firstLine; at < lines.starts.length; at += 1) {
    const line = text.slice(lines.starts[at], lines.ends[at]);
    const indent = isCode ? undefined : BULLET.exec(line)?.[1]?.length;
    if (indent !== undefined) close(indent, at);
    if (indent !== undefined) open.push({ indent, line: at + 1, blocks: [] });
    if (FENCE.test(line)) isCode = !isCode;
    const id = isCode ? undefined : ID_LINE.exec(line)?.[1];
    if (id === undefined) continue;
    const item = open.at(-1);
    const block = { id, line: item?.line ?? firstLine + 1, endLine: at + 1 };
    item?.blocks.push(block);
    blocks.push(block);
  }
  close(0, lines.starts.length);
  return blocks;
}

const PLANNED = /^[ \t]*(SCHEDULED|DEADLINE):[ \t]*<(\d{4}-\d\d-\d\d)[^<>]*>/;
/** Logseq writes both directly below the task, before its properties. */
const MAX_PLANNED_LINES = 2;

/** With the days that are written below them. */
export function withPlannedDays(tasks: readonly Task[], text: string, { starts, ends }: Lines): readonly Task[] {
  if (currentDialect() !== 'logseq') return tasks;
  return tasks.map((task) => {
    const days: { due?: string; scheduled?: string } = {};
    for (let at = task.line; at < task.line + MAX_PLANNED_LINES; at += 1) {
      const [, kind, day] = PLANNED.exec(text.slice(starts[at] ?? text.length, ends[at])) ?? [];
      if (day === undefined) break;
      days[kind === 'DEADLINE' ? 'due' : 'scheduled'] ??= day;
    }
    return { ...days, ...task };
  });
}

/** The id leads to the note whose block has it, and names the block there. */
const linkTo = (id: string): string => `${id}#^${id}`;

/** A block of Roam, of which its export has no id, and the pages of its tasks, which it makes itself. */
const NO_PAGE_OF_ROAM = /^(?:\(\([\w-]{9}\)\)|TODO|DONE)$/;

/** The links with those of Logseq, of which Roam has `[text]([[page]])`, in any order. @param text that was scanned */
export function withLinksOfLogseq(findings: InlineFindings, text: string): InlineFindings {
  if (currentDialect() === 'roam') {
    const links = findings.links.filter(({ link }) => !NO_PAGE_OF_ROAM.test(link));
    return { ...findings, links: links.map((link) => toPage(link, text) ?? link) };
  }
  if (currentDialect() !== 'logseq' || !(text.includes('((') || text.includes(']([['))) return findings;
  const links = findings.links.map((link) => toBlock(link) ?? toPage(link, text) ?? link);
  const isTaken = coveredBy([
    ...findings.links,
    ...findings.code.map(({ from: offset, to: end }) => ({ offset, end })),
  ]);
  for (const { index, 0: written, 1: id = '' } of text.matchAll(REFERENCE)) {
    if (isTaken(index)) continue;
    const kind = EMBED.test(text.slice(Math.max(index - MAX_EMBED_LENGTH, 0), index)) ? 'embed' : 'wikilink';
    const place = { line: 0, column: 0, offset: index, end: index + written.length };
    links.push({ kind, link: linkTo(id), display: written, ...place });
  }
  return { ...findings, links };
}

function toBlock(link: FoundLink): FoundLink | undefined {
  const id = link.kind === 'markdown' ? WHOLE.exec(link.link)?.[1] : undefined;
  return id === undefined ? undefined : { ...link, link: linkTo(id) };
}

/** Read as a link between brackets, so that these stay when the page is renamed. */
function toPage(link: FoundLink, text: string): FoundLink | undefined {
  if (link.kind !== 'markdown' || !text.startsWith(']])', link.end - 3)) return undefined;
  const at = text.slice(link.offset, link.end).indexOf(']([[');
  if (at === -1) return undefined;
  const wikilink = readWikilink(text.slice(link.offset + at + 4, link.end - 3));
  return wikilink && { ...link, ...wikilink, kind: 'wikilink', offset: link.offset + at + 2, end: link.end - 1 };
}
