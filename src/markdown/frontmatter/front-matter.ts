// Finds and reads the YAML front matter of a note: properties, tags, aliases and links. Knows nothing of the body.
import { isMap, type Scalar, type YAMLMap } from 'yaml';
import type { Link, Position, Properties, PropertiesFault, Tag } from '../../base/note.ts';
import { skipBlanks } from '../parse/characters.ts';
import { type Lines, positionAt } from '../parse/lines.ts';
import { linkSpan, readPropertyLink } from './property-links.ts';
import { readAliases, readTags } from './property-names.ts';
import { rangeOf, readValues } from './property-values.ts';
import type { YamlFault } from './yaml-guard.ts';
import { parseYaml } from './yaml-tree.ts';

export interface FrontMatter {
  readonly properties: Properties;
  readonly fault?: PropertiesFault;
  readonly notices: readonly string[];
  readonly aliases: readonly string[];
  readonly tags: readonly Tag[];
  readonly links: readonly Link[];
  /** The first line of the body, from 0, and its offset. */
  readonly bodyLine: number;
  readonly bodyOffset: number;
}

const MARK = '---';
const NOTHING = { properties: {}, notices: [], aliases: [], tags: [], links: [] };

/** Where the text behind the front matter begins: its first line, from 0, and its offset; both 0 without front matter. */
export function bodyStart(text: string, lines: Lines): Pick<FrontMatter, 'bodyLine' | 'bodyOffset'> {
  const closing = closingLine(text, lines);
  if (closing === 0) return { bodyLine: 0, bodyOffset: 0 };
  return { bodyLine: closing + 1, bodyOffset: lines.starts[closing + 1] ?? text.length };
}

export function readFrontMatter(text: string, lines: Lines): FrontMatter {
  const { bodyLine, bodyOffset } = bodyStart(text, lines);
  if (bodyLine === 0) return { ...NOTHING, bodyLine, bodyOffset };
  const closing = bodyLine - 1;
  const from = lines.starts[1] ?? 0;
  const read = readYaml(text.slice(from, lines.starts[closing]), (offset) => positionAt(lines, from + offset));
  return { ...read, bodyLine, bodyOffset };
}

/** The line, from 0, that closes the front matter; 0 when there is none. */
function closingLine(text: string, lines: Lines): number {
  if (!text.startsWith(MARK) || lines.ends[0] !== MARK.length) return 0;
  for (let index = 1; index < lines.starts.length; index += 1) {
    const start = lines.starts[index] ?? 0;
    const end = lines.ends[index] ?? 0;
    if (text.startsWith(MARK, start) && skipBlanks(text, start + MARK.length, end) === end) return index;
  }
  return 0;
}

type PositionOf = (offset: number) => Position;
type YamlReading = Omit<FrontMatter, 'bodyLine' | 'bodyOffset'>;

/** Reads all of it or nothing: one fault, and there are no properties. Offsets in the source become places in the file. */
function readYaml(written: string, at: PositionOf): YamlReading {
  const source = written.replace(/\r(?!\n)/g, '\n');
  const tree = parseYaml(source);
  if (tree.fault !== undefined) return faulty(tree.fault, at);
  const { contents } = tree;
  if (contents === null) return NOTHING;
  return isMap(contents) ? readMap(contents, source, at) : faulty({ offset: 0, reason: 'no list of properties' }, at);
}

function faulty({ offset, reason }: YamlFault, at: PositionOf): YamlReading {
  const { line, column } = at(offset);
  return { ...NOTHING, fault: { line, column, reason } };
}

function readMap(map: YAMLMap, source: string, at: PositionOf): YamlReading {
  const links: Link[] = [];
  const read = readValues(map, source, (text, key, node) => {
    const link = propertyLink(text, key, source, rangeOf(node), at);
    if (link !== undefined) links.push(link);
  });
  if (read.fault !== undefined) return faulty(read.fault, at);
  const tags = readTags(map);
  const aliases = readAliases(map);
  return {
    properties: read.properties,
    links,
    tags: tags.names.map(({ name, node }) => ({ tag: `#${name}`, from: 'properties', ...at(textStart(source, node)) })),
    aliases: aliases.names.map(({ name }) => name),
    notices: [...tags.notices, ...aliases.notices],
  };
}

function propertyLink(
  text: string,
  key: string,
  source: string,
  [from, to]: readonly [number, number],
  at: PositionOf,
): Link | undefined {
  const read = readPropertyLink(text);
  if (read === undefined) return undefined;
  const span = linkSpan(source, from, to);
  const start = at(span.offset);
  return { kind: 'property', ...read, key, ...start, end: start.offset + span.end - span.offset };
}

/** The first character of a scalar's text, behind its quote. */
function textStart(source: string, node: Scalar): number {
  const [from] = rangeOf(node);
  return /["']/.test(source.charAt(from)) ? from + 1 : from;
}
