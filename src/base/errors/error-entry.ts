// The shape of an entry in the error table, and the text functions that the entries share.

export type Category =
  | 'input'
  | 'lookup'
  | 'conflict'
  | 'capability'
  | 'vault'
  | 'store'
  | 'index'
  | 'provider'
  | 'control'
  | 'internal';

/** Who can fix it. N: nobody. C: the caller, with other arguments. D: the same call, later. D*: the same call, after the user acted. U: the user. */
export type Retry = 'N' | 'C' | 'D' | 'D*' | 'U';

/** A suggested tool call, config key or command; never a destructive one. */
export type Action =
  | { readonly kind: 'tool_call'; readonly tool: string; readonly arguments: object; readonly why: string }
  | { readonly kind: 'config'; readonly key: string; readonly why: string }
  | { readonly kind: 'command'; readonly command: string; readonly run_by: 'user'; readonly why: string };

export interface ErrorEntry<Details> {
  readonly category: Category;
  readonly retry: Retry;
  readonly http: number;
  /** Set exactly when `retry` is D or D*. */
  readonly retryAfterMs?: number;
  readonly message: (details: Details) => string;
  readonly hint: (details: Details) => string;
  readonly actions?: (details: Details) => readonly Action[];
}

export const entry = <Details>(fields: ErrorEntry<Details>): ErrorEntry<Details> => Object.freeze(fields);

/** `1 note`, `2 notes`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

export const codeList = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** Text from outside the program is cut to this length in messages; the details keep more of it. */
const MAX_FOREIGN_TEXT_LENGTH = 200;

export const cut = (text: string): string =>
  text.length <= MAX_FOREIGN_TEXT_LENGTH ? text : `${text.slice(0, MAX_FOREIGN_TEXT_LENGTH).toWellFormed()}…`;

export const quoted = (text: string): string => JSON.stringify(cut(text));

/** Waits for a running index job. */
export const waitForJob = (jobId: string, why: string): Action => ({
  kind: 'tool_call',
  tool: 'reindex',
  arguments: { job_id: jobId, wait_ms: 20_000 },
  why,
});

export const SEARCH_TEXT: Action = {
  kind: 'tool_call',
  tool: 'search_text',
  arguments: {},
  why: 'finds notes by their words, without a model',
};

export const DOCTOR: Action = {
  kind: 'command',
  command: 'vaultgraph doctor',
  run_by: 'user',
  why: 'checks the setup and says how to fix each problem',
};
