// Gives a day without a year the year of the date around it, where no other year can be meant.
import { type PlainDate, spanOf } from '../dates/written/plain-date.ts';

const DAY_MS = 86_400_000;
/** So near, every other year is at least nine months away. */
const MAX_DAYS = 92;

/** Undefined where the year is not certain. @param around with a year */
export function resolvedYear(day: PlainDate, around: PlainDate): number | undefined {
  const { start, end } = spanOf(around);
  const [from, to] = [start, end].map((iso) => Date.parse(iso.slice(0, 10))) as [number, number];
  const years = [0, -1, 1].map((by) => (around.year ?? 0) + by);
  const distances = years.map((year) => {
    const at = Date.parse(spanOf({ ...day, year }).start.slice(0, 10));
    return { year, days: Math.max(from - at, at - to, 0) / DAY_MS };
  });
  const nearest = distances.toSorted((one, other) => one.days - other.days)[0];
  return nearest !== undefined && nearest.days <= MAX_DAYS ? nearest.year : undefined;
}
