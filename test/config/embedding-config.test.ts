// Tests the config sections of the embedding providers: faults with their positions, and valid sections.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VaultgraphError } from '../../src/base/errors.ts';
import { readConfig } from '../../src/config/config.ts';
import { CATALOG, placeFor } from '../lifecycle/sample-providers.ts';

const SHARED =
  'model, timeout, load_timeout, allow_remote, headers, dimensions, query_prefix, document_prefix, context, failover, endpoint';
const elsewhere = 'is off this machine; texts of notes go there only with allow_remote: true';

/** Two lines above the first of `lines`, all of them in the section, and the faults without the file's name. */
const BAD: readonly { readonly name: string; readonly lines: readonly string[]; readonly faults: readonly string[] }[] =
  [
    {
      name: 'limits that are none, negative or beyond what Node waits',
      lines: [
        'type: ollama',
        'model: m',
        'timeout: 0',
        'load_timeout: 290001',
        'fallback:',
        '  type: ollama',
        '  model: m',
        '  timeout: -5',
      ],
      faults: [
        '6:14: `providers.embedding.timeout` must be at least 1, not `0`',
        '7:19: `providers.embedding.load_timeout` must be at most 290000, not `290001`',
        '11:16: `providers.embedding.fallback.timeout` must be at least 1, not `-5`',
      ],
    },
    {
      name: 'an unknown key, beside those that the lifecycle reads',
      lines: ['type: ollama', 'model: m', 'endpont: http://127.0.0.1:1'],
      faults: [
        `6:5: unknown key \`endpont\`, allowed: type, fallback, ${SHARED}, auto_pull, did you mean \`endpoint\`?`,
      ],
    },
    {
      name: 'a key of another type',
      lines: ['type: openai-compatible', 'model: m', 'endpoint: http://127.0.0.1:1/v1', 'auto_pull: once'],
      faults: [`7:5: unknown key \`auto_pull\`, allowed: type, fallback, ${SHARED}, api_key`],
    },
    {
      name: 'what has no default',
      lines: ['type: openai-compatible'],
      faults: ['3:3: `providers.embedding.model` is missing', '3:3: `providers.embedding.endpoint` is missing'],
    },
    {
      name: 'credentials in a URL, without repeating them',
      lines: [
        'type: ollama',
        'model: m',
        'endpoint: http://user:s3cret@127.0.0.1',
        'failover: ["http://127.0.0.1:1", "http://u:s3cret@127.0.0.1"]',
      ],
      faults: [
        '6:15: `providers.embedding.endpoint` is not valid: a URL without credentials; give them in `headers`',
        '7:38: `providers.embedding.failover.1` is not valid: a URL without credentials; give them in `headers`',
      ],
    },
    {
      name: 'an endpoint that is no URL',
      lines: ['type: ollama', 'model: m', 'endpoint: localhost:11434'],
      faults: [
        '6:15: `providers.embedding.endpoint` is not valid: a URL that begins with http:// or https:// and a host, such as http://127.0.0.1:11434',
      ],
    },
    {
      name: 'P12 an endpoint off this machine',
      lines: ['type: ollama', 'model: m', 'endpoint: http://ollama.example.test:11434'],
      faults: [`6:15: \`providers.embedding.endpoint\` is not valid: ollama.example.test ${elsewhere}`],
    },
    {
      name: 'P12 a failover endpoint off this machine, at its own place',
      lines: ['type: ollama', 'model: m', 'failover:', '  - http://127.0.0.1:2', '  - http://10.0.0.7:11434'],
      faults: [`8:9: \`providers.embedding.failover.1\` is not valid: 10.0.0.7 ${elsewhere}`],
    },
    {
      name: 'P12 a model that runs elsewhere',
      lines: ['type: ollama', 'model: gpt-oss:120b-cloud'],
      faults: [
        '5:12: `providers.embedding.model` is not valid: gpt-oss:120b-cloud runs off this machine; texts of notes go there only with allow_remote: true',
      ],
    },
    {
      name: 'dimensions that the model does not have, or nothing has',
      lines: [
        'type: ollama',
        'model: nomic-embed-text',
        'dimensions: 300',
        'fallback: { type: ollama, model: m, dimensions: 0 }',
      ],
      faults: [
        '6:17: `providers.embedding.dimensions` is not valid: nomic-embed-text has vectors of 768, 512, 256, 128, 64 numbers',
        '7:53: `providers.embedding.fallback.dimensions` must be at least 1, not `0`',
      ],
    },
    {
      name: 'a pull that is neither never nor once',
      lines: ['type: ollama', 'model: m', 'auto_pull: always'],
      faults: ['6:16: `providers.embedding.auto_pull` cannot be `always`, allowed: never, once'],
    },
    {
      name: 'secrets whose variable is not set, and a header that no request can have',
      lines: [
        'type: openai-compatible',
        'model: m',
        'endpoint: http://127.0.0.1:1/v1',
        'api_key: "$' + '{MISSING}"',
        'headers: { "a b": s3cret, B: "$' + '{NOPE}" }',
      ],
      faults: [
        '7:14: `providers.embedding.api_key` needs the environment variable `MISSING`, which is not set',
        '8:16: `providers.embedding.headers.a b` is not valid: the name of a header',
        '8:34: `providers.embedding.headers.B` needs the environment variable `NOPE`, which is not set',
      ],
    },
    {
      name: 'an unknown type, also of the fallback',
      lines: ['type: olama', 'model: m', 'fallback: { type: openai, model: m }'],
      faults: [
        '4:11: unknown provider type `olama` for embedding, allowed: TYPES, did you mean `ollama`?',
        '6:23: unknown provider type `openai` for embedding, allowed: TYPES',
      ],
    },
    {
      name: 'a fallback that is no section',
      lines: ['type: ollama', 'model: m', 'fallback: model2vec'],
      faults: ['6:15: `providers.embedding.fallback` must be a map of keys and values, not the text `model2vec`'],
    },
    {
      name: 'a list for a fallback',
      lines: ['type: ollama', 'model: m', 'fallback: []'],
      faults: ['6:15: `providers.embedding.fallback` must be a map of keys and values, not a list'],
    },
    {
      name: 'everything inside a fallback: its type, its keys, its codes, its endpoint, one more of it',
      lines: [
        ...['type: ollama', 'model: m', 'fallback:', '  type: openai-compatible', '  model: n'],
        ...['  endpoint: http://10.1.1.1/v1', '  timeot: 5', '  use_on: []', '  fallback: { type: ollama, model: m }'],
      ],
      faults: [
        `9:17: \`providers.embedding.fallback.endpoint\` is not valid: 10.1.1.1 ${elsewhere}`,
        `10:7: unknown key \`timeot\`, allowed: type, use_on, ${SHARED}, api_key, did you mean \`timeout\`?`,
        '11:15: `providers.embedding.fallback.use_on` is empty',
        `12:7: unknown key \`fallback\`, allowed: type, use_on, ${SHARED}, api_key`,
      ],
    },
  ];

