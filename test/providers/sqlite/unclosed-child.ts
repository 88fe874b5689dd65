// Opens an index, applies one change, reports it, and exits without closing.
import { sqliteProvider } from '../../../src/providers/sqlite/provider.ts';
import { fill, signal } from '../../contracts/store/law.ts';

const [dataFolder = '', vaultRoot = ''] = process.argv.slice(2);
const { capability: store } = await sqliteProvider.open(
  {},
  { dataFolder, stateFolder: dataFolder, vaultRoot, log: () => undefined },
  signal,
);
await fill(store, { 'Ebb.md': 'low' });
process.stdout.write('applied\n');
