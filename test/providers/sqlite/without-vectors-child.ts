// Opens an index where the vector module is not installed, and prints the result.
import { registerHooks } from 'node:module';
import { VaultgraphError } from '../../../src/base/errors.ts';

registerHooks({
  resolve: (name, context, next) => next(name.startsWith('sqlite-vec') ? `${name}-not-installed` : name, context),
});

const [dataFolder = '', vaultRoot = ''] = process.argv.slice(2);
const { sqliteProvider } = await import('../../../src/providers/sqlite/provider.ts');
try {
  await sqliteProvider.open(
    {},
    { dataFolder, stateFolder: dataFolder, vaultRoot, log: () => undefined },
    AbortSignal.timeout(60_000),
  );
  process.stdout.write('opened\n');
} catch (thrown) {
  process.stdout.write(`${thrown instanceof VaultgraphError ? `${thrown.code} ${thrown.message}` : thrown}\n`);
}
