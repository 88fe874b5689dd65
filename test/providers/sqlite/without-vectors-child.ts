// Opens an index where the vector module is not installed, with each driver, and prints the results.
import { registerHooks } from 'node:module';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { Log } from '../../../src/base/log.ts';

registerHooks({
  resolve: (name, context, next) => next(name.startsWith('sqlite-vec') ? `${name}-not-installed` : name, context),
});

const [dataFolder = '', vaultRoot = ''] = process.argv.slice(2);
const { sqliteProvider } = await import('../../../src/providers/sqlite/provider.ts');
for (const driver of ['better-sqlite3', 'auto'] as const) {
  const logged: string[] = [];
  const log = (...[, event, fields]: Parameters<Log>): void => void logged.push(`${event} ${JSON.stringify(fields)}`);
  const context = { dataFolder, stateFolder: dataFolder, vaultRoot, log };
  const signal = AbortSignal.timeout(60_000);
  try {
    const { probe, close } = await sqliteProvider.open({ driver }, context, signal);
    process.stdout.write(`${(await probe(signal)).detail} ${logged}\n`);
    await close();
  } catch (thrown) {
    process.stdout.write(`${thrown instanceof VaultgraphError ? `${thrown.code} ${thrown.message}` : thrown}\n`);
  }
}
