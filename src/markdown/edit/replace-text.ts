// Replaces a text or a regular expression in one note, and leaves code, properties and link targets alone unless they are named.
import { isDeepStrictEqual } from 'node:util';
import { RE2JS } from 're2js';
import type { ParsedNote } from '../../base/note.ts';
import { type Labels, labelsIn, lostLabels, otherHalves } from '../links/labels.ts';
import { createLinkPathLocator } from '../links/link-path.ts';
import { scanBlocks } from '../parse/blocks.ts';
import { scanInline } from '../parse/inline.ts';
import { positionAt, splitLines } from '../parse/lines.ts';
import { parseNote } from '../parse/parse-note.ts';
import { offsetIn } from '../parse/text-run.ts';
import { bodyStart } from '../properties/front-matter.ts';
import { dominantLineEnd, withLineEnd } from './edited-note.ts';
import { foldLineEnds } from './exact-text.ts';
import { compilePattern, type PatternRefusal } from './linear-pattern.ts';
import { applySplices, sortSplices } from './splice.ts';

export const PROTECTED = ['code', 'properties', 'links'] as const;
export type ProtectedPart = (typeof PROTECTED)[number];

export interface TextToReplace extends Replacing {
  readonly path: string;
  readonly text: string;
  /** The protected parts that are searched, too. */
  readonly parts: readonly ProtectedPart[];
}

/** A link whose target, or a part of a note whose name, changes. */
export interface ChangedName {
  readonly line: number;
  readonly before: string;
  readonly after: string | null;
}

export interface ReplacedText {
  readonly text: string;
  readonly count: number;
  /** Places in protected parts, which stay as they are. */
  readonly leftAlone: Readonly<Record<ProtectedPart, number>>;
  /** Links that name something else now; `after` is null if the link is gone. */
  readonly links: readonly ChangedName[];
  /** Footnotes and reference links whose label nothing defines any more. */
  readonly lostLabels: readonly { readonly line: number; readonly label: string }[];
  /** Labels that follow the other half of their pair. */
  readonly halves: readonly { readonly line: number; readonly label: string }[];
  /** Whether headings or block ids changed, which links may name. */
  readonly renamesParts: boolean;
  /** Why the properties could not be read after the replacement, if they could before. */
  readonly fault?: string;
}

const MAX_LENGTH = 32 * 1024 * 1024;

/** An empty text only checks the pattern. */
export function replaceText({ path, text, parts, ...replacing }: TextToReplace): ReplacedText | PatternFault {
  const search = compileSearch(replacing);
  if ('rule' in search) return search;
  const folded = foldLineEnds(text);
  const matches = search(folded.text).map(({ from, to, text: now }) => {
    return { from: folded.offsetOf(from), to: folded.offsetOf(to), text: now };
  });
  const leftAlone = { code: 0, properties: 0, links: 0 };
  if (matches.length === 0)
    return { text, count: 0, leftAlone, links: [], lostLabels: [], halves: [], renamesParts: false };
  const before = parseNote(text);
  const labels = labelsIn(text);
  const partOf = createPartLookup(path, text, before, labels);
  const lineEnd = dominantLineEnd(text);
  const splices = matches.flatMap((place) => {
    const part = partOf(place);
    if (part === undefined || parts.includes(part)) return [{ ...place, text: withLineEnd(place.text, lineEnd) }];
    leftAlone[part] += 1;
    return [];
  });
  const length = splices.reduce((sum, splice) => sum + splice.text.length, text.length);
  if (length > MAX_LENGTH)
    return { argument: 'replace', rule: `would make ${path} longer than ${MAX_LENGTH} characters` };
  const halves = otherHalves(text, splices, labels);
  const changed = applySplices(text, sortSplices([...splices, ...halves]));
  const after = parseNote(changed, before);
  const lines = splitLines(text);
  const fault = before.propertiesFault === undefined ? after.propertiesFault?.reason : undefined;
  return {
    text: changed,
    count: splices.length,
    leftAlone,
    links: changedLinks(before, after),
    lostLabels: lostLabels(labels, changed),
    halves: halves.map(({ from }) => ({ line: positionAt(lines, from).line, label: labelAt(text, from) })),
    renamesParts: !isDeepStrictEqual(partsOf(before), partsOf(after)),
    ...(fault === undefined ? {} : { fault }),
  };
}

/** The reference, footnote or definition at the offset, as it is written. */
function labelAt(text: string, offset: number): string {
  const from = text.lastIndexOf('[', offset);
  return text.slice(from, text.indexOf(']', offset) + 1);
}

function partsOf({ headings, blocks }: ParsedNote) {
  return [headings.map(({ text, level }) => `${level} ${text}`), blocks.map(({ id }) => id)];
}

/** Links in their order, as far as both texts have them. */
function changedLinks(before: ParsedNote, after: ParsedNote): ChangedName[] {
  return before.links.flatMap(({ link, line }, index) => {
    const now = after.links[index]?.link ?? null;
    return now === link ? [] : [{ line, before: link, after: now }];
  });
}

