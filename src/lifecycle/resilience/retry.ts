// Retries a request by the retry matrix and reports every wait.

import { type Clock as BareClock, sleepUnlessAborted } from '../../base/async/waits.ts';
import { CONNECTION_ERRORS, type ErrorCode, toVaultgraphError, type VaultgraphError } from '../../base/errors.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import type { Layer } from './layers.ts';

export interface RetryParts {
  readonly settings: RetrySettings;
  readonly clock: Clock;
  /** Rings when the provider answers any request: then waiting requests retry at once. */
  readonly alarm: Alarm;
  readonly onRetry: (error: VaultgraphError, again: Again) => void;
}

/** What surfaces is the last failure. */
export function retryLayer(parts: RetryParts): Layer {
  return async (request, call, signal) => {
    const course = beginCourse(parts.clock);
    for (;;) {
      try {
        return await request(call, signal);
      } catch (thrown) {
        signal.throwIfAborted();
        const error = toVaultgraphError(thrown);
        const again = nextAttempt(error, course.behind(error, call), parts.settings, parts.clock.random);
        if (again === undefined) throw error;
        await waitOut(parts, error, again, call, signal);
      }
    }
  };
}

function beginCourse({ now }: Clock) {
  const began = now();
  const alike = new Map<ErrorCode, number>();
  let failed = 0;
  return {
    behind({ code }: VaultgraphError, { priority, msLeft }: ProviderCall) {
      failed += 1;
      alike.set(code, (alike.get(code) ?? 0) + 1);
      return { priority, failed, alike: alike.get(code) ?? 1, elapsedMs: now() - began, msLeft: msLeft() };
    },
  };
}

async function waitOut(
  { clock, alarm, onRetry }: RetryParts,
  error: VaultgraphError,
  again: Again,
  { trace, onWait }: ProviderCall,
  signal: AbortSignal,
): Promise<void> {
  const began = clock.now();
  // The planned wait is reported now, the real one afterwards: the alarm may shorten it.
  const at = trace.retries.push({ code: error.code, waited_ms: again.waitMs }) - 1;
  trace.phase = 'backoff';
  onRetry(error, again);
  onWait(`retry ${again.attempt}: ${causeWords(error)}`);
  await alarm.rest(again.waitMs, signal, () => {
    trace.phase = 'queue';
  });
  trace.retries[at] = { code: error.code, waited_ms: Math.round(clock.now() - began) };
  signal.throwIfAborted();
}

const CAUSE_WORDS: Partial<Record<ErrorCode, string>> = {
  PROVIDER_BUSY: 'server busy',
  PROVIDER_RATE_LIMITED: 'too many requests',
};

function causeWords({ code, details }: VaultgraphError): string {
  const { cause_code, status } = details as { readonly cause_code?: string; readonly status?: number };
  if (cause_code !== undefined) return CONNECTION_ERRORS[cause_code] ?? `cannot connect (${cause_code})`;
  return CAUSE_WORDS[code] ?? (status === undefined ? code : `HTTP ${status}`);
}

export interface RetrySettings {
  /** For one call, the first included; 1 is never again. */
  readonly attempts: number;
  /** The same for one request of a job. */
  readonly jobAttempts: number;
}

/** How the request went so far. */
export interface Course {
  readonly priority: ProviderCall['priority'];
  /** Failures, all of them and those of the present code. */
  readonly failed: number;
  readonly alike: number;
  readonly elapsedMs: number;
  readonly msLeft: number;
}

type Again = NonNullable<ReturnType<typeof nextAttempt>>;

/** The first wait is between the two; each further one may be twice as long. */
interface Span {
  readonly from: number;
  readonly to: number;
}

interface Row {
  readonly interactive: Span;
  readonly background: Span;
  /** Most tries of a job's request, where that is less than the config has; `lasting` is tried for `MAX_OUTAGE_MS`. */
  readonly jobTries?: number | 'lasting';
}

