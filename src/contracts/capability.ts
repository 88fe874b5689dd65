// The capabilities of a server, and the types that grant a tool only those that it declares.
import type { ErrorCode } from '../base/errors.ts';
import type { Embedding } from './embedding.ts';
import type { ChangeFeed } from './feed.ts';
import type { Indexer } from './indexer.ts';
import type { LLMProvider } from './llm.ts';
import type { RerankProvider } from './rerank.ts';
import type { Store } from './store.ts';
import type { Vault } from './vault.ts';
import type { Writer } from './writer.ts';

export interface CapabilityMap {
  vault: Vault;
  store: Store;
  indexer: Indexer;
  feed: ChangeFeed;
  writer: Writer;
  embedding: Embedding;
  llm: LLMProvider;
  rerank: RerankProvider;
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

/** The codes that any call may fail with for each capability its tool needs, beside those that the tool declares. */
export const CAPABILITY_FAILS: Readonly<Record<CapabilityName, readonly ErrorCode[]>> = Object.freeze({
  vault: ['VAULT_UNAVAILABLE'],
  store: ['STORE_BUSY', 'STORE_CORRUPT', 'STORE_ERROR', 'STORE_FULL', 'STORE_READONLY', 'STORE_UNAVAILABLE'],
  indexer: [],
  feed: ['STORE_BUSY', 'STORE_CORRUPT', 'STORE_ERROR', 'STORE_FULL', 'STORE_READONLY', 'STORE_UNAVAILABLE'],
  // Other programs may change the vault at any moment.
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
  rerank: PROVIDER_FAILS,
});

/** Frozen after load. A capability that is not configured is absent. */
export type Capabilities = Readonly<Partial<CapabilityMap>>;

/** The capabilities that a tool declares in its `needs`; using another one does not compile. */
export type Granted<N extends CapabilityName> = Readonly<Pick<CapabilityMap, N>>;

type PromiseMethod<T> = {
  [K in keyof T]-?: T[K] extends (...args: never[]) => Promise<unknown> ? K : never;
}[keyof T];

/**
 * For each method that returns a promise its limit in milliseconds, or `bounded`: the provider limits its work itself, by size and
 * step budgets or by watching the thread that does it.
 */
export type TimeLimits<T> = Readonly<Record<PromiseMethod<T>, number | 'bounded'>>;