/** Destinations of Markdown links and definitions, and bare URLs. */
const DESTINATIONS =
  /\]\(<?[^()<>\r\n]{1,2000}>?|^ {0,3}\[(?!\^)[^\]\r\n]{1,999}\]:[^\r\n]*|\b[a-z][a-z\d+.-]{1,20}:\/\/[^\s)>]+/gim;

/** The protected part that a place overlaps; asked for ascending places. */
function createPartLookup(
  path: string,
  text: string,
  note: ParsedNote,
  { uses, meanings }: Labels,
): (place: TextRange) => ProtectedPart | undefined {
  const locate = createLinkPathLocator(path, text);
  const targets = note.links.flatMap((link): TextRange[] => {
    const place = locate(link);
    return place === undefined ? [{ from: link.offset, to: link.end }] : [{ from: place.from, to: place.linkTo }];
  });
  const urls = [...text.matchAll(DESTINATIONS)].map(({ index, 0: url }) => ({
    from: index,
    to: index + url.length,
  }));
  // The label of a reference link and that of its definition change together, or neither does.
  const labels = uses.flatMap(({ key, from, to, length = 0 }): TextRange[] => {
    if (!meanings.has(key)) return [];
    return [length === 0 ? { from, to } : { from: to - 1 - length, to: to - 1 }];
  });
  const lookups = [
    ['properties', overlapIn([{ from: 0, to: note.bodyOffset }])],
    ['code', overlapIn(codeRanges(text))],
    ['links', overlapIn([...targets, ...urls, ...labels])],
  ] as const;
  return (place) => {
    const hits = lookups.filter(([, overlaps]) => overlaps(place));
    return hits[0]?.[0];
  };
}

/** Ranges may overlap one another. */
function overlapIn(ranges: readonly TextRange[]): (place: TextRange) => boolean {
  const ascending = ranges.toSorted((one, other) => one.from - other.from);
  let at = 0;
  let end = 0;
  return ({ from, to }) => {
    for (let range = ascending[at]; range !== undefined && range.from < Math.max(to, from + 1); range = ascending[++at])
      end = Math.max(end, range.to);
    return end > from;
  };
}

interface FoundText {
  readonly from: number;
  readonly to: number;
  /** What replaces it; references to groups are filled in. */
  readonly text: string;
}

interface Replacing {
  readonly find: string;
  readonly replace: string;
  readonly regex: boolean;
}

/** Every place in a text with LF line ends, ascending. */
type Search = (text: string) => FoundText[];

/** The argument that cannot be used, and why. */
interface PatternFault {
  readonly argument: 'find' | 'replace';
  readonly rule: string;
}

function compileSearch({ find, replace, regex }: Replacing): Search | PatternFault {
  if (!regex) return (text) => textsIn(text, find.replace(/\r\n?/g, '\n'), replace);
  const compiled = compilePattern(find, RE2JS.MULTILINE);
  if ('part' in compiled) return { argument: 'find', rule: ruleFor(compiled) };
  const groups = compiled.matcher('').groupCount();
  const names = Object.keys(compiled.namedGroups());
  const unknown = [...replace.matchAll(REFERENCE)].find(([, , number, name]) =>
    number === undefined ? name !== undefined && !names.includes(name) : Number(number) > groups,
  );
  if (unknown !== undefined)
    return { argument: 'replace', rule: `\`${unknown[0]}\` is not a group of find; write \`$$\` for a dollar sign` };
  return (text) => matchesIn(text, compiled, replace);
}

function textsIn(text: string, find: string, replace: string): FoundText[] {
  const matches: FoundText[] = [];
  for (let at = text.indexOf(find); at !== -1; at = text.indexOf(find, at + find.length))
    matches.push({ from: at, to: at + find.length, text: replace });
  return matches;
}

function ruleFor({ construct, reason, part }: PatternRefusal): string {
  if (construct === undefined) return `is not a regular expression of RE2: ${reason}: \`${part}\``;
  return `uses ${construct}, \`${part}\`, which RE2, the linear-time engine, does not support`;
}

/** `$$`, `$&`, `$1` and `$<name>`. */
const REFERENCE = /\$(?:([$&])|(\d{1,2})|<([^>]*)>)/g;

function matchesIn(text: string, pattern: RE2JS, replace: string): FoundText[] {
  const matcher = pattern.matcher(text);
  const matches: FoundText[] = [];
  while (matcher.find()) {
    const filled = replace.replace(REFERENCE, (_, sign?: string, number?: string, name?: string) => {
      if (sign === '$') return '$';
      if (sign === '&') return matcher.group() ?? '';
      return matcher.group(number === undefined ? (name ?? '') : Number(number)) ?? '';
    });
    matches.push({ from: matcher.start(), to: matcher.end(), text: filled });
  }
  return matches;
}

/** Offsets in the text. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

export function codeRanges(text: string): TextRange[] {
  const lines = splitLines(text);
  const { runs, codeLines } = scanBlocks(text, lines, bodyStart(text, lines).bodyLine);
  const spans = [...runs].flatMap((run) =>
    scanInline(run.text, false).code.map(({ from, to }) => ({ from: offsetIn(run, from), to: offsetIn(run, to) })),
  );
  const rows = codeLines.map((line) => ({ from: lines.starts[line - 1] ?? 0, to: lines.ends[line - 1] ?? 0 }));
  return [...rows, ...spans];
}
