// The protocol methods that run like tools: contract and names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERRORS } from '../../../src/base/errors.ts';
import { methodCatalog, toolCatalog } from '../../../src/tools/catalog.ts';

test('each method only reads, takes a strict object and declares known codes', () => {
  assert.deepEqual(
    methodCatalog.map(({ name }) => name),
    ['resources/list', 'resources/read', 'completion/complete', 'graph/shown'],
  );
  for (const { name, effect, input, fails, needs } of methodCatalog) {
    assert.equal(effect, 'reads', name);
    assert.ok(!toolCatalog.some((tool) => tool.name === name));
    const [issue] = input.safeParse({ no_such_argument: 1 }).error?.issues.slice(-1) ?? [];
    assert.equal(issue?.code, 'unrecognized_keys', name);
    for (const code of fails) assert.ok(code in ERRORS, code);
    assert.ok(
      needs.every((need: string) => need === 'store' || need === 'vault'),
      'what every configuration has',
    );
  }
});
