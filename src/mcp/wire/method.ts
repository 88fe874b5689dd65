// What a method of the protocol is: from parameters as they came to a result or a fault.
import { toVaultgraphError, type VaultgraphError } from '../../base/errors.ts';
import { nearestName } from '../../base/nearest.ts';
import type { Failure } from '../render/failure.ts';
import { escapeControls } from '../render/safe-text.ts';

/** As the protocol numbers them. */
export const INVALID_PARAMS = -32602;
export const METHOD_NOT_FOUND = -32601;
export const INTERNAL_ERROR = -32603;
export const RESOURCE_NOT_FOUND = -32002;

export interface Fault {
  readonly code: number;
  readonly message: string;
  readonly data?: object;
}

export type Reply = { readonly result: object } | { readonly fault: Fault };

export type Params = { readonly [key: string]: unknown } | undefined;

/** One request, apart from its parameters. */
export interface WireRequest {
  readonly id: string;
  /** Aborted by the client, and by the server when it ends. */
  readonly signal: AbortSignal;
  /** As the client named itself; short, on one line. */
  readonly client: string;
  /** Only where the client asked for progress. */
  readonly progress?: (note: { readonly progress: number; readonly total?: number; readonly message: string }) => void;
}

/** Never rejects but by a bug. */
export type Method = (params: Params, request: WireRequest) => Promise<Reply>;

export type Methods = ReadonlyMap<string, Method>;

/** Sends a notification; what cannot be sent is dropped, for then the connection is closing. */
export type Notify = (method: string, params: { readonly [key: string]: unknown }) => void;

/** Everything a server offers: what it announces and what answers it. */
export interface Offer {
  readonly capabilities: { readonly [name: string]: { readonly [option: string]: boolean } };
  /** @param notify for what is told unasked */
  readonly methods: (notify: Notify) => Methods;
  readonly promptNames: readonly string[];
  /** What is offered, in numbers, for the log. */
  readonly counts: Readonly<Record<string, number>>;
  /** Ends what goes on unasked. */
  readonly close: () => void;
}

/** A bug: its message may quote anything, so only the generic one goes out. */
export function bugFault(thrown: unknown): { readonly fault: Fault; readonly error: VaultgraphError } {
  const error = toVaultgraphError(thrown);
  return { fault: { code: INTERNAL_ERROR, message: error.message, data: { error_id: error.errorId } }, error };
}

const MAX_NAME_LENGTH = 100;

/** A name from outside, quoted and no longer than a name may be. */
export function quotedName(name: string): string {
  return JSON.stringify(name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH).toWellFormed()}…` : name);
}

/** @param what is named so: `prompt` */
export function unknownName(what: string, name: string, available: readonly string[]): Fault {
  const meant = nearestName(name, available);
  const data = { available, ...(meant && { did_you_mean: meant }) };
  return { code: INVALID_PARAMS, message: `no ${what} ${quotedName(name)}`, data };
}

/** A list that fits one page gives out no cursor, so it takes none; some clients begin with an empty one. */
export function refusedCursor(params: Params): Fault | undefined {
  const { cursor } = params ?? {};
  if (cursor === undefined || cursor === null || cursor === '') return undefined;
  return { code: INVALID_PARAMS, message: 'cursor: is no cursor of this list, which has one page' };
}

const NUMBERS: Readonly<Partial<Record<Failure['error']['code'], number>>> = {
  INVALID_INPUT: INVALID_PARAMS,
  NOTE_NOT_FOUND: RESOURCE_NOT_FOUND,
};

/** @param more stands beside the failure's own members, such as the `uri` that was asked for */
export function vaultFault(error: Failure['error'], more: object = {}): Fault {
  return { code: NUMBERS[error.code] ?? INTERNAL_ERROR, message: failureLine(error), data: { ...more, ...error } };
}

type ToldFailure = Pick<Failure['error'], 'code' | 'message' | 'hint' | 'choices'>;

/** Most clients show no more than this of a failure, so what mends it stands in it, too. */
export function failureLine({ code, message, hint, choices = [] }: ToldFailure): string {
  const sentence = /[.!?…]$/.test(message) ? message : `${message}.`;
  const values = choices.map(({ value }) => value).join(' · ');
  return escapeControls(`[${code}] ${sentence} ${hint}${values === '' ? '' : ` Choices: ${values}`}`);
}
