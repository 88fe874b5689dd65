// Parses dates and periods in the arguments of tools, each as the part of it that the argument compares.
import { type DateField, VaultgraphError } from '../../base/errors.ts';
import type { DaySpan } from '../../contracts/store.ts';
import { localDay } from '../../markdown/dates/note-date.ts';
import { addUnits } from '../periods/calendar.ts';
import { isPeriodFault, type Period, parsePeriod } from '../periods/period.ts';

/** `before` and `due_before` use the start of a period, as `since` does; `after`, `at` and `due_after` the end, as `until` does. */
type Edge = 'before' | 'after' | 'since' | 'until' | 'at' | 'modified_since' | 'due_before' | 'due_after';

/** In these fields a bare length of time such as `7d` lies ahead. */
const AHEAD: ReadonlySet<string> = new Set(['due', 'scheduled', 'start', 'due_before', 'due_after']);

/** These use the end of a period. */
const ENDS: ReadonlySet<Edge> = new Set(['after', 'until', 'at', 'due_after']);

/**
 * The point in time in milliseconds since 1970: of a period such as `2026-11-20`, `last week` or `next 7 days` the start or the end; of a
 * time (`2026-11-20T09:30`) or a length of time from now (`12h`, `7d`, `3mo`) this point, whatever the field.
 * @throws INVALID_QUERY
 */
export function parseDate(text: string, field: Edge, now: Date): number {
  const { from, to } = periodOf(text, field, now);
  const [edge, other] = ENDS.has(field) ? [to, from] : [from, to];
  // The days before and after a period are known, also if it has no other side.
  const at = edge ?? (field === 'since' || field === 'until' || field === 'modified_since' ? undefined : other);
  if (at !== undefined) return at;
  throw invalidDate(field, 0, field === 'until' ? 'it has no end' : 'it has no beginning');
}

/**
 * The days of a period. `overdue` are those before today.
 * @throws INVALID_QUERY
 */
export function parseDays(text: string, field: 'due' | 'scheduled' | 'start', now: Date): DaySpan {
  if (text.trim().toLowerCase() === 'overdue') return { before: localDay(now) };
  const period = periodOf(text, field, now);
  const { from, to } = period.covers ?? period;
  return {
    ...(from === undefined ? {} : { from: localDay(new Date(from)) }),
    ...(to === undefined ? {} : { before: dayAfter(to - (to === from ? 0 : 1)) }),
  };
}

/** The first moment of a period, and the first one after it. @throws INVALID_QUERY for one without a beginning or an end */
export function parseAround(text: string, now: Date): { readonly from: number; readonly to: number } {
  const period = periodOf(text, 'around', now);
  const { from, to } = period.covers ?? period;
  if (from !== undefined && to !== undefined) return { from, to };
  throw invalidDate('around', 0, from === undefined ? 'it has no beginning' : 'it has no end');
}

export function dayAfter(ms: number): string {
  return localDay(addUnits(new Date(ms), 1, 'day'));
}

/** @param day such as `2026-11-20` */
export function dayBefore(day: string): string {
  return localDay(addUnits(new Date(`${day}T00:00`), -1, 'day'));
}

/** @throws INVALID_QUERY */
function periodOf(text: string, field: DateField, now: Date): Period {
  const period = parsePeriod(text, AHEAD.has(field) ? 'ahead' : 'past', now);
  if (isPeriodFault(period)) throw invalidDate(field, period.position, period.reason);
  return period;
}

function invalidDate(field: DateField, position: number, reason: string): VaultgraphError {
  return new VaultgraphError('INVALID_QUERY', { field, position, reason });
}
