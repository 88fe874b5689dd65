// The table of every error code, and the error class that carries one.
import { randomBytes } from 'node:crypto';
import { errnoOf, isErrno } from './errno.ts';
import { CONFLICT_ERRORS } from './errors/conflict-errors.ts';
import { CONTROL_ERRORS } from './errors/control-errors.ts';
import { type Action, type Category, cutTexts, type ErrorEntry, type Retry } from './errors/error-entry.ts';
import { INDEX_ERRORS } from './errors/index-errors.ts';
import { INPUT_ERRORS } from './errors/input-errors.ts';
import { DOWNLOAD_ERRORS, PROVIDER_ERRORS } from './errors/provider-errors.ts';
import { VAULT_ERRORS } from './errors/vault-errors.ts';

export {
  type Action,
  type Category,
  cut,
  type ErrorEntry,
  grouped,
  plural,
  quoted,
  type Retry,
} from './errors/error-entry.ts';
export type { DateField, InputIssue } from './errors/input-errors.ts';
export { CONNECTION_ERRORS, type ProviderDetails } from './errors/provider-errors.ts';
export type { ConfigFault } from './errors/vault-errors.ts';

export const ERRORS = Object.freeze({
  ...INPUT_ERRORS,
  ...CONFLICT_ERRORS,
  ...VAULT_ERRORS,
  ...INDEX_ERRORS,
  ...PROVIDER_ERRORS,
  ...DOWNLOAD_ERRORS,
  ...CONTROL_ERRORS,
});

export type ErrorCode = keyof typeof ERRORS;
export type DetailsOf<C extends ErrorCode> = (typeof ERRORS)[C] extends ErrorEntry<infer Details> ? Details : never;

/** A value that is valid and unambiguous for the argument named in `retryWith`. */
export interface Choice {
  readonly value: string;
  readonly path?: string;
  readonly line?: number;
  readonly label?: string;
}

export interface Choices {
  /** At most ten. */
  readonly items: readonly Choice[];
  readonly total: number;
  readonly retryWith: string;
}

interface ErrorOptions {
  readonly cause?: unknown;
  /** Replaces the retry class of the code: a batch takes that of its items, a job that of its cause. */
  readonly retry?: Retry;
  readonly retryAfterMs?: number;
  readonly choices?: Choices;
  /** The work was not tried because the same call had just failed; the message says so. */
  readonly untried?: true;
}

/** Their texts are the program's own, with the texts from outside cut before. */
const OWN_TEXTS: readonly ErrorCode[] = ['BATCH_FAILED', 'CONFIG_INVALID'];

/** Used if neither the thrower nor the table gives a wait. */
const DEFAULT_RETRY_AFTER_MS = 1_000;

export class VaultgraphError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'VaultgraphError';
  readonly code: C;
  readonly details: DetailsOf<C>;
  /** The details with long texts cut: message, hint and actions are made of these, and answers show them. */
  readonly shown: DetailsOf<C>;
  readonly errorId: string;
  readonly choices: Choices | undefined;
  readonly retry: Retry;
  readonly untried: boolean;
  readonly #retryAfterMs: number | undefined;

  constructor(code: C, details: DetailsOf<C>, options: ErrorOptions = {}) {
    const shown = OWN_TEXTS.includes(code) ? details : cutTexts(details);
    const message = (ERRORS[code] as ErrorEntry<DetailsOf<C>>).message(shown);
    super(options.untried ? `not tried: ${message}` : message, { cause: options.cause });
    this.code = code;
    this.untried = options.untried ?? false;
    this.details = details;
    this.shown = shown;
    this.choices = options.choices;
    this.retry = options.retry ?? ERRORS[code].retry;
    this.#retryAfterMs = options.retryAfterMs;
    this.errorId = `e_${randomBytes(6).toString('hex')}`;
  }

  get entry(): ErrorEntry<DetailsOf<C>> {
    return ERRORS[this.code] as ErrorEntry<DetailsOf<C>>;
  }

  get category(): Category {
    return this.entry.category;
  }

  get hint(): string {
    return this.entry.hint(this.shown);
  }

  get actions(): readonly Action[] {
    return this.entry.actions?.(this.shown) ?? [];
  }

  /** Whether the same call may succeed later. */
  get retryable(): boolean {
    return this.retry === 'D' || this.retry === 'D*';
  }

  /** How long to wait; undefined exactly if `retryable` is false. */
  get retryAfterMs(): number | undefined {
    return this.retryable ? (this.#retryAfterMs ?? this.entry.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS) : undefined;
  }

  /** The wait that the failing service itself asked for. */
  get requestedWaitMs(): number | undefined {
    return this.#retryAfterMs;
  }

  get fixBy(): 'caller' | 'user' | 'nobody' {
    if (this.retry === 'C') return 'caller';
    return this.retry === 'U' || this.retry === 'D*' ? 'user' : 'nobody';
  }
}

/** The same failure in another call, with an error id of its own. */
export function repeatFailure(error: VaultgraphError): VaultgraphError {
  const { code, details, retry, retryAfterMs, choices } = error;
  const more = { cause: error, retry, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return new VaultgraphError<ErrorCode>(code, details as DetailsOf<ErrorCode>, choices ? { ...more, choices } : more);
}

/** The same failure for work that was not started because of it. */
export function untriedFailure(error: VaultgraphError): VaultgraphError {
  const { code, details, retry, retryAfterMs } = error;
  const more = { cause: error, retry, untried: true as const, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return new VaultgraphError<ErrorCode>(code, details as DetailsOf<ErrorCode>, more);
}

/** Any code may be the one that opens a file too many, even the loading of a module. */
const TOO_MANY_FILES = ['EMFILE', 'ENFILE'];

/** Wraps an unknown throw as `INTERNAL`, with the throw as its cause: it is a bug. */
export function toVaultgraphError(thrown: unknown): VaultgraphError {
  if (thrown instanceof VaultgraphError) return thrown;
  // Node's timers reject with an AbortError that wraps the abort reason.
  if (thrown instanceof Error && thrown.name === 'AbortError' && thrown.cause instanceof VaultgraphError)
    return thrown.cause;
  if (isErrno(thrown, ...TOO_MANY_FILES))
    return new VaultgraphError('VAULT_UNAVAILABLE', { errno: errnoOf(thrown) }, { cause: thrown });
  const kind = thrown instanceof Error ? thrown.name : typeof thrown;
  return new VaultgraphError('INTERNAL', { kind }, { cause: thrown });
}
