// What a provider is: the shape of its YAML section, its limits, and how it opens.
import type { ZodType } from 'zod';
import type { VaultgraphError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { CapabilityMap, TimeLimits } from './capability.ts';

/** The capabilities that come from a provider; the indexer is built from the vault and the store. */
export type ProvidedCapability = Exclude<keyof CapabilityMap, 'indexer'>;

/** What the user said beside the section itself, resolved to absolute real paths. */
export interface ProviderContext {
  readonly vaultRoot: string;
  /** The folder for everything this vault derives: outside the vault, created when missing. */
  readonly dataFolder: string;
  readonly log: Log;
}

/** `unknown` where asking would cost more than a probe may, such as loading a model. */
export interface ProbeLevel {
  readonly level: 'reachable' | 'model' | 'answers';
  readonly ok: boolean | 'unknown';
  readonly detail: string;
}

export interface Probe {
  readonly ok: boolean;
  /** One line for a person; no absolute path, no credential. */
  readonly detail: string;
  /** Of a provider that serves a model: each level up to the first that fails. */
  readonly levels?: readonly ProbeLevel[];
  /** What it failed with, where it is not ok. */
  readonly failure?: VaultgraphError;
}

/** A plain frozen object of functions, so that the guard can wrap what is limited. Whoever opened it closes it. */
export interface Opened<T> {
  readonly capability: T;
  probe(signal: AbortSignal): Promise<Probe>;
  close(): Promise<void>;
  /**
   * Only where something is still to be done behind the opening, such as a migration: what is asked of the capability waits for it.
   * @throws what it failed with, for which the process is of no use
   */
  readonly ready?: Promise<void>;
  /** Fetches the model that the config names, telling how far it is from 0 to 1; only where the vendor can. @throws PROVIDER_* */
  pull?(onProgress: (share: number) => void, signal: AbortSignal): Promise<void>;
}

export interface Provider<N extends ProvidedCapability = ProvidedCapability, C = unknown> {
  readonly capability: N;
  /** `providers.<capability>.type` in the YAML. */
  readonly type: string;
  /** The section without its `type`; strict, with every default in it. */
  readonly config: ZodType<C>;
  limits(config: C): TimeLimits<CapabilityMap[N]>;
  open(config: C, context: ProviderContext, signal: AbortSignal): Promise<Opened<CapabilityMap[N]>>;
  /**
   * The models that a server at that endpoint has for this capability and runs itself; only where the vendor tells. Sends no text.
   * @throws PROVIDER_*
   */
  installed?(endpoint: string, signal: AbortSignal): Promise<readonly string[]>;
  /** The section once for each endpoint it names, the primary first, each to be opened by itself; absent where there is one at most. */
  endpoints?(config: C): readonly C[];
  /**
   * Moves what it keeps on disk aside, so that the next `open` begins with nothing; only where it keeps something derived.
   * @returns where it went; undefined when there was nothing
   */
  setAside?(config: C, context: ProviderContext): Promise<string | undefined>;
}

/** A provider whose config type only its own folder knows. */
// biome-ignore lint/suspicious/noExplicitAny: the catalog holds providers of different config types side by side.
export type AnyProvider = { [N in ProvidedCapability]: Provider<N, any> }[ProvidedCapability];
