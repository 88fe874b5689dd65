// Opens stores of servers on different machines on one schema: each has a data folder of its own.
import { globSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Opened, ProviderContext } from '../../../src/contracts/provider.ts';
import type { Store } from '../../../src/contracts/store.ts';
import { postgresqlConfig, postgresqlProvider } from '../../../src/providers/postgresql/postgresql-provider.ts';

export interface Machines {
  /** The store of a server on a machine of its own. */
  open(section?: object, more?: Partial<ProviderContext>): Promise<Opened<Store>>;
  /** The files of the copies of all machines, each with what is beside it. */
  copies(): string[];
  remove(): void;
}

/**
 * @param section of the config, such as the host
 * @param more of the context of each server
 */
export function createMachines(section: object, more: Partial<ProviderContext> = {}): Machines {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'vaultgraph-machines-')));
  let count = 0;
  return {
    open: async (other = {}, own = {}) => {
      count += 1;
      const config = postgresqlConfig.parse({ ...section, ...other });
      const context = { ...contextIn(join(root, `machine-${count}`)), ...more, ...own };
      return postgresqlProvider.open(config, context, AbortSignal.timeout(60_000));
    },
    copies: () => globSync('*/data/postgresql-*', { cwd: root }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function contextIn(folder: string): ProviderContext {
  const vaultRoot = join(folder, 'vault');
  mkdirSync(vaultRoot, { recursive: true });
  return { vaultRoot, dataFolder: join(folder, 'data'), stateFolder: join(folder, 'state'), log: () => undefined };
}
