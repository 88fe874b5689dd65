// Creates a folder with an empty vault and an index file, and opens the store.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Opened, ProviderContext } from '../../../../src/contracts/provider.ts';
import type { Store, StoreDriver } from '../../../../src/contracts/store.ts';
import { sqliteProvider } from '../../../../src/providers/sqlite/provider.ts';
import type { StoreUnderTest } from '../../../contracts/store/law.ts';

export interface IndexFolder {
  readonly context: ProviderContext;
  /** Where the index is by default. */
  readonly file: string;
  open(more?: Pick<ProviderContext, 'feed'>): Promise<Opened<Store>>;
  remove(): void;
}

/** @param driver of the stores that it opens */
export function createIndexFolder(driver?: StoreDriver): IndexFolder {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'vaultgraph-store-')));
  const context = {
    vaultRoot: join(root, 'vault'),
    dataFolder: join(root, 'data'),
    stateFolder: join(root, 'state'),
    log: () => undefined,
  };
  mkdirSync(context.vaultRoot);
  return {
    context,
    file: join(context.dataFolder, 'index.db'),
    open: (more = {}) => sqliteProvider.open({ driver }, { ...context, ...more }, AbortSignal.timeout(60_000)),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** A new, empty store for the contract suite. */
export async function openLawStore(driver?: StoreDriver): Promise<StoreUnderTest> {
  const folder = createIndexFolder(driver);
  const { capability: store, close, release } = await folder.open();
  return {
    store,
    ...(release && { release }),
    again: async () => {
      const other = await folder.open();
      return { store: other.capability, close: other.close };
    },
    close: async () => {
      await close();
      folder.remove();
    },
  };
}
