// Renames a tag in the properties and the text of one file.
import { isDeepStrictEqual } from 'node:util';
import { fileKindOf, type ParsedNote, type Tag } from '../../base/note.ts';
import { applySplices, type Splice, sortSplices } from '../edit/splice.ts';
import { foldName } from '../links/fold.ts';
import { parseCanvas } from '../parse/canvas.ts';
import { parseNote } from '../parse/parse-note.ts';
import { tagsFrom } from '../parse/tag.ts';
import { editProperties } from './edit-properties.ts';
import { type MapTag, type TagRename, tagMapper } from './tag-name.ts';
import { DEFAULT_STYLE, yamlInline } from './yaml-value.ts';

export interface RenamedTags {
  /** The original text if nothing was renamed. */
  readonly text: string;
  /** Each place, as it was. */
  readonly renamed: readonly { readonly tag: string; readonly line: number }[];
  /** Why the tags of this file cannot be renamed. */
  readonly reason?: string;
}

/**
 * @param path of a note or canvas
 * @param text as decoded, without a byte order mark
 * @throws PROPERTIES_INVALID, INVALID_INPUT for a list of tags that cannot be shortened by a repeated one
 */
export function renameTags(path: string, text: string, rename: TagRename): RenamedTags {
  const map = tagMapper(rename);
  const parse = fileKindOf(path) === 'canvas' ? parseCanvas : parseNote;
  const before = parse(text);
  const concerned = before.tags.filter(({ tag }) => {
    const to = map(tag.slice(1));
    return to !== undefined && `#${to}` !== tag;
  });
  if (concerned.length === 0) return { text, renamed: [] };
  const splices = concerned.map((tag) => spliceOf(text, tag, map));
  const renamed = concerned.map(({ tag, line }) => ({ tag, line }));
  if (splices.includes(undefined)) return { text, renamed: [], reason: 'a tag is not written in one piece' };
  const newText = applySplices(text, sortSplices(splices as Splice[]));
  const after = withoutRepeats(path, newText, before, map);
  if (isAsMeant(before, parse(after), map)) return { text: after, renamed };
  return { text, renamed: [], reason: 'with the new tag the text would read otherwise' };
}

/** Undefined if the tag is not spelled out at its place, as in a YAML text with escapes. */
function spliceOf(text: string, { tag, from, offset }: Tag, map: MapTag): Splice | undefined {
  const name = tag.slice(1);
  const to = map(name) ?? name;
  if (from === 'body') {
    return text.startsWith(tag, offset) ? { from: offset + 1, to: offset + tag.length, text: to } : undefined;
  }
  const quoted = /["']/.test(text.charAt(offset - 1));
  const at = offset + (/^[ \t]*#?/.exec(text.slice(offset, offset + MAX_LEAD))?.[0].length ?? 0);
  if (!text.startsWith(name, at)) return undefined;
  return { from: at, to: at + name.length, text: quoted ? to : yamlInline(to, DEFAULT_STYLE) };
}

/** Blanks and a `#` before the tag inside a quoted text. */
const MAX_LEAD = 64;

/**
 * Leaves each renamed tag once in the list of the properties.
 * @throws PROPERTIES_INVALID, INVALID_INPUT for a list that cannot be shortened
 */
function withoutRepeats(path: string, text: string, before: ParsedNote, map: MapTag): string {
  const { properties } = parseNote(fileKindOf(path) === 'canvas' ? '' : text);
  const name = Object.keys(properties).find((each) => each.toLowerCase() === 'tags');
  const list = name === undefined ? undefined : properties[name];
  if (name === undefined || !Array.isArray(list)) return text;
  const newTags = new Set(tagsFrom(before.tags, 'properties').map(({ tag }) => foldName(map(tag.slice(1)) ?? '')));
  const seen = new Set<string>();
  const tags = list.filter((item) => {
    const key = typeof item === 'string' ? foldName(item.trim().replace(/^#/, '')) : '';
    if (key === '' || !newTags.has(key)) return true;
    return !seen.has(key) && seen.add(key);
  });
  return tags.length === list.length ? text : editProperties(path, text, { set: { [name]: tags } }).text;
}

/** Whether the tags are the renamed ones and everything else reads as before. */
function isAsMeant(before: ParsedNote, after: ParsedNote, map: MapTag): boolean {
  const expectedTags = (origin: Tag['from']): string[] =>
    tagsFrom(before.tags, origin).map(({ tag }) => map(tag.slice(1)) ?? tag.slice(1));
  const actualTags = (origin: Tag['from']): string[] => tagsFrom(after.tags, origin).map(({ tag }) => tag.slice(1));
  const distinct = (tags: readonly string[]): string[] => [...new Set(tags.map(foldName))].sort();
  return (
    isDeepStrictEqual(expectedTags('body'), actualTags('body')) &&
    isDeepStrictEqual(distinct(expectedTags('properties')), distinct(actualTags('properties'))) &&
    isDeepStrictEqual(withoutTags(before), withoutTags(after))
  );
}

/** What a rename leaves as it is. */
function withoutTags({ properties, propertiesFault, aliases, headings, blocks, links, tasks }: ParsedNote) {
  const others = Object.entries(properties).filter(([name]) => name.toLowerCase() !== 'tags');
  return {
    others,
    aliases,
    fault: propertiesFault?.reason,
    headings: headings.length,
    blocks: blocks.map(({ id }) => id),
    links: links.map(({ link, kind }) => [link, kind]),
    tasks: tasks.map(({ mark, due }) => [mark, due]),
  };
}
