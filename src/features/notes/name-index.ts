// Finds notes by names, titles and aliases that are spelled almost like a given text.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { countTypos, createNearestNames, type NearestNames } from '../../base/nearest.ts';
import { type NotePath, noteName } from '../../base/note.ts';
import type { NameCandidate, Store } from '../../contracts/store.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import { foldText, hasUnspacedScript } from '../../markdown/excerpt/term-matches.ts';

const WORDS = /[\p{L}\p{M}\p{N}\p{Co}]+/gu;
/** Share of letters that may differ in an automatic suggestion. */
const MAX_SUGGESTION_DISTANCE = 0.3;
/** Two swapped letters count as two edits in any word, so candidates are fetched generously and filtered by `typosIn`. */
const MAX_CANDIDATE_DISTANCE = 0.5;
const MAX_CANDIDATES = 100;

type NameRows = Awaited<ReturnType<Store['names']>>;

interface NameWords {
  /** Each word as first written, by its folded form; words that occur in most names first. */
  readonly byFolded: ReadonlyMap<string, string>;
  readonly nearest: NearestNames;
}

/** All names, titles and aliases of the vault. */
export class NameIndex {
  /** Each name, title and alias with the notes that have it. */
  readonly byName: ReadonlyMap<string, readonly NotePath[]>;
  readonly #nearest: NearestNames;
  #words: NameWords | undefined;

  constructor(notes: NameRows) {
    const byName = new Map<string, NotePath[]>();
    for (const { path, title, aliases } of notes) {
      for (const name of new Set([noteName(path), title, ...aliases])) {
        const paths = byName.get(name);
        if (paths === undefined) byName.set(name, [path]);
        else paths.push(path);
      }
    }
    this.byName = byName;
    this.#nearest = createNearestNames(byName.keys());
  }

  /** Up to `limit` notes: first those with names similar to the last segment of `name`, then those whose names contain it. */
  similarNotes(name: string, limit: number): NotePath[] {
    const wanted = lastSegment(name);
    const similar = this.#nearest(wanted, limit).flatMap((one) => this.byName.get(one.name) ?? []);
    const containing = wanted.length < 3 ? [] : this.#notesContaining(wanted.toLowerCase(), limit);
    return [...new Set([...similar, ...containing])].slice(0, limit);
  }

  #notesContaining(part: string, limit: number): NotePath[] {
    const found: NotePath[] = [];
    for (const [name, paths] of this.byName) {
      if (found.length >= limit) break;
      if (name.toLowerCase().includes(part)) found.push(...paths);
    }
    return found;
  }

  /** The note whose name is closest to the last segment of `name`; undefined where several are equally close. */
  closestNote(name: string): NotePath | undefined {
    const [first, second] = this.#nearest(lastSegment(name), 2, MAX_SUGGESTION_DISTANCE);
    if (first === undefined || first.edits === second?.edits) return undefined;
    const [path, another] = this.byName.get(first.name) ?? [];
    return another === undefined ? path : undefined;
  }

  /** The name that `text` misspells, with the fewest typos in its words; undefined where `text` is a name. */
  correctedName(text: string): string | undefined {
    const words = foldedWords(text);
    const best = this.#nearest(text, MAX_CANDIDATES, MAX_CANDIDATE_DISTANCE)
      .map(({ name }) => ({ name, typos: typosInName(words, foldedWords(name)) }))
      .sort((one, other) => one.typos - other.typos)[0];
    return best === undefined || best.typos === 0 || best.typos === Number.POSITIVE_INFINITY ? undefined : best.name;
  }

  /** The word of any name that `word` misspells; of equally close words the one in most names. */
  correctedWord(word: string): string | undefined {
    this.#words ??= wordsOf(this.byName.keys());
    const { byFolded, nearest } = this.#words;
    const [folded = ''] = foldedWords(word);
    const known = byFolded.get(folded);
    if (known !== undefined) return known;
    const [best] = nearest(folded, MAX_CANDIDATES, MAX_CANDIDATE_DISTANCE)
      .flatMap(({ name }) => ({ name, typos: typosIn(folded, name) ?? Number.POSITIVE_INFINITY }))
      .sort((one, other) => one.typos - other.typos);
    return best === undefined || best.typos === Number.POSITIVE_INFINITY ? undefined : byFolded.get(best.name);
  }
}

/** The names of the current index. */
export function nameIndex(store: Store, { storeCache, signal }: ReadContext): Promise<NameIndex> {
  return storeCache.get(readNames, store, signal);
}

const readNames = async (store: Store, signal: AbortSignal) => new NameIndex(await store.names(signal));

/** The words of a text without case and accents. */
export function foldedWords(text: string): string[] {
  return foldText(text.normalize('NFC')).match(WORDS) ?? [];
}

export function wordsIn(text: string): string[] {
  return text.normalize('NFC').match(WORDS) ?? [];
}

/** The number of typos that turn one word into the other. Numbers and words in scripts without spaces are never misspelled. */
export function typosIn(word: string, other: string): number | undefined {
  if (word === other) return 0;
  const isFixed = /\p{N}/u.test(word + other) || hasUnspacedScript(word) || hasUnspacedScript(other);
  return isFixed ? undefined : countTypos(word, other);
}

function typosInName(words: readonly string[], others: readonly string[]): number {
  if (words.length !== others.length) return words.join('') === others.join('') ? 1 : Number.POSITIVE_INFINITY;
  return words.reduce((sum, word, at) => sum + (typosIn(word, others[at] ?? '') ?? Number.POSITIVE_INFINITY), 0);
}

/** Folding keeps the number of characters, so offsets in the folded name are offsets in the name. */
function wordsOf(names: Iterable<string>): NameWords {
  const counts = new Map<string, { readonly written: string; count: number }>();
  for (const written of names) {
    const name = written.normalize('NFC');
    for (const { index, 0: folded } of foldText(name).matchAll(WORDS)) {
      const known = counts.get(folded);
      if (known === undefined) counts.set(folded, { written: name.slice(index, index + folded.length), count: 1 });
      else known.count += 1;
    }
  }
  const sorted = [...counts].sort(([, one], [, other]) => other.count - one.count);
  const byFolded = new Map(sorted.map(([folded, { written }]) => [folded, written]));
  return { byFolded, nearest: createNearestNames(byFolded.keys()) };
}

function lastSegment(name: string): string {
  return noteName(name.replace(/\/+$/, ''));
}

export interface Suggestion {
  readonly suggestion: NotePath;
  /** `name`, `alias` or `title`: the note has this name, but links do not resolve by it; `near`: its name is similar. */
  readonly suggested_by: NameCandidate['by'] | 'near';
}

/** For each unresolved name the note that it most likely means; names without a single best note are left out. */
export async function suggestNotes(
  names: Iterable<string>,
  store: Store,
  context: ReadContext,
): Promise<ReadonlyMap<string, Suggestion>> {
  const suggestions = new Map<string, Suggestion>();
  let index: NameIndex | undefined;
  for (const name of new Set(names)) {
    const [first, second] = await store.candidates(lastSegment(name), context.signal);
    if (first !== undefined) {
      const isOnlyOne = second === undefined || second.by !== first.by || second.exact !== first.exact;
      if (isOnlyOne) suggestions.set(name, { suggestion: first.path, suggested_by: first.by });
      continue;
    }
    index ??= await nameIndex(store, context);
    const suggestion = index.closestNote(name);
    if (suggestion !== undefined) suggestions.set(name, { suggestion, suggested_by: 'near' });
    // Comparing with every name is slow; other calls run in between.
    await yieldToOthers();
  }
  return suggestions;
}
