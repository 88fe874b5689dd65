import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../src/lifecycle/config.ts';
import { CATALOG, placeFor } from './sample-providers.ts';

const EXAMPLE = readFileSync(join(import.meta.dirname, '../../config.example.yaml'), 'utf8');

test('the example is valid, and every value in it is the default it claims to be', async (context) => {
  const place = placeFor(context);
  const config = place.write(EXAMPLE);
  const example = await readConfig(place.sources({ config }), CATALOG);
  const bare = await readConfig(place.sources({ vault: place.vault }), CATALOG);
  assert.equal(example.vaultRoot, place.vault);
  const values = ({ settings }: typeof bare) =>
    settings.filter(({ key }) => key !== 'config').map(({ key, value }) => ({ key, value }));
  assert.deepEqual(values(example), values(bare));
});

test('the example names every key there is, and no other', async (context) => {
  const place = placeFor(context);
  const config = place.write(EXAMPLE);
  const { settings, sections } = await readConfig(place.sources({ config }), CATALOG);
  const silent = settings.filter(({ key, origin }) => origin === 'default' && key !== 'data_dir');
  assert.deepEqual(silent, []);
  assert.deepEqual(sections.length, 2);
  const commented = EXAMPLE.replace(/^( *)# (path: ~\/indexes)/m, '$1$2');
  assert.notEqual(commented, EXAMPLE);
  const placed = await readConfig(place.sources({ config: place.write(commented, 'placed.yaml') }), CATALOG);
  assert.deepEqual(placed.sections[1]?.config, { path: '~/indexes/notes.db' });
});
