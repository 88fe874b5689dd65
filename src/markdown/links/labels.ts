// Finds the labels of footnotes and reference links, and renames those that mean something else in another text.
import { partitionPoint } from '../../base/binary-search.ts';
import { applySplices, offsetMapper, type Splice, sortSplices } from '../edit/splice.ts';
import { scanBlocks } from '../parse/blocks.ts';
import { scanInline } from '../parse/inline.ts';
import { positionAt, splitLines } from '../parse/lines.ts';
import { labelOf } from '../parse/markdown-link.ts';
import { offsetIn } from '../parse/text-run.ts';
import { bodyStart } from '../properties/front-matter.ts';

/** A label as links, footnotes and definitions write it. */
interface LabelPlace {
  /** For comparison; that of a footnote begins with `^`. */
  readonly key: string;
  /** Offsets of the reference or, in a definition, of the label. */
  readonly from: number;
  readonly to: number;
  /** The length of the label at the end of the reference; undefined if its text is the label. */
  readonly length?: number;
}

export interface Labels {
  readonly uses: readonly LabelPlace[];
  readonly definitions: readonly LabelPlace[];
  /** What each label of a reference is defined as; the first definition counts. */
  readonly meanings: ReadonlyMap<string, string>;
  /** The labels with a definition, those of footnotes included. */
  readonly defined: ReadonlySet<string>;
}

/** Without those in code. The definition of a footnote is one of its uses. */
export function labelsIn(text: string): Labels {
  const lines = splitLines(text);
  const { runs, definitions } = scanBlocks(text, lines, bodyStart(text, lines).bodyLine);
  const uses = [...runs].flatMap((run): LabelPlace[] => {
    const { references, footnotes } = scanInline(run.text, true);
    const place = (from: number, to: number) => ({ from: offsetIn(run, from), to: offsetIn(run, to) });
    // The label of a reference is read once more by itself, as if it were a reference, too.
    const labelsAt = new Set<number>();
    return [
      ...references.flatMap(({ label, from, to }): LabelPlace[] => {
        if (labelsAt.has(from)) return [];
        const reference = /\]\[([^[\]]*)\]$/.exec(run.text.slice(from, to))?.[1];
        // Brackets around other links are no label.
        if (reference === undefined) return hasBrackets(label) ? [] : [{ key: label, ...place(from, to) }];
        labelsAt.add(to - reference.length - 2);
        return [{ key: label, ...place(from, to), length: reference.length }];
      }),
      ...footnotes.map(({ label, from, to }) => ({ key: label, ...place(from, to) })),
    ];
  });
  const meanings = new Map<string, string>();
  for (const { label, raw } of definitions) if (!meanings.has(label)) meanings.set(label, raw);
  const places = definitions.map(({ label, offset }) => ({ key: label, from: offset + 1, to: labelTo(text, offset) }));
  // The definition of a footnote is a use with a colon.
  const footnotes = uses.filter(({ key, to }) => key.startsWith('^') && text.charAt(to) === ':');
  const defined = new Set([...meanings.keys(), ...footnotes.map(({ key }) => key)]);
  return { uses, definitions: places, meanings, defined };
}

const hasBrackets = (label: string): boolean => /[[\]]/.test(label.replace(/\\./g, ''));

function labelTo(text: string, offset: number): number {
  return offset + (/^\[(?:\\.|[^\]\\])*/.exec(text.slice(offset, offset + MAX_LABEL))?.[0].length ?? 0);
}

const MAX_LABEL = 1_000;

export interface RenamedLabel {
  readonly label: string;
  readonly to: string;
}

/**
 * Text that is no reference, because nothing defines it, stays so. `renamed`: each label with its new name, as it is written.
 * Undefined if the text would read otherwise.
 */
export function withFreeLabels(text: string, taken: Labels) {
  const labels = labelsIn(text);
  const keys = keysOf(taken);
  const ownKeys = keysOf(labels);
  const renamed = new Map<string, string>();
  const escaped = new Set<string>();
  for (const key of ownKeys) {
    const meaning = labels.meanings.get(key);
    if (!keys.has(key) || (meaning !== undefined && meaning === taken.meanings.get(key))) continue;
    if (key.startsWith('^') || meaning !== undefined) renamed.set(key, freeKey(key, keys, ownKeys));
    else if (taken.meanings.has(key)) escaped.add(key);
  }
  const ofUses = labels.uses.flatMap((place): Splice[] => {
    const to = renamed.get(place.key);
    if (to !== undefined) return [spliceOf(place, to)];
    return escaped.has(place.key) ? bracketEscapes(text, place) : [];
  });
  const ofDefinitions = labels.definitions.flatMap((place): Splice[] => {
    const to = renamed.get(place.key);
    return to === undefined ? [] : [{ ...place, text: to }];
  });
  const splices = [...ofUses, ...ofDefinitions];
  const after = applySplices(text, sortSplices(splices));
  const list = [...renamed].map(([key, to]): RenamedLabel => ({ label: `[${key}]`, to: `[${to}]` }));
  return isMeant(labels, withoutText(labelsIn(after), labels, taken), renamed, escaped)
    ? { text: after, renamed: list }
    : undefined;
}

const keysOf = ({ uses, definitions }: Labels): ReadonlySet<string> =>
  new Set([...uses, ...definitions].map(({ key }) => key));

