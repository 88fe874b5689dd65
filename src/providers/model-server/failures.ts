// Translates the failures of model servers into our errors: refused requests, lost connections and unusable answers.
import type * as z from 'zod';
import { type DetailsOf, type ErrorCode, type ProviderDetails, VaultgraphError } from '../../base/errors.ts';
import { parsedJson } from '../../base/plain-object.ts';
import { type Attempt, attemptDetails } from './attempt.ts';

/** A complete answer with a status other than success. */
interface Refusal {
  readonly status: number;
  readonly body: string;
  /** The URL's path, `/api/embed`. */
  readonly path: string;
  /** The header's value. */
  readonly retryAfter: string | null;
}

interface ReadRefusal {
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
  /** Matches the server's message, where nothing but the message identifies the case. */
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
/** The statuses of a server that cannot process the input. */
const inputStatus = oneOf(400, 413, 422, 500);

const TOO_LONG =
  /context (?:length|size)|maximum context|too large|too long|cannot be truncated|must have less than \d+ tokens/i;

/** The first matching row applies. */
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
  // LM Studio answers so with the status of a bad request or a wrong path.
  {
    status: oneOf(400, 404),
    said: /^(?:no models? loaded|failed to load model)\b/i,
    code: 'PROVIDER_MODEL_MISSING',
    level: 'call',
  },
  { status: oneOf(404, 405), code: 'PROVIDER_ENDPOINT_UNSUPPORTED', level: 'call' },
  { status: between(300, 400), code: 'PROVIDER_ENDPOINT_UNSUPPORTED', level: 'call' },
  // Ollama's runner died: a Go error about a lost connection inside the server.
  { status: oneOf(400), said: /^do embedding request:/, code: 'PROVIDER_ERROR', level: 'call' },
  { status: inputStatus, said: TOO_LONG, code: 'PROVIDER_INPUT_TOO_LONG', level: 'item' },
  { status: inputStatus, said: /\b(?:NaN|[+-]?Inf)\b/, code: 'PROVIDER_BAD_RESPONSE', level: 'item' },
  { status: oneOf(400, 501), said: /does not support/i, code: 'PROVIDER_MODEL_UNSUITABLE', level: 'call' },
  { status: oneOf(400, 413, 422), code: 'PROVIDER_REJECTED_INPUT', level: 'item' },
  // The server timed out, lost its backend or cancelled the request in its queue: none of that is about the input.
  { status: oneOf(408, 424, 499), code: 'PROVIDER_ERROR', level: 'call' },
  { status: between(400, 500), code: 'PROVIDER_REJECTED_INPUT', level: 'call' },
];
const OTHER = { code: 'PROVIDER_ERROR', level: 'call' } as const;

/** The details of each code besides the common ones. */
const OWN_DETAILS: {
  readonly [C in RefusalCode]: (refusal: ReadRefusal) => Omit<DetailsOf<C>, keyof ProviderDetails>;
} = {
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

/** The error for a refused request. */
export function refusalFailure({ status, body, path, retryAfter }: Refusal, attempt: Attempt): VaultgraphError {
  const said = serverMessage(body);
  const row = ROWS.find((each) => each.status(status) && (each.said?.test(said) ?? true)) ?? OTHER;
  const codeDetails = OWN_DETAILS[row.code]({ status, path, attempt, said: redacted(said, attempt.secrets) });
  const details = { ...attemptDetails(attempt, row.level), ...codeDetails } as DetailsOf<RefusalCode>;
  const wait = retryAfterMs(retryAfter);
  return new VaultgraphError<RefusalCode>(row.code, details, wait === undefined ? {} : { retryAfterMs: wait });
}

/** The error for a message in the middle of a stream, which has no status of its own. */
export function streamedFailure(body: string, path: string, attempt: Attempt): VaultgraphError {
  return refusalFailure({ status: 500, body, path, retryAfter: null }, attempt);
}

/**
 * Translates an error thrown during a request: the signal's reason after an abort, our own errors unchanged, an answer that is not
 * HTTP, and anything else as a lost connection, of which only the code is kept.
 */
export function lostFailure(thrown: unknown, attempt: Attempt): unknown {
  if (attempt.signal.aborted) return attempt.signal.reason;
  if (thrown instanceof VaultgraphError) return thrown;
  const cause_code = causeCode(thrown) ?? 'EUNKNOWN';
  if (HEADERS_TOO_LARGE.test(cause_code))
    return badResponse('headers within the limit of Node, by default 16 KiB', 'more', attempt);
  if (NOT_HTTP.test(cause_code)) return badResponse('an HTTP response', 'bytes that are not valid HTTP', attempt);
  const details = { ...attemptDetails(attempt), cause_code };
  return new VaultgraphError('PROVIDER_UNAVAILABLE', details, { cause: thrown });
}

/** Codes of Node's HTTP parser, and of `fetch`. A body that ends early is a lost connection. */
const HEADERS_TOO_LARGE = /^(?:HPE_HEADER|UND_ERR_HEADERS)_OVERFLOW$/;
const NOT_HTTP = /^HPE_(?!INVALID_EOF_STATE$)/;

/** The first code in the chain of causes; if several addresses failed, that of the first. */
function causeCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { code } = thrown as { code?: unknown };
  if (typeof code === 'string') return code;
  // The parser of `fetch` gives no code.
  if (thrown.name === 'HTTPParserError') return 'HPE_INVALID';
  return causeCode(thrown.cause) ?? (thrown instanceof AggregateError ? causeCode(thrown.errors[0]) : undefined);
}

