// Compares two texts of a file: which links are new, and which names it gains.
import { fileKindOf, type Link, type ParsedNote } from '../../base/note.ts';
import { canvasOutline } from '../parse/canvas-outline.ts';
import { parseNote } from '../parse/parse-note.ts';
import { titleProperty } from '../properties/note-title.ts';
import { subpathOf } from './fold.ts';

export interface ComparedTexts {
  readonly path: string;
  /** Absent for a new file. */
  readonly before?: string | undefined;
  readonly after: string;
}

export type TextChanges = ReturnType<typeof compareParsed>;

export function compareTexts({ path, before = '', after }: ComparedTexts): TextChanges {
  if (fileKindOf(path) === 'canvas') return compareParsed(canvasOutline(before).parsed, canvasOutline(after).parsed);
  const old = parseNote(before);
  return compareParsed(old, parseNote(after, old));
}

/** What is compared. A canvas has no notices. */
type Parsed = Pick<ParsedNote, 'links' | 'properties' | 'aliases'> &
  Partial<Pick<ParsedNote, 'notices' | 'propertiesFault'>>;

/**
 * Links compare by what they name: `links` are new, and `dropped` is what links were written as of which none is left but new ones.
 * `aliases` and `title` are those that the file did not have, `names` all of them. What stays is left out, since a note may have a
 * million links.
 */
export function compareParsed(old: Parsed, now: Parsed) {
  const same = sharedStart(old.links, now.links);
  const isNew = newcomers(old.links.slice(same));
  const title = titleProperty(now.properties);
  const links: Link[] = [];
  const dropped = new Set(old.links.slice(same).map(({ link }) => link));
  for (const [at, link] of now.links.entries()) {
    if (at >= same && isNew(link)) links.push(link);
    else dropped.delete(link.link);
  }
  const isNewTitle = title !== undefined && title !== titleProperty(old.properties);
  return {
    links: links.map((link) => ({ kind: link.kind, link: link.link, subpath: subpathOf(link), line: link.line })),
    dropped: [...dropped],
    names: title === undefined ? now.aliases : [...now.aliases, title],
    aliases: added(now.aliases, old.aliases),
    ...(isNewTitle ? { title } : {}),
    notices: added(ignoredProperties(now), ignoredProperties(old)),
  };
}

function added(now: readonly string[], old: readonly string[]): readonly string[] {
  const before = new Set(old);
  return now.filter((text) => !before.has(text));
}

/** What Obsidian ignores in the properties of a note; nothing in a canvas. */
function ignoredProperties(parsed: Parsed): readonly string[] {
  const { notices = [], propertiesFault: fault } = parsed;
  if (fault === undefined) return notices;
  return [
    `the properties are not valid YAML (line ${fault.line}, column ${fault.column}: ${fault.reason}), so the note has none.`,
  ];
}

/** How many links both begin with. */
function sharedStart(old: readonly Link[], now: readonly Link[]): number {
  const at = now.findIndex((link, index) => {
    const oldName = old[index];
    return oldName === undefined || keyOf(oldName) !== keyOf(link);
  });
  return at === -1 ? now.length : at;
}

/** Whether a link, asked for in document order, is one more than there were. */
function newcomers(links: readonly Link[]): (link: Link) => boolean {
  const left = new Map<string, number>();
  for (const link of links) left.set(keyOf(link), (left.get(keyOf(link)) ?? 0) + 1);
  return (link) => {
    const count = left.get(keyOf(link)) ?? 0;
    left.set(keyOf(link), count - 1);
    return count <= 0;
  };
}

function keyOf({ kind, link, display }: Link): string {
  return kind === 'canvas' ? `/${display}` : link;
}
