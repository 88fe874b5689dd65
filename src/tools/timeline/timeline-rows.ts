// Ranks dated passages, keeps those of the time asked for, and puts them in order of time.
import type { NotePath } from '../../base/note.ts';
import { jobs } from '../../compute/jobs.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { localDate } from '../../markdown/dates/note-date.ts';
import type { DatedPassage } from '../../markdown/timeline/dated-passages.ts';
import { readTexts } from '../notes/note-content.ts';
import type { FoundNotes } from './timeline-notes.ts';

export type Row = DatedPassage & { readonly path: NotePath; readonly share: number; readonly rank?: number };

export interface DatedRows {
  /** The best first; without a topic in order of time. */
  readonly rows: readonly Row[];
  readonly undated: number;
  readonly unread: number;
}

/** Milliseconds since 1970. */
export interface TimeAsked {
  readonly before?: number;
  readonly after?: number;
  readonly around?: { readonly from: number; readonly to: number };
}

/** @param fileDates of the notes, for what has no other date */
export async function datedRows(
  { notes, terms, unread }: FoundNotes,
  fileDates: ReadonlyMap<NotePath, string>,
  vault: Vault,
  call: CallContext,
): Promise<DatedRows> {
  const texts = await readTexts(
    notes.map(({ path }) => path),
    vault,
    call,
  );
  const readable = notes.filter(({ path }) => texts.has(path));
  const lineWeight = terms.reduce((sum, { weight }) => sum + weight, 0) / 2 || 1;
  const input = readable.map(({ path, title, lines }) => ({
    path,
    title,
    text: texts.get(path) ?? '',
    ...(lines && { lines, lineWeight }),
    ...(fileDates.has(path) && { fileDate: fileDates.get(path) as string }),
  }));
  const request = { notes: input, terms, ...(vault.language !== undefined && { language: vault.language }) };
  const passages = await call.compute.run(jobs.dated_passages, request, call.signal);
  const rows = readable.flatMap(({ path, share }, at) =>
    (passages[at]?.passages ?? []).map((passage) => ({ ...passage, path, share })),
  );
  const undated = passages.reduce((sum, one) => sum + one.undated, 0);
  return {
    rows: terms.length === 0 ? inTime(rows) : bestFirst(rows),
    undated,
    unread: unread + notes.length - readable.length,
  };
}

/** The best passage of each of so many first notes comes before all others. */
const LEADING_NOTES = 5;

/** By how well the note and the passage fit, each as a share of the best. */
function bestFirst(rows: readonly Row[]): Row[] {
  const most = Math.max(...rows.map(({ weight }) => weight), 0) || 1;
  const scoreOf = ({ share, weight }: Row): number => share + weight / most;
  const ranked = rows.toSorted((one, other) => scoreOf(other) - scoreOf(one));
  const notes = [...new Set(rows.toSorted((one, other) => other.share - one.share).map(({ path }) => path))];
  const leading = notes.slice(0, LEADING_NOTES).flatMap((path) => ranked.find((row) => row.path === path) ?? []);
  return [...new Set([...leading, ...ranked])].map((row, at) => ({ ...row, rank: at + 1 }));
}

/** Oldest first; of equal dates the more precise one. */
export function inTime(rows: readonly Row[]): Row[] {
  return rows.toSorted(
    (one, other) =>
      compare(one.start, other.start) ||
      compare(one.end, other.end) ||
      compare(one.path, other.path) ||
      one.lines[0] - other.lines[0],
  );
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Whether the date of a note is in the time asked for; undefined where none is asked for. */
export function dateWithin({ before, after, around }: TimeAsked): ((date: string) => boolean) | undefined {
  if (before === undefined && after === undefined && around === undefined) return undefined;
  const [from, to] = [
    [after, around?.from],
    [before, around?.to],
  ].map((edges) => edges.flatMap((ms) => (ms === undefined ? [] : [localDate(ms)])));
  return (date) =>
    date !== '' && from?.every((edge) => date >= edge) === true && to?.every((edge) => date < edge) === true;
}

/** Those that are at least partly in the time asked for; with `around` the nearest first. */
export function within(rows: readonly Row[], { before, after, around }: TimeAsked): Row[] {
  const [latest, earliest] = [before, after].map((ms) => (ms === undefined ? undefined : localDate(ms)));
  const rowsInTime = rows.filter(
    ({ start, end }) => (latest === undefined || start < latest) && (earliest === undefined || end > earliest),
  );
  if (around === undefined) return rowsInTime;
  const distances = new Map(rowsInTime.map((row) => [row, distance(row, around)]));
  return rowsInTime.toSorted((one, other) => (distances.get(one) ?? 0) - (distances.get(other) ?? 0));
}

function distance({ start, end }: Row, { from, to }: NonNullable<TimeAsked['around']>): number {
  const [first, last] = [start, end].map((text) => new Date(localTime(text)).getTime());
  return Math.max((first ?? 0) - to, from - (last ?? 0), 0);
}

/** A day alone would be in another time zone. */
const localTime = (text: string): string => {
  const plain = text.replace('~', '');
  return plain.includes('T') ? plain : `${plain}T00:00`;
};
