// Finds and parses the front matter of a note: properties, tags, aliases and links.
import { isMap, isScalar, isSeq, type Scalar, type YAMLMap } from 'yaml';
import {
  currentDialect,
  type Dialect,
  type Link,
  type Position,
  type Properties,
  type PropertiesFault,
  type Tag,
} from '../../base/note.ts';
import { isSite } from '../links/addresses.ts';
import { skipBlanks } from '../parse/characters.ts';
import { type Lines, positionAt, splitLines } from '../parse/lines.ts';
import { decodeDestination, inlineTargetAt, isExternal } from '../parse/markdown-link.ts';
import { isTagName } from '../parse/tag.ts';
import { type LinkText, readWikilink, wikilinkClose } from '../parse/wikilink.ts';
import { lineAfterJson, readJson } from './json-properties.ts';
import { parsePlainYaml } from './plain-yaml.ts';
import { rangeOf, readValues } from './property-values.ts';
import { readToml } from './toml-properties.ts';
import { parseYaml, type YamlFault } from './yaml-tree.ts';

export interface FrontMatter {
  readonly properties: Properties;
  readonly fault?: PropertiesFault;
  readonly notices: readonly string[];
  readonly aliases: readonly string[];
  readonly tags: readonly Tag[];
  readonly links: readonly Link[];
  /** The first line of the body, 0-based, and its offset. */
  readonly bodyLine: number;
  readonly bodyOffset: number;
}

const YAML = '---';
const TOML = '+++';
const EMPTY = { properties: {}, notices: [], aliases: [], tags: [], links: [] };

/** The first line after the front matter, 0-based, and its offset; both 0 without front matter. */
export function bodyStart(text: string, lines: Lines): Pick<FrontMatter, 'bodyLine' | 'bodyOffset'> {
  const closing = closingLine(text, lines);
  const bodyLine = closing === 0 ? lineAfterJson(text, lines) : closing + 1;
  return { bodyLine, bodyOffset: bodyLine === 0 ? 0 : (lines.starts[bodyLine] ?? text.length) };
}

export function textAfterProperties(text: string): string {
  return text.slice(bodyStart(text, splitLines(text)).bodyOffset);
}

export function readFrontMatter(text: string, lines: Lines): FrontMatter {
  const { bodyLine, bodyOffset } = bodyStart(text, lines);
  if (bodyLine === 0) return { ...EMPTY, bodyLine, bodyOffset };
  const closing = bodyLine - 1;
  if (text.startsWith('{'))
    return { links: [], ...readJson(text.slice(0, lines.ends[closing]), lines), bodyLine, bodyOffset };
  const from = lines.starts[1] ?? 0;
  const source = text.slice(from, lines.starts[closing]);
  if (text.startsWith(TOML)) return { links: [], ...readToml(source, lines, from), bodyLine, bodyOffset };
  const read = readYaml(source, (offset) => positionAt(lines, from + offset));
  return { ...read, bodyLine, bodyOffset };
}

/** Systems in which three dots close the front matter, too. */
const WITH_DOTS: readonly Dialect[] = ['jekyll', 'mkdocs', 'quarto'];

/** The line that closes the front matter, 0-based; 0 if there is none. Other systems ignore blanks after the opening mark. */
function closingLine(text: string, lines: Lines): number {
  const mark = text.startsWith(YAML) || currentDialect() !== 'hugo' ? YAML : TOML;
  const isMark = (index: number, sign: string): boolean => {
    const [start = 0, end = 0] = [lines.starts[index], lines.ends[index]];
    return text.startsWith(sign, start) && skipBlanks(text, start + sign.length, end) === end;
  };
  if (!isMark(0, mark) || (!isSite() && lines.ends[0] !== mark.length)) return 0;
  const closing = WITH_DOTS.includes(currentDialect()) ? [mark, '...'] : [mark];
  for (let index = 1; index < lines.starts.length; index += 1)
    if (closing.some((sign) => isMark(index, sign))) return index;
  return 0;
}

type PositionOf = (offset: number) => Position;
type YamlContent = Omit<FrontMatter, 'bodyLine' | 'bodyOffset'>;

/** Reads all properties, or none and the first fault. Offsets in the source are mapped to positions in the file. */
function readYaml(text: string, at: PositionOf): YamlContent {
  const source = text.replace(/\r(?!\n)/g, '\n');
  const plain = parsePlainYaml(source);
  if (plain !== undefined) return readMap(plain, source, at);
  const tree = parseYaml(source);
  if (tree.fault !== undefined) return faulty(tree.fault, at);
  const { contents } = tree;
  if (contents === null) return EMPTY;
  return isMap(contents) ? readMap(contents, source, at) : faulty({ offset: 0, reason: 'no list of properties' }, at);
}

function faulty({ offset, reason }: YamlFault, at: PositionOf): YamlContent {
  const { line, column } = at(offset);
  return { ...EMPTY, fault: { line, column, reason } };
}

