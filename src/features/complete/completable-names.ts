// Prepares the names of all notes, folders and tags for completion.
import { type NotePath, noteName } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { NamesMark, Store } from '../../contracts/store.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { parseReference } from '../../markdown/links/reference.ts';
import { foldersOf } from '../notes/file-names.ts';

export interface NamedEntry {
  readonly path: NotePath;
  readonly foldedPath: string;
  /** The name, then title and aliases, without duplicates. */
  readonly names: readonly string[];
  readonly foldedNames: readonly string[];
}

export interface FoldedValue {
  readonly value: string;
  readonly folded: readonly string[];
}

export interface CompletableNames {
  readonly mark: NamesMark;
  /** Ascending by path. */
  readonly notes: readonly NamedEntry[];
  /** Ascending. */
  readonly folders: readonly FoldedValue[];
  /** Whether the name refers to exactly one note. */
  readonly isUnique: (name: string) => boolean;
}

const MARKS = /\p{M}+/gu;
const BEYOND_ASCII = /[^\0-\x7f]/;
/** Rows processed before other calls run. */
const ROWS_PER_TURN = 2_000;

/** Without case and accents, as users type. */
export function foldForTyping(text: string): string {
  const folded = foldName(text);
  return BEYOND_ASCII.test(folded) ? folded.normalize('NFD').replace(MARKS, '').normalize('NFC') : folded;
}

export async function completableNames(
  store: Store,
  signal: AbortSignal,
  previous: CompletableNames | undefined,
): Promise<CompletableNames> {
  const { mark, isWhole, notes: renamed, removed } = await store.changedNames(previous?.mark, signal);
  if (previous !== undefined && !isWhole && renamed.length + removed.length === 0) return previous;
  const rows = isWhole ? renamed : await store.names(signal);
  const before = new Map(previous?.notes.map((entry) => [entry.path, entry]));
  const noteCounts = new Map<string, number>();
  const notes: NamedEntry[] = [];
  for (const row of rows) {
    if (notes.length % ROWS_PER_TURN === 0) await letOthersRun();
    const names = [...new Set([noteName(row.path), row.title, ...row.aliases])];
    for (const name of names) noteCounts.set(name, (noteCounts.get(name) ?? 0) + 1);
    notes.push(entryOf(row.path, names, before.get(row.path)));
  }
  const isUnique = (name: string): boolean => noteCounts.get(name) === 1 && isWholeReference(name);
  return { mark, notes, folders: foldedFolders(rows), isUnique };
}

/** Reuses the previous entry if the names are unchanged, as they are for most notes. */
function entryOf(path: NotePath, names: readonly string[], known: NamedEntry | undefined): NamedEntry {
  if (known !== undefined && known.names.join('\n') === names.join('\n')) return known;
  return { path, names, foldedPath: foldForTyping(path), foldedNames: names.map(foldForTyping) };
}

/** False for names such as `C# notes`, which could be parsed as a heading of `C`. */
function isWholeReference(name: string): boolean {
  const { refused, part, name: read } = parseReference(name);
  return refused === undefined && part.kind === 'whole' && read === name && !name.startsWith('@');
}

function foldedFolders(rows: Awaited<ReturnType<Store['names']>>): FoldedValue[] {
  return [...foldersOf(rows)].sort().map((value) => {
    return { value, folded: [foldForTyping(value), foldForTyping(value.slice(value.lastIndexOf('/') + 1))] };
  });
}

/** The tags of the whole vault, most used first. */
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
