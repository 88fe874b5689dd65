// Tests that the configuration decides which tools exist, and that lists, calls and refusals agree.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { Capabilities } from '../../../src/contracts/capability.ts';
import { defineTool } from '../../../src/contracts/tool.ts';
import { inputSchemaOf } from '../../../src/mcp/dispatch/arguments.ts';
import { expose, refuseUnlisted } from '../../../src/mcp/dispatch/expose.ts';
import { instructionsFor } from '../../../src/mcp/transport/server-info.ts';
import { toolList } from '../../../src/mcp/wire/tool-methods.ts';
import { toolCatalog } from '../../../src/tools/catalog.ts';
import { createTestHost, FRESH, scriptedIndexer, storeWithoutAnswers, vaultNamed } from '../test-host.ts';
import { echo, embed, testCatalog, write } from '../test-tools.ts';

/** Only whether it exists matters here. */
const writer = {} as NonNullable<Capabilities['writer']>;
const withStore: Capabilities = { vault: vaultNamed('read-only'), store: storeWithoutAnswers };

test('a tool exists only if everything it needs is configured', () => {
  assert.deepEqual([...expose([echo, embed], {}).tools.keys()], ['echo']);
  assert.deepEqual([...expose([echo, embed], withStore).tools.keys()], ['echo']);
  assert.equal(expose([embed], {}).absent.get('search')?.configKey, 'providers.store');
  assert.equal(expose([embed], withStore).absent.get('search')?.configKey, 'providers.embedding');
  const embedding = { dimensions: 3 } as unknown as NonNullable<Capabilities['embedding']>;
  assert.deepEqual([...expose([echo, embed], { ...withStore, embedding }).tools.keys()], ['echo', 'search']);
});

test('write tools exist only in a read-write vault', () => {
  const readOnly = expose(testCatalog, withStore);
  assert.equal(readOnly.tools.has('edit_note') || readOnly.tools.has('delete_note'), false);
  assert.deepEqual(readOnly.absent.get('edit_note'), {
    name: 'edit_note',
    lacks: 'read-write',
    configKey: 'vault.access',
  });
  const readWrite = expose(testCatalog, { ...withStore, writer });
  assert.equal(readWrite.tools.has('edit_note') && readWrite.tools.has('delete_note'), true);
  assert.equal(expose([write], {}).tools.size, 0);
});

test('reindex is listed in a read-only vault although it is not a tool that only reads', () => {
  const indexer = scriptedIndexer(FRESH);
  const { tools } = expose(toolCatalog, { ...withStore, indexer });
  const [listed] = toolList([...tools.values()].filter(({ name }) => name === 'reindex'));
  assert.deepEqual(listed?.annotations, { destructiveHint: false, openWorldHint: false });
});

test('each tool has a title of at most four words, and no two have the same', () => {
  const titles = toolList(toolCatalog).map(({ title }) => title);
  for (const title of titles) assert.match(title, /^[A-Z][a-z]+(?: [a-z]+){0,3}$/);
  assert.equal(new Set(titles).size, toolCatalog.length);
});

test('the list has the order of the catalog, and every listed tool can be called', async () => {
  const { exposed, dispatch } = createTestHost();
  const names = toolList(exposed.tools.values()).map((tool) => tool.name);
  assert.deepEqual(
    names,
    testCatalog.map((tool) => tool.name).filter((name) => !['search', 'edit_note', 'delete_note'].includes(name)),
  );
  const { signal } = new AbortController();
  for (const name of exposed.absent.keys()) {
    const answer = await dispatch(name, {}, { signal });
    const code = answer.structured.ok ? 'ok' : answer.structured.error.code;
    assert.equal(code, name === 'search' ? 'CAPABILITY_NOT_CONFIGURED' : 'READ_ONLY');
  }
});

test('M2: a refusal lists the available tools, and for a disabled tool the config key that enables it', () => {
  const exposed = expose(testCatalog, withStore);
  const available = [...exposed.tools.keys()];
  assert.deepEqual(refuseUnlisted(exposed, 'nothing'), { message: 'no tool "nothing"', data: { available } });
  const search = refuseUnlisted(exposed, 'search');
  assert.deepEqual(search.data, { available, code: 'CAPABILITY_NOT_CONFIGURED', config_key: 'providers.embedding' });
  assert.match(search.message, /providers\.embedding/);
  assert.equal(refuseUnlisted(exposed, 'edit_note').data.code, 'READ_ONLY');
  assert.match(refuseUnlisted(exposed, 'edit_note').message, /vault\.access/);
  assert.ok(refuseUnlisted(exposed, 'x'.repeat(1_000_000)).message.length < 220);
  for (const name of ['__proto__', 'constructor', 'toString', '']) assert.equal(exposed.tools.has(name), false);
});

