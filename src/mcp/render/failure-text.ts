// A failure as the lines a model reads: the same facts as its structured half.
import type { Choice } from '../../base/errors.ts';
import type { Failure } from './failure.ts';
import type { Plain, PlainObject } from './plain-value.ts';
import { cutText, escapeControls } from './safe-text.ts';

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

function isSaid(value: null | boolean | number | string, said: string): boolean {
  if (typeof value === 'string') return value === '' || said.includes(escapeControls(value));
  return typeof value === 'number' && new RegExp(`(?<![\\d.])${value}(?![\\d.])`).test(said);
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
