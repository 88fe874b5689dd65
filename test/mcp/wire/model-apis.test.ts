// Tests that every listed schema keeps to the rules of the model APIs that clients hand it to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inputSchemaOf } from '../../../src/mcp/dispatch/arguments.ts';
import { toolCatalogFor } from '../../../src/tools/catalog.ts';

const TOOLS = toolCatalogFor({ textOnly: true, mismatched: true, embedding: true, rerank: true });

interface Node {
  readonly type?: unknown;
  readonly description?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Node;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

/** Every schema of the tools, with its place and depth. */
function* nodesOf(node: Node, at: string, depth = 0): Generator<readonly [node: Node, at: string, depth: number]> {
  yield [node, at, depth];
  if (node.items !== undefined) yield* nodesOf(node.items, `${at}[]`, depth + 1);
  for (const [name, member] of Object.entries(node.properties ?? {}))
    yield* nodesOf(member, `${at}.${name}`, depth + 1);
}

const NODES = TOOLS.flatMap((tool) => [...nodesOf(inputSchemaOf(tool), tool.name)]);

const TYPES = ['object', 'array', 'string', 'integer', 'number', 'boolean'];

test('JSON Schema 2020-12: known keywords with values of their kind', () => {
  const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
    type: (value) => TYPES.includes(value as string),
    description: (value) => typeof value === 'string',
    enum: (value) => Array.isArray(value) && value.length > 0 && new Set(value).size === value.length,
    items: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    properties: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    required: (value) => Array.isArray(value) && new Set(value).size === value.length,
    additionalProperties: (value) => value === false,
  };
  for (const [node, at] of NODES)
    for (const [keyword, value] of Object.entries(node)) assert.ok(kinds[keyword]?.(value), `${at}: ${keyword}`);
});

test('OpenAI: names, closed objects, no keyword that strict mode refuses, and its limits', () => {
  // Strict mode: every object is closed; conversion makes the optional members required and nullable. Five levels, 5,000 members.
  for (const { name } of TOOLS) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
  for (const [node, at, depth] of NODES) {
    assert.equal(node.type === 'object', node.additionalProperties === false, at);
    assert.ok(depth <= 5, at);
    for (const name of node.required ?? []) assert.ok(name in (node.properties ?? {}), `${at}: ${name}`);
    for (const refused of ['default', 'oneOf', 'allOf', 'not', 'patternProperties', 'propertyNames', 'if'])
      assert.ok(!(refused in node), `${at}: ${refused}`);
  }
  assert.ok(NODES.length < 5_000);
});

test('Gemini: one type per schema, items in every list, texts in enums, members in every object below the root', () => {
  const keywords = ['type', 'description', 'enum', 'items', 'properties', 'required', 'additionalProperties'];
  for (const { name } of TOOLS) assert.match(name, /^[a-zA-Z_][\w.:-]{0,63}$/);
  for (const [node, at, depth] of NODES) {
    // `additionalProperties` is dropped by the conversions of its SDKs; anything else unknown fails the request.
    assert.deepEqual(
      Object.keys(node).filter((key) => !keywords.includes(key)),
      [],
      at,
    );
    assert.ok(typeof node.type === 'string', at);
    assert.equal(node.type === 'array', node.items !== undefined, at);
    if (depth > 0 && node.type === 'object') assert.ok(Object.keys(node.properties ?? {}).length > 0, at);
    if (node.enum !== undefined)
      assert.ok(node.type === 'string' && node.enum.every((one) => typeof one === 'string' && one !== ''), at);
  }
});

test('Anthropic: an object at the top without alternatives, names of arguments, no limits that strict tools refuse', () => {
  for (const tool of TOOLS) {
    assert.match(tool.name, /^[a-zA-Z0-9_-]{1,64}$/);
    assert.equal(inputSchemaOf(tool).type, 'object');
  }
  for (const [node, at] of NODES) {
    for (const name of Object.keys(node.properties ?? {})) assert.match(name, /^[a-zA-Z0-9_.-]{1,64}$/, at);
    for (const refused of ['minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'maxItems', 'anyOf', '$ref'])
      assert.ok(!(refused in node), `${at}: ${refused}`);
  }
});
