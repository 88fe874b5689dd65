// The types and faults that all protocol methods share.
import { cut, toVaultgraphError, type VaultgraphError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest.ts';
import type { AskUser } from '../dispatch/dispatch.ts';
import type { Failure } from '../render/failure.ts';
import { escapeControls } from '../render/safe-text.ts';

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const INVALID_PARAMS = -32602;
export const METHOD_NOT_FOUND = -32601;
export const INTERNAL_ERROR = -32603;
export const RESOURCE_NOT_FOUND = -32002;
/** A code of protocol 2026-07-28. */
export const UNSUPPORTED_VERSION = -32022;
/** A code of protocol 2026-07-28 over HTTP. */
export const HEADER_MISMATCH = -32020;

export interface Fault {
  readonly code: number;
  readonly message: string;
  readonly data?: object;
}

export type Reply = { readonly result: object } | { readonly fault: Fault };

export type Params = { readonly [key: string]: unknown } | undefined;

/** A request without its parameters. */
export interface WireRequest {
  readonly id: string;
  /** Aborted by the client, or by the server when it shuts down. */
  readonly signal: AbortSignal;
  /** The name that the client gave; short, on one line. */
  readonly client: string;
  /** Names the session of the client. */
  readonly session?: string;
  /** Only if the client asked for progress. */
  readonly progress?: (note: { readonly progress: number; readonly total?: number; readonly message: string }) => void;
  /** Only if the client can show its user a question. */
  readonly ask?: AskUser;
  /** Called with each change of the vault that a call made. */
  readonly onChange?: OnChange;
  /** Whether the client announces that it shows pages beside answers (MCP Apps). */
  readonly showsApps?: boolean;
  /** Whether the protocol of the client has links to resources in answers. */
  readonly readsLinks?: boolean;
}

export type OnChange = (tool: string, changeId: string) => void;

/** Rejects only because of a bug. */
export type Method = (params: Params, request: WireRequest) => Promise<Reply>;

export type Methods = ReadonlyMap<string, Method>;

/** Sends a notification. False if the client does not read at the moment; it is then to be sent later. */
export type Notify = (method: string, params: { readonly [key: string]: unknown }) => boolean;

/** What a server announces and the methods that answer it. */
export interface ServerFeatures {
  readonly capabilities: { readonly [name: string]: { readonly [option: string]: boolean } };
  /**
   * The methods for one client, with subscriptions of its own.
   * @param notify sends notifications to the client
   * @param ended aborted when the client is gone
   */
  readonly methods: (notify: Notify, ended?: AbortSignal) => Methods;
  readonly promptNames: readonly string[];
  /** Numbers of tools and prompts, for the log. */
  readonly counts: Readonly<Record<string, number>>;
  /** Ends all subscriptions. */
  readonly close: () => void;
}

/** The fault for a bug: with a generic message, because the original one may quote anything. */
export function bugFault(thrown: unknown): { readonly fault: Fault; readonly error: VaultgraphError } {
  const error = toVaultgraphError(thrown);
  return { fault: { code: INTERNAL_ERROR, message: error.message, data: { error_id: error.errorId } }, error };
}

const MAX_NAME_LENGTH = 100;

/** A name from outside, quoted and cut short. */
export function quotedName(name: string): string {
  return JSON.stringify(cut(name, MAX_NAME_LENGTH));
}

/** @param what such as `prompt` */
export function unknownName(what: string, name: string, available: readonly string[]): Fault {
  const data = { available, ...didYouMean(name, available) };
  return { code: INVALID_PARAMS, message: `no ${what} ${quotedName(name)}`, data };
}

/** A list of one page accepts no cursor; some clients start with an empty one. */
export function refusedCursor(params: Params): Fault | undefined {
  const { cursor } = params ?? {};
  if (cursor === undefined || cursor === null || cursor === '') return undefined;
  return { code: INVALID_PARAMS, message: 'cursor: not valid for this list, which has one page' };
}

const CODES: Readonly<Partial<Record<Failure['error']['code'], number>>> = {
  INVALID_INPUT: INVALID_PARAMS,
  NOTE_NOT_FOUND: RESOURCE_NOT_FOUND,
};

/** @param more further members of `data`, such as the requested `uri` */
export function vaultFault(error: Failure['error'], more: object = {}): Fault {
  return { code: CODES[error.code] ?? INTERNAL_ERROR, message: failureLine(error), data: { ...more, ...error } };
}

type FailureFacts = Pick<Failure['error'], 'code' | 'message' | 'hint' | 'choices'>;

/** Most clients show only this line of a failure, so it includes the hint. */
export function failureLine({ code, message, hint, choices = [] }: FailureFacts): string {
  const sentence = /[.!?…]$/.test(message) ? message : `${message}.`;
  const values = choices.map(({ value }) => value).join(' · ');
  return escapeControls(`[${code}] ${sentence} ${hint}${values === '' ? '' : ` Choices: ${values}`}`);
}
