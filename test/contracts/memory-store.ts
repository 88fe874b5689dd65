// A third store, in memory: a provider as one more folder would have it.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import type { Provider } from '../../src/contracts/provider.ts';
import { sqliteProvider } from '../../src/providers/sqlite/provider.ts';

const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** All that it opens share one index, which ends with the last of them. */
export function createMemoryStore(): Provider<'store', object> {
  let dataFolder: string | undefined;
  let open = 0;
  return Object.freeze<Provider<'store', object>>({
    capability: 'store',
    type: 'memory',
    config: z.strictObject({}),
    limits: () => sqliteProvider.limits({}),
    open: async (_config, context, signal) => {
      dataFolder ??= mkdtempSync(join(MEMORY, 'vaultgraph-memory-'));
      const opened = await sqliteProvider.open({}, { ...context, dataFolder }, signal);
      open += 1;
      const close = async (): Promise<void> => {
        await opened.close();
        open -= 1;
        if (open > 0 || dataFolder === undefined) return;
        rmSync(dataFolder, { recursive: true });
        dataFolder = undefined;
      };
      return Object.freeze({ ...opened, close });
    },
  });
}
