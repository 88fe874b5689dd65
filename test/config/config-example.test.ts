import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { readConfig } from '../../src/config/config.ts';
import { keysOf } from '../../src/config/config-document.ts';
import { EXAMPLE, withBlock, withKey } from '../example-config.ts';
import { CATALOG, placeFor } from '../lifecycle/sample-providers.ts';
import { REQUIRED } from '../manual.ts';

const vendorsOf = (kind: string) => CATALOG.filter(({ capability }) => capability === kind);
const VENDORS = vendorsOf('embedding');
const WITH_EMBEDDING = withBlock(EXAMPLE, 'embedding');
const OPTIONAL = ['api_key', 'dimensions', 'query_prefix', 'document_prefix', 'context', 'max_memory'];
const WHOLE = withBlock(OPTIONAL.reduce(withKey, WITH_EMBEDDING), 'fallback');
const WITH_LLM = withBlock(EXAMPLE, 'llm');
const WITH_RERANK = withBlock(EXAMPLE, 'rerank');
const RERANK_ONLY = ['api_key', 'weight', 'max_memory', 'within'];
const WHOLE_LLM = withKey(WITH_LLM, 'api_key');

/** Have flags and variables, but no key. */
const FOLDERS = ['data_dir', 'state_dir'];

type Read = Awaited<ReturnType<typeof readConfig>>;
const valuesOf = ({ settings }: Read) =>
  settings.filter(({ key }) => key !== 'config').map(({ key, value }) => ({ key, value }));

test('the example is valid, and every value in it is the default it claims to be', async (context) => {
  const place = placeFor(context);
  const config = place.write(EXAMPLE);
  const example = await readConfig(place.sources({ config }), CATALOG);
  const bare = await readConfig(place.sources({ vault: place.vault }), CATALOG);
  assert.equal(example.vaultRoot, place.vault);
  assert.deepEqual(valuesOf(example), valuesOf(bare));
});

test('the example lists every key and no other', async (context) => {
  const place = placeFor(context);
  const config = place.write(EXAMPLE);
  const { settings, sections } = await readConfig(place.sources({ config }), CATALOG);
  const silent = settings.filter(({ key, origin }) => origin === 'default' && !FOLDERS.includes(key));
  assert.deepEqual(silent, []);
  assert.deepEqual(sections.length, 2);
  const placed = await readConfig(place.sources({ config: place.write(withKey(EXAMPLE, 'path')) }), CATALOG);
  assert.deepEqual(placed.sections[1]?.config, { path: '~/indexes/notes.db' });
});

test('the uncommented block of the embedding provider is valid and equals the defaults', async (context) => {
  const place = placeFor(context);
  const read = async (text: string) => readConfig(place.sources({ config: place.write(text) }), CATALOG);
  const example = await read(WITH_EMBEDDING);
  const bare = await read(
    'vault: { path: Notes }\nproviders: { embedding: { type: ollama, model: embeddinggemma } }\n',
  );
  assert.deepEqual(valuesOf(example), valuesOf(bare));
  const silent = example.settings.filter(({ origin }) => origin === 'default').map(({ key }) => key);
  assert.deepEqual(silent, [...FOLDERS, 'providers.embedding.fallback']);
});

test('the example names every key of every store type and no other', () => {
  const stores = [...new Set(vendorsOf('store').flatMap(({ config }) => keysOf(config)))];
  const whole = stores.reduce(withKey, EXAMPLE);
  assert.deepEqual(Object.keys(parse(whole).providers.store).sort(), ['type', ...stores].sort());
});

test('the block lists every key of every embedding provider type and no other', () => {
  const named = Object.keys(parse(WHOLE).providers.embedding);
  const known = ['type', ...new Set(VENDORS.flatMap(({ config }) => keysOf(config))), 'fallback'];
  assert.deepEqual([...named].sort(), [...known].sort());
  for (const { type } of VENDORS) assert.match(WITH_EMBEDDING, new RegExp(`# .*${type}`));
});

test('every commented-out key is valid for its type', async (context) => {
  const place = placeFor(context);
  const { vault, providers } = parse(WHOLE);
  const { type: _type, fallback, ...given } = providers.embedding;
  const endpoint = 'http://127.0.0.1:1234/v1';
  for (const { type, config: schema } of VENDORS) {
    const taken = Object.entries({
      ...given,
      model: ['model2vec', 'onnx'].includes(type) ? fallback.model : 'a-model',
      endpoint,
    });
    const own = Object.fromEntries(taken.filter(([key]) => keysOf(schema).includes(key)));
    const text = JSON.stringify({ vault, providers: { embedding: { type, ...own, fallback } } });
    const sources = place.sources({ config: place.write(text) }, { EMBEDDING_API_KEY: 'k' });
    const section = (await readConfig(sources, CATALOG)).sections.at(-1);
    assert.equal(section?.provider.type, type);
    assert.deepEqual(section?.fallback?.useOn, ['PROVIDER_UNAVAILABLE']);
    assert.equal(section?.fallback?.section.provider.type, 'model2vec');
  }
});

