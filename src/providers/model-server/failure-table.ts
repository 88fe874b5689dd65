// The one table from what came back from a server of models to our own error, with what stops with it. Sends nothing.
import { type DetailsOf, type ErrorCode, type ProviderDetails, VaultgraphError } from '../../base/errors.ts';
import { type Attempt, attemptDetails } from './attempt.ts';
import { saidIn, speakable } from './foreign-text.ts';

/** A whole answer that is no success. */
export interface Refusal {
  readonly status: number;
  readonly body: string;
  /** Of the URL, `/api/embed`. */
  readonly path: string;
  /** The header's value. */
  readonly retryAfter: string | null;
}

interface Heard {
  readonly status: number;
  readonly path: string;
  readonly said: string;
  readonly attempt: Attempt;
}

type RefusalCode = Extract<
  ErrorCode,
  | 'PROVIDER_AUTH_FAILED'
  | 'PROVIDER_RATE_LIMITED'
  | 'PROVIDER_BUSY'
  | 'PROVIDER_MODEL_MISSING'
  | 'PROVIDER_ENDPOINT_UNSUPPORTED'
  | 'PROVIDER_MODEL_UNSUITABLE'
  | 'PROVIDER_INPUT_TOO_LONG'
  | 'PROVIDER_BAD_RESPONSE'
  | 'PROVIDER_REJECTED_INPUT'
  | 'PROVIDER_ERROR'
>;

interface Row {
  readonly status: (status: number) => boolean;
  /** Read only here: servers tell these cases apart by their words alone. */
  readonly said?: RegExp;
  readonly code: RefusalCode;
  readonly level: ProviderDetails['level'];
}

const oneOf =
  (...statuses: readonly number[]) =>
  (status: number): boolean =>
    statuses.includes(status);
const between =
  (from: number, below: number) =>
  (status: number): boolean =>
    status >= from && status < below;
/** A server that could not serve the input says so with one of these. */
const forTheInput = oneOf(400, 413, 422, 500);

const TOO_LONG =
  /context (?:length|size)|maximum context|too large|too long|cannot be truncated|must have less than \d+ tokens/i;

/** The first row that matches counts. */
const ROWS: readonly Row[] = [
  { status: oneOf(401, 403), code: 'PROVIDER_AUTH_FAILED', level: 'call' },
  { status: oneOf(429), code: 'PROVIDER_RATE_LIMITED', level: 'call' },
  { status: oneOf(503), code: 'PROVIDER_BUSY', level: 'call' },
  {
    status: oneOf(404),
    said: /\bmodel\b.*(?:not found|does not exist)/i,
    code: 'PROVIDER_MODEL_MISSING',
    level: 'call',
  },
  // LM Studio, with the status of a bad request or of a wrong path.
  {
    status: oneOf(400, 404),
    said: /^(?:no models? loaded|failed to load model)\b/i,
    code: 'PROVIDER_MODEL_MISSING',
    level: 'call',
  },
  { status: oneOf(404, 405), code: 'PROVIDER_ENDPOINT_UNSUPPORTED', level: 'call' },
  { status: between(300, 400), code: 'PROVIDER_ENDPOINT_UNSUPPORTED', level: 'call' },
  // Its runner died: Go's words on a lost connection inside the server, whatever else they hold.
  { status: oneOf(400), said: /^do embedding request:/, code: 'PROVIDER_ERROR', level: 'call' },
  { status: forTheInput, said: TOO_LONG, code: 'PROVIDER_INPUT_TOO_LONG', level: 'item' },
  { status: forTheInput, said: /\b(?:NaN|[+-]?Inf)\b/, code: 'PROVIDER_BAD_RESPONSE', level: 'item' },
  { status: oneOf(400, 501), said: /does not support/i, code: 'PROVIDER_MODEL_UNSUITABLE', level: 'call' },
  { status: oneOf(400, 413, 422), code: 'PROVIDER_REJECTED_INPUT', level: 'item' },
  // Gave up waiting, lost its own backend, was cancelled in its queue: nothing of that is about the input.
  { status: oneOf(408, 424, 499), code: 'PROVIDER_ERROR', level: 'call' },
  { status: between(400, 500), code: 'PROVIDER_REJECTED_INPUT', level: 'call' },
];
const OTHER = { code: 'PROVIDER_ERROR', level: 'call' } as const;

/** What each code tells of a refusal, beside what all do. */
const OWN_DETAILS: { readonly [C in RefusalCode]: (heard: Heard) => Omit<DetailsOf<C>, keyof ProviderDetails> } = {
  PROVIDER_AUTH_FAILED: ({ status }) => ({ status }),
  PROVIDER_RATE_LIMITED: ({ said, status }) => ({ source: said || `HTTP ${status}` }),
  PROVIDER_BUSY: ({ said, status }) => ({ source: said || `HTTP ${status}` }),
  PROVIDER_MODEL_MISSING: ({ attempt }) => ({ installed: [], auto_pull: attempt.autoPull }),
  PROVIDER_ENDPOINT_UNSUPPORTED: ({ status, path }) => ({ status, path }),
  PROVIDER_MODEL_UNSUITABLE: ({ said }) => ({ reason: said, capabilities: [] }),
  PROVIDER_INPUT_TOO_LONG: () => ({}),
  PROVIDER_BAD_RESPONSE: ({ said }) => ({ expected: 'finite numbers', received: said }),
  PROVIDER_REJECTED_INPUT: ({ status, said }) => ({ status, said }),
  PROVIDER_ERROR: ({ status, said }) => ({ status, said }),
};

/** The failure that an answer without success stands for. */
export function refusalFailure({ status, body, path, retryAfter }: Refusal, attempt: Attempt): VaultgraphError {
  const said = saidIn(body);
  const row = ROWS.find((each) => each.status(status) && (each.said?.test(said) ?? true)) ?? OTHER;
  const own = OWN_DETAILS[row.code]({ status, path, attempt, said: speakable(said, attempt.unspeakable) });
  const details = { ...attemptDetails(attempt, row.level), ...own } as DetailsOf<RefusalCode>;
  const wait = retryAfterMs(retryAfter);
  return new VaultgraphError<RefusalCode>(row.code, details, wait === undefined ? {} : { retryAfterMs: wait });
}

/** The failure that words stand for which came without a status of their own, in the middle of a stream. */
export function streamedFailure(body: string, path: string, attempt: Attempt): VaultgraphError {
  return refusalFailure({ status: 500, body, path, retryAfter: null }, attempt);
}

/**
 * What was thrown while a request was on its way or its answer was read: the signal's own reason once it aborted, our own
 * errors as they are, everything else a lost connection. Told by code alone.
 */
export function lostFailure(thrown: unknown, attempt: Attempt): unknown {
  if (attempt.signal.aborted) return attempt.signal.reason;
  if (thrown instanceof VaultgraphError) return thrown;
  const details = { ...attemptDetails(attempt), cause_code: causeCode(thrown) ?? 'EUNKNOWN' };
  return new VaultgraphError('PROVIDER_UNAVAILABLE', details, { cause: thrown });
}

/** The first code on the way down; several addresses that all failed tell the first one's. */
function causeCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { code } = thrown as { code?: unknown };
  if (typeof code === 'string') return code;
  return causeCode(thrown.cause) ?? (thrown instanceof AggregateError ? causeCode(thrown.errors[0]) : undefined);
}

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
