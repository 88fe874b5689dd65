// Defines the performance goals: for each figure a limit that a user could feel, as a multiple of a baseline of the same run or as an absolute value.
import type { FLOORS, GROWTH, MEASURES, VECTOR_MEASURES } from './figures.ts';
import { storeCallNames } from './store-calls.ts';

export type Goal = { readonly times: number; readonly of: keyof typeof FLOORS | 'vault' } | Limit;

/** `beside` is a baseline that is only shown. */
interface Limit {
  readonly atMost: number;
  readonly beside?: keyof typeof FLOORS;
}

export type Goals = Readonly<Partial<Record<keyof typeof MEASURES, Goal>>>;

/** The memory goals of a medium vault apply up to this number of notes; above it those of a large vault. */
const MIDDLING_VAULT = 10_000;

export function goalsFor(notes: number): Goals {
  const large = notes > MIDDLING_VAULT;
  return {
    initialize_cold: { times: 2, of: 'spawn_server' },
    initialize_warm: { times: 2, of: 'spawn_server' },
    npx_first: { atMost: 3_000, beside: 'spawn_npx' },
    npx_again: { atMost: 3_000, beside: 'spawn_npx' },
    installed_start: { atMost: 3_000, beside: 'spawn_server' },
    close_busy: { atMost: 3_000 },
    close_idle: { atMost: 3_000 },
    cold: { times: 2, of: 'reference_cold' },
    warm_answer: { atMost: large ? 500 : 300 },
    warm_misspelled: { atMost: large ? 1_000 : 500 },
    warm_fresh: { times: 2.5, of: 'reference_warm' },
    edit_one: { atMost: 20 },
    edit_hundred: { atMost: large ? 300 : 200 },
    search_word_p50: { atMost: MAX_SEARCH_MS },
    ...(large ? {} : { search_three_p50: { atMost: MAX_SEARCH_MS } }),
    search_stop_p50: { atMost: MAX_SEARCH_MS },
    search_prefix_p50: { atMost: large ? 2 * MAX_SEARCH_MS : MAX_SEARCH_MS },
    search_misspelled_p50: { atMost: MAX_SEARCH_MS },
    edit_misspelled: { atMost: MAX_CALL_MS },
    neighbors_p50: { atMost: MAX_SEARCH_MS },
    neighbors_two_p50: { atMost: MAX_SEARCH_MS },
    path_p50: { atMost: MAX_SEARCH_MS },
    pagerank_first: { atMost: large ? 500 : 100 },
    pagerank_p50: { atMost: 0.5 },
    related_p50: { atMost: MAX_CALL_MS },
    context_p50: { atMost: MAX_CALL_MS },
    tags_p50: { atMost: 1 },
    gaps_p50: { atMost: 2 },
    list_p50: { atMost: MAX_SEARCH_MS },
    status_p50: { atMost: MAX_SEARCH_MS },
    read_p50: { atMost: MAX_SEARCH_MS },
    ...(large ? {} : heldGoals()),
    ping_busy_p99: { atMost: 50 },
    search_busy_p99: { atMost: 50 },
    search_catch_up_p99: { atMost: 50 },
    peak_cold: { atMost: large ? 400 : 300 },
    // At 10,000 notes what the best peer holds: `npm run bench:compare`.
    serving: { atMost: large ? 350 : 200 },
    ...(large ? {} : { released: { atMost: 150 } }),
    disk: { times: 1.25, of: 'vault' },
    written: { times: large ? 7 : 5, of: 'vault' },
    idle_processor: { atMost: 10 },
    tokens_list: { atMost: 5_500 },
    tokens_list_embedding: { atMost: 9_000 },
  };
}

/** Several in a row are still at once for a person, and small beside a model's answer. */
const MAX_SEARCH_MS = 5;
/** Of a call that compares or weighs many notes. */
const MAX_CALL_MS = 20;
/** No tool holds the main thread for longer, up to the size of a middling vault. */
const MAX_HELD_MS = 10;

function heldGoals(): Goals {
  return Object.fromEntries(storeCallNames.map((name) => [`${name}_held`, { atMost: MAX_HELD_MS }]));
}

export interface VectorSize {
  readonly chunks: number;
  readonly dims: number;
  /** Milliseconds for a search in it. */
  readonly search: number;
}

export const VECTOR_SIZES: readonly VectorSize[] = [
  { chunks: 10_000, dims: 768, search: 8 },
  { chunks: 100_000, dims: 768, search: 8 },
  { chunks: 300_000, dims: 384, search: 15 },
];

/** Of a call of `search`, with the answer of the model. */
const MAX_WHOLE_MS = 40;

/** Each is an upper limit. */
export function vectorGoals({ search }: VectorSize): Readonly<Partial<Record<keyof typeof VECTOR_MEASURES, number>>> {
  const whole = { whole_p50: MAX_WHOLE_MS, whole_tag_p50: MAX_WHOLE_MS, whole_where_p50: MAX_WHOLE_MS };
  return { chunks_p50: search, notes_p50: search, ...whole, held_up: 100, missed: 0.5, memory: 1.3 };
}

/** The maximum growth factor for ten times the notes; stated for 1,000 → 10,000. */
export const GROWTH_GOALS: Readonly<Partial<Record<(typeof GROWTH)[number], number>>> = {
  cold: 6,
  warm_fresh: 4,
  edit_one: 1.1,
  edit_hundred: 2,
  neighbors_p50: 1.5,
  initialize_cold: 1.1,
};
