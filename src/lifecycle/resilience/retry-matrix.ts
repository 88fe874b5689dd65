// The one table of what is tried again, how often and after what wait: for a call, and for a request of a job. Waits for nothing.
import type { ErrorCode, VaultgraphError } from '../../base/errors.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';

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

export interface Again {
  readonly waitMs: number;
  /** `2/5`: the attempt that is next, and the last one there may be where that is known. */
  readonly attempt: string;
}

/** The first wait lies between the two; each further one may be twice as long. */
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
/** Of a wait that we choose, and of one that the provider names. */
const MAX_CHOSEN_MS = { interactive: 5_000, background: 30_000 };
const MAX_NAMED_MS = { interactive: 5_000, background: 120_000 };

/** Undefined where the failure is not to be tried again: by its kind, by the count, or because the wait does not fit. */
export function nextAttempt(
  error: VaultgraphError,
  course: Course,
  settings: RetrySettings,
  random: () => number,
): Again | undefined {
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

/** Scattered over the whole span, so that those who failed together do not come back together. */
function chosenWait({ from, to }: Span, { priority, alike }: Course, random: () => number): number {
  const upTo = Math.min(MAX_CHOSEN_MS[priority], to * 2 ** (alike - 1));
  return Math.round(from + random() * (upTo - from));
}

const fits = (waitMs: number, { priority, msLeft }: Course): boolean =>
  waitMs <= Math.min(MAX_NAMED_MS[priority], msLeft);

const isOfOneInput = ({ details }: VaultgraphError): boolean => 'level' in details && details.level === 'item';
