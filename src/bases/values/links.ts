// Converts the properties of a note to values, and finds the files that links in texts lead to.
import { type NotePath, noteName, type Properties, type PropertyValue } from '../../base/note.ts';
import { resolveLink } from '../../markdown/links/resolve-link.ts';
import { displayOf, readWikilink, wikilinkClose } from '../../markdown/parse/wikilink.ts';
import type { BaseFile, BaseFiles } from '../files.ts';
import { parseDateValue } from './dates.ts';
import type { FileValue, LinkValue, TagValue, Value } from './value.ts';

const URL_START = /^[a-z][a-z0-9+.-]*:\/\//i;

/** The link of a text that is one `[[link]]` and nothing else. */
export function wikilinkIn(text: string, source: NotePath): LinkValue | undefined {
  if (!text.startsWith('[[') || wikilinkClose(text, 0) !== text.length - 2) return undefined;
  const wikilink = readWikilink(text.slice(2, -2));
  return wikilink === undefined ? undefined : linkValue(wikilink.link, source, wikilink.display);
}

export function linkValue(link: string, source: NotePath, display?: Value): LinkValue {
  const shows = display !== undefined && display !== null && display !== displayOf(link);
  return { kind: 'link', link, source, ...(shows ? { display } : {}) };
}

/** A link that leads to the file from anywhere. */
export function linkTo({ path }: BaseFile, display?: Value): LinkValue {
  return { ...linkValue(`/${path}`, path, display ?? noteName(path)), target: path };
}

/** The path of the file, null for a link to a URL or to no file. */
export function targetOf({ link, source, target }: LinkValue, files: BaseFiles): NotePath | null {
  if (target !== undefined) return target;
  return URL_START.test(link) ? null : resolveLink(link, source, files.candidatesFor).path;
}

export function linkedFile(link: LinkValue, files: BaseFiles): FileValue | null {
  const path = targetOf(link, files);
  const file = path === null ? undefined : files.at(path);
  return file === undefined ? null : { kind: 'file', file };
}

/** The file that a file, a link or a text such as a path, a name or `[[name]]` means. */
export function fileMeant(value: Value, source: NotePath, files: BaseFiles): FileValue | null {
  if (typeof value === 'string') {
    return linkedFile(wikilinkIn(value, source) ?? linkValue(value, source), files);
  }
  if (typeof value !== 'object' || value === null || !('kind' in value)) return null;
  if (value.kind === 'file') return value;
  return value.kind === 'link' ? linkedFile(value, files) : null;
}

/** What Obsidian's `types.json` says of properties, by their names in lower case. */
export type PropertyTypes = ReadonlyMap<string, string>;

/** Texts of these types are never dates. */
const TEXT_TYPES: ReadonlySet<string> = new Set(['text', 'multitext', 'aliases']);

/** `[[links]]` and dates in properties have types of their own; null for a property that the note does not have. */
export function propertyOf({ path, properties }: BaseFile, name: string, types: PropertyTypes): Value {
  const key = keyOf(properties, name);
  if (key === undefined) return null;
  const value = properties[key] as PropertyValue;
  const folded = key.toLowerCase();
  return folded === 'tags' ? tagsIn(value, path) : toValue(value, path, types.get(folded));
}

/** The name itself, else the first that differs only in case. */
export function keyOf(properties: Properties, name: string): string | undefined {
  if (Object.hasOwn(properties, name)) return name;
  const folded = name.toLowerCase();
  return Object.keys(properties).find((key) => key.toLowerCase() === folded);
}

export function objectOf(properties: Properties, source: NotePath): Value {
  const entries = Object.entries(properties).map(([name, value]) => [name, toValue(value, source)] as const);
  return { kind: 'object', entries: new Map(entries) };
}

export function tagValue(tag: string): TagValue {
  return { kind: 'tag', name: tag.replace(/^#/, '') };
}

function toValue(value: PropertyValue, source: NotePath, type?: string): Value {
  if (typeof value === 'string') return textValue(value, source, type);
  if (typeof value !== 'object' || value === null) return value;
  if (isItems(value)) return value.map((item) => toValue(item, source, type));
  return objectOf(value as Properties, source);
}

function textValue(text: string, source: NotePath, type: string | undefined): Value {
  const link = wikilinkIn(text, source);
  if (link !== undefined) return link;
  if (type !== undefined && TEXT_TYPES.has(type)) return text;
  const number = type === 'number' && text.trim() !== '' ? Number(text) : Number.NaN;
  return Number.isNaN(number) ? (parseDateValue(text) ?? text) : number;
}

function isItems(value: PropertyValue): value is readonly PropertyValue[] {
  return Array.isArray(value);
}

function tagsIn(value: PropertyValue, source: NotePath): Value {
  if (!isItems(value)) return toValue(value, source);
  return value.map((item) => (typeof item === 'string' ? tagValue(item) : toValue(item, source)));
}
