// Reads the TOML front matter of a note of Hugo.
import { parse, TomlDate, TomlError } from 'smol-toml';
import type { Properties, PropertiesFault, PropertyValue, Tag } from '../../base/note.ts';
import { isObject } from '../../base/plain-object.ts';
import { type Lines, positionAt } from '../parse/lines.ts';
import { isTagName } from '../parse/tag.ts';

/** What is read of front matter in TOML or JSON. */
export interface PlainContent {
  readonly properties: Properties;
  readonly fault?: PropertiesFault;
  readonly notices: readonly string[];
  readonly aliases: readonly string[];
  readonly tags: readonly Tag[];
}

export const NO_CONTENT: PlainContent = { properties: {}, notices: [], aliases: [], tags: [] };

/** Deeper values are not read, because code that goes through them needs stack for each level. */
export const MAX_DEPTH = 64;
export const TOO_DEEP = `it is nested more than ${MAX_DEPTH} deep`;

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

/** @param from the offset of `source` in the file */
export function readToml(source: string, lines: Lines, from: number): PlainContent {
  try {
    const table = parse(source, { integersAsBigInt: 'asNeeded' });
    // Keys such as `a.a.a` nest without brackets, which the parser counts.
    if (isDeeper(table, MAX_DEPTH)) return { ...NO_CONTENT, fault: { line: 2, column: 1, reason: TOO_DEEP } };
    return contentOf(table, source, lines, from);
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const [reason = 'it cannot be parsed'] = thrown.message.replace(/^Invalid TOML document: /, '').split('\n', 1);
    return { ...NO_CONTENT, fault: { line: thrown.line + 1, column: thrown.column, reason } };
  }
}

/** Also of a note whose properties are JSON. */
export function contentOf(table: object, source: string, lines: Lines, from: number): PlainContent {
  const properties = plainValue(table) as Properties;
  const taxonomies = isObject(properties.taxonomies) ? (properties.taxonomies as Properties) : {};
  const names = [...textsIn(properties.tags), ...textsIn(taxonomies.tags)].map((text) => text.trim().replace(/^#/, ''));
  const wrong = names.filter((name) => !isTagName(name));
  return {
    properties,
    notices: wrong.map((name) => `tags: ${JSON.stringify(name)} is not a valid tag and is ignored.`),
    aliases: textsIn(properties.aliases),
    tags: names.filter(isTagName).map((name) => {
      const at = Math.max(placeOf(name, source), 0);
      return { tag: `#${name}`, from: 'properties', ...positionAt(lines, from + at) };
    }),
  };
}

/** Where the text is written within quotes, after the name of the list; -1 with escape sequences in it. */
function placeOf(name: string, source: string): number {
  const list = Math.max(source.search(/^[ \t]*\{?[ \t]*["']?tags["']?[ \t]*[=:]/m), 0);
  const found = ['"', "'", '"#', "'#"].map((quote) => {
    const at = source.indexOf(quote + name + quote.charAt(0), list);
    return at === -1 ? -1 : at + quote.length;
  });
  return found.find((at) => at !== -1) ?? -1;
}

const textsIn = (value: PropertyValue | undefined): string[] =>
  [value].flat().filter((one): one is string => typeof one === 'string' && one.trim() !== '');

/** Dates as they are written, numbers beyond the exact ones as text. */
function plainValue(value: unknown): PropertyValue {
  if (value instanceof TomlDate) return value.toISOString().replace(/\.000(?=Z|[+-]|$)/, '');
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(plainValue);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plainValue(one)]));
  return value as PropertyValue;
}