/** The new label in place of the old one, or beside a text that was the label. */
function spliceOf({ key, from, to, length }: LabelPlace, now: string): Splice {
  if (key.startsWith('^')) return { from: from + 1, to: to - 1, text: now };
  return length === undefined ? { from: to, to, text: `[${now}]` } : { from: to - 1 - length, to: to - 1, text: now };
}

/** Its label would be a reference by itself, too. */
function bracketEscapes(text: string, { from, to, length = 0 }: LabelPlace): Splice[] {
  const escapeAt = (at: number): Splice => ({ from: at, to: at, text: '\\' });
  const open = text.charAt(from) === '!' ? from + 1 : from;
  return length === 0 ? [escapeAt(open)] : [escapeAt(open), escapeAt(to - length - 2)];
}

function freeKey(key: string, ...taken: readonly ReadonlySet<string>[]): string {
  let number = 2;
  while (taken.some((keys) => keys.has(`${key}-${number}`))) number += 1;
  return `${key}-${number}`;
}

/** Brackets around escaped ones can look like a label; what nothing defines is text. */
function withoutText(after: Labels, before: Labels, taken: Labels): Labels {
  const used = keysOf(before);
  const isLabel = ({ key }: LabelPlace): boolean =>
    key.startsWith('^') || [used, after.meanings, taken.meanings].some((keys) => keys.has(key));
  return { ...after, uses: after.uses.filter(isLabel) };
}

function isMeant(
  before: Labels,
  after: Labels,
  renamed: ReadonlyMap<string, string>,
  escaped: ReadonlySet<string>,
): boolean {
  const expectedKeys = (places: readonly LabelPlace[]): string =>
    places
      .filter(({ key }) => !escaped.has(key))
      .map(({ key }) => labelOf(renamed.get(key) ?? key))
      .sort()
      .join('\n');
  const actualKeys = (places: readonly LabelPlace[]): string =>
    places
      .map(({ key }) => key)
      .sort()
      .join('\n');
  return (
    expectedKeys(before.uses) === actualKeys(after.uses) &&
    expectedKeys(before.definitions) === actualKeys(after.definitions)
  );
}

/**
 * What the other half of each pair becomes of which `splices` rename one: a definition and its uses keep one label. Labels of which
 * the splices make several, or one that the text has already, are left.
 * @param splices as returned by `sortSplices`, without overlaps
 */
export function otherHalves(text: string, splices: readonly Splice[], before: Labels): readonly Splice[] {
  const changed = applySplices(text, splices);
  const after = labelsIn(changed);
  const keys = keysOf(before);
  const defining = new Set([...before.definitions, ...after.definitions]);
  const placeOf = placesAfter(after, splices);
  const places = [...before.uses, ...before.definitions].filter(({ key }) => before.defined.has(key));
  return [...Map.groupBy(places, ({ key }) => key)].flatMap(([key, all]) => {
    const renamed = all.flatMap((place) => placeOf(place) ?? []).filter((place) => place.key !== key);
    const [label = key, another] = new Set(renamed.map((place) => place.key));
    const [first] = renamed;
    if (first === undefined || another !== undefined || keys.has(label)) return [];
    const labelNow = defining.has(first) ? changed.slice(first.from, first.to) : labelText(changed, first);
    const left = all.filter((place) => placeOf(place)?.key === key);
    return left.map((place) => (defining.has(place) ? { ...place, text: labelNow } : spliceOf(place, labelNow)));
  });
}

/** The place of a changed text for one of the text before: at the same offset, or the only one in what replaced its beginning. */
function placesAfter({ uses, definitions }: Labels, splices: readonly Splice[]) {
  const places = [...uses, ...definitions].sort((one, other) => one.from - other.from);
  const firstFrom = (offset: number): number => partitionPoint(places.length, (at) => (places[at]?.from ?? 0) < offset);
  const moved = offsetMapper(splices);
  let shift = 0;
  const starts = splices.map(({ from, to, text }) => {
    shift += text.length - (to - from);
    return to + shift - text.length;
  });
  return ({ from }: LabelPlace): LabelPlace | undefined => {
    const at = moved(from);
    if (at !== undefined) {
      const place = places[firstFrom(at)];
      return place?.from === at ? place : undefined;
    }
    const last = partitionPoint(splices.length, (index) => (splices[index] as Splice).from <= from) - 1;
    const start = starts[last] ?? 0;
    const [first, next] = [firstFrom(start), firstFrom(start + (splices[last]?.text.length ?? 0))];
    return next - first === 1 ? places[first] : undefined;
  };
}

function labelText(text: string, { from, to, length }: LabelPlace): string {
  return text.slice(length === undefined ? text.indexOf('[', from) + 1 : to - 1 - length, to - 1);
}

/**
 * The footnotes and references of a changed text that nothing defines, unless the text had such before. Lines are 1-based.
 * @param old the labels of the text before
 */
export function lostLabels(old: Labels, after: string): { readonly line: number; readonly label: string }[] {
  const now = labelsIn(after);
  const undefinedBefore = new Set(old.uses.map(({ key }) => key).filter((key) => !old.defined.has(key)));
  const lines = splitLines(after);
  return now.uses
    .filter(({ key }) => !now.defined.has(key) && !undefinedBefore.has(key))
    .filter(({ key, length }) => key.startsWith('^') || length !== undefined || old.defined.has(key))
    .map(({ key, from }) => ({ line: positionAt(lines, from).line, label: `[${key}]` }));
}
