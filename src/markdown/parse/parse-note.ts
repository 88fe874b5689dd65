// Parses the text of a note: its front matter and its body.
import { partitionPoint } from '../../base/binary-search.ts';
import { type Block, currentDialect, type InlineField, type Link, type ParsedNote, type Tag } from '../../base/note.ts';
import { blocksOfLogseq, withLinksOfLogseq, withPlannedDays } from '../links/logseq-links.ts';
import { readFrontMatter } from '../properties/front-matter.ts';
import { isHiddenProperty, readPageProperties } from '../properties/page-properties.ts';
import { type BlockFindings, scanBlocks } from './blocks.ts';
import { fieldValue } from './field-value.ts';
import { type FoundLink, type FoundReference, type InlineFindings, scanInline } from './inline.ts';
import { type FoundField, scanFields } from './inline-field.ts';
import { type Lines, lineIndexAt, positionAt, splitLines } from './lines.ts';
import { decodeDestination, isExternal } from './markdown-link.ts';
import { cellAnchor, htmlAnchors } from './site-syntax.ts';
import { offsetIn, type Span, type TextRun } from './text-run.ts';

/** A cell of code has its label in one of its first lines. */
const MAX_LABEL_LINES = 10;

/**
 * Parses decoded text. Any text is a valid note. Runs in time linear in the length of the text.
 * @param earlier another text of the note, in memory meanwhile: both then have one object for each link above the first difference
 */
export function parseNote(text: string, earlier?: Pick<ParsedNote, 'links'>): ParsedNote {
  const lines = splitLines(text);
  const front = readFrontMatter(text, lines);
  const body = readBody(text, lines, front.bodyLine, (link, at) => {
    const same = earlier?.links[front.links.length + at];
    return same !== undefined && isSameLink(link, same) ? same : link;
  });
  const page = currentDialect() === 'logseq' ? readPageProperties(text, lines, front.bodyLine) : undefined;
  const fields = page === undefined ? body.fields : body.fields.filter(({ line }) => line > page.lastLine);
  return {
    properties: page === undefined ? front.properties : { ...page.properties, ...front.properties },
    ...(front.fault && { propertiesFault: front.fault }),
    notices: front.notices,
    aliases: page === undefined ? front.aliases : [...front.aliases, ...page.aliases],
    tags: [...front.tags, ...(page?.tags ?? []), ...body.tags],
    headings: body.headings,
    blocks: page === undefined ? body.blocks : [...body.blocks, ...blocksOfLogseq(text, lines, front.bodyLine)],
    links: [...front.links, ...body.links],
    tasks: withPlannedDays(body.tasks, text, lines),
    bodyOffset: front.bodyOffset,
    ...(fields.length > 0 && { fields: fields.map(({ name, value, line }) => ({ name, value, line })) }),
  };
}

/** Offsets in the file. */
export interface PlacedField extends InlineField, Span {
  readonly valuePlace: Span;
  readonly isBracketed: boolean;
}

export type Body = Pick<ParsedNote, 'headings' | 'blocks' | 'links' | 'tags' | 'tasks'>;

/** In all fields: a link is compared with a million others. */
function isSameLink(one: Link, other: Link): boolean {
  const isThere = one.offset === other.offset && one.end === other.end && one.line === other.line;
  if (!isThere || one.column !== other.column || one.kind !== other.kind) return false;
  return one.link === other.link && one.display === other.display && one.key === other.key;
}

/** Reads the body from `firstLine`, 0-based, to the end of the text. @param shared the object to keep of the link with that number */
export function readBody(
  text: string,
  lines: Lines,
  firstLine: number,
  shared: (link: Link, at: number) => Link = (link) => link,
): Body & { readonly fields: readonly PlacedField[] } {
  const scanned = scanBlocks(text, lines, firstLine);
  const { anchors, ...read } = readRuns(scanned.runs, lines, definedLinks(scanned.definitions), shared);
  const { headings, blocks, tasks } = scanned;
  const more = [...anchors, ...anchorsIn(text, lines, scanned)];
  const all = more.length === 0 ? blocks : [...blocks, ...more].sort((one, other) => one.line - other.line);
  return { headings, blocks: all, tasks, ...read };
}

