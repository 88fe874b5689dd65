// A kept value that is not as it was written is not used.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packKept, unpackKept } from '../../src/base/kept-json.ts';

test('a kept value that is damaged or of another key is not used', () => {
  const kept = packKept({ said: 1 }, 'one');
  assert.deepEqual(unpackKept(kept, 'one'), { said: 1 });
  for (const damaged of ['', '\n', '{', 'null', '{"said":1}', kept.slice(1), kept.replace('1}', '2}'), `${kept} `])
    assert.equal(unpackKept(damaged, 'one'), undefined, damaged);
  assert.equal(unpackKept(kept, 'two'), undefined);
});
