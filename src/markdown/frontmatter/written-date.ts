// Days and times written so that they sort as texts: `2026-11-20`, `2026-11-20T09:30`, `2026-11-20T09:30:15`.

/** The Monday of an ISO week. */
export function weekStart(year: number, week: number): string | undefined {
  const fourth = new Date(Date.UTC(year, 0, 4));
  const monday = new Date(Date.UTC(year, 0, 4 - ((fourth.getUTCDay() + 6) % 7) + 7 * (week - 1)));
  const thursday = new Date(monday.getTime() + 3 * 86_400_000);
  if (week < 1 || thursday.getUTCFullYear() !== year) return undefined;
  return monday.toISOString().slice(0, 10);
}

export type Digits = readonly (string | undefined)[];

/** Undefined for a day or a time that does not exist, and for years that nobody writes a note of. */
export function writtenDate([year, month, day]: Digits, [hours, minutes, seconds]: Digits): string | undefined {
  const at = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (Number(year) < 1_000 || at.getUTCMonth() !== Number(month) - 1 || Number(day) === 0) return undefined;
  if (Number(hours ?? 0) > 23 || Number(minutes ?? 0) > 59 || Number(seconds ?? 0) > 59) return undefined;
  return trimmed(`${year}-${month}-${day}T${hours ?? '00'}:${minutes ?? '00'}:${seconds ?? '00'}`);
}

/** What a clock on the wall of this machine shows at that moment, in the form of a note's date. */
export function localDate(ms: number): string {
  const at = new Date(ms);
  const year = at.getFullYear();
  // Beyond what is written with four digits: before, or behind, every date.
  if (Number.isNaN(year) || year < 1_000) return '';
  if (year > 9_999) return '~';
  const rest = at.getMilliseconds() === 0 ? '' : `.${String(at.getMilliseconds()).padStart(3, '0')}`;
  return trimmed(`${localDay(at)}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}${rest}`);
}

/** On this machine's calendar. */
export function localDay(at: Date): string {
  return `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** Without the zeros at its end, so that a shorter form sorts where it belongs. */
function trimmed(date: string): string {
  return date.replace(/(?:T00:00:00|:00)$/, '');
}