/** Those that HTML and cells of code have, in other systems than Obsidian. */
function anchorsIn(text: string, lines: Lines, { fences, codeLines }: BlockFindings): readonly Block[] {
  if (currentDialect() === 'obsidian') return [];
  const code = new Set(codeLines);
  const html = htmlAnchors(text).map(({ id, offset }) => ({ id, line: lineIndexAt(lines, offset) + 1 }));
  const cells = fences.flatMap(({ line, endLine, info }) => {
    const first = Array.from({ length: Math.min(endLine - line, MAX_LABEL_LINES) }, (_, at) =>
      lineAt(text, lines, line + at),
    );
    const id = cellAnchor(info, first);
    return id === undefined ? [] : [{ id, line, endLine }];
  });
  return [...html.filter(({ line }) => !code.has(line)).map(({ id, line }) => ({ id, line, endLine: line })), ...cells];
}

const lineAt = (text: string, { starts, ends }: Lines, index: number): string => text.slice(starts[index], ends[index]);

/** The destination of each label; the first definition wins. */
function definedLinks(definitions: readonly { readonly label: string; readonly raw: string }[]): Map<string, string> {
  const links = new Map<string, string>();
  for (const { label, raw } of definitions) if (!links.has(label)) links.set(label, raw);
  return links;
}

function readRuns(
  runs: Iterable<TextRun>,
  lines: Lines,
  defined: Map<string, string>,
  shared: (link: Link, at: number) => Link,
) {
  const links: Link[] = [];
  const tags: Tag[] = [];
  const fields: PlacedField[] = [];
  const anchors: Block[] = [];
  for (const run of runs) {
    const inline = withLinksOfLogseq(scanInline(run.text, defined.size > 0), run.text);
    const ofRun = run.text.includes('::') ? fieldsOf(inline, run, lines) : [];
    for (const field of ofRun) fields.push(field);
    for (const { id, from } of inline.anchors) {
      const { line } = positionAt(lines, offsetIn(run, from));
      anchors.push({ id, line, endLine: line });
    }
    if (inline.links.length === 0 && inline.tags.length === 0 && inline.references.length === 0) continue;
    for (const link of linksOf(inline, run, lines, defined))
      links.push(shared(ofRun.length === 0 ? link : named(link, ofRun), links.length));
    for (const tag of tagsOf(inline, run, lines)) tags.push(tag);
  }
  return { links, tags, fields, anchors };
}

function fieldsOf({ links, code, opaque }: InlineFindings, run: TextRun, lines: Lines): readonly PlacedField[] {
  if (run.of === 'comment') return [];
  const linked = links.map(({ offset: from, end: to }) => ({ from, to }));
  const fields = scanFields(run.text, [...linked, ...code, ...opaque], run.of === 'cell');
  const shown = currentDialect() === 'logseq' ? fields.filter(({ name }) => !isHiddenProperty(name)) : fields;
  return shown.map((field) => placed(field, run, lines));
}

function placed({ name, value, isBracketed, from, to }: FoundField, run: TextRun, lines: Lines): PlacedField {
  const start = offsetIn(run, from);
  // An end can be where the next piece begins.
  const place = (at: number): number => start + at - from;
  return {
    name,
    value: fieldValue(run.text.slice(value.from, value.to)),
    line: lineIndexAt(lines, start) + 1,
    from: start,
    to: place(to),
    valuePlace: { from: place(value.from), to: place(value.to) },
    isBracketed,
  };
}

/** A link in the value of a field is that of a property. */
function named(link: Link, fields: readonly PlacedField[]): Link {
  const field = fields[partitionPoint(fields.length, (at) => (fields[at]?.to ?? 0) <= link.offset)];
  const isInside = field !== undefined && link.offset >= field.valuePlace.from && link.end <= field.valuePlace.to;
  return isInside ? { ...link, key: field.name } : link;
}

/** Sets the places of the links that were found, since a note may have a million. */
function linksOf(findings: InlineFindings, run: TextRun, lines: Lines, defined: Map<string, string>): readonly Link[] {
  const references = findings.references.length === 0 ? [] : resolveReferences(findings.references, defined);
  const all: { -readonly [name in keyof Link]: Link[name] }[] = [...findings.links, ...references];
  if (all.length > 1) all.sort((one, other) => one.offset - other.offset);
  for (const link of all) {
    const { line, column, offset } = positionAt(lines, offsetIn(run, link.offset));
    link.line = line;
    link.column = column;
    link.offset = offset;
    link.end = offsetIn(run, link.end);
  }
  return all;
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

function tagsOf(findings: InlineFindings, run: TextRun, lines: Lines): Tag[] {
  const tags = [...findings.tags].sort((one, other) => one.from - other.from);
  return tags.map(({ from, to }) => ({
    tag: run.text.slice(from, to),
    from: 'body',
    ...positionAt(lines, offsetIn(run, from)),
  }));
}
