// What every note can be called, read once per state of the index, and which are called nearly so.

import { setImmediate as letOthersRun } from 'node:timers/promises';
import { createNearestNames, type NearestNames, slipsBetween } from '../../base/nearest.ts';
import { type NotePath, noteName } from '../../base/note.ts';
import type { NameCandidate, Store } from '../../contracts/store.ts';
import { foldText, isSpaceless } from '../../markdown/excerpt/term-matches.ts';
import { keptByRevision } from './kept-by-revision.ts';

export interface CalledNotes {
  /** Each name, title and alias with the notes that have it. */
  readonly byName: ReadonlyMap<string, readonly NotePath[]>;
  readonly nearest: NearestNames;
}

/** A suggestion that nobody asked for differs in no more than this share of its letters. */
const CLEARLY_NEAR = 0.3;

export const calledNotes = keptByRevision(async (store, signal) => createCalledNotes(await store.names(signal)));

export function createCalledNotes(notes: Awaited<ReturnType<Store['names']>>): CalledNotes {
  const byName = new Map<string, NotePath[]>();
  for (const { path, title, aliases } of notes) {
    for (const name of new Set([noteName(path), title, ...aliases])) {
      const known = byName.get(name);
      if (known === undefined) byName.set(name, [path]);
      else known.push(path);
    }
  }
  return { byName, nearest: createNearestNames(byName.keys()) };
}

/** Up to `most` notes whose names are near to the last segment of `name`, nearest first; then those whose names hold it. */
export function nearNotes(called: CalledNotes, name: string, most: number): NotePath[] {
  const wanted = lastSegment(name);
  const near = called.nearest(wanted, most).flatMap((one) => called.byName.get(one.name) ?? []);
  const holding = wanted.length < 3 ? [] : namesHolding(called, wanted.toLowerCase(), most);
  return [...new Set([...near, ...holding])].slice(0, most);
}

function namesHolding(called: CalledNotes, part: string, most: number): NotePath[] {
  const found: NotePath[] = [];
  for (const [name, paths] of called.byName) {
    if (found.length >= most) break;
    if (name.toLowerCase().includes(part)) found.push(...paths);
  }
  return found;
}

/** The one note whose name is clearly nearest to the last segment of `name`. */
export function nearestNote(called: CalledNotes, name: string): NotePath | undefined {
  const [first, second] = called.nearest(lastSegment(name), 2, CLEARLY_NEAR);
  if (first === undefined || first.edits === second?.edits) return undefined;
  const [path, another] = called.byName.get(first.name) ?? [];
  return another === undefined ? path : undefined;
}

export function lastSegment(name: string): string {
  return noteName(name.replace(/\/+$/, ''));
}

const WORDS = /[\p{L}\p{M}\p{N}\p{Co}]+/gu;
/** Two letters that changed places are two edits, whatever the length of the word: more is asked of the list than is taken. */
const SHARE = 0.5;
const MAX_NEAR = 100;

/** The words of a text as they are compared: without case and accents. */
export function foldedWords(text: string): string[] {
  return foldText(text.normalize('NFC')).match(WORDS) ?? [];
}

export function writtenWords(text: string): string[] {
  return text.normalize('NFC').match(WORDS) ?? [];
}

/** How many slips lead to the other word, 0 for the same; numbers, and scripts in which a character is a word, have no misspellings. */
export function slips(word: string, other: string): number | undefined {
  if (word === other) return 0;
  const isFixed = /\p{N}/u.test(word + other) || isSpaceless(word) || isSpaceless(other);
  return isFixed ? undefined : slipsBetween(word, other);
}

/** The name that `text` nearly is, word by word, or is but for its blanks; the one with the fewest slips. None for what is a name. */
export function nearName({ nearest }: CalledNotes, text: string): string | undefined {
  const words = foldedWords(text);
  const near = nearest(text, MAX_NEAR, SHARE).flatMap(({ name }) => {
    const slipped = slipsOfName(words, foldedWords(name));
    return slipped === undefined ? [] : [{ name, slipped }];
  });
  const [best] = near.toSorted((one, other) => one.slipped - other.slipped);
  return best === undefined || best.slipped === 0 ? undefined : best.name;
}

function slipsOfName(words: readonly string[], others: readonly string[]): number | undefined {
  if (words.length !== others.length) return words.join('') === others.join('') ? 1 : undefined;
  let sum = 0;
  for (const [at, word] of words.entries()) {
    const one = slips(word, others[at] ?? '');
    if (one === undefined) return undefined;
    sum += one;
  }
  return sum;
}

interface NameWords {
  /** Each as it is first written, by how it is compared; those of most names first. */
  readonly byFolded: ReadonlyMap<string, string>;
  readonly nearest: NearestNames;
}

const kept = new WeakMap<CalledNotes, NameWords>();

/** The word of titles and aliases that `word` nearly is; of equals the one in most names. */
export function nearWord(called: CalledNotes, word: string): string | undefined {
  const { byFolded, nearest } = nameWords(called);
  const [folded = ''] = foldedWords(word);
  const known = byFolded.get(folded);
  if (known !== undefined) return known;
  let best: { readonly name: string; readonly slipped: number } | undefined;
  for (const { name } of nearest(folded, MAX_NEAR, SHARE)) {
    const slipped = slips(folded, name);
    if (slipped !== undefined && slipped < (best?.slipped ?? Number.POSITIVE_INFINITY)) best = { name, slipped };
  }
  return best === undefined ? undefined : byFolded.get(best.name);
}

/** Made when first a word is looked for that nothing holds. */
function nameWords(called: CalledNotes): NameWords {
  const known = kept.get(called);
  if (known !== undefined) return known;
  const counted = new Map<string, { readonly written: string; count: number }>();
  for (const name of called.byName.keys()) count(counted, name.normalize('NFC'));
  const sorted = [...counted].sort(([, one], [, other]) => other.count - one.count);
  const byFolded = new Map(sorted.map(([folded, { written }]) => [folded, written]));
  const words = { byFolded, nearest: createNearestNames(byFolded.keys()) };
  kept.set(called, words);
  return words;
}

/** Folding keeps every letter in its place. */
function count(counted: Map<string, { readonly written: string; count: number }>, name: string): void {
  for (const { index, 0: folded } of foldText(name).matchAll(WORDS)) {
    const known = counted.get(folded);
    if (known === undefined) counted.set(folded, { written: name.slice(index, index + folded.length), count: 1 });
    else known.count += 1;
  }
}

interface Suggestion {
  readonly suggestion: NotePath;
  /** `name`, `alias` or `title`: the note is called so, and links do not find it by that; `near`: its name is close. */
  readonly suggested_by: NameCandidate['by'] | 'near';
}

/** Nothing unless one note alone fits best. */
export type Suggest = (name: string) => Promise<Suggestion | Record<string, never>>;

/** For the names of one answer: what all notes are called is read at most once. */
export function createSuggest(store: Store, signal: AbortSignal): Suggest {
  let called: Promise<CalledNotes> | undefined;
  return async (name) => {
    const [first, second] = await store.candidates(lastSegment(name), signal);
    if (first !== undefined) {
      const isAlone = second === undefined || second.by !== first.by || second.exact !== first.exact;
      return isAlone ? { suggestion: first.path, suggested_by: first.by } : {};
    }
    called ??= calledNotes(store, signal);
    const near = nearestNote(await called, name);
    // Comparing with every name takes a while; other calls get their turn in between.
    await letOthersRun();
    return near === undefined ? {} : { suggestion: near, suggested_by: 'near' };
  };
}
