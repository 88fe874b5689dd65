// Reads how long a server asks to be left alone. Waits for nothing itself.

/** HTTP dates are in GMT and begin with the day's name; `Date.parse` alone takes nearly anything for a date. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, .+ GMT$/;

/**
 * Milliseconds from now, 0 where the time has passed; undefined for a value that is neither whole seconds nor an HTTP date.
 * @param header the value of `Retry-After`
 */
export function retryAfterMs(header: string | null, nowMs: number = Date.now()): number | undefined {
  const given = header?.trim() ?? '';
  if (/^\d+$/.test(given)) return Number.isSafeInteger(Number(given) * 1_000) ? Number(given) * 1_000 : undefined;
  const at = HTTP_DATE.test(given) ? Date.parse(given) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
