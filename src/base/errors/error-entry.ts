// The shape of an entry in the error table, and the text functions that the entries share.
import { commandLine } from '../command-line.ts';

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

/** Writes a number like `12,345`. `toLocaleString` takes 30 ms when it is called first. @param count a whole number from 0 */
export const grouped = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 note`, `2 notes`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

export const codeList = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** How much an error shows of a text from outside the program, such as an argument. */
const MAX_SHOWN_LENGTH = 200;

/** At most `longest` UTF-16 units and a mark; a surrogate pair is not cut in two. */
export function cut(text: string, longest: number = MAX_SHOWN_LENGTH): string {
  if (text.length <= longest) return text;
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(longest - 1));
  return `${text.slice(0, isHalf ? longest - 1 : longest)}…`;
}

export const quoted = (text: string): string => JSON.stringify(cut(text));

/** The same value with every text in it cut, except for a `diff`, which its reader has to merge. */
export function cutTexts<T>(value: T): T {
  if (typeof value === 'string') return cut(value) as T;
  if (Array.isArray(value)) return value.map((item) => cutTexts(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === 'diff' ? member : cutTexts(member)]),
  ) as T;
}

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
  command: commandLine('doctor'),
  run_by: 'user',
  why: 'checks the setup and says how to fix each problem',
};
