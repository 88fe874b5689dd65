// Lists everything that the benchmark measures, and records each figure or the reason why it is missing.
import assert from 'node:assert/strict';
import { STORE_CALLS, type StoreCallName, type StoreFigure } from './store-calls.ts';

const ms = (name: string) => ({ name, unit: 'ms' }) as const;
const mebibytes = (name: string) => ({ name, unit: 'MiB' }) as const;
const megabytes = (name: string) => ({ name, unit: 'MB' }) as const;
const tokens = (name: string) => ({ name, unit: 'tokens' }) as const;

/** Three for each call. */
function storeFigures() {
  const all = Object.entries(STORE_CALLS).flatMap(([key, { name }]) => [
    [`${key}_p50`, ms(`${name}, p50`)],
    [`${key}_p99`, ms(`${name}, p99`)],
    [`${key}_held`, ms(`${name}, longest ping meanwhile`)],
  ]);
  return Object.fromEntries(all) as Record<StoreFigure<StoreCallName>, ReturnType<typeof ms>>;
}

export const FLOORS = {
  spawn_node: ms('spawn bare Node → its first line'),
  spawn_server: ms('spawn SDK server with better-sqlite3, bundled → initialize answered'),
  spawn_server_unbundled: ms('the same, not bundled'),
  spawn_npx: ms('npx of that server, bundled → initialize answered'),
  call_50: ms('one tool call over stdio, answer of 50 B, p50'),
  call_10k: ms('one tool call over stdio, answer of 10 KB, p50'),
  walk: ms('walk the vault'),
  stat: ms('stat every file'),
  read: ms('read every note'),
  sqlite: ms('SQLite rows + contentless FTS5 of all notes, one transaction'),
  reference_cold: ms('reference pipeline: spawn, nothing indexed → first query'),
  reference_warm: ms('reference pipeline: spawn, full stat diff → first query'),
  reference_peak: mebibytes('reference pipeline: peak memory, cold'),
  reference_disk: megabytes('reference pipeline: index on disk'),
} as const;

export const MEASURES = {
  initialize_cold: ms('spawn → initialize answered, no index yet'),
  initialize_warm: ms('spawn → initialize answered, index there'),
  npx_first: ms('npx of the installed package, first start → initialize answered'),
  npx_again: ms('the same, later starts'),
  installed_start: ms('spawn the installed program → initialize answered'),
  close_busy: ms('stdin closed while indexing → process gone'),
  close_idle: ms('stdin closed when idle → process gone'),
  cold: ms('spawn, nothing indexed → all queryable'),
  warm_answer: ms('spawn, index there → first search_text answered'),
  warm_misspelled: ms('the same, for a word that no note has'),
  warm_fresh: ms('spawn, index there → caught up'),
  edit_one: ms('one note edited → visible, by reindex of it'),
  edit_hundred: ms('100 notes edited → visible, by reindex of them'),
  search_word_p50: ms('search_text, one word, p50'),
  search_word_p99: ms('search_text, one word, p99'),
  search_three_p50: ms('search_text, three words, p50'),
  search_three_p99: ms('search_text, three words, p99'),
  search_stop_p50: ms('search_text, stop word, p50'),
  search_stop_p99: ms('search_text, stop word, p99'),
  search_prefix_p50: ms('search_text, prefix of two letters, p50'),
  search_prefix_p99: ms('search_text, prefix of two letters, p99'),
  search_misspelled_p50: ms('search_text, a word that no note has, p50'),
  search_misspelled_p99: ms('search_text, a word that no note has, p99'),
  edit_misspelled: ms('the same, first after a note was edited'),
  pagerank_first: ms('get_hubs pagerank, first'),
  ...storeFigures(),
  ping_busy_p99: ms('ping while indexing from nothing, p99'),
  ping_busy_worst: ms('ping while indexing from nothing, worst'),
  search_busy_p99: ms('search_text while indexing from nothing, p99'),
  search_catch_up_p50: ms('search_text while every note is indexed again, p50'),
  search_catch_up_p99: ms('search_text while every note is indexed again, p99'),
  peak_cold: mebibytes('peak memory, cold'),
  serving: mebibytes('memory when serving'),
  serving_peak: mebibytes('peak memory, serving a warm index'),
  main_heap: mebibytes('heap of the main thread, resident'),
  main_used: mebibytes('the same, used'),
  files_heap: mebibytes('heap of the threads for files, resident'),
  files_used: mebibytes('the same, used'),
  store_heap: mebibytes('heap of the thread that writes the index, resident'),
  store_used: mebibytes('the same, used'),
  compute_heap: mebibytes('heap of the compute thread, resident'),
  compute_used: mebibytes('the same, used'),
  released: mebibytes('memory after 45 s without a call'),
  vault_first: mebibytes('memory of several vaults, one open'),
  vault_second: mebibytes('memory of several vaults, a second one of the same size'),
  after_release: ms('get_neighbors after 45 s without a call'),
  disk: megabytes('index on disk'),
  disk_words: megabytes('of it: words and their places'),
  disk_terms: megabytes('of it: term vectors of find_related'),
  disk_links: megabytes('of it: links'),
  disk_properties: megabytes('of it: properties by value'),
  disk_checksums: megabytes('of it: checksums of rows, in all tables'),
  written: megabytes('written while indexing from nothing'),
  idle_processor: ms('processor time in two idle seconds'),
  tokens_list: tokens('tools/list'),
  tokens_list_embedding: tokens('tools/list, embedding configured'),
  tokens_search: tokens('search_text, 10 hits: text'),
  tokens_search_structured: tokens('search_text, 10 hits: structured'),
  tokens_neighbors: tokens('get_neighbors, 10 neighbors: text'),
  tokens_read: tokens('read_notes, one note: text'),
  tokens_hubs: tokens('get_hubs, 10 hubs: text'),
} as const;

