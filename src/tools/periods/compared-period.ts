// Reads a period in a comparison of `where`, such as `{due: {lte: "this week"}}`, as the dates that a property is compared with.
import { VaultgraphError } from '../../base/errors.ts';
import type { PropertyFilter } from '../../contracts/note-filter.ts';
import { localDate } from '../../markdown/dates/note-date.ts';
import { isPeriodFault, type Period, parsePeriod, UNKNOWN } from './period.ts';

/** What is compared instead of a period: after it is from its end on, up to it is before its end. */
const SIDES = {
  lt: ['lt', 'from'],
  gte: ['gte', 'from'],
  lte: ['lt', 'to'],
  gt: ['gte', 'to'],
} as const;

const isComparing = (operator: string): operator is keyof typeof SIDES => Object.hasOwn(SIDES, operator);
/** A year alone can be any number. */
const YEAR = /^\d{4}$/;

/**
 * The filter with the dates of its period, or as it is if its text is not one, such as a bare `friday`.
 * @throws INVALID_QUERY for a bare length of time: on which side of today it is depends on the property
 */
export function withPeriod(filter: PropertyFilter, now: Date): PropertyFilter {
  const { operator, value } = filter;
  if (isComparing(operator)) refuseLength(filter, now);
  const period = isComparing(operator) ? periodIn(value, now) : undefined;
  if (period === undefined || !isComparing(operator)) return filter;
  const [by, side] = SIDES[operator];
  const at = period[side];
  if (at === undefined) return filter;
  const compared = textOf(at, period);
  // A date as properties have it is compared as it is, unless the rest of its period counts.
  return compared === value && by === operator ? filter : { ...filter, operator: by, value: compared, period };
}

/** The text of a property of a month can be `2026-11`, so a month is compared without days. */
function textOf(ms: number, { unit }: Period): string {
  const text = localDate(ms);
  return unit === 'month' ? text.slice(0, '2026-11'.length) : text;
}

function periodIn(value: PropertyFilter['value'], now: Date): Period | undefined {
  if (typeof value !== 'string' || YEAR.test(value.trim())) return undefined;
  const period = parsePeriod(value, 'none', now);
  return isPeriodFault(period) ? undefined : period;
}

function refuseLength({ name, value }: PropertyFilter, now: Date): void {
  if (typeof value !== 'string') return;
  const bare = parsePeriod(value, 'past', now);
  const isAmbiguous = isPeriodFault(bare) && bare.position === 0 && bare.reason !== UNKNOWN;
  if (!isAmbiguous && (isPeriodFault(bare) || bare.covers === undefined)) return;
  const length = value.trim();
  const reason = isAmbiguous ? bare.reason : `write \`${length} ago\` or \`in ${length}\``;
  throw new VaultgraphError('INVALID_QUERY', { field: `where.${name}`, position: 0, reason });
}

/** Why a text is compared as a text although it may be meant as a date, and what to write for the date; undefined for other texts. */
export function literalPeriod({ name, operator, value }: PropertyFilter, now: Date): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (operator === 'eq' || operator === 'contains') {
    if (periodIn(value, now) === undefined) return undefined;
    return `for its days write ${JSON.stringify({ [name]: { gte: value, lte: value } })}`;
  }
  if (!isComparing(operator) || /^\d{4}/.test(value) || isPeriodFault(parsePeriod(value, 'past', now)))
    return undefined;
  return 'for a date write it with last, this or next, or with its year';
}
