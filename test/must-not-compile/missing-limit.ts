// A provider whose limits leave out a method, and one that limits a method its capability does not have.
import type { EmbeddingProvider } from '../../src/contracts/embedding.ts';
import type { Vault } from '../../src/contracts/vault.ts';
import type { TimeLimits } from '../../src/contracts/capability.ts';
import type { Provider } from '../../src/contracts/provider.ts';

// TS2741 Property 'read' is missing in type '{ list: number; listAt: number; }' but required in type 'Readonly<Record<PromiseMethod<Vault>, number | "bounded">>'.
export const limitless: Provider<'vault', object>['limits'] = () => ({ list: 5_000, listAt: 5_000 });

// TS2353 Object literal may only specify known properties, and 'name' does not exist in type 'Readonly<Record<PromiseMethod<Vault>, number | "bounded">>'.
export const nameless: TimeLimits<Vault> = { list: 1, listAt: 1, read: 1, name: 1 };

// TS2322 Type '"unlimited"' is not assignable to type 'number | "bounded"'.
export const boundless: TimeLimits<EmbeddingProvider> = { embed: 'unlimited' };
