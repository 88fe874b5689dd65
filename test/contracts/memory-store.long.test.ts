// Runs the contract suite of stores on the store in memory.

import { NEVER } from '../../src/base/async/waits.ts';
import type { Provider } from '../../src/contracts/provider.ts';
import { createMemoryStore } from './memory-store.ts';
import type { StoreUnderTest } from './store/law.ts';
import { storeLaws } from './store.ts';

const PLACES = { vaultRoot: '/nowhere', dataFolder: '/nowhere', stateFolder: '/nowhere', log: () => undefined };

async function opened(provider: Provider<'store', object>): Promise<StoreUnderTest> {
  const { capability: store, close, release } = await provider.open({}, PLACES, NEVER);
  return { store, ...(release && { release }), again: () => opened(provider), close };
}

storeLaws('the store in memory', () => opened(createMemoryStore()));