const ROWS: Partial<Record<ErrorCode, Row>> = {
  PROVIDER_UNAVAILABLE: {
    interactive: { from: 150, to: 400 },
    background: { from: 500, to: 1_000 },
    jobTries: 'lasting',
  },
  PROVIDER_BUSY: { interactive: { from: 200, to: 1_000 }, background: { from: 500, to: 2_000 } },
  PROVIDER_RATE_LIMITED: { interactive: { from: 500, to: 2_000 }, background: { from: 1_000, to: 4_000 } },
  PROVIDER_ERROR: { interactive: { from: 150, to: 400 }, background: { from: 500, to: 1_000 }, jobTries: 3 },
};

const MAX_OUTAGE_MS = 600_000;
/** The limit of a wait that we choose. */
const MAX_CHOSEN_MS = { interactive: 5_000, background: 30_000 };
const MAX_NAMED_MS = { interactive: 5_000, background: 120_000 };

/**
 * Undefined if the failure is not retried: because of its code, the attempts, or the time left.
 * `attempt` is `2/5`: the attempt that is next, and the last one there may be where that is known.
 */
export function nextAttempt(error: VaultgraphError, course: Course, settings: RetrySettings, random: () => number) {
  const row = ROWS[error.code];
  if (row === undefined || isOfOneInput(error)) return undefined;
  const isJob = course.priority === 'background';
  const most = isJob ? jobTries(row, settings) : settings.attempts;
  if ((isJob ? course.alike : course.failed) >= most) return undefined;
  const waitMs = error.requestedWaitMs ?? chosenWait(row[course.priority], course, random);
  if (!fits(waitMs, course) || (most === LASTING && course.elapsedMs + waitMs > MAX_OUTAGE_MS)) return undefined;
  const next = course.failed + 1;
  return { waitMs, attempt: most === LASTING ? `${next}` : `${next}/${Math.max(next, most)}` };
}

const LASTING = Number.POSITIVE_INFINITY;

function jobTries({ jobTries: most = LASTING }: Row, { jobAttempts }: RetrySettings): number {
  if (most === 'lasting') return jobAttempts === 1 ? 1 : LASTING;
  return Math.min(most, jobAttempts);
}

/** Random over the whole span, so that requests that failed together are not retried together. */
function chosenWait({ from, to }: Span, { priority, alike }: Course, random: () => number): number {
  const upTo = Math.min(MAX_CHOSEN_MS[priority], to * 2 ** (alike - 1));
  return Math.round(from + random() * (upTo - from));
}

const fits = (waitMs: number, { priority, msLeft }: Course): boolean =>
  waitMs <= Math.min(MAX_NAMED_MS[priority], msLeft);

const isOfOneInput = ({ details }: VaultgraphError): boolean => 'level' in details && details.level === 'item';

export type Alarm = ReturnType<typeof createAlarm>;

export function createAlarm(clock: Clock) {
  const resting = new Set<() => void>();
  return Object.freeze({
    /** Ends every current wait. */
    ring: () => {
      for (const wake of [...resting]) wake();
    },
    /**
     * Ends after `ms`, when the alarm rings, or when the signal aborts; never rejects.
     * @param onRing called by `ring`, before the wait ends
     */
    rest: async (ms: number, signal: AbortSignal, onRing: () => void) => {
      const over = new AbortController();
      const end = (): void => over.abort();
      const wake = (): void => {
        onRing();
        end();
      };
      resting.add(wake);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
      await clock.sleep(ms, over.signal);
      resting.delete(wake);
      signal.removeEventListener('abort', end);
    },
  });
}

export interface Clock extends BareClock {
  /** From 0 to 1, without 1. */
  random(): number;
}

export const SYSTEM_CLOCK: Clock = Object.freeze({
  now: () => performance.now(),
  random: () => Math.random(),
  sleep: (ms: number, signal: AbortSignal) => sleepUnlessAborted(ms, signal, true),
});
