// Finds names of notes in running text that are not links.
import type { NotePath, Position } from '../../base/note.ts';
import type { Store } from '../../contracts/store.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { positionAt, splitLines } from '../../markdown/parse/lines.ts';
import { parseNote } from '../../markdown/parse/parse-note.ts';
import { nameIndex } from '../notes/name-index.ts';

export interface Mention extends Position {
  /** Offset after the mention. */
  readonly end: number;
  readonly text: string;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const LONG_ENOUGH = /[\s\S]{3}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2}/u;
/** External links with their text, and bare URLs, which the parser does not report. */
const EXTERNAL = /\[[^[\]\n]{0,500}\]\([^()\s]{1,2000}\)|\b[a-z][a-z\d+.-]{1,20}:\/\/\S+/giu;

/** Very short names occur in every text by chance. */
export function isMentionable(name: string): boolean {
  return LONG_ENOUGH.test(name.trim());
}

/** Whole-word occurrences of the names, ignoring case, ascending; longer names win. */
export function mentionsIn(text: string, names: readonly string[]): Mention[] {
  const parsed = parseNote(text);
  const hidden = [
    { from: 0, to: parsed.bodyOffset },
    ...parsed.links.map(({ offset, end }) => ({ from: offset, to: end })),
    ...parsed.tags.map(({ offset, tag }) => ({ from: offset, to: offset + tag.length })),
    ...[...text.matchAll(EXTERNAL)].map(({ index, 0: found }) => ({ from: index, to: index + found.length })),
  ];
  const places = [...text.matchAll(patternOf(names))].map(({ index, 0: found }) => ({
    from: index,
    to: index + found.length,
  }));
  const isHidden = overlaps(places, hidden);
  const lines = splitLines(text);
  const open = places.filter((_, at) => !isHidden[at]);
  return onlyInText(text, open).map(({ from, to }) => ({
    ...positionAt(lines, from),
    end: to,
    text: text.slice(from, to),
  }));
}

function patternOf(names: readonly string[]): RegExp {
  const longestFirst = [...names].sort((one, other) => other.length - one.length);
  return new RegExp(longestFirst.map(wholeWords).join('|'), 'giu');
}

/** A mention must end at a word boundary, except in scripts without spaces. */
function wholeWords(name: string): string {
  const words = name.trim().split(/\s+/);
  const pattern = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+');
  const first = [...name.trim()][0] ?? '';
  const last = [...name.trim()].at(-1) ?? '';
  return `${CJK.test(first) ? '' : '(?<![\\p{L}\\p{N}_])'}${pattern}${CJK.test(last) ? '' : '(?![\\p{L}\\p{N}_])'}`;
}

/**
 * Keeps the places in running text. Each place is written as a link and the text is parsed again: places that the parser then
 * reports as links are not in code, math, HTML or comments.
 */
function onlyInText(text: string, places: readonly Range[]): readonly Range[] {
  if (places.length === 0) return [];
  let marked = '';
  let last = 0;
  const starts = places.map(({ from, to }) => {
    marked += `${text.slice(last, from)}[[`;
    const start = { from: marked.length, to: marked.length + 1 };
    marked += `${text.slice(from, to)}]]`;
    last = to;
    return start;
  });
  const { links } = parseNote(marked + text.slice(last));
  const found = links.map(({ offset, end }) => ({ from: offset, to: end }));
  const isLinked = overlaps(starts, found);
  return places.filter((_, at) => isLinked[at]);
}

/** For each place (ascending), whether one of the ranges overlaps it. */
function overlaps(places: readonly Range[], ranges: readonly Range[]): boolean[] {
  const ascending = ranges.toSorted((one, other) => one.from - other.from);
  let at = 0;
  let end = 0;
  return places.map(({ from, to }) => {
    for (let range = ascending[at]; range !== undefined && range.from < to; range = ascending[++at]) {
      end = Math.max(end, range.to);
    }
    return end > from;
  });
}

export interface NamedNote {
  readonly path: NotePath;
  readonly place: Mention;
}

/** A text with more names is a list of names. */
const MAX_NAMES = 400;
const WORD = /[\p{L}\p{N}]+/gu;
const SPACELESS = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;

/** In the order of the text, each note once, including all notes that share a name. */
export async function namedNotes(
  text: string,
  isOpen: (path: NotePath) => boolean,
  store: Store,
  context: ReadContext,
): Promise<readonly NamedNote[]> {
  const { byName } = await nameIndex(store, context);
  const mayOccur = createPrefilter(text);
  const names = [...byName.keys()].filter((name) => isMentionable(name) && mayOccur(name));
  const open = names.filter((name) => byName.get(name)?.some(isOpen)).slice(0, MAX_NAMES);
  if (open.length === 0) return [];
  const byFolded = Map.groupBy(open, foldedName);
  const found = new Map<NotePath, NamedNote>();
  for (const place of mentionsIn(text, open)) {
    for (const name of byFolded.get(foldedName(place.text)) ?? []) {
      for (const path of byName.get(name) ?? []) {
        if (isOpen(path) && !found.has(path)) found.set(path, { path, place });
      }
    }
  }
  return [...found.values()];
}

const foldedName = (name: string): string => foldName(name).replace(/\s+/g, ' ').trim();

/** Cheaply rules out most names of a large vault. */
function createPrefilter(text: string): (name: string) => boolean {
  const folded = foldedName(text);
  const words = new Set(folded.match(WORD) ?? []);
  return (name) => {
    const wanted = foldedName(name);
    const [first] = wanted.match(WORD) ?? [];
    if (first === undefined) return false;
    return (words.has(first) || SPACELESS.test(wanted)) && folded.includes(wanted);
  };
}
