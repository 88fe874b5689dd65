// Lists the texts of a note that are searched, by field.
import {
  fileKindOf,
  type NotePath,
  noteName,
  type ParsedNote,
  type Properties,
  type PropertyValue,
} from '../base/note.ts';
import { noteTitle } from '../markdown/frontmatter/note-title.ts';
import { foldName } from '../markdown/links/fold.ts';
import { withoutDataUris } from '../markdown/parse/data-uris.ts';
import { distinctTags } from '../markdown/parse/tag.ts';

const OWN_FIELD: ReadonlySet<string> = new Set(['title', 'alias', 'aliases', 'tag', 'tags']);

export interface NoteToIndex {
  readonly path: NotePath;
  /** The whole text. */
  readonly text: string;
  readonly parsed: ParsedNote;
}

/** In the order of `FIELDS`. */
export function noteTexts(note: NoteToIndex): string[] {
  const { aliases, headings, properties, tags } = note.parsed;
  const title = noteTitle(note.path, properties);
  const others = headings.map(({ text }) => text).filter((text) => text !== title);
  // A note with another title can still be found by its file name.
  const name = noteName(note.path);
  const otherNames = title === name ? aliases : [...aliases, name];
  const lists = [otherNames, others, distinctTags(tags), propertyTexts(properties)];
  return [title, ...lists.map((texts) => texts.join('\n')), bodyWithoutHeadings(note)].map(withoutDataUris);
}

/** The string values, except those that have a field of their own. */
function propertyTexts(properties: Properties): string[] {
  const others = Object.entries(properties).filter(([name]) => !OWN_FIELD.has(foldName(name)));
  return others.flatMap(([, value]) => stringsIn(value));
}

function stringsIn(value: PropertyValue): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(stringsIn);
}

/** Headings have a field of their own. The offsets of a canvas are inside JSON strings, so its text keeps the headings. */
function bodyWithoutHeadings({ path, text, parsed }: NoteToIndex): string {
  let from = parsed.bodyOffset;
  if (fileKindOf(path) !== 'note') return text.slice(from);
  const parts: string[] = [];
  for (const heading of parsed.headings) {
    parts.push(text.slice(from, heading.offset));
    from = text.indexOf(heading.text, heading.offset) + heading.text.length;
  }
  return [...parts, text.slice(from)].join('\n');
}
