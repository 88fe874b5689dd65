// Lists what the comparison of two stores measures.
import type { StoreCallName } from './store-calls.ts';

const ms = (name: string) => ({ name, unit: 'ms' }) as const;
const megabytes = (name: string) => ({ name, unit: 'MB' }) as const;

/** The questions whose times are shown: three searches by words, and seven calls. */
export const ASKED_SEARCHES = ['search_word', 'search_three', 'search_prefix'] as const;
export const ASKED_CALLS = [
  'neighbors',
  'neighbors_two',
  'path',
  'related',
  'context',
  'list',
  'tags',
] as const satisfies readonly StoreCallName[];

export type Asked = (typeof ASKED_SEARCHES)[number] | (typeof ASKED_CALLS)[number];

const NAMES: Readonly<Record<Asked, string>> = {
  search_word: 'search_text, one word',
  search_three: 'search_text, three words',
  search_prefix: 'search_text, prefix of two letters',
  neighbors: 'get_neighbors, depth 1',
  neighbors_two: 'get_neighbors, depth 2',
  path: 'find_path',
  related: 'find_related',
  context: 'get_context, 2,000 tokens',
  list: 'list_notes',
  tags: 'list_tags',
};

type AskedFigure = `${Asked}_${'p50' | 'p99' | 'trips'}`;

function askedFigures() {
  const all = Object.entries(NAMES).flatMap(([key, name]) => [
    [`${key}_p50`, ms(`${name}, p50`)],
    [`${key}_p99`, ms(`${name}, p99`)],
    [`${key}_trips`, { name: `${name}, round trips per call`, unit: '' }],
  ]);
  return Object.fromEntries(all) as Record<AskedFigure, { readonly name: string; readonly unit: string }>;
}

export const STORE_FIGURES = {
  cold: ms('spawn, nothing indexed → all queryable'),
  second: ms('a second server, its data folder empty → caught up'),
  warm: ms('spawn, index there → caught up'),
  local_disk: megabytes('index on the disk of one server'),
  server_disk: megabytes('index in the database server'),
  ...askedFigures(),
  serving: { name: 'memory of one server after these questions', unit: 'MiB' },
  together_p50: ms('search_text, one word, 20 servers at once, p50'),
  together_p99: ms('search_text, one word, 20 servers at once, p99'),
  together_rate: { name: 'calls of all 20', unit: 'per s' },
} as const;

export type StoreFigureName = keyof typeof STORE_FIGURES;
