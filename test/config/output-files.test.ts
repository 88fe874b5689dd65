import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { providerCatalog } from '../../src/providers/catalog.ts';
import { CATALOG, placeFor } from '../lifecycle/sample-providers.ts';

test('output files are at the configured path, relative to the home folder or absolute; by default there are none', async (context) => {
  const place = placeFor(context);
  const read = async (rest: string) =>
    readConfig(place.sources({ config: place.write(`vault: { path: Notes }\n${rest}`) }), CATALOG);
  assert.deepEqual((await read('')).outputs, {});
  assert.deepEqual((await read('log: { file: null }\nmetrics: { file: null }\n')).outputs, {});
  const { outputs, settings } = await read(
    'log: { file: ~/logs/graph.jsonl }\nmetrics:\n  file: /var/tmp/graph-{pid}.prom\n',
  );
  assert.equal(outputs.log?.path, join(place.home, 'logs/graph.jsonl'));
  assert.deepEqual([outputs.log?.place.line, outputs.log?.place.column], [2, 14]);
  assert.equal(outputs.metrics?.path, '/var/tmp/graph-{pid}.prom');
  assert.equal(settings.find(({ key }) => key === 'log.file')?.value, '~/logs/graph.jsonl');
});

test('an output file inside the vault is refused, also through another path', async (context) => {
  const place = placeFor(context);
  symlinkSync(place.vault, join(place.home, 'link'));
  symlinkSync(join(place.vault, 'none.txt'), join(place.home, 'dangling'));
  symlinkSync('link/deep/none.txt', join(place.home, 'relative'));
  symlinkSync('relative', join(place.home, 'chained'));
  for (const path of [
    '~/dangling',
    '~/relative',
    '~/chained',
    join(place.vault, 'log.txt'),
    '~/link/deep/log.txt',
    `${place.vault}/../Notes/x`,
  ]) {
    const yaml = `vault: { path: Notes }\nlog: { file: ${JSON.stringify(path)} }\n`;
    await assert.rejects(
      readConfig(place.sources({ config: place.write(yaml) }), CATALOG),
      /config\.yaml:2:14: `log\.file` is inside the vault/,
      path,
    );
  }
});

test('an index file inside the vault is refused with the config', async (context) => {
  const place = placeFor(context);
  symlinkSync(place.vault, join(place.home, 'link'));
  symlinkSync('link/none.db', join(place.home, 'dangling.db'));
  for (const path of ['~/dangling.db', join(place.vault, 'index.db'), '~/link/deep/index.db']) {
    const yaml = `vault: { path: Notes }\nproviders:\n  store: { type: sqlite, path: ${JSON.stringify(path)} }\n`;
    await assert.rejects(
      readConfig(place.sources({ config: place.write(yaml) }), providerCatalog),
      /config\.yaml:3:\d+: `providers\.store\.path` is inside the vault/,
      path,
    );
  }
});
