// Implements `completion/complete`: completes note names, headings, tags, folders and dates.
import * as z from 'zod';
import { type NotePath, noteName } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NamesMark, NoteRecord, Store } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { localDay } from '../../markdown/dates/note-date.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { parseReference } from '../../markdown/links/reference.ts';
import { foldersOf } from '../notes/file-names.ts';

const DAYS_BACK = 60;

const input = z.strictObject({
  kind: z.enum(['note', 'topic', 'folder', 'tag', 'day', 'path']),
  /** The text typed so far. */
  value: z.string().max(1_000),
  /** Restricts notes and tags to a folder. */
  folder: z.string().max(1_000).optional(),
});
type CompleteArgs = z.infer<typeof input>;

export const complete = defineTool({
  name: 'completion/complete',
  title: 'Complete a value',
  summary: 'Completes a value.',
  effect: 'reads',
  needs: ['store'],
  index: 'part',
  fails: [],
  input,
  run: (args, granted, call) => completed(args, granted, call),
});

async function completed(args: CompleteArgs, { store }: Granted<'store'>, { signal, storeCache }: CallContext) {
  const { kind, value } = args;
  const folder = args.folder?.replace(/^\/+|\/+$/g, '') || undefined;
  if (kind === 'day') return createRanking(value).of(days(new Date()).map((day) => ({ value: day, keys: [day] })));
  if (kind === 'tag') {
    const tags = await (folder === undefined ? storeCache.get(allTags, store, signal) : tagsIn(folder, store, signal));
    return createRanking(value.replace(/^#/, '')).ofFolded(tags);
  }
  const headings = kind === 'note' ? await headingCompletions(value, store, signal) : undefined;
  if (headings !== undefined) return headings;
  const names = await storeCache.get(completableNames, store, signal);
  if (kind === 'folder') return createRanking(value).ofFolded(names.folders);
  const notes = folder === undefined ? names.notes : names.notes.filter(({ path }) => path.startsWith(`${folder}/`));
  return createRanking(value).ofNotes(notes, valueFor(kind, names.isUnique));
}

/** Completes to a name if it refers to one note only, otherwise to the path. */
function valueFor(
  kind: CompleteArgs['kind'],
  isUnique: (name: string) => boolean,
): (entry: NamedEntry, name: string | undefined) => string {
  if (kind === 'path') return ({ path }) => path;
  if (kind === 'topic') return ({ names: [first] }, name) => name ?? first ?? '';
  return ({ path }, name) => (name !== undefined && isUnique(name) ? name : path);
}

/** Today and the days before, latest first. */
function days(now: Date): string[] {
  const dates = Array.from({ length: DAYS_BACK }, (_, back) => {
    const date = new Date(now);
    date.setDate(now.getDate() - back);
    return localDay(date);
  });
  return ['today', 'yesterday', ...dates];
}

/** Notes with the same name whose headings are offered. */
const MAX_NOTES = 5;

/** Undefined for a value without a note name before `#`. */
async function headingCompletions(value: string, store: Store, signal: AbortSignal): Promise<Ranked | undefined> {
  const at = value.indexOf('#');
  const name = value.slice(0, at).trim();
  if (at === -1 || name === '') return undefined;
  const [first, ...others] = await store.candidates(name, signal);
  if (first === undefined) return undefined;
  const equals = [first, ...others.filter(({ by, exact }) => by === first.by && exact === first.exact)];
  const paths = equals.slice(0, MAX_NOTES).map(({ path }) => path);
  const records = await store.notes(paths, signal);
  const referenceTo = (path: NotePath): string => (equals.length === 1 ? name : path);
  const parts = records.flatMap((record) => partsOf(record).map((part) => ({ note: referenceTo(record.path), part })));
  const candidates = parts.map(({ note, part }) => ({ value: `${note}#${part}`, keys: [part] }));
  return createRanking(value.slice(at + 1)).of(candidates);
}

/** Headings that occur twice are left out, because they are ambiguous. */
function partsOf({ headings, blocks }: NoteRecord): string[] {
  const texts = headings.map(({ text }) => text);
  const once = texts.filter((text, at) => text !== '' && texts.indexOf(text) === at && texts.lastIndexOf(text) === at);
  return [...once, ...blocks.map(({ id }) => `^${id}`)];
}

/** A limit of the protocol. */
const MAX_VALUES = 100;

interface Ranked {
  readonly values: readonly string[];
  /** The number of all matches. */
  readonly total: number;
  readonly has_more: boolean;
}

interface Ranking {
  /** @param candidates in the order for equal ranks */
  of(candidates: readonly { readonly value: string; readonly keys: readonly string[] }[]): Ranked;
  ofFolded(candidates: readonly FoldedValue[]): Ranked;
  /** @param completionOf the completion for a note that matched by a name, or by its path */
  ofNotes(
    entries: readonly NamedEntry[],
    completionOf: (entry: NamedEntry, name: string | undefined) => string,
  ): Ranked;
}

/** Visits each value once, so the cost does not depend on the typed text. */
function createRanking(typed: string): Ranking {
  const prefix = foldForTyping(typed.trimStart());
  const ofFolded: Ranking['ofFolded'] = (candidates) => {
    const ranks = createRanks();
    for (const { value, folded } of candidates) ranks.add(bestRank(folded, prefix).rank, () => value);
    return ranks.ranked();
  };
  return {
    ofFolded,
    of: (candidates) => ofFolded(candidates.map(({ value, keys }) => ({ value, folded: keys.map(foldForTyping) }))),
    ofNotes(entries, completionOf) {
      const ranks = createRanks();
      for (const entry of entries) {
        const byName = bestRank(entry.foldedNames, prefix);
        const byPath = rankOf(entry.foldedPath, prefix) + BY_PATH;
        if (byName.rank < byPath) ranks.add(byName.rank, () => completionOf(entry, entry.names[byName.at]));
        else ranks.add(byPath, () => completionOf(entry, undefined));
      }
      return ranks.ranked();
    },
  };
}

/** Even numbers: a match by path gets the odd rank after the same match by name. */
const [EXACT, PREFIX, CONTAINS, NO_MATCH] = [0, 2, 4, 6];
const BY_PATH = 1;

function rankOf(folded: string, prefix: string): number {
  const at = folded.indexOf(prefix);
  if (at === 0) return folded.length === prefix.length ? EXACT : PREFIX;
  return at > 0 ? CONTAINS : NO_MATCH;
}

function bestRank(folded: readonly string[], prefix: string): { readonly rank: number; readonly at: number } {
  let best = { rank: NO_MATCH, at: 0 };
  for (const [at, one] of folded.entries()) {
    const rank = rankOf(one, prefix);
    if (rank < best.rank) best = { rank, at };
  }
  return best;
}

function createRanks() {
  const byRank: string[][] = Array.from({ length: NO_MATCH }, () => []);
  let total = 0;
  return {
    add(rank: number, value: () => string): void {
      if (rank >= NO_MATCH) return;
      total += 1;
      const equals = byRank[rank] as string[];
      if (equals.length < MAX_VALUES) equals.push(value());
    },
    ranked(): Ranked {
      const shown = byRank.flat();
      const different = [...new Set(shown)];
      const values = different.slice(0, MAX_VALUES);
      const all = total - (shown.length - different.length);
      return { values, total: all, has_more: all > values.length };
    },
  };
}

interface NamedEntry {
  readonly path: NotePath;
  readonly foldedPath: string;
  /** The name, then title and aliases, without duplicates. */
  readonly names: readonly string[];
  readonly foldedNames: readonly string[];
}

interface FoldedValue {
  readonly value: string;
  readonly folded: readonly string[];
}

interface CompletableNames {
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
function foldForTyping(text: string): string {
  const folded = foldName(text);
  return BEYOND_ASCII.test(folded) ? folded.normalize('NFD').replace(MARKS, '').normalize('NFC') : folded;
}

async function completableNames(
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
function entryOf(path: NotePath, names: readonly string[], entry: NamedEntry | undefined): NamedEntry {
  if (entry !== undefined && entry.names.join('\n') === names.join('\n')) return entry;
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
const allTags = (store: Store, signal: AbortSignal) => tagsIn(undefined, store, signal);

/** @param folder undefined for the whole vault */
async function tagsIn(folder: string | undefined, store: Store, signal: AbortSignal): Promise<readonly FoldedValue[]> {
  const tags = await store.listTags(undefined, folder === undefined ? {} : { folder }, signal);
  const byCount = tags.toSorted((one, other) => other.count - one.count);
  return byCount.map(({ tag }) => ({ value: tag.slice(1), folded: [foldForTyping(tag.slice(1))] }));
}
