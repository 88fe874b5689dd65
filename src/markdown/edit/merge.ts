// Appends notes to another one, each below a heading with its title, and works out what links to their parts become.

import type { Block } from '../../base/note.ts';
import { labelsIn, type RenamedLabel, withFreeLabels } from '../links/labels.ts';
import { headingSubpath } from '../links/rewrite-subpaths.ts';
import { foldHeading, resolveSubpath } from '../links/section.ts';
import { blockIdAt } from '../parse/line-marks.ts';
import { parseNote } from '../parse/parse-note.ts';
import { textAfterProperties } from '../properties/front-matter.ts';
import { type EditedNote, editedNote, headingLines } from './edited-note.ts';
import { editNote } from './note.ts';
import { applySplices, type Splice, sortSplices } from './splice.ts';

export interface NoteToMerge {
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

export interface NotesToMerge {
  readonly path: string;
  readonly text: string;
  readonly sources: readonly NoteToMerge[];
  /** The parts of sources that links name. */
  readonly subpaths: readonly { readonly target: string; readonly subpath: string }[];
}

/** The merged text, and what each of the parts is called in it. @throws as `editNote` */
export function mergedTexts({ path, text, sources, subpaths }: NotesToMerge) {
  const merged = mergeNotes(path, text, sources);
  if ('fault' in merged) return merged;
  const edited = editedNote(path, merged.text);
  const parts = new Map(merged.parts.map((part) => [part.source.path, part]));
  const renamed = merged.parts.flatMap(({ source, renamed: ids }) =>
    [...ids].map(([block, to]) => ({ path: source.path, block, to })),
  );
  const labels = merged.parts.flatMap(({ source, labels: own }) =>
    own.map((label) => ({ path: source.path, ...label })),
  );
  const named = subpaths.map(({ target, subpath }) => {
    const part = parts.get(target);
    return part && mergedSubpath(edited, part, subpath);
  });
  return { text: merged.text, renamed, labels, subpaths: named };
}

/** Where the parts of a note are in the merged one. */
interface MergedPart {
  readonly source: EditedNote;
  /** The text as links name its parts: before its labels, which headings can hold, got other names. */
  readonly before: EditedNote;
  /** Its new block ids by the old ones, in lower case. */
  readonly renamed: ReadonlyMap<string, string>;
  readonly labels: readonly RenamedLabel[];
  /** Whether its first heading became the heading with its title. */
  readonly dropsTitle: boolean;
  /** The place of that heading among all headings of the merged note. */
  readonly headingAt: number;
  readonly title: string;
}

/** `fault`: the note that cannot be merged, and why. */
type MergedNotes =
  | { readonly text: string; readonly parts: readonly MergedPart[] }
  | { readonly fault: { readonly path: string; readonly reason: string } };

/**
 * The notes come in their order, without their properties. The text of each stays as it is, but for its line ends, for block ids and
 * labels that are taken, for the levels of its headings, and for a first heading that repeats the title.
 * @throws as `editNote`
 */
function mergeNotes(path: string, text: string, sources: readonly NoteToMerge[]): MergedNotes {
  const into = editedNote(path, text);
  const used = new Set(into.note.blocks.map(({ id }) => id.toLowerCase()));
  let merged = text;
  const parts: MergedPart[] = [];
  for (const { path: from, title, text: whole } of sources) {
    const body = textAfterProperties(whole);
    const free = withFreeBlockIds(from, body, used);
    if (free === undefined) return { fault: { path: from, reason: 'one of its block ids cannot be renamed' } };
    const labelled = withFreeLabels(free.text, labelsIn(merged));
    if (labelled === undefined)
      return { fault: { path: from, reason: 'one of its labels of links cannot be renamed' } };
    const before = editedNote(from, free.text);
    const source = editedNote(from, labelled.text);
    const dropsTitle = repeatsTitle(source, title);
    const own = dropsTitle ? labelled.text.slice(endOfFirstHeading(source)) : labelled.text;
    const heading = `## ${title}`;
    const below = headingsBelow(2, from, withoutBlankStart(own));
    const section = below.trim() === '' ? heading : `${heading}\n\n${below}`;
    const appended = editNote(path, merged, [{ op: 'append', text: section }]);
    const [{ from: at } = { from: merged.length }] = appended.spans;
    // The end of a board or a drawing has headings of its own below it.
    const headingAt = appended.parsed.before.headings.filter(({ offset }) => offset < at).length;
    merged = appended.text;
    parts.push({ source, before, renamed: free.renamed, labels: labelled.renamed, dropsTitle, headingAt, title });
    for (const { id } of source.note.blocks) used.add(id.toLowerCase());
  }
  return { text: merged, parts };
}

function repeatsTitle(source: EditedNote, title: string): boolean {
  const [first] = source.note.headings;
  if (first === undefined || foldHeading(first.text) !== foldHeading(title)) return false;
  return source.text.slice(0, source.lines.starts[first.line - 1] ?? 0).trim() === '';
}

function endOfFirstHeading(source: EditedNote): number {
  const [first] = source.note.headings;
  if (first === undefined) return 0;
  return source.lines.starts[headingLines(source, first).last + 1] ?? source.text.length;
}

function withoutBlankStart(text: string): string {
  return text.replace(/^(?:[ \t]*(?:\r\n?|\n))+/, '');
}

/**
 * What a link to a part of a merged note must name now: undefined if it stays as it is written. `inexact`: no link can
 * name the part alone, so the link leads to the whole section.
 */
function mergedSubpath(
  merged: EditedNote,
  part: MergedPart,
  subpath: string,
): { readonly subpath: string; readonly inexact?: true } | undefined {
  const { source, before, renamed, title, headingAt, dropsTitle } = part;
  if (subpath === '') {
    const section = headingSubpath([title]);
    const line = resolveSubpath(section, merged.note, merged.lines.starts.length)?.line;
    return line === merged.note.headings[headingAt]?.line ? { subpath: section } : undefined;
  }
  const id = /#\s*\^([^#]*)$/.exec(subpath)?.[1]?.trim().toLowerCase();
  if (id !== undefined) {
    const now = renamed.get(id);
    return now === undefined ? undefined : { subpath: `#^${now}` };
  }
  const span = resolveSubpath(subpath, before.note, before.lines.starts.length);
  const index = before.note.headings.findIndex(({ line }) => line === span?.line);
  if (span === null || index === -1) return undefined;
  const place = headingAt + (dropsTitle ? index : index + 1);
  const leads = (to: string): boolean =>
    resolveSubpath(to, merged.note, merged.lines.starts.length)?.line === merged.note.headings[place]?.line;
  if (leads(subpath)) return undefined;
  const headings = [
    `${headingSubpath([title])}${subpath}`,
    headingPath(source, index, [title]),
    headingPath(source, index, []),
  ];
  const exact = headings.find(leads);
  return exact === undefined ? { subpath: headingSubpath([title]), inexact: true } : { subpath: exact };
}

/** The heading with those of the sections around it. */
function headingPath({ note: { headings } }: EditedNote, index: number, above: readonly string[]): string {
  const path: string[] = [];
  let level = Number.POSITIVE_INFINITY;
  for (let at = index; at >= 0; at -= 1) {
    const heading = headings[at];
    if (heading === undefined || heading.level >= level) continue;
    path.unshift(heading.text);
    level = heading.level;
  }
  return headingSubpath([...above, ...path]);
}

const MAX_LEVEL = 6;

/** Levels below the lowest become the lowest. The text itself if its headings are below `level` already, or cannot be moved. */
function headingsBelow(level: number, path: string, text: string): string {
  const edited = editedNote(path, text);
  const { headings } = edited.note;
  const shift = level + 1 - Math.min(...headings.map((heading) => heading.level));
  if (headings.length === 0 || shift <= 0) return text;
  const levelOf = (old: number): number => Math.min(old + shift, MAX_LEVEL);
  const splices = headings.flatMap((heading): Splice[] => {
    const { first, last } = headingLines(edited, heading);
    const isUnderlined = first !== last;
    const signs = '#'.repeat(levelOf(heading.level) - (isUnderlined ? 0 : heading.level));
    const mark = { from: heading.offset, to: heading.offset, text: isUnderlined ? `${signs} ` : signs };
    const [end = 0, underlineEnd = 0] = [edited.lines.ends[first], edited.lines.ends[last]];
    return isUnderlined ? [mark, { from: end, to: underlineEnd, text: '' }] : [mark];
  });
  const moved = applySplices(text, sortSplices(splices));
  const movedHeadings = parseNote(moved).headings;
  const isMeant =
    movedHeadings.length === headings.length &&
    movedHeadings.every(
      (heading, at) => heading.text === headings[at]?.text && heading.level === levelOf(headings[at].level),
    );
  return isMeant ? moved : text;
}

/** `renamed`: the new id of each renamed one, in lower case. Undefined if an id is not at the end of a line of its block. */
function withFreeBlockIds(path: string, text: string, used: ReadonlySet<string>) {
  const edited = editedNote(path, text);
  const own = new Set(edited.note.blocks.map(({ id }) => id.toLowerCase()));
  const renamed = new Map<string, string>();
  for (const id of own)
    if (used.has(id))
      renamed.set(
        id,
        freeId(id, (each) => used.has(each) || own.has(each)),
      );
  const splices = edited.note.blocks.flatMap((block): (Splice | undefined)[] => {
    const to = renamed.get(block.id.toLowerCase());
    return to === undefined ? [] : [spliceOf(edited, block, to)];
  });
  if (splices.includes(undefined)) return undefined;
  const unique = new Map((splices as Splice[]).map((splice) => [splice.from, splice]));
  const after = applySplices(text, sortSplices([...unique.values()]));
  const ids = edited.note.blocks.map(({ id }) => renamed.get(id.toLowerCase()) ?? id);
  const isMeant = parseNote(after).blocks.every(({ id }, index) => id === ids[index]);
  return isMeant ? { text: after, renamed } : undefined;
}

function freeId(id: string, isTaken: (id: string) => boolean): string {
  let number = 2;
  while (isTaken(`${id}-${number}`)) number += 1;
  return `${id}-${number}`;
}

/** The id ends a line of the block, or the next line with text below it. */
function spliceOf({ text, lines }: EditedNote, { id, line, endLine }: Block, to: string): Splice | undefined {
  for (let at = line - 1; at < lines.starts.length; at += 1) {
    const [from = 0, end = 0] = [lines.starts[at], lines.ends[at]];
    const quoted = from + (/^[ \t>]*/.exec(text.slice(from, end))?.[0].length ?? 0);
    if (blockIdAt(text, quoted, end)?.id === id) {
      const idFrom = text.lastIndexOf(`^${id}`, end) + 1;
      return { from: idFrom, to: idFrom + id.length, text: to };
    }
    if (at >= endLine && quoted < end) return undefined;
  }
  return undefined;
}
