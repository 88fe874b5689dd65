// What is between the two dates of a range, and the parts that they share.
import { isoOf, type PlainDate, spanOf } from './plain-date.ts';

/** Folded. */
export const RANGE_SIGNS: ReadonlySet<string> = new Set(
  '- – — ~ 〜 ～ .. … → / to until till through thru bis au jusqu a al hasta ate по до 至 到 から から부터 부터 से الي حتي থেকে'.split(
    ' ',
  ),
);

export interface DateRange {
  readonly date: PlainDate;
  readonly until: PlainDate;
}

/** Undefined if the second is not after the first. The first takes from the second what it leaves out: `28 December – 3 January 2025`. */
export function rangeOf(first: PlainDate, second: PlainDate): DateRange | undefined {
  if (first.year === undefined && second.year !== undefined) {
    const isBefore = (first.month ?? 0) > (second.month ?? 0);
    return rangeOf({ ...first, year: second.year - (isBefore ? 1 : 0) }, second);
  }
  if (first.year !== undefined && second.year === undefined) return rangeOf(first, { ...second, year: first.year });
  if (first.year === undefined) return undefined;
  return spanOf(first).start < spanOf(second).start && isoOf(first) !== isoOf(second)
    ? { date: first, until: second }
    : undefined;
}
