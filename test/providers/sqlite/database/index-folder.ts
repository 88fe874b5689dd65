// Creates a folder with an empty vault and an index file, and opens the store.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Opened, ProviderContext } from '../../../../src/contracts/provider.ts';
import type { Store } from '../../../../src/contracts/store.ts';
import { sqliteProvider } from '../../../../src/providers/sqlite/provider.ts';

export interface IndexFolder {
  readonly context: ProviderContext;
  /** Where the index is by default. */
  readonly file: string;
  open(more?: Pick<ProviderContext, 'feed'>): Promise<Opened<Store>>;
  remove(): void;
}

export function createIndexFolder(): IndexFolder {
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
    open: (more = {}) => sqliteProvider.open({}, { ...context, ...more }, AbortSignal.timeout(60_000)),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
