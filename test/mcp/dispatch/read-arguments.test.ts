// Tests that JSON text in place of a list, object, number or boolean means the same as the value itself, in every tool.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { AnyTool } from '../../../src/contracts/tool.ts';
import { inputSchemaOf, parseInput } from '../../../src/mcp/dispatch/arguments.ts';
import { toolCatalogFor } from '../../../src/tools/catalog.ts';

const LIMITS = { batch: 50, text: 1_000_000 };
const TOOLS = toolCatalogFor({ textOnly: true, embedding: true, rerank: true, mismatched: true });

function toolNamed(name: string): AnyTool {
  const tool = TOOLS.find((one) => one.name === name);
  assert.ok(tool, name);
  return tool;
}

/** What the tool receives, or why it is refused, without the values that are quoted. */
function outcome(tool: AnyTool, args: unknown): unknown {
  try {
    return parseInput(tool, args, LIMITS).input;
  } catch (thrown) {
    assert.ok(thrown instanceof VaultgraphError, String(thrown));
    const { issues = [] } = thrown.details as { issues?: { path: string; rule: string }[] };
    return [thrown.code, issues.map(({ path, rule }) => [path, rule])];
  }
}

const read = (name: string, args: unknown): Record<string, unknown> =>
  outcome(toolNamed(name), args) as Record<string, unknown>;

interface Node {
  readonly type?: string;
  readonly items?: Node;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly required?: readonly string[];
}

function sampleOf(node: Node, name: string): unknown {
  if (node.enum !== undefined) return node.enum[0];
  if (name === 'where') return ['status = open'];
  if (name === 'json') return undefined;
  if (node.type === 'array') return [sampleOf(node.items ?? {}, name)];
  if (node.type === 'boolean') return true;
  if (node.type === 'integer' || node.type === 'number') return Math.max(1, node.minimum ?? 1);
  if (node.type !== 'object') return 'some text';
  return Object.fromEntries(Object.entries(node.properties ?? {}).map(([key, one]) => [key, sampleOf(one, key)]));
}

test('every argument that is no text can be sent as JSON text', () => {
  const tried: string[] = [];
  for (const tool of TOOLS) {
    const { properties = {}, required = [] } = inputSchemaOf(tool) as Node;
    const needed = Object.fromEntries(required.map((key) => [key, sampleOf(properties[key] ?? {}, key)]));
    for (const [name, node] of Object.entries(properties)) {
      const value = sampleOf(node, name);
      if (typeof value === 'string') continue;
      tried.push(`${tool.name}.${name}`);
      const [plain, text] = [value, JSON.stringify(value)].map((one) => outcome(tool, { ...needed, [name]: one }));
      assert.deepEqual(text, plain, `${tool.name}: ${name}`);
      assert.ok(!Array.isArray(plain), `${tool.name}: ${name}: ${JSON.stringify(plain)}`);
    }
  }
  assert.ok(tried.length > 80, String(tried.length));
  for (const one of ['set_properties.remove_tags', 'edit_note.edits', 'list_notes.where', 'create_note.properties'])
    assert.ok(tried.includes(one), one);
});

test('lists and objects inside others are read as well', () => {
  const edit = { op: 'set_task', target: 'x', line: 3 };
  for (const edits of [
    [JSON.stringify(edit)],
    JSON.stringify([{ ...edit, line: '3' }]),
    JSON.stringify([JSON.stringify(edit)]),
    JSON.stringify(edit),
    edit,
  ]) {
    assert.deepEqual(read('edit_note', { note: 'N', edits }).edits, [edit]);
  }
  const { filter } = read('set_properties', {
    filter: '{"tags": "[\\"a\\", \\"b\\"]", "where": "{\\"n\\": {\\"exists\\": \\"true\\"}}"}',
    set: { a: 1 },
  });
  assert.deepEqual(filter, { tags: ['a', 'b'], where: [{ property: 'n', op: 'exists', value: true }] });
  assert.deepEqual(read('list_notes', { where: { due: '{"lt": "2026-12-01"}' } }).where, [
    { property: 'due', op: 'lt', value: '2026-12-01' },
  ]);
  assert.deepEqual(outcome(toolNamed('list_tags'), '{"limit": "7"}'), read('list_tags', { limit: 7 }));
});

