// Lists the texts of a note that are searched, by field.
import { type NotePath, noteName, type ParsedNote, type Properties, type PropertyValue } from '../base/note.ts';
import { foldName } from '../markdown/links/fold.ts';
import { shownText } from '../markdown/parse/shown-text.ts';
import { distinctTags } from '../markdown/parse/tag.ts';
import { withoutDataUris } from '../markdown/parse/text-run.ts';
import { noteTitle } from '../markdown/properties/note-title.ts';

const OWN_FIELD: ReadonlySet<string> = new Set(['title', 'alias', 'aliases', 'tag', 'tags']);
/** What a plugin keeps in the properties of its notes: `excalidraw-plugin: parsed`, `kanban-plugin: board`, `mindmap-layout: tree`. */
const OF_PLUGIN = /^(?:excalidraw|tldraw|kanban|mindmap|database|sr|linter)-|-plugin$/;

export interface NoteToIndex {
  readonly path: NotePath;
  /** The whole text. */
  readonly text: string;
  readonly parsed: ParsedNote;
}

/** Where a heading was in the body, and where it ends among the headings; the title is not one of them. */
export interface HeadingPlace {
  readonly cut: number;
  readonly end: number;
  readonly isTitle: boolean;
}

export interface NoteTexts {
  /** In the order of `FIELDS`. */
  readonly texts: readonly string[];
  /** The place of each heading, as if the texts had no data URIs, which are removed from them. */
  readonly places: readonly HeadingPlace[];
}

export function noteTexts(note: NoteToIndex): NoteTexts {
  const { aliases, properties, tags } = note.parsed;
  const title = noteTitle(note.path, properties);
  const { headings, body, cuts } = withoutHeadings(note);
  const others = headings.map(({ text }) => text).filter((text) => text !== title);
  // A note with another title can still be found by its file name.
  const name = noteName(note.path);
  const otherNames = title === name ? aliases : [...aliases, name];
  const lists = [otherNames, others, distinctTags(tags), propertyTexts(properties)];
  const texts = [title, ...lists.map((each) => each.join('\n')), blankEscapes(body)].map(withoutDataUris);
  let end = -1;
  const places = headings.map(({ text }, at) => {
    const isTitle = text === title;
    if (!isTitle) end += text.length + 1;
    return { cut: cuts[at] ?? 0, end, isTitle };
  });
  return { texts, places };
}

const ADDRESS = /(?:\]\(<?|https?:\/\/)[^\s)>]*/g;
/** An escape of a sign between words, so that `My%20note` has the words of its name, or of a letter beyond ASCII, whose bytes are no words. */
const ESCAPE = /%(?:2[0-9A-F]|3[A-F]|40|5[B-E]|60|7[B-E]|[89A-F][0-9A-F])/gi;

/** With blanks instead of such escapes in addresses, so that every offset stays the same. */
function blankEscapes(text: string): string {
  return text.includes('%') ? text.replace(ADDRESS, (address) => address.replace(ESCAPE, '   ')) : text;
}

/** The string values, except those that have a field of their own. */
function propertyTexts(properties: Properties): string[] {
  const others = Object.entries(properties).filter(([name]) => !OWN_FIELD.has(foldName(name)) && !OF_PLUGIN.test(name));
  return others.flatMap(([, value]) => stringsIn(value));
}

function stringsIn(value: PropertyValue): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(stringsIn);
}

/** Headings have a field of their own. */
function withoutHeadings({ path, text: written, parsed }: NoteToIndex) {
  const text = shownText(path, written);
  let from = parsed.bodyOffset;
  const headings = parsed.headings.filter(({ offset }) => text.charAt(offset) !== ' ');
  const parts: string[] = [];
  const cuts: number[] = [];
  let length = -1;
  for (const heading of headings) {
    parts.push(text.slice(from, heading.offset));
    length += heading.offset - from + 1;
    cuts.push(length);
    from = text.indexOf(heading.text, heading.offset) + heading.text.length;
  }
  return { headings, body: [...parts, text.slice(from)].join('\n'), cuts };
}
