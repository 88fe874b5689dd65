// Which capabilities there are, and the types that let a tool touch only those it named.
import type { ErrorCode } from '../base/errors.ts';
import type { Embedding } from './embedding.ts';
import type { Indexer } from './indexer.ts';
import type { LLMProvider } from './llm.ts';
import type { Store } from './store.ts';
import type { Vault } from './vault.ts';
import type { Writer } from './writer.ts';

export interface CapabilityMap {
  vault: Vault;
  store: Store;
  indexer: Indexer;
  writer: Writer;
  embedding: Embedding;
  llm: LLMProvider;
}

export type CapabilityName = keyof CapabilityMap;

const PROVIDER_FAILS = [
  'EGRESS_BLOCKED',
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_TIMEOUT',
  'PROVIDER_BUSY',
  'PROVIDER_RATE_LIMITED',
  'PROVIDER_AUTH_FAILED',
  'PROVIDER_MODEL_MISSING',
  'PROVIDER_MODEL_PULLING',
  'PROVIDER_MODEL_UNSUITABLE',
  'PROVIDER_INPUT_TOO_LONG',
  'PROVIDER_REJECTED_INPUT',
  'PROVIDER_BAD_RESPONSE',
  'PROVIDER_ERROR',
  'PROVIDER_CIRCUIT_OPEN',
  'PROVIDER_ENDPOINT_UNSUPPORTED',
  'OVERLOADED',
] as const satisfies readonly ErrorCode[];

/** What any call may fail with for each capability its tool needs, beside what the tool itself declares. */
export const CAPABILITY_FAILS: Readonly<Record<CapabilityName, readonly ErrorCode[]>> = Object.freeze({
  vault: ['VAULT_UNAVAILABLE'],
  store: ['STORE_BUSY', 'STORE_CORRUPT', 'STORE_ERROR', 'STORE_FULL', 'STORE_READONLY', 'STORE_UNAVAILABLE'],
  indexer: [],
  // Another hand may be in the vault at any moment, up to the last one.
  writer: [
    'VAULT_UNAVAILABLE',
    'FILE_WRITE_FAILED',
    'FILE_UNREADABLE',
    'PATH_NOT_ALLOWED',
    'WRITE_CONFLICT',
    'NOTE_EXISTS',
    'CHANGE_NOT_FOUND',
  ],
  embedding: PROVIDER_FAILS,
  llm: PROVIDER_FAILS,
});

/** Frozen after load. An absent key means: not configured. */
export type Capabilities = Readonly<Partial<CapabilityMap>>;

/** The capabilities a tool named in its `needs`; touching another one does not compile. */
export type Granted<N extends CapabilityName> = Readonly<Pick<CapabilityMap, N>>;

type PromiseMethod<T> = {
  [K in keyof T]-?: T[K] extends (...args: never[]) => Promise<unknown> ? K : never;
}[keyof T];

/**
 * For each promise-returning method either its hard limit in milliseconds, or `bounded`: its work is synchronous inside, so no
 * timer can end it and it is held by size and step budgets instead.
 */
export type TimeLimits<T> = Readonly<Record<PromiseMethod<T>, number | 'bounded'>>;
