// Points in time as people write them in a filter, in the time zone of this machine. Knows nothing of notes.
import { VaultgraphError } from '../base/errors.ts';

type Edge = 'since' | 'until';
type Shift = (date: Date, count: number) => void;

const DATE = /^([1-9]\d{3})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;
const AGO = /^(\d{1,5})([hdwmy])$/;

const BACK: Readonly<Record<string, Shift>> = {
  h: (date, count) => date.setHours(date.getHours() - count),
  d: (date, count) => date.setDate(date.getDate() - count),
  w: (date, count) => date.setDate(date.getDate() - 7 * count),
  m: (date, count) => date.setMonth(date.getMonth() - count),
  y: (date, count) => date.setFullYear(date.getFullYear() - count),
};

/**
 * Milliseconds since 1970 of `2026-11-20`, `2026-11-20T09:30`, with or without zone, `today`, `yesterday`, or so long ago:
 * `12h`, `7d`, `2w`, `3m` (months), `1y`. A day begins it as `since`; as `until` it counts whole, so its end is given.
 * @throws INVALID_QUERY
 */
export function parseMoment(text: string, field: Edge, now: Date): number {
  const written = text.trim();
  if (written === 'today' || written === 'yesterday') return dayEdge(now, written === 'today' ? 0 : -1, field);
  const [, count, unit] = AGO.exec(written) ?? [];
  if (count !== undefined && unit !== undefined) return before(now, Number(count), unit);
  const date = DATE.exec(written);
  if (date === null) throw unreadable(field, 0, 'a date such as 2026-11-20, today or 7d is expected');
  return momentOf(date, field);
}

function before(now: Date, count: number, unit: string): number {
  const date = new Date(now);
  BACK[unit]?.(date, count);
  return date.getTime();
}

function dayEdge(day: Date, shift: number, field: Edge): number {
  const days = day.getDate() + shift + (field === 'until' ? 1 : 0);
  return new Date(day.getFullYear(), day.getMonth(), days).getTime();
}

function momentOf(date: RegExpExecArray, field: Edge): number {
  const [written, year, month, day, hours, minutes, seconds] = date;
  const at = new Date(Number(year), Number(month) - 1, Number(day));
  if (at.getMonth() !== Number(month) - 1) throw unreadable(field, 5, 'there is no such day');
  if (hours === undefined) return dayEdge(at, 0, field);
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds ?? 0) > 59) {
    throw unreadable(field, 11, 'there is no such time of day');
  }
  const moment = Date.parse(written.replace(' ', 'T'));
  if (Number.isNaN(moment)) throw unreadable(field, 16, 'there is no such time zone');
  return moment;
}

function unreadable(field: Edge, position: number, reason: string): VaultgraphError {
  return new VaultgraphError('INVALID_QUERY', { field, position, reason });
}
