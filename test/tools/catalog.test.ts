// The list of tools: its order, its names, and that every tool keeps to the house.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ERRORS } from '../../src/base/errors.ts';
import { toolCatalog } from '../../src/tools/catalog.ts';

const ORDER = [
  'status',
  'search_text',
  'read_notes',
  'list_notes',
  'list_tags',
  'resolve_names',
  'get_neighbors',
  'find_path',
  'get_hubs',
  'get_communities',
  'find_gaps',
  'reindex',
];

test('the tools stand in the order of the manual, each in a file of its name', () => {
  assert.deepEqual(
    toolCatalog.map(({ name }) => name),
    ORDER,
  );
  for (const { name } of toolCatalog)
    assert.ok(existsSync(join(import.meta.dirname, `../../src/tools/${name}.ts`)), name);
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
