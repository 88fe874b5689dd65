// Parses the text of a note: its front matter and its body.
import type { Link, ParsedNote, Tag } from '../../base/note.ts';
import { readFrontMatter } from '../properties/front-matter.ts';
import { scanBlocks } from './blocks.ts';
import { type FoundLink, type FoundReference, type InlineFindings, scanInline } from './inline.ts';
import { type Lines, positionAt, splitLines } from './lines.ts';
import { decodeDestination, isExternal } from './markdown-link.ts';
import { offsetIn, type TextRun } from './text-run.ts';

/** Parses decoded text. Any text is a valid note. Runs in time linear in the length of the text. */
export function parseNote(text: string): ParsedNote {
  const lines = splitLines(text);
  const front = readFrontMatter(text, lines);
  const body = readBody(text, lines, front.bodyLine);
  return {
    properties: front.properties,
    ...(front.fault && { propertiesFault: front.fault }),
    notices: front.notices,
    aliases: front.aliases,
    tags: [...front.tags, ...body.tags],
    headings: body.headings,
    blocks: body.blocks,
    links: [...front.links, ...body.links],
    tasks: body.tasks,
    bodyOffset: front.bodyOffset,
  };
}

export type Body = Pick<ParsedNote, 'headings' | 'blocks' | 'links' | 'tags' | 'tasks'>;

/** Reads the body from `firstLine`, 0-based, to the end of the text. */
export function readBody(text: string, lines: Lines, firstLine: number): Body {
  const { runs, headings, blocks, tasks, definitions } = scanBlocks(text, lines, firstLine);
  return { headings, blocks, tasks, ...readRuns(runs, lines, definedLinks(definitions)) };
}

/** The destination of each label; the first definition wins. */
function definedLinks(definitions: readonly { readonly label: string; readonly raw: string }[]): Map<string, string> {
  const links = new Map<string, string>();
  for (const { label, raw } of definitions) if (!links.has(label)) links.set(label, raw);
  return links;
}

function readRuns(runs: readonly TextRun[], lines: Lines, defined: Map<string, string>) {
  const links: Link[] = [];
  const tags: Tag[] = [];
  for (const run of runs) {
    const found = scanInline(run.text, defined.size > 0);
    if (found.links.length === 0 && found.tags.length === 0 && found.references.length === 0) continue;
    for (const link of linksOf(found, run, lines, defined)) links.push(link);
    for (const tag of tagsOf(found, run, lines)) tags.push(tag);
  }
  return { links, tags };
}

function* linksOf(found: InlineFindings, run: TextRun, lines: Lines, defined: Map<string, string>): Generator<Link> {
  const all = [...found.links, ...resolveReferences(found.references, defined)];
  if (all.length > 1) all.sort((one, other) => one.offset - other.offset);
  for (const link of all)
    yield Object.assign(link, positionAt(lines, offsetIn(run, link.offset)), { end: offsetIn(run, link.end) });
}

function resolveReferences(references: readonly FoundReference[], defined: Map<string, string>): FoundLink[] {
  let last = 0;
  return references.flatMap(({ label, display, from: offset, to: end }) => {
    const raw = defined.get(label);
    if (raw === undefined || offset < last) return [];
    last = end;
    if (isExternal(raw)) return [];
    return [{ kind: 'reference', link: decodeDestination(raw), display, line: 0, column: 0, offset, end }];
  });
}

function tagsOf(found: InlineFindings, run: TextRun, lines: Lines): Tag[] {
  const tags = [...found.tags].sort((one, other) => one.from - other.from);
  return tags.map(({ from, to }) => ({
    tag: run.text.slice(from, to),
    from: 'body',
    ...positionAt(lines, offsetIn(run, from)),
  }));
}
