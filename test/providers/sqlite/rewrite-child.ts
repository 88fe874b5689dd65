// Rewrites all notes of an index again and again, each time in one change set, and prints every committed round.

import { sqliteProvider } from '../../../src/providers/sqlite/provider.ts';
import { changes, indexed, signal } from '../../contracts/store/law.ts';

const [dataFolder = '', vaultRoot = '', first = '', ...paths] = process.argv.slice(2);
const context = { dataFolder, stateFolder: dataFolder, vaultRoot, log: () => undefined };
const { capability: store } = await sqliteProvider.open({}, context, signal);

for (let generation = Number(first); ; generation++) {
  const text = `#g${generation} generation${generation} [[target${generation % 2}]]`;
  await store.apply(changes({ indexed: paths.map((path) => indexed(path, text)) }), signal);
  process.stdout.write(`${generation}\n`);
}
