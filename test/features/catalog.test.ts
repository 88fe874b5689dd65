// The list of tools: its order, its names, and that every tool keeps to the house.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ERRORS } from '../../src/base/errors.ts';
import { toolCatalog, toolCatalogFor } from '../../src/features/catalog.ts';
import { inputSchemaOf } from '../../src/mcp/dispatch/tool-input.ts';
import { toolList } from '../../src/mcp/wire/tool-methods.ts';
import { countO200k } from '../bench/o200k.ts';
import { listedTools } from '../journeys/listed-tools.ts';

const ORDER = listedTools({ embedding: true, writes: true, llm: true });

test('the tools are in the order of the manual, each in a file of its name', () => {
  assert.deepEqual(
    toolCatalog.map(({ name }) => name),
    ORDER,
  );
  for (const { name } of toolCatalog)
    assert.equal(globSync(`src/features/*/${name}.ts`, { cwd: join(import.meta.dirname, '../..') }).length, 1, name);
});

test('names and summaries are short, inputs strict, codes known and each once', () => {
  for (const { name, summary, input, fails } of toolCatalog) {
    assert.ok(name.length <= 24, name);
    assert.ok(summary.length <= 160, `${name}: ${summary.length}`);
    const [issue] = input.safeParse({ no_such_argument: 1 }).error?.issues.slice(-1) ?? [];
    assert.equal(issue?.code, 'unrecognized_keys', name);
    assert.equal(new Set(fails).size, fails.length, name);
    for (const code of fails) assert.ok(code in ERRORS, code);
  }
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

const STORE = ['vault', 'store', 'indexer'];
const CONFIGURATIONS: Readonly<Record<string, readonly string[]>> = {
  'store only': STORE,
  '+ embedding': [...STORE, 'embedding'],
  '+ llm': [...STORE, 'llm'],
  'read-write': [...STORE, 'writer'],
  everything: [...STORE, 'embedding', 'writer', 'llm'],
};

test('what every session pays for the list of tools, by configuration, in tokens as o200k counts them', (context) => {
  const tokensOf = (capabilities: readonly string[]): number => {
    const embedding = capabilities.includes('embedding');
    // What the config may open on top is counted, too.
    const catalog = toolCatalogFor({ textOnly: embedding, mismatched: embedding, embedding });
    const listed = catalog.filter(({ needs }) => needs.every((need) => capabilities.includes(need)));
    return countO200k(JSON.stringify({ tools: toolList(listed) }));
  };
  const costs = Object.entries(CONFIGURATIONS).map(([name, capabilities]) => [name, tokensOf(capabilities)] as const);
  context.diagnostic(costs.map(([name, tokens]) => `${name} ${tokens}`).join(', '));
  const { 'store only': alone = 0, '+ embedding': embedding = 0, everything = 0 } = Object.fromEntries(costs);
  assert.ok(alone > 1_000 && alone < 2_600, String(alone));
  assert.ok(embedding > alone && embedding < alone + 500, String(embedding));
  assert.ok(everything > alone && everything < 5_200, String(everything));
});
