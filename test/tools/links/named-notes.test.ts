// Finds the notes that a text mentions among all names of a vault.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Compute } from '../../../src/contracts/compute.ts';
import { StoreCache } from '../../../src/contracts/session.ts';
import { namedNotes } from '../../../src/tools/links/mentions.ts';
import { assertEach } from '../../assert-each.ts';
import { withTools } from '../tools-under-test.ts';

/** A cache belongs to one store, so each test has its own. */
const newContext = (compute: Compute) => ({
  signal: new AbortController().signal,
  storeCache: new StoreCache(),
  compute,
});
const FILES = {
  'Moon.md': '---\naliases: [Luna, "Earth\'s  companion"]\n---\n',
  'Old Harbour.md': '# The Quay\n',
  'B/Old Harbour.md': '',
  '港町.md': '',
  'It.md': '',
  'Tide.md': '',
};

test('finds notes by name, alias or title, once each at the first mention, and ignores short names', () =>
  withTools(FILES, async ({ store, compute }) => {
    const context = newContext(compute);
    const text =
      "It: the luna, Earth's companion. The old harbour; a quay, the old\nharbour.\n今日は港町へ。 `Tide` Tideway [[Tide]]\n";
    const found = await namedNotes(text, () => true, store, context);
    assert.deepEqual(
      found.map(({ path, place }) => [path, place.text, place.line]),
      [
        ['Moon.md', 'luna', 1],
        ['B/Old Harbour.md', 'old harbour', 1],
        ['Old Harbour.md', 'old harbour', 1],
        ['港町.md', '港町', 3],
      ],
    );
    const open = await namedNotes(text, (path) => path === 'Moon.md', store, context);
    assertEach(open, ({ path }) => path, ['Moon.md']);
    assert.deepEqual(await namedNotes('Nothing.', () => true, store, context), []);
  }));

test('a long text with many names is fast', () => {
  const files = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`Name ${at} of many.md`, '']));
  return withTools(files, async ({ store, compute }) => {
    const text = 'Lines of text that mention no note.\n'.repeat(10_000);
    const began = performance.now();
    const found = await namedNotes(`${text}Name 7 of many\n`, () => true, store, newContext(compute));
    assertEach(found, ({ path }) => path, ['Name 7 of many.md']);
    assert.ok(performance.now() - began < 20_000);
  });
});
