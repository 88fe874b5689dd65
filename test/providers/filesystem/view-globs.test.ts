// Tests which paths the globs of a view let a client see and change.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unmatchedGlobs } from '../../../src/providers/filesystem/filesystem-provider.ts';
import { createView, WHOLE_VAULT } from '../../../src/providers/filesystem/view-globs.ts';

const seenBy = (read: readonly string[], paths: readonly string[]): readonly string[] =>
  paths.filter(createView({ read, write: ['**'] }).shows);

const PATHS = [
  'a.md',
  'Work/a.md',
  'Work/Diary/b.md',
  'Work/Diary/2026/c.md',
  'work/d.md',
  'Home/e.md',
  'Workshop/f.md',
];

const CASES: readonly (readonly [read: readonly string[], seen: readonly string[]])[] = [
  [['**'], PATHS],
  [['Work/**'], ['Work/a.md', 'Work/Diary/b.md', 'Work/Diary/2026/c.md']],
  [['Work/'], ['Work/a.md', 'Work/Diary/b.md', 'Work/Diary/2026/c.md']],
  [['Work'], []],
  [['Work/*'], ['Work/a.md']],
  [['*.md'], ['a.md']],
  [['Work/**', '!Work/Diary/**'], ['Work/a.md']],
  [['!Work/Diary/**', 'Work/**'], ['Work/a.md']],
  [['Work/**', '!Work/Diary'], ['Work/a.md']],
  [
    ['Work/**', '!**/2026'],
    ['Work/a.md', 'Work/Diary/b.md'],
  ],
  [['!work/diary/'], ['a.md', 'Work/a.md', 'work/d.md', 'Home/e.md', 'Workshop/f.md']],
  [['!WORK'], ['a.md', 'Home/e.md', 'Workshop/f.md']],
  [['{Work,Home}/*.md'], ['Work/a.md', 'Home/e.md']],
  [
    ['Home/**', 'a.md'],
    ['a.md', 'Home/e.md'],
  ],
];

for (const [read, seen] of CASES) {
  test(`vault.read: ${JSON.stringify(read)}`, () => {
    assert.deepEqual(seenBy(read, PATHS), seen);
    const { mayHold, shows } = createView({ read, write: ['**'] });
    for (const path of PATHS.filter(shows))
      for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
        assert.ok(mayHold(path.slice(0, end)), `the folder above ${path} is walked`);
  });
}

test('a folder that can hold nothing of the view is not walked', () => {
  const view = createView({ read: ['Work/Plans/**', '!Work/Plans/Old/**'], write: ['**'] });
  assert.deepEqual(['', 'Work', 'Work/Plans', 'Work/Plans/New'].filter(view.mayHold).length, 4);
  assert.deepEqual(['Home', 'Work/Other', 'work', 'Work/Plans/Old', 'Work/Plans/OLD/x'].filter(view.mayHold), []);
});

test('brackets in the name of a folder are also taken literally', () => {
  assert.deepEqual(seenBy(['Work (old)/**'], ['Work (old)/a.md', 'Work/a.md']), ['Work (old)/a.md']);
  assert.deepEqual(seenBy(['!Diary [x]/**'], ['Diary [x]/a.md', 'b.md']), ['b.md']);
});

test('what may be written is a part of what is seen', () => {
  const view = createView({ read: ['Work/**', '!Work/Diary/**'], write: ['**', '!Work/Done/**'] });
  assert.deepEqual(PATHS.filter(view.mayWrite), ['Work/a.md']);
  assert.equal(view.mayWrite('Work/Done/x.md'), false);
  assert.equal(view.shows('Work/Done/x.md'), true);
});

test('lists that take nothing away make no view', () => {
  assert.equal(createView({ read: ['**'], write: ['**', '**'] }), WHOLE_VAULT);
});

test('a glob that matches nothing is reported with the folder it may mean', () => {
  const globs = { 'vault.read': ['Wrk/**', '!Work/Dairy/**', 'Work', 'Home/**'], 'vault.write': ['**', 'zzzzzz/**'] };
  assert.deepEqual(unmatchedGlobs(globs, PATHS), [
    { key: 'vault.read', glob: 'Wrk/**', did_you_mean: 'Work/**' },
    { key: 'vault.read', glob: '!Work/Dairy/**', did_you_mean: '!Work/Diary/**' },
    { key: 'vault.read', glob: 'Work', did_you_mean: 'Work/**' },
    { key: 'vault.write', glob: 'zzzzzz/**' },
  ]);
});
