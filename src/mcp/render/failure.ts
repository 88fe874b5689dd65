// A VaultgraphError as the structured half of an answer, held to its sizes.
import type { Choice, ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { type Plain, type PlainObject, toPlainObject } from './render-text.ts';
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
const MAX_DETAIL_LENGTH = 400;
/** What message and hint are made of and say already. */
const SAID_ELSEWHERE: Readonly<Partial<Record<ErrorCode, readonly string[]>>> = {
  BATCH_FAILED: ['why', 'advice'],
  CONFIRMATION_REQUIRED: ['dry_run'],
};

/** The details as plain values, and what more there is; `cut` counts, by name, the entries of lists that were left out. */
function boundDetails(error: VaultgraphError, mask: PathMask, more: object = {}): PlainObject {
  const longest = error.code === 'BATCH_FAILED' ? MAX_BATCH_LENGTH : MAX_DETAILS_LENGTH;
  const said = SAID_ELSEWHERE[error.code] ?? [];
  const details = Object.entries({ ...error.shown, ...more }).filter(([key]) => !said.includes(key));
  const { diff, ...plain } = mapTexts(toPlainObject(Object.fromEntries(details)), (text) => mask(text)) as PlainObject;
  const shown = typeof diff === 'string' ? { diff: cutText(diff, MAX_DIFF_LENGTH) } : {};
  if (bytesOf(plain) <= longest) return { ...plain, ...shown };
  return { ...cutLists(mapTexts(plain, (text) => cutText(text, MAX_DETAIL_LENGTH)) as PlainObject, longest), ...shown };
}

/** Shortens the longest list until all of it fits; without a list to shorten nothing fits, so nothing is kept. */
function cutLists(details: PlainObject, longest: number): PlainObject {
  const lists = Object.entries(details).filter(([, value]) => Array.isArray(value)) as [string, readonly Plain[]][];
  const byName = new Map(lists);
  const current = (): PlainObject => ({ ...details, ...Object.fromEntries(byName), ...cutCounts(lists, byName) });
  while (bytesOf(current()) > longest) {
    const [key, list] = [...byName].sort(([, a], [, b]) => bytesOf(b) - bytesOf(a))[0] ?? [];
    if (key === undefined || list === undefined || list.length === 0)
      return { cut: { members: Object.keys(details).length } };
    byName.set(key, list.slice(0, Math.floor(list.length * 0.8)));
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

/** Bytes of UTF-8 for the whole text, and the minimum for the details and the note about a cut. */
const MAX_TEXT_LENGTH = 4_096;
const MIN_DETAILS_LENGTH = 64;

/** At most 4 KB; the first line has the code and the message, the second the hint, the last the error id. */
export function failureText({ error }: Failure): string {
  const lines = [`Error [${error.code}]: ${error.message}`, `Hint: ${error.hint}`];
  if (error.retry_after_ms !== undefined) lines.push(`Retry: possible after ${error.retry_after_ms} ms`);
  lines.push(...choiceLines(error));
  const last = `Error-Id: ${error.error_id}`;
  const { diff, ...details } = error.details;
  lines.push(...detailLines(details, lines.join('\n'), room([...lines, last])));
  if (typeof diff === 'string') lines.push(...diffLines(diff, room([...lines, last])));
  return [...lines, last].join('\n');
}

/** Bytes that are left, but for the line that counts what was cut. */
function room(lines: readonly string[]): number {
  return Math.max(MIN_DETAILS_LENGTH, MAX_TEXT_LENGTH - Buffer.byteLength(lines.join('\n')) - MIN_DETAILS_LENGTH);
}

/** Unchanged except for control characters; complete lines while they fit. */
function diffLines(diff: string, longest: number): string[] {
  return ['Diff:', ...cutLines(diff.replace(/\n$/, '').split('\n').map(escapeControls), longest - MIN_DETAILS_LENGTH)];
}

function choiceLines({ choices, total_matches, retry_with }: Failure['error']): string[] {
  if (choices === undefined) return [];
  return [`Choices (${choices.length} of ${total_matches}), use as ${retry_with}:`, ...choices.map(choiceLine)];
}

function choiceLine({ value, path, line, label }: Choice): string {
  const place = path === undefined || value.startsWith(path) ? undefined : path;
  const more = [place, line === undefined ? undefined : `line ${line}`, label];
  return escapeControls(`- ${[value, ...more.filter((part) => part !== undefined)].join(' · ')}`);
}

/** The details that message, hint and choices do not contain; each failed item of a batch has its own line. */
function detailLines(details: PlainObject, said: string, longest: number): string[] {
  const { failed, ...rest } = details;
  const news = leavesOf(rest).filter(([, value]) => !isSaid(value, said));
  const lines =
    news.length === 0 ? [] : [`Details: ${news.map(([key, value]) => `${key}=${shown(value)}`).join(', ')}`];
  if (Array.isArray(failed)) lines.push('Failed:', ...failed.map((item) => failedLine(item, said)));
  return cutLines(lines.map(escapeControls), longest);
}

function failedLine(item: Plain, said: string): string {
  const { id, error } = item as { id: string; error: PlainObject };
  const news = leavesOf(error).filter(([, value]) => value !== false && !isSaid(value, said));
  return `- ${shown(id)}${news.length === 0 ? '' : `: ${news.map(([key, value]) => `${key}=${shown(value)}`).join(', ')}`}`;
}

function leavesOf(value: Plain, path = ''): [string, null | boolean | number | string][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, member]) => leavesOf(member, path === '' ? key : `${path}.${key}`));
}

/** A digit inside an id says nothing. */
function isSaid(value: null | boolean | number | string, said: string): boolean {
  if (typeof value === 'string') return value === '' || said.includes(escapeControls(value));
  return typeof value === 'number' && new RegExp(`(?<![\\w.])${value}(?![\\w.])`).test(said);
}

function shown(value: null | boolean | number | string): string {
  return typeof value === 'string' && /^$|[\s,=]/.test(value) ? JSON.stringify(value) : String(value);
}

/** Whole lines while they fit; the rest is counted. */
function cutLines(lines: readonly string[], longest: number): string[] {
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > longest) break;
    kept.push(line);
  }
  const left = lines.length - kept.length;
  if (left === 0) return kept;
  const next = lines[kept.length] ?? '';
  return kept.length === 0 ? [cutText(next, longest)] : [...kept, `(${left} more lines cut)`];
}
