// Embeds all notes of an index under one new model after another, activates each, and prints each active model.
import { sqliteProvider } from '../../../../src/providers/sqlite/provider.ts';
import { signal } from '../../../contracts/store/law.ts';
import { embed, opened, vector } from '../../../contracts/store/vector-vault.ts';

const [dataFolder = '', vaultRoot = '', first = '', ...paths] = process.argv.slice(2);
const context = { dataFolder, stateFolder: dataFolder, vaultRoot, log: () => undefined };
const { capability: store } = await sqliteProvider.open({}, context, signal);

for (let model = Number(first); ; model++) {
  const generation = await opened(store, { model: `model ${model}` });
  for (const [at, path] of paths.entries()) {
    const chunks = [1, 2, 3].map((chunk) => [`${path} ${chunk}`, vector(model, at + 1, chunk)] as const);
    await embed(store, generation, { [path]: ['text', ...chunks, [`${path} bad`, 'refused']] });
  }
  await store.activate(generation.id, signal);
  await store.sweepVectors([], signal);
  process.stdout.write(`${model}\n`);
}
