// Which paths Obsidian's setting "Excluded files" hides.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hiddenPaths } from '../../../src/providers/filesystem/excluded-files.ts';

const PATHS = [
  'Private/A.md',
  'private/b.md',
  'Privateer.md',
  'Work/Private/C.md',
  'Work/diary-7.md',
  'a+b (x).md',
  'Ä.md',
];

const appJson = (userIgnoreFilters: unknown) =>
  ({ path: '.obsidian/app.json', result: 'text', text: JSON.stringify({ userIgnoreFilters }) }) as const;

const CASES: readonly [filter: string, hidden: readonly string[]][] = [
  ['Private/', ['Private/A.md', 'private/b.md']],
  ['private/a.md', ['Private/A.md']],
  ['Private', ['Private/A.md', 'private/b.md', 'Privateer.md']],
  ['a+b (x)', ['a+b (x).md']],
  ['/private/', ['Private/A.md', 'private/b.md', 'Privateer.md', 'Work/Private/C.md']],
  ['/diary-\\d+/', ['Work/diary-7.md']],
  ['/^(?!Work)(?!a)(?!Ä)/', ['Private/A.md', 'private/b.md', 'Privateer.md']],
  ['A\u0308.md', ['Ä.md']],
  ['/', []],
  ['//', []],
  ['Nowhere/', []],
];

for (const [filter, hidden] of CASES)
  it(`${filter} hides ${hidden.length} of the paths`, () => {
    const { paths, faults } = hiddenPaths(appJson([filter]), PATHS, () => undefined);
    assert.deepEqual([...paths], hidden);
    assert.equal(faults, undefined);
  });

it('an expression that takes too long is ended, and the others count', () => {
  const slow = ['(a+)+$', '(a|aa)+$', '(.*)*x'].map((source) => `/^${source}/`);
  const began = performance.now();
  const long = `${'a'.repeat(60)}!`;
  const { paths, faults } = hiddenPaths(appJson([...slow, 'Private/']), [...PATHS, long], () => undefined);
  assert.ok(performance.now() - began < 60_000);
  assert.deepEqual([...paths], ['Private/A.md', 'private/b.md']);
  assert.match(faults?.reasons[0] ?? '', /took longer than 250 ms/);
});

it('a part that cannot be used is named, and the rest counts', () => {
  const { paths, faults } = hiddenPaths(appJson(['/(/', 7, '', 'Private/']), PATHS, () => undefined);
  assert.deepEqual([...paths], ['Private/A.md', 'private/b.md']);
  assert.deepEqual(faults?.reasons, [
    '"/(/" hides nothing: it is not a regular expression',
    '7 hides nothing: it is not a string',
    '"" hides nothing: it is empty',
  ]);
  assert.equal(faults?.isUnread, undefined);
});

it('settings that cannot be read leave it unknown which files are excluded', () => {
  const path = '.obsidian/app.json';
  for (const text of ['{', '[]x', '{"userIgnoreFilters": "Private/"}'])
    assert.equal(hiddenPaths({ path, result: 'text', text }, PATHS, () => undefined).faults?.isUnread, true);
  for (const text of ['{}', '{"userIgnoreFilters": null}', '[]'])
    assert.equal(hiddenPaths({ path, result: 'text', text }, PATHS, () => undefined).faults, undefined);
  assert.equal(hiddenPaths({ path, result: 'fault', reason: 'EACCES' }, PATHS, () => undefined).faults?.isUnread, true);
  assert.equal(hiddenPaths({ path, result: 'nothing' }, PATHS, () => undefined).faults, undefined);
});

it('expressions count as long as the processor has no time for them', () => {
  const wait = new Int32Array(new SharedArrayBuffer(4));
  const filters = Array.from({ length: 20 }, (_, at) => `/diary-${at}/`);
  // Time passes between two filters, as on a busy machine.
  const { paths, faults } = hiddenPaths(appJson(filters), PATHS, () => Atomics.wait(wait, 0, 0, 150));
  assert.deepEqual([[...paths], faults], [['Work/diary-7.md'], undefined]);
});
