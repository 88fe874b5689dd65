// FNV-1a against the published values of its 32-bit form.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FNV_START, fnvOf, fnvWith } from '../../src/base/fnv.ts';

test('the hash of a text is that of its units one after the other, with the published values', () => {
  for (const [text, hash] of [
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['foobar', 0xbf9cf968],
  ] as const) {
    assert.equal(fnvOf(text) >>> 0, hash, text);
    assert.equal(
      [...text].reduce((so, unit) => fnvWith(so, unit.charCodeAt(0)), FNV_START),
      fnvOf(text),
    );
  }
});
