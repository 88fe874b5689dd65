// What every note, folder and tag is called, folded for being typed, read once per state of the index.
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { type NotePath, noteName } from '../../base/note.ts';
import type { Store } from '../../contracts/store.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { parseReference } from '../../markdown/links/reference.ts';

export interface NamedEntry {
  readonly path: NotePath;
  readonly foldedPath: string;
  /** Its name first, then its title and its aliases, each once. */
  readonly names: readonly string[];
  readonly foldedNames: readonly string[];
}

export interface FoldedValue {
  readonly value: string;
  readonly folded: readonly string[];
}

export interface CompletableNames {
  /** Ascending by path. */
  readonly notes: readonly NamedEntry[];
  /** Ascending. */
  readonly folders: readonly FoldedValue[];
  /** Whether a reference of these letters means one note. */
  readonly isAlone: (name: string) => boolean;
}

const MARKS = /\p{M}+/gu;
const BEYOND_ASCII = /[^\0-\x7f]/;
/** Folded in a row before other calls get their turn. */
const SLICE = 2_000;

/** Without case and without accents, as somebody types in a hurry. */
export function foldForTyping(text: string): string {
  const folded = foldName(text);
  return BEYOND_ASCII.test(folded) ? folded.normalize('NFD').replace(MARKS, '').normalize('NFC') : folded;
}

export async function completableNames(
  store: Store,
  signal: AbortSignal,
  previous: CompletableNames | undefined,
): Promise<CompletableNames> {
  const rows = await store.names(signal);
  const before = new Map(previous?.notes.map((entry) => [entry.path, entry]));
  const bearers = new Map<string, number>();
  const notes: NamedEntry[] = [];
  for (const row of rows) {
    if (notes.length % SLICE === 0) await letOthersRun();
    const names = [...new Set([noteName(row.path), row.title, ...row.aliases])];
    for (const name of names) bearers.set(name, (bearers.get(name) ?? 0) + 1);
    notes.push(entryOf(row.path, names, before.get(row.path)));
  }
  const isAlone = (name: string): boolean => bearers.get(name) === 1 && isWholeReference(name);
  return { notes, folders: foldersOf(rows), isAlone };
}

/** Most notes are called as they were before the last change. */
function entryOf(path: NotePath, names: readonly string[], known: NamedEntry | undefined): NamedEntry {
  if (known !== undefined && known.names.join('\n') === names.join('\n')) return known;
  return { path, names, foldedPath: foldForTyping(path), foldedNames: names.map(foldForTyping) };
}

/** `C# notes` would be read as a heading of `C`. */
function isWholeReference(name: string): boolean {
  const parsed = parseReference(name);
  return !('refused' in parsed) && parsed.part.kind === 'whole' && parsed.name === name && !name.startsWith('@');
}

function foldersOf(rows: Awaited<ReturnType<Store['names']>>): FoldedValue[] {
  const folders = new Set<string>();
  for (const { path } of rows) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return [...folders].sort().map((value) => {
    return { value, folded: [foldForTyping(value), foldForTyping(value.slice(value.lastIndexOf('/') + 1))] };
  });
}

/** Those of the whole vault, the most used first. */
export const allTags = (store: Store, signal: AbortSignal) => tagsIn(undefined, store, signal);

/** @param folder undefined for the whole vault */
export async function tagsIn(
  folder: string | undefined,
  store: Store,
  signal: AbortSignal,
): Promise<readonly FoldedValue[]> {
  const tags = await store.listTags(undefined, folder === undefined ? {} : { folder }, signal);
  const byCount = tags.toSorted((one, other) => other.count - one.count);
  return byCount.map(({ tag }) => ({ value: tag.slice(1), folded: [foldForTyping(tag.slice(1))] }));
}
