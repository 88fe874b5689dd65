// Provides an in-memory vault, parsed with the real Markdown rules, and its change sets, for the store contract.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { fileKindOf, type NotePath, type ParsedNote } from '../../../src/base/note.ts';
import { type ChangeSet, type IndexedNote, NO_CHANGES } from '../../../src/contracts/change-set.ts';
import type { Store } from '../../../src/contracts/store.ts';
import type { FileEntry } from '../../../src/contracts/vault.ts';
import { parseCanvas } from '../../../src/markdown/parse/canvas.ts';
import { packNotes } from '../../../src/markdown/parse/packed-notes.ts';
import { parseNote } from '../../../src/markdown/parse/parse-note.ts';
import { packWords } from '../../../src/postings/word-collector.ts';

export interface StoreUnderTest {
  readonly store: Store;
  /** Another store on the same index, as another process would have it. */
  again?(): Promise<StoreUnderTest>;
  /** As the server does once it is idle. */
  release?(): Promise<void>;
  close(): Promise<void>;
}

export type Law = (title: string, check: (store: Store) => Promise<void>) => void;

/** The laws share one store, which is emptied before each; to open a store costs more than most laws do. */
export function createLaw(open: () => Promise<StoreUnderTest>): Law {
  let under: StoreUnderTest | undefined;
  before(async () => {
    under = await open();
  });
  after(() => under?.close());
  return (title, check) => {
    it(title, async () => {
      assert.ok(under, 'the store is open');
      await under.store.reset(signal);
      await check(under.store);
    });
  };
}

/** Each law has a new store: leases, jobs and requests stay when the index is emptied. */
export function createFreshLaw(open: () => Promise<StoreUnderTest>): Law {
  return (title, check) => {
    it(title, async () => {
      const under = await open();
      try {
        await check(under.store);
      } finally {
        await under.close();
      }
    });
  };
}

export const signal = new AbortController().signal;
export const ALL = { limit: 1_000, offset: 0 };
export const asPath = (path: string): NotePath => path as NotePath;
export const asPaths = (...paths: string[]): NotePath[] => paths.map(asPath);

/** A note with its text, from which its words are packed. */
export type IndexedText = IndexedNote & { readonly text: string; readonly parsed: ParsedNote };

export function changes(
  some: Partial<Omit<ChangeSet, 'indexed' | 'parsed' | 'words'>> & { readonly indexed?: readonly IndexedText[] },
): ChangeSet {
  const texts = some.indexed ?? [];
  const indexed = texts.map(({ text: _text, parsed: _parsed, ...file }) => file);
  const packed = texts.length > 0 && { parsed: packNotes(texts.map(({ parsed }) => parsed)), words: packWords(texts) };
  return { ...NO_CHANGES, ...some, indexed, ...packed };
}

export function found(path: string, more: Partial<FileEntry> = {}): FileEntry {
  const entry = { path: asPath(path), kind: fileKindOf(path), sizeBytes: 1, modifiedMs: 1_000 };
  return { ...entry, evicted: false, conflictCopy: false, ...more };
}

export function indexed(path: string, text: string, more: Partial<IndexedText> = {}): IndexedText {
  const parsed = fileKindOf(path) === 'canvas' ? parseCanvas(text) : parseNote(text);
  return {
    path: asPath(path),
    hash: `hash of ${text}`,
    sizeBytes: Buffer.byteLength(text),
    modifiedMs: 1_000,
    encoding: 'utf-8',
    parsed,
    text,
    ...more,
  };
}

/** Files by path with their texts; attachments have none. */
export type Texts = Readonly<Record<string, string | null>>;

/** Everything found and, where there is a text, indexed, in one change set. */
export function filled(texts: Texts): ChangeSet {
  const entries = Object.entries(texts);
  return changes({
    added: entries.map(([path]) => found(path)),
    indexed: entries.flatMap(([path, text]) => (text === null ? [] : [indexed(path, text)])),
  });
}

export async function fill(store: Store, texts: Texts): Promise<void> {
  await store.apply(filled(texts), signal);
}

/** Reads existing notes again under new texts. */
export async function rewrite(store: Store, texts: Readonly<Record<string, string>>): Promise<void> {
  const notes = Object.entries(texts).map(([path, text]) => indexed(path, text));
  await store.apply(changes({ indexed: notes }), signal);
}

export async function remove(store: Store, ...paths: string[]): Promise<void> {
  await store.apply(changes({ removed: asPaths(...paths) }), signal);
}

/** Where each link of the note leads, in document order. */
export async function targetsIn(store: Store, path: string): Promise<(string | null)[]> {
  const links = await store.links(asPath(path), 'out', ALL, signal);
  return links.map(({ target }) => target);
}

/** The names of the notes that contain the word, ascending. */
export async function notesWith(store: Store, text: string): Promise<string[]> {
  const terms = [{ text, kind: 'word', negated: false } as const];
  const { hits } = await store.searchText({ terms, match: 'any' }, {}, ALL, signal);
  return hits.map(({ path }) => path.replace(/\.md$/, '')).sort();
}
