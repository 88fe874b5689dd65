// A VaultgraphError as the structured half of an answer, held to its sizes.
import type { Choice, ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { type Plain, type PlainObject, toPlainObject } from './plain-value.ts';
import { cutText, escapeControls, type PathMask } from './safe-text.ts';

export type Failure = ReturnType<typeof failureOf>;

/** Bytes of UTF-8; together with the choices and the details' line they keep the text under 4 KB. */
const MAX_MESSAGE_LENGTH = 1_200;
const MAX_HINT_LENGTH = 800;
const MAX_CHOICES_LENGTH = 1_200;
const MAX_CHOICES = 10;

/** @param listed the names of the tools that exist: an action that calls another one is left out */
export function failureOf(error: VaultgraphError, listed: ReadonlySet<string>, mask: PathMask, more: object = {}) {
  const actions = error.actions
    .filter((action) => action.kind !== 'tool_call' || listed.has(action.tool))
    .map((action) => (action.kind === 'command' ? { ...action, command: mask(action.command) } : action));
  return {
    ok: false as const,
    error: {
      code: error.code,
      category: error.category,
      message: shownMessage(error, mask),
      hint: shownHint(error, mask),
      retryable: error.retryable,
      ...(error.retryAfterMs === undefined ? {} : { retry_after_ms: error.retryAfterMs }),
      fix_by: error.fixBy,
      error_id: error.errorId,
      ...shownChoices(error),
      ...(actions.length === 0 ? {} : { actions }),
      details: boundDetails(error, mask, more),
    },
  };
}

/** A failed item of a batch: four fields, and the choices for an ambiguous name. */
export function itemFailureOf(error: VaultgraphError, mask: PathMask): { readonly [key: string]: Plain } {
  const { choices, total_matches } = shownChoices(error);
  return {
    code: error.code,
    message: shownMessage(error, mask),
    hint: shownHint(error, mask),
    retryable: error.retryable,
    ...(choices === undefined ? {} : { choices: choices.map((choice) => ({ ...choice })) }),
    ...(total_matches === undefined ? {} : { total_matches }),
  };
}

function shownMessage(error: VaultgraphError, mask: PathMask): string {
  return cutText(escapeControls(mask(error.message)), MAX_MESSAGE_LENGTH);
}

function shownHint(error: VaultgraphError, mask: PathMask): string {
  return cutText(escapeControls(mask(error.hint)), MAX_HINT_LENGTH);
}

interface ShownChoices {
  readonly choices?: readonly Choice[];
  readonly total_matches?: number;
  readonly retry_with?: string;
}

/** A choice is valid input, so it is shown completely or left out; the total counts all of them. */
function shownChoices({ choices }: VaultgraphError): ShownChoices {
  if (choices === undefined) return {};
  const shown: Choice[] = [];
  let bytes = 0;
  for (const choice of choices.items.slice(0, MAX_CHOICES)) {
    bytes += Buffer.byteLength(JSON.stringify(choice));
    if (bytes > MAX_CHOICES_LENGTH) break;
    shown.push(choice);
  }
  return { choices: shown, total_matches: choices.total, retry_with: choices.retryWith };
}

/** Bytes of JSON. A batch names each of its items. */
const MAX_DETAILS_LENGTH = 2_048;
const MAX_BATCH_LENGTH = 16_384;
/** What changed since a note was read is what its reader has to merge. */
const MAX_DIFF_LENGTH = 12_000;
const MAX_TEXT_LENGTH = 400;
/** What message and hint are made of and say already. */
const SAID_ELSEWHERE: Readonly<Partial<Record<ErrorCode, readonly string[]>>> = {
  BATCH_FAILED: ['why', 'advice'],
  CONFIRMATION_REQUIRED: ['dry_run'],
};

/** The details as plain values, and what more there is; `cut` counts, by name, the entries of lists that were left out. */
function boundDetails(error: VaultgraphError, mask: PathMask, more: object = {}): PlainObject {
  const longest = error.code === 'BATCH_FAILED' ? MAX_BATCH_LENGTH : MAX_DETAILS_LENGTH;
  const said = SAID_ELSEWHERE[error.code] ?? [];
  const kept = Object.entries({ ...error.shown, ...more }).filter(([key]) => !said.includes(key));
  const { diff, ...plain } = mapTexts(toPlainObject(Object.fromEntries(kept)), (text) => mask(text)) as PlainObject;
  const shown = typeof diff === 'string' ? { diff: cutText(diff, MAX_DIFF_LENGTH) } : {};
  if (bytesOf(plain) <= longest) return { ...plain, ...shown };
  return { ...cutLists(mapTexts(plain, (text) => cutText(text, MAX_TEXT_LENGTH)) as PlainObject, longest), ...shown };
}

/** Shortens the longest list until all of it fits; without a list to shorten nothing fits, so nothing is kept. */
function cutLists(details: PlainObject, longest: number): PlainObject {
  const lists = Object.entries(details).filter(([, value]) => Array.isArray(value)) as [string, readonly Plain[]][];
  const kept = new Map(lists);
  const current = (): PlainObject => ({ ...details, ...Object.fromEntries(kept), ...cutCounts(lists, kept) });
  while (bytesOf(current()) > longest) {
    const [key, list] = [...kept].sort(([, a], [, b]) => bytesOf(b) - bytesOf(a))[0] ?? [];
    if (key === undefined || list === undefined || list.length === 0)
      return { cut: { members: Object.keys(details).length } };
    kept.set(key, list.slice(0, Math.floor(list.length * 0.8)));
  }
  return current();
}

function cutCounts(lists: readonly [string, readonly Plain[]][], kept: ReadonlyMap<string, readonly Plain[]>) {
  const counts = lists.map(([key, list]): [string, number] => [key, list.length - (kept.get(key)?.length ?? 0)]);
  const cut = counts.filter(([, count]) => count > 0);
  return cut.length === 0 ? {} : { cut: Object.fromEntries(cut) };
}

function mapTexts(value: Plain, change: (text: string) => string): Plain {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member, change)]));
}

function bytesOf(value: Plain): number {
  return Buffer.byteLength(JSON.stringify(value));
}