/** An HTTP date is in GMT and begins with the day's name; `Date.parse` alone accepts almost any text. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, .+ GMT$/;

/**
 * Milliseconds from now, 0 if the time has passed; undefined for a value that is neither whole seconds nor an HTTP date.
 * @param header the value of `Retry-After`
 */
export function retryAfterMs(header: string | null, nowMs: number = Date.now()): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number.isSafeInteger(Number(value) * 1_000) ? Number(value) * 1_000 : undefined;
  const at = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

/** Enough to see what kind of server it is; it may have hundreds of models. */
const MAX_LISTED = 10;

/** @param received in our words or the server's */
export function badResponse(
  expected: string,
  received: string,
  attempt: Attempt,
  level: ProviderDetails['level'] = 'call',
): VaultgraphError {
  const details = { ...attemptDetails(attempt, level), expected, received: redacted(received, attempt.secrets) };
  return new VaultgraphError('PROVIDER_BAD_RESPONSE', details);
}

/** Checks an answer against its documented shape. @throws PROVIDER_BAD_RESPONSE */
export function inShape<T>(shape: z.ZodType<T>, answer: unknown, attempt: Attempt): T {
  const parsed = shape.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw badResponse(`an answer of ${attempt.provider}`, firstFault(parsed.error), attempt);
}

/** Where an answer first differs from its shape. Does not quote the answer. */
export function firstFault({ issues: [issue] }: z.ZodError): string {
  const at = issue?.path.join('.') ?? '';
  return `another shape${at === '' ? '' : ` at \`${at}\``}`;
}

/** @param installed the server's models */
export function missingModel(attempt: Attempt, installed: readonly string[] = []): VaultgraphError {
  const models = { installed: installed.slice(0, MAX_LISTED), auto_pull: attempt.autoPull };
  const details = { ...attemptDetails(attempt), ...models };
  return new VaultgraphError('PROVIDER_MODEL_MISSING', details);
}

/** @param dims the length of the model's vectors, if that is the reason */
export function unsuitableModel(
  reason: string,
  attempt: Attempt,
  capabilities: readonly string[] = [],
  dims?: number,
): VaultgraphError {
  const details = { ...attemptDetails(attempt), reason: redacted(reason, attempt.secrets), capabilities };
  return new VaultgraphError('PROVIDER_MODEL_UNSUITABLE', dims === undefined ? details : { ...details, dims });
}

/** @param limit the model's, in tokens */
export function tooLongInput(tokens: number, limit: number, attempt: Attempt): VaultgraphError {
  return new VaultgraphError('PROVIDER_INPUT_TOO_LONG', { ...attemptDetails(attempt, 'item'), tokens, limit });
}

/**
 * @param host that runs the model
 * @param name of this machine that has the address of that host
 */
export function blockedEgress(host: string, { capability, endpoint, model }: Attempt, name?: string): VaultgraphError {
  const details = { capability, endpoint, host, model, ...(name !== undefined && { name }) };
  return new VaultgraphError('EGRESS_BLOCKED', details);
}

/** Whether an error concerns only its input, so that the server's state is unchanged. */
export const isAboutOneInput = (thrown: unknown): boolean =>
  thrown instanceof VaultgraphError && (thrown.details as Partial<ProviderDetails>).level === 'item';

/** Replaces a server's message that would repeat a note, a query or a key. */
const WITHHELD = 'the answer repeats what was sent';
/** Shorter texts and lines occur in any sentence and reveal nothing. */
const MIN_TEXT_LENGTH = 4;
const MIN_LINE_LENGTH = 12;
/** Servers quote the beginning or the end of what they refuse, possibly no more than this. */
const QUOTE_LENGTH = 12;

/** The server's message in any known format, as one line; empty where there is none. */
export function serverMessage(body: string): string {
  const answer = parsedJson(body);
  return typeof answer === 'object' && answer !== null ? messageIn(answer as Record<string, unknown>) : '';
}

/** Ollama and LM Studio: `error`; llama.cpp, vLLM: `error.message`; TEI, older vLLM: `message`; FastAPI: `detail`. */
function messageIn({ error, message, detail }: Record<string, unknown>): string {
  const inner = typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {};
  const words = [inner.message, error, message, detail, inner.type].find((each) => typeof each === 'string');
  return typeof words === 'string' ? oneLine(words) : '';
}

/** The same text, unless it repeats one of the secrets. */
export function redacted(text: string, secrets: readonly string[]): string {
  return secrets.flatMap(fragments).some((fragment) => text.includes(fragment)) ? WITHHELD : text;
}

/** The fragments that reveal a text, also if its line breaks were replaced. */
function fragments(text: string): string[] {
  const whole = oneLine(text);
  const lines = text.split('\n').map(oneLine);
  const revealing = [
    ...(whole.length < MIN_TEXT_LENGTH ? [] : [whole]),
    ...lines.filter(({ length }) => length >= MIN_LINE_LENGTH),
  ];
  return revealing.flatMap((each) => [each.slice(0, QUOTE_LENGTH), each.slice(-QUOTE_LENGTH)]);
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