/** For vectors, for each collection size. */
export const VECTOR_FLOORS = {
  look_at_bits: ms('one look at every bit of it, plain JavaScript, p50'),
  look_at_floats: ms('every float of it compared by sqlite-vec, p50'),
  embed_query: ms('a query embedded by the fake model over HTTP, p50'),
} as const;

export const VECTOR_MEASURES = {
  insert: { name: 'vectors written, 64 a call', unit: 'per s' },
  first: ms('nearestChunks, first after opening'),
  held_up: ms('event loop held up meanwhile, at most'),
  chunks_p50: ms('nearestChunks, 10 notes, p50'),
  chunks_p99: ms('nearestChunks, 10 notes, p99'),
  deep_p50: ms('nearestChunks, 50 notes, p50'),
  folder_p50: ms('nearestChunks in a fiftieth of the folders, p50'),
  recent_p50: ms('nearestChunks since a time that all notes pass, p50'),
  notes_p50: ms('nearestNotes, 10 notes, p50'),
  change: ms('nearestChunks, first after one note changed, p50'),
  whole_p50: ms('search, whole call with its query embedded, p50'),
  whole_tag_p50: ms('the same with a tag that 99 % of the notes have, p50'),
  whole_where_p50: ms('the same with a property that all notes have, p50'),
  missed: { name: 'missed of the 10 nearest notes', unit: '%' },
  missed_deep: { name: 'missed of the 50 nearest notes', unit: '%' },
  memory: { name: 'memory held for it', unit: '× its bits' },
  disk: { name: 'vectors and all on disk', unit: '× its floats' },
} as const;

/** The figures that are also measured on a vault a tenth the size, for comparison. */
export const GROWTH = [
  'initialize_cold',
  'cold',
  'warm_answer',
  'warm_fresh',
  'edit_one',
  'edit_hundred',
  'search_word_p50',
  'neighbors_p50',
  'serving',
] as const satisfies readonly (keyof typeof MEASURES)[];

export type Figures = Readonly<Record<string, { readonly name: string; readonly unit: string }>>;

export interface Ledger<Name extends string> {
  /** Runs `take` and records its figures; if it throws, records the reason for each of `names`. Never rejects. */
  attempt<Taken extends Name>(
    names: readonly Taken[],
    take: () => Promise<Readonly<Record<Taken, number>>>,
  ): Promise<void>;
  value(name: Name): number | undefined;
  /** Why there is no value. */
  reason(name: Name): string;
}

/** `endsAt`, on the clock of `performance.now()`: no measurement starts after it. */
export function createLedger<Name extends string>(
  endsAt: number,
  onTaken: (names: readonly Name[]) => void,
): Ledger<Name> {
  const values = new Map<Name, number>();
  const reasons = new Map<Name, string>();
  return {
    attempt: async (names, take) => {
      try {
        assert.ok(performance.now() < endsAt, 'the time for the whole bench was over');
        const taken = await take();
        for (const name of names) values.set(name, taken[name]);
      } catch (error) {
        for (const name of names) reasons.set(name, error instanceof Error ? error.message : String(error));
      }
      onTaken(names);
    },
    value: (name) => values.get(name),
    reason: (name) => reasons.get(name) ?? 'not reached',
  };
}
