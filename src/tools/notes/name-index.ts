// Finds notes by names, titles and aliases that are spelled almost like a given text.
import { partitionPoint } from '../../base/binary-search.ts';
import { NearestNames, type NearName } from '../../base/nearest.ts';
import { type NotePath, noteName } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { NameCandidate, NamesMark, NoteNames, Store } from '../../contracts/store.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import { foldText } from '../../markdown/excerpt/fold-text.ts';
import { leastTypos } from '../../markdown/links/typos.ts';
import { foldedWords, NameWords, typosIn } from './name-words.ts';
import { excludedNotes } from './vault-filter.ts';

/** Share of letters that may differ in an automatic suggestion. */
const MAX_SUGGESTION_DISTANCE = 0.3;
/** Two swapped letters count as two edits in any word, so candidates are fetched generously and filtered by `typosIn`. */
const MAX_CANDIDATE_DISTANCE = 0.5;
const MAX_CANDIDATES = 100;
const MAX_CLOSEST = 1_000;

/** All names, titles and aliases of the vault. */
export class NameIndex {
  readonly #notes = new Map<NotePath, readonly string[]>();
  readonly #byName = new Map<string, NotePath[]>();
  readonly #near = new NearestNames();
  /** Counted when a word is corrected for the first time. */
  #words: NameWords | undefined;
  #counting: Promise<NameWords> | undefined;
  #changes = 0;
  /** What was looked up: the links that lead nowhere ask again at every call. */
  readonly #closest = new Map<string, NotePath | undefined>();

  constructor(notes: Iterable<NoteNames> = []) {
    for (const note of notes) this.set(note);
  }

  /** Each name, title and alias with the notes that have it, in ascending order. */
  get byName(): ReadonlyMap<string, readonly NotePath[]> {
    return this.#byName;
  }

  set({ path, title, aliases }: NoteNames): void {
    this.delete(path);
    const name = noteName(path);
    const names = title === name && aliases.length === 0 ? [name] : [...new Set([name, title, ...aliases])];
    this.#notes.set(path, names);
    for (const name of names) this.#add(name, path);
  }

