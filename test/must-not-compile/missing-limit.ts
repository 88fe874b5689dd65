// A provider whose limits leave out a method, and one that limits a method its capability does not have.
import type { EmbeddingProvider } from '../../src/contracts/embedding.ts';
import type { Vault } from '../../src/contracts/vault.ts';
import type { TimeLimits } from '../../src/contracts/capability.ts';
import type { Provider } from '../../src/contracts/provider.ts';

const OTHERS = { readKept: 1, readSamples: 1, readHashes: 1, earlier: 1, watch: 1, settings: 1 };

// TS2741 Property 'read' is missing in type '{ readKept: number; readSamples: number; readHashes: number; earlier: number; watch: number; settings: number; list: number; listAt: number; listAndRead: number; listSome: number; }' but required in type 'Readonly<Record<PromiseMethod<Vault>, number | "bounded">>'.
export const limitless: Provider<'vault', object>['limits'] = () => ({ ...OTHERS, list: 5_000, listAt: 5_000, listAndRead: 5_000, listSome: 5_000 });

// TS2353 Object literal may only specify known properties, and 'name' does not exist in type 'Readonly<Record<PromiseMethod<Vault>, number | "bounded">>'.
export const nameless: TimeLimits<Vault> = { ...OTHERS, list: 1, listAt: 1, listAndRead: 1, listSome: 1, read: 1, name: 1 };

// TS2322 Type '"unlimited"' is not assignable to type 'number | "bounded"'.
export const boundless: TimeLimits<EmbeddingProvider> = { identify: 1, embed: 'unlimited', loaded: 1, warmUp: 1 };

// TS2741 Property 'warmUp' is missing in type '{ identify: number; embed: number; loaded: number; }' but required in type 'Readonly<Record<PromiseMethod<Embedding>, number | "bounded">>'.
export const endless: Provider<'embedding', object>['limits'] = () => ({ identify: 1, embed: 1, loaded: 1 });
