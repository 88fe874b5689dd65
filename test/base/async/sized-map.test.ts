// Checks what a map bounded by size and number drops.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SizedMap } from '../../../src/base/async/sized-map.ts';

const keysOf = (map: SizedMap<string, unknown>): string[] => [...map.entries()].map(([key]) => key);

test('the entries that were set longest ago are dropped when there are too many', () => {
  const map = new SizedMap<string, number>(2);
  for (const key of ['a', 'b', 'a', 'c']) map.set(key, 1);
  assert.deepEqual(keysOf(map), ['a', 'c']);
  assert.equal(map.get('b'), undefined);
});

test('the sum of the sizes is bounded, an entry that is set again counts once, and the newest always stays', () => {
  const map = new SizedMap<string, string>(10);
  map.set('a', 'one', 6);
  map.set('a', 'two', 4);
  map.set('b', 'three', 6);
  assert.deepEqual(
    [...map.entries()],
    [
      ['a', 'two'],
      ['b', 'three'],
    ],
  );
  map.set('c', 'huge', 50);
  assert.deepEqual(keysOf(map), ['c']);
  map.delete('c');
  map.set('d', 'four', 10);
  map.set('e', 'five', 0);
  assert.deepEqual(keysOf(map), ['d', 'e']);
  map.clear();
  map.set('f', 'six', 10);
  assert.equal(map.has('f'), true);
});

test('the number of entries can be bounded beside their size', () => {
  const map = new SizedMap<string, string>(100, 1);
  map.set('a', 'one', 1);
  map.set('b', 'two', 1);
  assert.deepEqual(keysOf(map), ['b']);
});