test('a call of a missing tool suggests listed alternatives', async () => {
  const { dispatch } = createTestHost();
  const { structured } = await dispatch('search', {}, { signal: new AbortController().signal });
  assert.ok(!structured.ok);
  assert.deepEqual(structured.error.details.alternatives, ['echo']);
  assert.match(structured.error.hint, /Tools that work without it: `echo`/);
});

test('annotations mark read tools as read-only and describe write tools', () => {
  const { tools } = expose([echo, ...testCatalog.slice(-2)], { ...withStore, writer });
  const hints = toolList(tools.values()).map(({ annotations }) => annotations);
  assert.deepEqual(hints, [
    { readOnlyHint: true, openWorldHint: false },
    { destructiveHint: false, openWorldHint: false },
    { openWorldHint: false },
  ]);
});

test('a schema has what the model needs and nothing more', () => {
  assert.deepEqual(inputSchemaOf(echo), {
    type: 'object',
    properties: {
      text: { type: 'string', description: 'at most 50 characters' },
      limit: { type: 'integer', description: '1-100, default 10' },
      sort: { type: 'string', enum: ['name', 'modified'] },
      tags: { type: 'array', items: { type: 'string' } },
      where: { type: 'array', description: 'pairs', items: { type: 'string' } },
      page: { type: 'object', properties: { size: { type: 'integer' } }, additionalProperties: false },
    },
    required: ['text'],
    additionalProperties: false,
  });
});

test('an argument may have the name of a schema keyword', () => {
  const words = z.strictObject({ pattern: z.string(), default: z.boolean().default(false), minimum: z.int().min(1) });
  const tool = defineTool({ ...echo, input: words, run: async (input) => input });
  assert.deepEqual(inputSchemaOf(tool), {
    type: 'object',
    properties: { pattern: { type: 'string' }, default: { type: 'boolean' }, minimum: { type: 'integer' } },
    required: ['pattern', 'minimum'],
    additionalProperties: false,
  });
});

test('a tool that accepts unknown arguments, or a value of no single type, is refused when its schema is created', () => {
  const inputs = [
    z.object({ text: z.string() }),
    z.strictObject({ text: z.union([z.string(), z.number()]) }),
    z.strictObject({ deep: z.array(z.strictObject({ free: z.record(z.string(), z.string()) })) }),
    z.strictObject({ any: z.array(z.unknown()) }),
  ];
  for (const input of inputs) {
    const loose = defineTool({ ...echo, input: input as z.ZodType, run: async () => ({}) });
    assert.throws(() => inputSchemaOf(loose), { code: 'INTERNAL' });
  }
});

test('the instructions list disabled features by key and stay short', () => {
  const toolNames = [
    'status',
    'search_text',
    'read_notes',
    'list_notes',
    'list_tags',
    'resolve_names',
    'get_neighbors',
  ];
  const more = ['find_path', 'get_hubs', 'get_communities', 'find_gaps', 'reindex'];
  const text = instructionsFor({
    vaultName: 'Notes\n"x"',
    access: 'read-only',
    toolNames: [...toolNames, ...more],
    absent: [
      {
        capability: 'embedding',
        config_key: 'providers.embedding',
        tools: ['search', 'find_similar'],
        types: ['ollama'],
      },
      { capability: 'llm', config_key: 'providers.llm', tools: ['ask_vault'], types: [] },
      { capability: 'rerank', config_key: 'providers.rerank', tools: [], types: ['rerank-server'] },
    ],
  });
  assert.match(text, /^Find: search_text, list_notes, list_tags, resolve_names$/m);
  assert.match(text, /^Graph: get_neighbors, find_path, get_hubs, get_communities, find_gaps$/m);
  assert.match(text, /^Off: search, find_similar \(embedding\); .*providers\.embedding.*ollama/m);
  assert.match(text, /^Off: ask_vault \(llm\); key providers\.llm, this version has no provider for it\.$/m);
  assert.doesNotMatch(text, /rerank/);
  assert.match(text, /read-only/);
  for (const name of [...toolNames, ...more]) assert.ok(text.includes(name), name);
  assert.ok(text.length < 1_900, String(text.length));
  assert.ok(!text.includes('Notes\n"'));
});
