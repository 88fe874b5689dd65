// Changes the properties of a note: only the lines of the properties named change, or nothing does. Reads and writes no file.
import { isDeepStrictEqual } from 'node:util';
import { VaultgraphError } from '../../base/errors.ts';
import type { Properties, PropertyValue } from '../../base/note.ts';
import { bodyStart, readFrontMatter } from '../frontmatter/front-matter.ts';
import { type Lines, positionAt, splitLines } from '../parse/lines.ts';
import { dominantLineEnd } from './line-ends.ts';
import { type PropertyChanges, type PropertyPlan, planProperties } from './property-plan.ts';
import { editRefusal } from './refusal.ts';
import { changeList } from './yaml-list.ts';
import { addPair, removePair, replaceValue } from './yaml-map.ts';
import { findPair, readYamlSource, sharedAnchor, type YamlSource } from './yaml-source.ts';

export interface EditedProperties {
  /** The text as it was when nothing was to change. */
  readonly text: string;
  /** One line for each removal that found nothing to remove. */
  readonly notices: readonly string[];
}

/**
 * New properties come last; front matter is made where there is none, and goes with its last property unless there is a comment
 * in it. A value equal to the one that stands there is no change.
 * @param text as decoded, without a byte order mark
 * @throws PROPERTIES_INVALID when the front matter does not parse or an anchor in it ties a property to another one ·
 * INVALID_INPUT when a value cannot be written so that it reads back, or the arguments contradict each other
 */
export function editProperties(path: string, text: string, changes: PropertyChanges): EditedProperties {
  const lines = splitLines(text);
  const { fault, properties, bodyLine } = readFrontMatter(text, lines);
  if (fault !== undefined) throw new VaultgraphError('PROPERTIES_INVALID', { path, ...fault });
  const { wanted, notices } = planProperties(properties, changes);
  if (wanted.size === 0) return { text, notices };
  const front = frontMatterOf(text, lines, bodyLine);
  const before = readYamlSource(front.source, front.lineEnd);
  refuseSharedAnchors(before, wanted, (reason, offset) => {
    const { line, column } = positionAt(lines, front.from + offset);
    return new VaultgraphError('PROPERTIES_INVALID', { path, line, column, reason });
  });
  const changed = withSource(text, front, changeSource(before, wanted, properties));
  refuseMisread(changed, text.slice(front.bodyFrom), properties, wanted);
  return { text: changed, notices };
}

interface FrontMatterPlace {
  readonly exists: boolean;
  readonly source: string;
  /** Where the source begins and ends, and where the body begins. */
  readonly from: number;
  readonly to: number;
  readonly bodyFrom: number;
  readonly lineEnd: string;
}

function frontMatterOf(text: string, { starts, ends }: Lines, bodyLine: number): FrontMatterPlace {
  const lineEnd = dominantLineEnd(text);
  if (bodyLine === 0) return { exists: false, source: '', from: 0, to: 0, bodyFrom: 0, lineEnd };
  const [from = 0, to = 0, bodyFrom = text.length] = [starts[1], starts[bodyLine - 1], starts[bodyLine]];
  return { exists: true, source: text.slice(from, to), from, to, bodyFrom, lineEnd: text.slice(ends[0], from) };
}

function refuseSharedAnchors(
  yaml: YamlSource,
  wanted: PropertyPlan['wanted'],
  refusal: (reason: string, offset: number) => VaultgraphError,
): void {
  for (const name of wanted.keys()) {
    const pair = findPair(yaml, name);
    const shared = yaml.map === null || pair === undefined ? undefined : sharedAnchor(yaml.map, pair);
    if (shared !== undefined)
      throw refusal(`another property refers to the anchor &${shared.name} of ${JSON.stringify(name)}`, shared.offset);
  }
}

function changeSource(before: YamlSource, wanted: PropertyPlan['wanted'], properties: Properties): string {
  let yaml = before;
  for (const [name, value] of wanted)
    yaml = readYamlSource(changeProperty(yaml, name, value, properties[name]), yaml.lineEnd);
  return yaml.source;
}

function changeProperty(
  yaml: YamlSource,
  name: string,
  value: PropertyValue | undefined,
  old: PropertyValue | undefined,
): string {
  const pair = findPair(yaml, name);
  if (pair === undefined) return value === undefined ? yaml.source : addPair(yaml, name, value);
  if (value === undefined) return removePair(yaml, pair);
  const list = Array.isArray(old) && Array.isArray(value) ? changeList(yaml, pair, old, value) : undefined;
  return list ?? replaceValue(yaml, pair, value);
}

/**
 * An empty front matter gets a blank line below its first property: by that line it is told from one that was made for the
 * property, and stays when the property goes.
 */
function withSource(text: string, front: FrontMatterPlace, source: string): string {
  const { exists, from, to, bodyFrom, lineEnd } = front;
  if (!exists) return `---${lineEnd}${source}---${lineEnd}${text}`;
  const body = text.slice(bodyFrom);
  if (source === '' && bodyStart(body, splitLines(body)).bodyLine === 0) return body;
  const wasEmpty = front.source === '' && source !== '';
  const isEmptied = source === lineEnd && !front.source.startsWith(lineEnd);
  return text.slice(0, from) + (isEmptied ? '' : source + (wasEmpty ? lineEnd : '')) + text.slice(to);
}

/** What is written must read as what was asked for, and all else as before. */
function refuseMisread(changed: string, body: string, properties: Properties, wanted: PropertyPlan['wanted']): void {
  const expected = new Map(Object.entries(properties));
  for (const [name, value] of wanted) {
    if (value === undefined) expected.delete(name);
    else expected.set(name, value);
  }
  const read = readFrontMatter(changed, splitLines(changed));
  const isRead = isDeepStrictEqual(read.properties, Object.fromEntries(expected));
  if (isRead && read.fault === undefined && changed.slice(read.bodyOffset) === body) return;
  const rule = `this front matter cannot take ${[...wanted.keys()].map((name) => JSON.stringify(name)).join(', ')} so that it reads back`;
  throw editRefusal('set_properties', 'set', rule);
}