const TYPES = CATALOG.filter(({ capability }) => capability === 'embedding').map(({ type }) => type);

const yamlOf = (lines: readonly string[]): string =>
  `vault: { path: Notes }\nproviders:\n  embedding:\n${lines.map((line) => `    ${line}\n`).join('')}`;

async function refusal(config: Promise<unknown>): Promise<string> {
  const [read] = await Promise.allSettled([config]);
  assert.ok(read.status === 'rejected' && read.reason instanceof VaultgraphError, 'the config was accepted');
  assert.equal(read.reason.code, 'CONFIG_INVALID');
  return read.reason.message;
}

for (const { name, lines, faults } of BAD) {
  test(`refused with its position: ${name}`, async (context) => {
    const place = placeFor(context);
    const file = place.write(yamlOf(lines));
    const said = await refusal(readConfig(place.sources({ config: file }), CATALOG));
    const expected = faults.map((fault) => `${file}:${fault.replace('TYPES', TYPES.join(', '))}`);
    assert.deepEqual(said.split('\n'), expected);
    assert.ok(!said.includes('s3cret'));
  });
}

test('a code that a fallback cannot handle is refused with the nearest valid code', async (context) => {
  const place = placeFor(context);
  const lines = ['type: ollama', 'model: m', 'fallback: { type: ollama, model: n, use_on: [PROVIDER_BUSI] }'];
  const said = await refusal(readConfig(place.sources({ config: place.write(yamlOf(lines)) }), CATALOG));
  assert.match(
    said,
    /:6:50: `providers\.embedding\.fallback\.use_on\.0` cannot be `PROVIDER_BUSI`, allowed: .*, did you mean `PROVIDER_BUSY`\?$/,
  );
});

test('a fallback is a section with its own settings and origins; null and an empty value mean no fallback', async (context) => {
  const place = placeFor(context);
  const read = (lines: readonly string[], env = {}) =>
    readConfig(place.sources({ config: place.write(yamlOf(lines)) }, env), CATALOG);
  const key = '$' + '{KEY}';
  const nested = [
    'fallback:',
    '  type: openai-compatible',
    '  model: n',
    '  endpoint: http://127.0.0.1:9/v1',
    `  api_key: ${key}`,
  ];
  const { sections, settings } = await read(['type: ollama', 'model: m', ...nested], { KEY: 'hush' });
  const { provider, fallback, config } = sections.at(-1) ?? {};
  assert.equal(sections.length, 3);
  assert.deepEqual([provider?.type, fallback?.section.provider.type], ['ollama', 'openai-compatible']);
  assert.deepEqual(
    [fallback?.useOn, fallback?.section.path],
    [['PROVIDER_UNAVAILABLE'], ['providers', 'embedding', 'fallback']],
  );
  assert.equal((config as { endpoint: string }).endpoint, 'http://127.0.0.1:11434');
  assert.equal((fallback?.section.config as { api_key: string }).api_key, 'hush');
  const shown = new Map(settings.map((setting) => [setting.key, setting]));
  assert.equal(shown.get('providers.embedding.fallback.api_key')?.value, '(secret)');
  assert.match(shown.get('providers.embedding.fallback.type')?.origin ?? '', /:7$/);
  assert.equal(shown.get('providers.embedding.fallback.use_on')?.origin, 'default');
  assert.ok(!JSON.stringify(settings).includes('hush'));
  for (const none of [[], ['fallback:'], ['fallback: null']]) {
    const read2 = await read(['type: ollama', 'model: m', ...none]);
    assert.equal(read2.sections.at(-1)?.fallback, undefined);
    assert.equal(read2.settings.find((setting) => setting.key === 'providers.embedding.fallback')?.value, null);
  }
});

test('allow_remote applies only to the section that sets it', async (context) => {
  const place = placeFor(context);
  const remote = ['endpoint: https://models.example.test/v1', 'allow_remote: true'];
  const lines = ['type: openai-compatible', 'model: m', ...remote];
  const { sections } = await readConfig(place.sources({ config: place.write(yamlOf(lines)) }), CATALOG);
  assert.equal((sections.at(-1)?.config as { endpoint: string }).endpoint, 'https://models.example.test/v1');
  const nested = [...lines, 'fallback: { type: ollama, model: n, endpoint: "http://192.168.1.2:11434" }'];
  const said = await refusal(readConfig(place.sources({ config: place.write(yamlOf(nested)) }), CATALOG));
  assert.match(said, /fallback\.endpoint` is not valid: 192\.168\.1\.2 is off this machine/);
});
