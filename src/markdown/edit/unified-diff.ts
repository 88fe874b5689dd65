// Shows changed files as one unified diff in git's format, cut to a maximum length.
import { formatPatch, OMIT_HEADERS, type StructuredPatch, structuredPatch } from 'diff';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import { visibleJson } from '../../base/visible-controls.ts';
import { cutToLines } from '../excerpt/cut-to-lines.ts';
import { decodeText } from '../parse/lines.ts';

/** One file before and after; a path is null if the file does not exist then. Binary files have no texts. */
export interface FileDifference {
  readonly from: string | null;
  readonly to: string | null;
  readonly before?: string;
  readonly after?: string;
}

export interface BoundedDiff {
  readonly diff: string;
  /** The number of files that are missing or incomplete. */
  readonly cut: number;
}

/** Undefined for an attachment, and for bytes that are not UTF-8. */
export function textOf(bytes: Uint8Array, path: NotePath): string | undefined {
  if (fileKindOf(path) === 'attachment') return undefined;
  const { text, encoding } = decodeText(bytes);
  return encoding === 'utf-8' ? text : undefined;
}

const CONTEXT_LINES = 3;
/** The unchanged lines around a change in a brief diff that has room for them. */
const BRIEF_CONTEXT_LINES = 1;
const MAX_BRIEF_LINE = 1_000;
/** After this time the diff removes the whole old text and adds the whole new one. */
const MAX_MS = 300;
const NO_FILE = '/dev/null';

/** @param longest characters in all */
export function boundedDiff(files: readonly FileDifference[], longest: number): BoundedDiff {
  let diff = '';
  for (const [at, file] of files.entries()) {
    const whole = fileDiff(file);
    const { text, wholeLines } = cutToLines(whole, longest - diff.length);
    // A partial line is shown only if there is nothing else.
    diff += wholeLines > 0 || diff === '' ? text : '';
    if (text.length < whole.length) return { diff, cut: files.length - at };
  }
  return { diff, cut: 0 };
}

export interface BriefDiff {
  readonly diff: string;
  /** The changed lines of all files. */
  readonly added: number;
  readonly removed: number;
  readonly isCut: boolean;
}

/** A diff with more lines loses first the lines around the changes, then the last changes, with their headers. A file that only moves is not in it. */
export function briefDiff(files: readonly FileDifference[], maxLines: number): BriefDiff {
  const around = briefLines(files, BRIEF_CONTEXT_LINES);
  const lines = around.length <= maxLines ? around : briefLines(files, 0);
  let end = Math.min(maxLines, lines.length);
  while (end < lines.length && lines[end - 1]?.isHeader) end -= 1;
  const shown = lines.slice(0, end).map(({ text }) => text);
  const isLong = shown.some((text) => text.length > MAX_BRIEF_LINE);
  const count = (sign: string): number =>
    lines.filter(({ isHeader, text }) => !isHeader && text.startsWith(sign)).length;
  return {
    diff: shown.map((text) => `${cutToLines(text, MAX_BRIEF_LINE).text}\n`).join(''),
    added: count('+'),
    removed: count('-'),
    isCut: isLong || end < lines.length,
  };
}

function briefLines(files: readonly FileDifference[], context: number) {
  return files.flatMap(({ from, to, before = '', after = '' }) => {
    const isFileAlone = before === after && (from === null || to === null);
    if (before === after && !isFileAlone) return [];
    const head = [`--- ${shownPath(from)}`, `+++ ${shownPath(to)}`].map((text) => ({ text, isHeader: !isFileAlone }));
    const hunks = before === after ? '' : formatPatch(patchOf(before, after, context), OMIT_HEADERS);
    const lines = hunks.split('\n').slice(0, -1);
    return [...head, ...lines.map((text) => ({ text, isHeader: text.startsWith('@@') }))];
  });
}

/** Ends with a line break; empty if nothing changes. */
export function fileDiff({ from, to, before = '', after = '' }: FileDifference): string {
  const moved = from !== null && to !== null && from !== to;
  const renamed = moved ? `rename from ${shownPath(from)}\nrename to ${shownPath(to)}\n` : '';
  const isFileAlone = before === after && (from === null || to === null);
  if (before === after && !isFileAlone) return renamed;
  const names = `--- ${shownPath(from)}\n+++ ${shownPath(to)}\n`;
  return `${renamed}${names}${before === after ? '' : formatPatch(patchOf(before, after), OMIT_HEADERS)}`;
}

/** Longer texts are compared without the equal lines at both ends: to compare a long note takes a second. */
const MAX_COMPARED = 200_000;

function patchOf(before: string, after: string, context = CONTEXT_LINES): StructuredPatch {
  const { from, to } =
    before.length + after.length <= MAX_COMPARED ? { from: 0, to: 0 } : equalEnds(before, after, context);
  const [old, now] = [before.slice(from, before.length - to), after.slice(from, after.length - to)];
  const patch = structuredPatch('', '', old, now, '', '', { context, timeout: MAX_MS }) ?? replaced(old, now);
  if (from === 0) return patch;
  const above = lineFeedsIn(before, from);
  const moved = ({ oldStart, newStart, ...hunk }: (typeof patch.hunks)[number]) => {
    return { oldStart: oldStart + above, newStart: newStart + above, ...hunk };
  };
  return { ...patch, hunks: patch.hunks.map(moved) };
}

/** Before `end`; a return alone ends no line of a diff. */
function lineFeedsIn(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** How many characters both texts begin and end with, in whole lines, without `context` lines at the difference. */
function equalEnds(before: string, after: string, context: number): { readonly from: number; readonly to: number } {
  const shorter = Math.min(before.length, after.length);
  let same = 0;
  while (same < shorter && before.charCodeAt(same) === after.charCodeAt(same)) same += 1;
  let from = same;
  for (let lines = 0; lines <= context && from > 0; lines += 1)
    from = from < 2 ? 0 : before.lastIndexOf('\n', from - 2) + 1;
  const [oldEnd, newEnd] = [before.length - 1, after.length - 1];
  let equal = 0;
  while (equal < shorter - same && before.charCodeAt(oldEnd - equal) === after.charCodeAt(newEnd - equal)) equal += 1;
  let end = before.length - equal;
  for (let lines = 0; lines <= context && end !== 0; lines += 1) end = before.indexOf('\n', end) + 1;
  return { from, to: end === 0 ? 0 : before.length - end };
}

function replaced(before: string, after: string): StructuredPatch {
  const gone = structuredPatch('', '', before, '');
  const [removed] = gone.hunks;
  const [added] = structuredPatch('', '', '', after).hunks;
  if (removed === undefined || added === undefined) return gone;
  const lines = [...removed.lines, ...added.lines];
  return { ...gone, hunks: [{ ...removed, newStart: added.newStart, newLines: added.newLines, lines }] };
}

/** Quotes a path that contains characters which a terminal obeys. */
function shownPath(path: string | null): string {
  if (path === null) return NO_FILE;
  return /[\p{Cc}\u2028-\u202e\u2066-\u2069\ufeff]/u.test(path) ? visibleJson(path) : path;
}