function readMap(map: YAMLMap, source: string, at: PositionOf): YamlContent {
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
    notices: [...tags.notices, ...aliases.notices, ...formerNotices(map)],
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

/** The offset of a scalar's text, after its quote. */
function textStart(source: string, node: Scalar): number {
  const [from] = rangeOf(node);
  return /["']/.test(source.charAt(from)) ? from + 1 : from;
}

/** Reads a text that consists of one link. */
function readPropertyLink(text: string): LinkText | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith('[')) return undefined;
  return trimmed.startsWith('[[') ? onlyWikilink(trimmed) : onlyMarkdownLink(trimmed);
}

function onlyWikilink(trimmed: string): LinkText | undefined {
  const close = wikilinkClose(trimmed, 0);
  return close !== -1 && close + 2 === trimmed.length ? readWikilink(trimmed.slice(2, close)) : undefined;
}

function onlyMarkdownLink(trimmed: string): LinkText | undefined {
  const close = trimmed.indexOf('](');
  const target = close === -1 ? undefined : inlineTargetAt(trimmed, close + 1);
  if (target === undefined || target.end !== trimmed.length || target.raw === '' || isExternal(target.raw))
    return undefined;
  return { link: decodeDestination(target.raw), display: trimmed.slice(1, close) };
}

/** The span of the link inside its scalar, from the first bracket to the last. */
function linkSpan(text: string, from: number, to: number): { offset: number; end: number } {
  const source = text.slice(from, to);
  const last = Math.max(source.lastIndexOf(']'), source.lastIndexOf(')'));
  return { offset: from + Math.max(source.indexOf('['), 0), end: from + last + 1 };
}

/** The names that Obsidian read until version 1.9, and what it reads instead. */
const FORMER_NAMES: ReadonlyMap<string, string> = new Map([
  ['tag', 'tags'],
  ['alias', 'aliases'],
  ['cssclass', 'cssclasses'],
]);

function formerNotices(map: YAMLMap): string[] {
  return map.items.flatMap(({ key, value }) => {
    const written = isScalar(key) ? String(key.value) : '';
    const name = FORMER_NAMES.get(written.toLowerCase());
    const isEmpty = value === null || (isScalar(value) && textOf(value) === '');
    return name === undefined || isEmpty
      ? []
      : [`${written}: Obsidian ignores it since 1.9; write \`${name}\` instead.`];
  });
}

interface NamesFound {
  /** Each name with its scalar; tags without `#`. */
  readonly names: readonly { readonly name: string; readonly node: Scalar }[];
  readonly notices: readonly string[];
}

/** The tags of the front matter. A single text is one tag; a text that is not a valid tag is skipped with a notice. */
function readTags(map: YAMLMap): NamesFound {
  return readNames(
    map,
    'tags',
    (text) => text.replace(/^#/, ''),
    (text) => isTagName(text.replace(/^#/, '')),
  );
}

/**
 * The aliases of the front matter. A single text that contains a comma is skipped with a notice; items of a list may
 * contain commas.
 */
function readAliases(map: YAMLMap): NamesFound {
  return readNames(
    map,
    'aliases',
    (text) => text,
    (text, inList) => inList || !text.includes(','),
  );
}

function readNames(
  map: YAMLMap,
  property: string,
  nameOf: (text: string) => string,
  accepts: (text: string, inList: boolean) => boolean,
): NamesFound {
  const names: { name: string; node: Scalar }[] = [];
  const notices: string[] = [];
  const { nodes, inList } = itemsOf(map, property);
  for (const node of nodes) {
    const text = isScalar(node) ? textOf(node) : undefined;
    if (text === '') continue;
    if (isScalar(node) && text !== undefined && accepts(text, inList)) names.push({ name: nameOf(text), node });
    else notices.push(noticeOf(property, text, inList));
  }
  return { names, notices };
}

/** The items of the property, whose name is compared without case. */
function itemsOf(map: YAMLMap, property: string): { nodes: readonly unknown[]; inList: boolean } {
  const found = map.items.find(({ key }) => isScalar(key) && String(key.value).toLowerCase() === property);
  const value = found?.value ?? undefined;
  if (value === undefined) return { nodes: [], inList: false };
  return isSeq(value) ? { nodes: value.items, inList: true } : { nodes: [value], inList: false };
}

/** The item as text: numbers and the like as written, null as the empty string. */
function textOf(node: Scalar): string {
  if (typeof node.value === 'string') return node.value.trim();
  return node.value === null || node.value === undefined ? '' : (node.source ?? String(node.value));
}

function noticeOf(property: string, text: string | undefined, inList: boolean): string {
  if (text === undefined) return `${property}: an item that is not text is ignored.`;
  const quotedText = JSON.stringify(text);
  if (!inList && text.includes(',')) {
    const items = /^\[.*\]$/s.test(text) ? text : `[${text}]`;
    return `${property}: ${quotedText} is one text, not a list, and is ignored; write \`${property}: ${items}\`.`;
  }
  return `${property}: ${quotedText} is not a valid tag and is ignored.`;
}