test('the uncommented block of the language-model provider is valid and equals the defaults', async (context) => {
  const place = placeFor(context);
  const read = async (text: string) => readConfig(place.sources({ config: place.write(text) }), CATALOG);
  const example = await read(WITH_LLM);
  const bare = await read('vault: { path: Notes }\nproviders: { llm: { type: ollama, model: llama3.2 } }\n');
  assert.deepEqual(valuesOf(example), valuesOf(bare));
  const silent = example.settings.filter(({ origin }) => origin === 'default').map(({ key }) => key);
  assert.deepEqual(silent, FOLDERS);
});

test('the block lists every key of every language-model provider type and no other, each valid for its type', async (context) => {
  const place = placeFor(context);
  const { vault, providers } = parse(WHOLE_LLM);
  const { type: _type, ...given } = providers.llm;
  const known = new Set(vendorsOf('llm').flatMap(({ config }) => keysOf(config)));
  assert.deepEqual(Object.keys(given).sort(), [...known].sort());
  for (const { type, config: schema } of vendorsOf('llm')) {
    assert.match(WITH_LLM, new RegExp(`# .*${type}`));
    const own = Object.fromEntries(Object.entries(given).filter(([key]) => keysOf(schema).includes(key)));
    const text = JSON.stringify({ vault, providers: { llm: { type, ...own } } });
    const sources = place.sources({ config: place.write(text) }, { LLM_API_KEY: 'k' });
    const section = (await readConfig(sources, CATALOG)).sections.at(-1);
    assert.deepEqual([section?.provider.capability, section?.provider.type], ['llm', type]);
  }
});

test('the uncommented block of the rerank provider is valid, equals the defaults and lists every key', async (context) => {
  const place = placeFor(context);
  const read = async (text: string) => readConfig(place.sources({ config: place.write(text) }), CATALOG);
  const example = await read(WITH_RERANK);
  const needed = 'wire: cohere, model: bge-reranker-v2-m3, endpoint: "http://127.0.0.1:8080/v1"';
  const bare = await read(`vault: { path: Notes }\nproviders: { rerank: { ${needed} } }\n`);
  assert.deepEqual(valuesOf(example), valuesOf(bare));
  const silent = example.settings.filter(({ origin }) => origin === 'default').map(({ key }) => key);
  assert.deepEqual(silent, FOLDERS);
  const { type, ...given } = parse(RERANK_ONLY.reduce(withKey, WITH_RERANK)).providers.rerank;
  const [provider, ...others] = vendorsOf('rerank');
  assert.equal(type, provider?.type);
  const known = new Set([provider ?? assert.fail(), ...others].flatMap(({ config }) => keysOf(config)));
  assert.deepEqual(Object.keys(given).sort(), [...known].sort());
  for (const other of others) assert.match(WITH_RERANK, new RegExp(`# .*${other.type}`));
});

/** The whole config without one key. */
function exampleWithout(key: string, text: string): unknown {
  const whole = parse(text);
  const steps = key.split('.');
  const parent = steps.slice(0, -1).reduce((map, step) => map[step], whole);
  delete parent[steps.at(-1) ?? ''];
  return whole;
}

function leavesOf(value: unknown, above: string): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [above];
  const children = Object.entries(value);
  if (children.length === 0) return [above];
  return children.flatMap(([key, child]) => leavesOf(child, above === '' ? key : `${above}.${key}`));
}

test('of all keys only the documented ones are required; each other one has the value of the example by default', async (context) => {
  const place = placeFor(context);
  const sections = ['embedding', 'llm', 'rerank', 'oauth', 'fallback'].reduce(withBlock, EXAMPLE);
  const text = sections.replace(/^ *oauth: null\n/m, '');
  const read = (whole: unknown) =>
    readConfig(place.sources({ config: place.write(JSON.stringify(whole)) }), CATALOG).then(
      (config) => new Map(config.settings.map(({ key, value }) => [key, value])),
      (error: { details: unknown }) => JSON.stringify(error.details),
    );
  const given = await read(parse(text));
  assert.ok(given instanceof Map, `${given}`);
  for (const key of leavesOf(parse(text), '')) {
    const without = await read(exampleWithout(key, text));
    if (REQUIRED.includes(key)) assert.ok(!(without instanceof Map), `${key} is not required`);
    else assert.deepEqual(without instanceof Map ? without.get(key) : without, given.get(key), key);
  }
});