  #add(name: string, path: NotePath): void {
    const paths = this.#byName.get(name);
    if (paths !== undefined)
      paths.splice(
        partitionPoint(paths.length, (at) => (paths[at] as string) < path),
        0,
        path,
      );
    else {
      this.#byName.set(name, [path]);
      this.#near.add(name);
      this.#words?.add(name);
      this.#changes += 1;
    }
  }

  delete(path: NotePath): void {
    // Clearing an empty map allocates one.
    if (this.#closest.size > 0) this.#closest.clear();
    const names = this.#notes.get(path);
    if (names === undefined) return;
    for (const name of names) {
      const others = (this.#byName.get(name) ?? []).filter((other) => other !== path);
      if (others.length > 0) this.#byName.set(name, others);
      else {
        this.#byName.delete(name);
        this.#near.delete(name);
        this.#words?.delete(name);
        this.#changes += 1;
      }
    }
    this.#notes.delete(path);
  }

  /** Up to `limit` notes: first those with names similar to the last segment of `name`, then those whose names contain it. */
  similarNotes(name: string, limit: number): NotePath[] {
    const segment = lastSegment(name);
    const containing = segment.length < 3 ? [] : this.#near.containing(segment.toLowerCase(), limit);
    const numbered = containing.filter((one) => isNumbered(one, segment));
    const names = [...numbered, ...this.#nearTo(segment, limit).map((one) => one.name), ...containing];
    return [...new Set(names.flatMap((one) => this.#byName.get(one) ?? []))].slice(0, limit);
  }

  /** Both characters of a name of two must occur, because one of them makes another word. */
  #nearTo(segment: string, limit: number, share?: number): readonly NearName[] {
    const near = this.#near.near(segment, limit, share);
    const characters = [...foldText(segment)];
    return characters.length > 2
      ? near
      : near.filter((one) => characters.every((each) => foldText(one.name).includes(each)));
  }

  /** Up to `limit` notes with a name that contains the text. */
  notesContaining(text: string, limit: number): NotePath[] {
    const names = this.#near.containing(text.toLowerCase(), limit);
    return [...new Set(names.flatMap((one) => this.#byName.get(one) ?? []))].slice(0, limit);
  }

  /** The note whose name is closest to the last segment of `name`; undefined where several are equally close. */
  closestNote(name: string): NotePath | undefined {
    if (!this.#closest.has(name)) {
      if (this.#closest.size === MAX_CLOSEST) this.#closest.clear();
      this.#closest.set(name, this.#findClosest(name));
    }
    return this.#closest.get(name);
  }

  #findClosest(name: string): NotePath | undefined {
    const segment = lastSegment(name);
    const numbers = numbersIn(segment);
    const numbered = numbers === '' ? [] : this.#near.containing(segment.toLowerCase(), MAX_CANDIDATES);
    const [begins, ...others] = numbered.filter((one) => isNumbered(one, segment));
    if (begins !== undefined) return others.length > 0 ? undefined : this.#onlyNote(begins);
    const near = this.#nearTo(segment, MAX_CANDIDATES, MAX_SUGGESTION_DISTANCE);
    // Another day, chapter or version is another note.
    const [first, second] = near.filter((one) => numbersIn(one.name) === numbers);
    return first === undefined || first.edits === second?.edits ? undefined : this.#onlyNote(first.name);
  }

  #onlyNote(name: string): NotePath | undefined {
    const [path, another] = this.#byName.get(name) ?? [];
    return another === undefined ? path : undefined;
  }

  /** The notes whose name, title or alias the last segment of `name` misspells, with the fewest typos. */
  misspelledNotes(name: string): NotePath[] {
    const segment = lastSegment(name);
    const near = this.#near.near(segment, MAX_CANDIDATES, MAX_CANDIDATE_DISTANCE);
    return [...new Set(leastTypos(segment, near).flatMap((one) => this.#byName.get(one.name) ?? []))];
  }

  /** The name that `text` misspells, with the fewest typos in its words; undefined where `text` is a name. */
  correctedName(text: string): string | undefined {
    const words = foldedWords(text);
    const best = this.#near
      .near(text, MAX_CANDIDATES, MAX_CANDIDATE_DISTANCE)
      .map(({ name }) => ({ name, typos: typosInName(words, foldedWords(name)) }))
      .sort((one, other) => one.typos - other.typos)[0];
    return best === undefined || best.typos === 0 || best.typos === Number.POSITIVE_INFINITY ? undefined : best.name;
  }

  /** The word of any name that `word` misspells; of equally close words the one in most names. */
  async correctedWord(word: string): Promise<string | undefined> {
    this.#counting ??= this.#countWords();
    return (await this.#counting).corrected(word);
  }

  /** Names that change meanwhile are counted again; later ones one by one. */
  async #countWords(): Promise<NameWords> {
    for (;;) {
      const before = this.#changes;
      const words = new NameWords();
      for (const name of [...this.#byName.keys()]) {
        await letOthersRun();
        words.add(name);
      }
      if (before !== this.#changes) continue;
      this.#words = words;
      return words;
    }
  }
}

/** The names of the current index. */
export async function nameIndex(store: Store, { storeCache, signal }: ReadContext): Promise<NameIndex> {
  return (await storeCache.get(updateNames, store, signal)).names;
}

interface MarkedNames {
  readonly mark: NamesMark;
  readonly names: NameIndex;
}

/** Computes the names for a store cache. Only changes are read, and written into the index as it was before. */
export async function updateNames(
  store: Store,
  signal: AbortSignal,
  marked: MarkedNames | undefined,
): Promise<MarkedNames> {
  const { mark, isWhole, notes, removed } = await store.changedNames(marked?.mark, signal);
  const names = isWhole || marked === undefined ? new NameIndex() : marked.names;
  for (const path of removed) names.delete(path);
  for (const note of notes) {
    const waiting = letOthersRun();
    // To wait for nothing makes an object for each note.
    if (waiting !== undefined) await waiting;
    names.set(note);
  }
  return { mark, names };
}

function typosInName(words: readonly string[], others: readonly string[]): number {
  if (words.length !== others.length) return words.join('') === others.join('') ? 1 : Number.POSITIVE_INFINITY;
  return words.reduce((sum, word, at) => sum + (typosIn(word, others[at] ?? '') ?? Number.POSITIVE_INFINITY), 0);
}

const numbersIn = (name: string): string => (foldText(name).match(/\p{Nd}+/gu) ?? []).join(' ');

/** Whether a name begins with the number or id that the other one is, as `202401011200 Tide` with `202401011200`. */
function isNumbered(name: string, id: string): boolean {
  const rest = name.slice(id.length);
  return /\p{Nd}/u.test(id) && name.toLowerCase().startsWith(id.toLowerCase()) && /^[\s\-_–—.,:]/u.test(rest);
}

function lastSegment(name: string): string {
  return noteName(name.replace(/\/+$/, ''));
}

export interface Suggestion {
  readonly suggestion: NotePath;
  /** `name`, `alias` or `title`: the note has this name, but links do not resolve by it; `near`: its name is similar. */
  readonly suggested_by: NameCandidate['by'] | 'near';
}

/** The notes that the last segment of `name` names, but for excluded ones, which are not suggested. */
export async function listedCandidates(
  name: string,
  store: Store,
  context: ReadContext,
): Promise<readonly NameCandidate[]> {
  const candidates = await store.candidates(lastSegment(name), context.signal);
  if (candidates.length === 0) return candidates;
  const excluded = await excludedNotes(store, context);
  return candidates.filter(({ path }) => !excluded.has(path));
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
    const [first, second] = await listedCandidates(name, store, context);
    if (first !== undefined) {
      const isOnlyOne = second === undefined || second.by !== first.by || second.exact !== first.exact;
      if (isOnlyOne) suggestions.set(name, { suggestion: first.path, suggested_by: first.by });
      continue;
    }
    index ??= await nameIndex(store, context);
    const suggestion = index.closestNote(name);
    if (suggestion !== undefined) suggestions.set(name, { suggestion, suggested_by: 'near' });
    // Comparing with every name is slow; other calls run in between.
    await letOthersRun();
  }
  return suggestions;
}
