// Finds names of notes in running text that are not links.
import type { Position } from '../../base/note.ts';
import { WORD_CHARACTERS } from '../excerpt/fold-text.ts';
import { sentenceAround } from '../excerpt/sentence.ts';
import { hasUnspacedScript } from '../excerpt/term-matches.ts';
import { positionAt, splitLines } from '../parse/lines.ts';
import { parseNote } from '../parse/parse-note.ts';
import { foldName } from './fold.ts';

export interface Mention extends Position {
  /** Offset after the mention. */
  readonly end: number;
  readonly text: string;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** External links with their text, and bare URLs, which the parser does not report. */
const EXTERNAL = /\[[^[\]\n]{0,500}\]\([^()\s]{1,2000}\)|\b[a-z][a-z\d+.-]{1,20}:\/\/\S+/giu;

export interface MentionsToFind {
  readonly text: string;
  readonly names: readonly string[];
  /** Mentions to leave out at the start, and how many to return after them. */
  readonly skip: number;
  readonly limit: number;
  readonly maxSentence: number;
}

/** Some of the mentions, each with its sentence; `hasMore`: whether others follow. */
export function mentionsWithin({ text, names, skip, limit, maxSentence }: MentionsToFind) {
  const places = mentionsIn(text, names);
  const mentions = places.slice(skip, skip + limit).map((mention) => ({
    ...mention,
    sentence: sentenceAround(text, mention.offset, mention.end, maxSentence),
  }));
  return { mentions, hasMore: places.length > skip + limit };
}

/** Whole-word occurrences of the names, ignoring case, ascending; longer names win. */
export function mentionsIn(text: string, names: readonly string[]): Mention[] {
  const parsed = parseNote(text);
  const hidden = [
    { from: 0, to: parsed.bodyOffset },
    ...parsed.links.map(({ offset, end }) => ({ from: offset, to: end })),
    ...parsed.tags.map(({ offset, tag }) => ({ from: offset, to: offset + tag.length })),
    ...[...text.matchAll(EXTERNAL)].map(({ index, 0: url }) => ({ from: index, to: index + url.length })),
  ];
  const places = [...text.matchAll(patternOf(names))].map(({ index, 0: mention }) => ({
    from: index,
    to: index + mention.length,
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
  const before = hasUnspacedScript(first) ? '' : `(?<![${WORD_CHARACTERS}_])`;
  return `${before}${pattern}(?!${hasUnspacedScript(last) ? '\\p{M}' : `[${WORD_CHARACTERS}_]`})`;
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
  const spans = links.map(({ offset, end }) => ({ from: offset, to: end }));
  const isLinked = overlaps(starts, spans);
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

/** A text with more names is a list of names. */
const MAX_NAMES = 400;
const WORD = new RegExp(`[${WORD_CHARACTERS}]+`, 'gu');

/** The first mention of each name, in the order of the text, with every name of the list that is spelled like it. */
export function firstMentions(text: string, all: readonly string[]) {
  const names = all.filter(createPrefilter(text)).slice(0, MAX_NAMES);
  const byFolded = Map.groupBy(names, foldedName);
  const byPlace = new Map<string, { readonly place: Mention; readonly names: readonly string[] }>();
  for (const place of names.length === 0 ? [] : mentionsIn(text, names)) {
    const key = foldedName(place.text);
    if (!byPlace.has(key)) byPlace.set(key, { place, names: byFolded.get(key) ?? [] });
  }
  return [...byPlace.values()];
}

const foldedName = (name: string): string => foldName(name).replace(/\s+/g, ' ').trim();

/** Cheaply rules out most names of a large vault. */
function createPrefilter(text: string): (name: string) => boolean {
  const folded = foldedName(text);
  const words = new Set(folded.match(WORD) ?? []);
  return (name) => {
    const key = foldedName(name);
    const [first] = key.match(WORD) ?? [];
    if (first === undefined) return false;
    return (words.has(first) || hasUnspacedScript(key)) && folded.includes(key);
  };
}
