// The Ollama section in a config file: each fault at its place, and how a valid one is shown.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { readConfig } from '../../../src/config/config.ts';
import { filesystemProvider } from '../../../src/providers/filesystem/filesystem-provider.ts';
import { ollamaEmbeddingProvider } from '../../../src/providers/ollama/ollama-providers.ts';
import { sqliteProvider } from '../../../src/providers/sqlite/provider.ts';
import { placeFor } from '../../lifecycle/sample-providers.ts';

const CATALOG = [filesystemProvider, sqliteProvider, ollamaEmbeddingProvider];
const HEAD = 'vault: { path: Notes }\nproviders:\n  embedding:\n    type: ollama\n';

it('P12 M12 M14 all faults are reported at once with their places, and none repeats a credential', async (test) => {
  const place = placeFor(test);
  const config = place.write(`${HEAD}    model: embeddinggemma:cloud
    endpoint: http://192.168.1.20:11434
    failover:
      - http://127.0.0.1:2
      - https://models.example.test/
    dimensions: 300
    timeout: 0
    headers: { authorization: "Bearer \${NOT_SET}" }
    modle: x
`);
  const faultsOf = async (): Promise<string[]> => {
    const thrown = await readConfig(place.sources({ config }), CATALOG).catch((error: unknown) => error);
    assert.ok(thrown instanceof VaultgraphError && thrown.code === 'CONFIG_INVALID');
    const { faults } = thrown.details as { faults: { line: number; column: number; key: string }[] };
    assert.doesNotMatch(thrown.message, /hunter2/);
    return faults.map(({ line, column, key }) => `${line}:${column} ${key.replace('providers.embedding.', '')}`);
  };
  assert.deepEqual(await faultsOf(), [
    '5:12 model',
    '6:15 endpoint',
    '9:9 failover.1',
    '10:17 dimensions',
    '11:14 timeout',
    '12:31 headers.authorization',
    '13:5 modle',
  ]);
  place.write(`${HEAD}    model: embeddinggemma\n    endpoint: http://user:hunter2@127.0.0.1:11434\n`);
  assert.deepEqual(await faultsOf(), ['6:15 endpoint']);
});

it('a valid section is shown with its defaults and without its secrets', async (test) => {
  const place = placeFor(test);
  const config = place.write(`${HEAD}    model: embeddinggemma\n    headers: { authorization: "Bearer \${MY_KEY}" }\n`);
  const { sections, settings } = await readConfig(place.sources({ config }, { MY_KEY: 'hunter2' }), CATALOG);
  const section = sections.find(({ provider }) => provider.type === 'ollama');
  assert.deepEqual((section?.config as { headers: object }).headers, { authorization: 'Bearer hunter2' });
  assert.doesNotMatch(JSON.stringify(settings), /hunter2/);
  const shown = new Map(settings.map(({ key, value }) => [key.replace('providers.embedding.', ''), value]));
  assert.deepEqual([shown.get('endpoint'), shown.get('load_timeout')], ['http://127.0.0.1:11434', 120_000]);
});
