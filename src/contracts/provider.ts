// What a provider is: the shape of its YAML section, its limits, and how it opens. Knows no vendor.
import type { ZodType } from 'zod';
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

export interface Probe {
  readonly ok: boolean;
  /** One line for a person; no absolute path, no credential. */
  readonly detail: string;
}

/** A plain frozen object of functions, so that the guard can wrap what is limited. Whoever opened it closes it. */
export interface Opened<T> {
  readonly capability: T;
  probe(signal: AbortSignal): Promise<Probe>;
  close(): Promise<void>;
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
   * Moves what it keeps on disk aside, so that the next `open` begins with nothing; only where it keeps something derived.
   * @returns where it went; undefined when there was nothing
   */
  setAside?(config: C, context: ProviderContext): Promise<string | undefined>;
}

/** A provider whose config type only its own folder knows. */
// biome-ignore lint/suspicious/noExplicitAny: the catalog holds providers of different config types side by side.
export type AnyProvider = { [N in ProvidedCapability]: Provider<N, any> }[ProvidedCapability];
