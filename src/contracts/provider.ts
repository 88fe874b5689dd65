// A provider: the shape of its config section, its time limits, and how it is opened.
import type { ZodType } from 'zod';
import * as z from 'zod';
import type { VaultgraphError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { CapabilityMap, TimeLimits } from './capability.ts';
import type { StoredFeed } from './feed.ts';
import type { WriteLock } from './session.ts';
import type { StoreDriver, StoredIndex } from './store.ts';

/** The capabilities that come from a provider; the indexer is built from the vault and the store, the feed from the store and the change log. */
export type ProvidedCapability = Exclude<keyof CapabilityMap, 'indexer' | 'feed'>;

export interface FeedSettings {
  readonly days: number;
  readonly bytes: number;
  /** Names the part of the vault that is listed, which has a feed of its own; absent for the whole vault. */
  readonly scope?: string | undefined;
}

/** Settings outside the provider's section, as absolute real paths. */
export interface ProviderContext {
  readonly vaultRoot: string;
  /** The folder for all data derived from this vault: outside the vault, created if missing. */
  readonly dataFolder: string;
  /** The folder for what cannot be derived from it, the change log: likewise. */
  readonly stateFolder: string;
  /** Names the part of the vault that clients may see, which has an index of its own; absent for the whole vault. */
  readonly viewId?: string | undefined;
  /** Its name among several vaults, each of which has an index of its own; absent for the vault of the section `vault`. */
  readonly vaultName?: string | undefined;
  /** What the feed of changes keeps; without it, no feed is written. */
  readonly feed?: FeedSettings | undefined;
  /** Whether it is opened by a server, which replaces a damaged index by itself. */
  readonly serves?: boolean | undefined;
  readonly log: Log;
}

/** `unknown` if checking would cost too much, such as loading a model. */
export interface ProbeLevel {
  readonly level: 'reachable' | 'model' | 'answers';
  readonly ok: boolean | 'unknown';
  readonly detail: string;
}

export interface Probe {
  readonly ok: boolean;
  /** One line for a person; no absolute path, no credential. */
  readonly detail: string;
  /** For a provider of a model, each level up to the first that fails. */
  readonly levels?: readonly ProbeLevel[];
  /** The error if it is not ok. */
  readonly failure?: VaultgraphError;
}

/** One thing about a database server that the person who set it up should know. */
export interface Inspected {
  readonly status: 'ok' | 'warning' | 'failing';
  /** One line; no absolute path, no credential. */
  readonly detail: string;
  /** What to do; empty if it is ok. */
  readonly hint: string;
}

/** A plain frozen object of functions, so that the guard can wrap them with time limits. The opener closes it. */
export interface Opened<T> {
  readonly capability: T;
  probe(signal: AbortSignal): Promise<Probe>;
  /** Looks at the rights, settings and sizes of its database server, for `doctor`; absent if there is none. @throws STORE_* */
  inspect?(signal: AbortSignal): Promise<readonly Inspected[]>;
  close(): Promise<void>;
  /** Only of a store that keeps a feed of changes. */
  readonly feed?: StoredFeed;
  /** Only of a store that servers on several machines share, each with a copy of the vault. */
  readonly writeLock?: WriteLock;
  /** Gives back memory that only makes calls faster; absent if there is none. Calls may run meanwhile. */
  release?(): Promise<void>;
  /** Why nothing that it has can be trusted, once that is known; only of a store. */
  damage?(): VaultgraphError | undefined;
  /**
   * Present if work continues after opening, such as a migration: calls of the capability wait for it.
   * @throws its error, after which the process cannot work
   */
  readonly ready?: Promise<void>;
  /** Downloads the configured model, with progress from 0 to 1; only if the server can. @throws PROVIDER_* */
  pull?(onProgress: (share: number) => void, signal: AbortSignal): Promise<void>;
}

/**
 * An implementation of a capability, which a section of the config names.
 * @example
 * const { capability: embedding, close } = await provider.open(provider.config.parse({ model: 'bge-m3' }), context, signal);
 */
export interface Provider<N extends ProvidedCapability = ProvidedCapability, C = unknown> {
  readonly capability: N;
  /** `providers.<capability>.type` in the config. */
  readonly type: string;
  /** Whether it keeps a feed of changes; only of a store. */
  readonly keepsFeed?: true;
  /** The section without its `type`; strict, with all defaults. */
  readonly config: ZodType<C>;
  limits(config: C): TimeLimits<CapabilityMap[N]>;
  open(config: C, context: ProviderContext, signal: AbortSignal): Promise<Opened<CapabilityMap[N]>>;
  /**
   * The models for this capability that the server at that endpoint has installed; only if the server can list them. Sends no text.
   * @throws PROVIDER_*
   */
  installed?(endpoint: string, signal: AbortSignal): Promise<readonly string[]>;
  /** One section for each endpoint that it names, the primary first, each opened separately; absent if there is at most one. */
  endpoints?(config: C): readonly C[];
  /**
   * Moves its derived data on disk aside, so that the next `open` starts empty; only if it has any.
   * @returns the new path; undefined if there was nothing
   */
  setAside?(config: C, context: ProviderContext): Promise<string | undefined>;
  /**
   * Opens the index that it has in the data folder, so that another store can take it over; only of a store.
   * @returns the reason if there is none that can be copied
   */
  stored?(context: ProviderContext, driver?: StoreDriver): Promise<StoredIndex | string>;
  /** The feed of changes that it has in the state folder; absent for a store that keeps it in a database. */
  storedFeed?(context: ProviderContext, driver?: StoreDriver): StoredFeed | undefined;
}

/** A provider of any config type. */
// biome-ignore lint/suspicious/noExplicitAny: the catalog holds providers of different config types side by side.
export type AnyProvider = { [N in ProvidedCapability]: Provider<N, any> }[ProvidedCapability];

const secrets = z.registry<{ readonly secret: true }>();

/** A text in which `${NAME}` is replaced by that environment variable; masked wherever settings are shown. */
export function secret(): z.ZodString {
  return z.string().min(1).register(secrets, { secret: true });
}

export function isSecret(schema: z.ZodType): boolean {
  return secrets.get(schema) !== undefined;
}