test('what is sent inside free-form values stays as it is', () => {
  const set = { list: '["a", "b"]', number: '5', yes: 'true', nested: { x: '["y"]' }, object: '{"a": 1}' };
  assert.deepEqual(read('set_properties', { note: 'N', set }).set, set);
  assert.deepEqual(read('set_properties', { note: 'N', set: JSON.stringify(set) }).set, set);
  assert.deepEqual(read('create_note', { path: 'N', properties: set }).properties, set);
  assert.deepEqual(read('list_notes', { where: { n: '5', done: 'true', list: '["a"]' } }).where, [
    { property: 'n', op: 'eq', value: '5' },
    { property: 'done', op: 'eq', value: 'true' },
    { property: 'list', op: 'eq', value: '["a"]' },
  ]);
  for (const text of ['["a", "b"]', '5', 'true', '{"a": 1}']) {
    assert.equal(read('create_note', { path: 'N', content: text }).content, text);
    assert.equal(read('search_text', { query: text }).query, text);
  }
});

test('a name in brackets or of digits is one name', () => {
  for (const name of ['[draft] x', '[1]', '[2026]', '[[Note]]', '[x]', '{draft}', '5', 'true', "[it's] mine", '[a, b]'])
    assert.deepEqual(read('read_notes', { notes: name }).notes, [name]);
  assert.deepEqual(read('read_notes', { notes: '["[1]"]' }).notes, ['[1]']);
  assert.deepEqual(read('create_note', { path: 'N', template: 'true' }).template, true);
  assert.deepEqual(read('create_note', { path: 'N', template: 'Meeting' }).template, 'Meeting');
});

test('a list in text that is not right is refused and never one item', () => {
  const issues = (name: string, args: object): unknown => outcome(toolNamed(name), args);
  const noJson = [['add_aliases', 'looks like a list in text that is not JSON; send a list']];
  for (const add_aliases of ["['Zed', 'Yed']", '["Zed", "Yed",]', '["Zed" "Yed"]', '[“Zed”, “Yed”]'])
    assert.deepEqual(issues('set_properties', { note: 'N', add_aliases }), ['INVALID_INPUT', noJson]);
  assert.deepEqual(issues('set_properties', { note: 'N', add_aliases: '["Zed", 5]' }), [
    'INVALID_INPUT',
    [['add_aliases.1', 'must be a string']],
  ]);
  assert.deepEqual(issues('list_notes', { limit: '5x' }), ['INVALID_INPUT', [['limit', 'must be a number']]]);
  assert.deepEqual(issues('list_notes', { limit: '101' }), ['INVALID_INPUT', [['limit', 'must be at most 100']]]);
  assert.deepEqual(issues('list_tags', { limit: 'true' }), ['INVALID_INPUT', [['limit', 'must be a number']]]);
  for (const dry_run of ['yes', '1', 1])
    assert.deepEqual(issues('delete_note', { note: 'N', dry_run }), [
      'INVALID_INPUT',
      [['dry_run', 'must be true or false']],
    ]);
  const edits = [{ op: 'set_task', target: 'x', line: true }];
  assert.deepEqual(issues('edit_note', { note: 'N', edits }), [
    'INVALID_INPUT',
    [['edits.0.line', 'must be a number']],
  ]);
});

test('a JSON text is held to the limits of what it contains', () => {
  const many = JSON.stringify(Array.from({ length: 51 }, (_, index) => `n${index}`));
  assert.deepEqual(outcome(toolNamed('read_notes'), { notes: many }), ['LIMIT_EXCEEDED', []]);
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  assert.deepEqual(outcome(toolNamed('create_note'), { path: 'N', properties: deep }), ['LIMIT_EXCEEDED', []]);
  for (const [properties, rule] of [
    ['{"__proto__": 1}', /not an allowed argument name/],
    ['{"a": "x\\u0000"}', /NUL/],
    ['{"a": "\\ud800"}', /surrogate/],
  ] as const) {
    assert.match(JSON.stringify(outcome(toolNamed('create_note'), { path: 'N', properties })), rule);
  }
});

test('an empty list in text selects nothing, as an empty list does', () => {
  for (const notes of ['[]', [], '', ' ']) {
    assert.match(
      JSON.stringify(outcome(toolNamed('merge_notes'), { notes, into: 'N' })),
      /must not be empty; leave it out/,
    );
  }
  assert.deepEqual(read('list_notes', { tags: '[]' }), read('list_notes', {}));
});
