// The list of tools: its order, its names, and that every tool keeps to the house.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ERRORS } from '../../src/base/errors.ts';
import { SERVER_SETTINGS } from '../../src/config/server-settings.ts';
import { inputSchemaOf, type ListedSchema, parseInput } from '../../src/mcp/dispatch/arguments.ts';
import { toolList } from '../../src/mcp/wire/tool-methods.ts';
import { toolCatalog, toolCatalogFor } from '../../src/tools/catalog.ts';
import { assertEach } from '../assert-each.ts';
import { countO200k } from '../bench/o200k.ts';
import { listedTools } from '../journeys/listed-tools.ts';

const ORDER = listedTools({ embedding: true, writes: true, llm: true });

test('the tools are in the order of the manual, each in a file of its name', () => {
  assertEach(toolCatalog, ({ name }) => name, ORDER);
  for (const { name } of toolCatalog)
    assert.equal(globSync(`src/tools/*/${name}.ts`, { cwd: join(import.meta.dirname, '../..') }).length, 1, name);
});

test('names are short, inputs strict, codes known and each once', () => {
  for (const { name, input, fails } of toolCatalog) {
    assert.ok(name.length <= 24, name);
    const [issue] = input.safeParse({ no_such_argument: 1 }).error?.issues.slice(-1) ?? [];
    assert.equal(issue?.code, 'unrecognized_keys', name);
    assert.equal(new Set(fails).size, fails.length, name);
    for (const code of fails) assert.ok(code in ERRORS, code);
  }
});

/** Claude Code cuts a description after so many bytes. */
const MAX_DESCRIPTION_BYTES = 2_048;

test('a description says what comes back, fits, and names only tools that are listed', () => {
  for (const { needs: lacking } of [{ needs: [] }, { needs: ['embedding', 'llm', 'writer'] }]) {
    const listed = toolCatalog.filter(({ needs }) => !needs.some((need) => (lacking as string[]).includes(need)));
    const absent = ORDER.filter((name) => !listed.some((tool) => tool.name === name));
    for (const { name, description } of toolList(listed)) {
      assert.ok(Buffer.byteLength(description) <= MAX_DESCRIPTION_BYTES, name);
      assert.match(description, /^(?=[A-Z]).*\b(?:Returns?|Reports|Lists|Explains|returns)\b/, name);
      for (const other of absent) assert.doesNotMatch(description, new RegExp(`\\b${other}\\b`), name);
    }
  }
});

test('the tools that a wish is better for exist, and no tool sends to itself', () => {
  for (const { name, others = {}, words = '' } of toolCatalog) {
    assert.ok(words.length >= 8 && words.length <= 120, `${name}: ${words}`);
    for (const other of Object.keys(others)) assert.ok(ORDER.includes(other) && other !== name, `${name}: ${other}`);
  }
});

test('an example is a call that its tool takes, and every tool with filters or edits has one', () => {
  for (const tool of toolCatalog) {
    const { properties } = inputSchemaOf(tool);
    const isInvolved = ['where', 'filter', 'edits'].some((argument) => argument in properties);
    assert.equal(tool.example === undefined && isInvolved, false, tool.name);
    if (tool.example !== undefined) parseInput(tool, tool.example, { batch: 50, text: 1_000 });
  }
});

test('every argument has a description, at any depth, and is in a fixed order', () => {
  const check = (schema: ListedSchema, at: string): void => {
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      assert.ok((member.description ?? '').length > 3, `${at}.${name}`);
      check(member, `${at}.${name}`);
    }
    if (schema.items !== undefined) check(schema.items, at);
    const order = ['type', 'description', 'enum', 'items', 'properties', 'required', 'additionalProperties'];
    assert.deepEqual(
      Object.keys(schema),
      order.filter((key) => key in schema),
      at,
    );
  };
  for (const tool of toolCatalog) check(inputSchemaOf(tool), tool.name);
  assert.equal(JSON.stringify(toolList(toolCatalog)), JSON.stringify(toolList(toolCatalogFor({ textOnly: false }))));
});

test('_meta: which tools are loaded at once, words to search for, and long answers', () => {
  const metaOf = (tools: typeof toolCatalog, key: string, alwaysLoad = ALWAYS_LOADED): string[] =>
    toolList(tools, { alwaysLoad }).flatMap(({ name, _meta }) => (_meta?.[`anthropic/${key}`] ? [name] : []));
  const readOnly = toolCatalog.filter(({ needs }) => !needs.includes('writer') && !needs.includes('embedding'));
  assert.deepEqual(metaOf(toolCatalog, 'alwaysLoad'), ['read_notes', 'get_context', 'search', 'edit_note']);
  assert.deepEqual(metaOf(readOnly, 'alwaysLoad'), ['search_text', 'read_notes', 'get_context']);
  assert.deepEqual(metaOf(toolCatalog, 'alwaysLoad', []), []);
  assert.deepEqual(metaOf(toolCatalog, 'searchHint'), ORDER);
  assert.ok(metaOf(toolCatalog, 'maxResultSizeChars').includes('read_notes'));
});

test('P20 an argument that the config does not open is in no schema', () => {
  const argumentsOf = (isOpen: boolean): string[] =>
    toolCatalogFor({ textOnly: isOpen, mismatched: isOpen }).flatMap((tool) =>
      Object.keys(inputSchemaOf(tool).properties).map((argument) => `${tool.name}.${argument}`),
    );
  assert.deepEqual(
    argumentsOf(true).filter((argument) => !argumentsOf(false).includes(argument)),
    ['search.on_embedding_failure', 'search.allow_mismatched_query'],
  );
});

const ALWAYS_LOADED = SERVER_SETTINGS.parse({}).mcp.always_load;
type ListedTool = ReturnType<typeof toolList>[number];
const STORE = ['vault', 'store', 'indexer', 'feed'];
const CONFIGURATIONS: Readonly<Record<string, readonly string[]>> = {
  'store only': STORE,
  '+ embedding': [...STORE, 'embedding'],
  '+ llm': [...STORE, 'llm'],
  'read-write': [...STORE, 'writer'],
  everything: [...STORE, 'embedding', 'writer', 'llm'],
};

test('what every session pays for the list of tools, by configuration, in tokens as o200k counts them', (context) => {
  const tokensOf = (capabilities: readonly string[], write: (tools: readonly ListedTool[]) => unknown): number => {
    const embedding = capabilities.includes('embedding');
    const catalog = toolCatalogFor({ textOnly: false, embedding });
    const listed = catalog.filter(({ needs }) => needs.every((need) => capabilities.includes(need)));
    return countO200k(JSON.stringify({ tools: write(toolList(listed, { alwaysLoad: ALWAYS_LOADED })) }));
  };
  const costs = Object.entries(CONFIGURATIONS).map(
    ([name, capabilities]) => [name, tokensOf(capabilities, (tools) => tools)] as const,
  );
  // Titles, annotations and `_meta` are for the client.
  const forModels = tokensOf(CONFIGURATIONS.everything ?? [], (tools) =>
    tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  );
  context.diagnostic(`${costs.map(([name, tokens]) => `${name} ${tokens}`).join(', ')}, for models ${forModels}`);
  const { 'store only': alone = 0, '+ embedding': embedding = 0, everything = 0 } = Object.fromEntries(costs);
  assert.ok(alone > 1_000 && alone < 5_500, String(alone));
  assert.ok(embedding > alone && embedding < alone + 900, String(embedding));
  assert.ok(everything > alone && everything < 9_500, String(everything));
  assert.ok(forModels > alone && forModels < 9_000, String(forModels));
});
