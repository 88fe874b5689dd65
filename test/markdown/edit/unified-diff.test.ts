// Tests the unified diff: each kind of change, bounded time for texts of any size, and cuts at line ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { boundedDiff, briefDiff, fileDiff } from '../../../src/markdown/edit/unified-diff.ts';
import { growsTooFast } from '../cpu-growth.ts';

test('each kind of change has the format of git', () => {
  const text = { before: 'a\nb\n', after: 'a\nc\n' };
  assert.equal(fileDiff({ from: 'x.md', to: 'x.md', ...text }), '--- x.md\n+++ x.md\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n');
  assert.equal(
    fileDiff({ from: null, to: 'x.md', after: 'a' }),
    '--- /dev/null\n+++ x.md\n@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file\n',
  );
  assert.equal(fileDiff({ from: 'x.md', to: null, before: 'a\n' }), '--- x.md\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n');
  assert.equal(fileDiff({ from: 'x.md', to: 'y.md', before: 'a', after: 'a' }), 'rename from x.md\nrename to y.md\n');
  assert.match(
    fileDiff({ from: 'x.md', to: 'y.md', ...text }),
    /^rename from x\.md\nrename to y\.md\n--- x\.md\n\+\+\+ y\.md\n@@/,
  );
  assert.equal(fileDiff({ from: null, to: 'empty.md', after: '' }), '--- /dev/null\n+++ empty.md\n');
  assert.equal(fileDiff({ from: 'a.png', to: null }), '--- a.png\n+++ /dev/null\n');
  assert.equal(fileDiff({ from: 'x.md', to: 'x.md', before: 'a', after: 'a' }), '');
  assert.match(fileDiff({ from: 'a\nb.md', to: null }), /^--- "a\\nb\.md"\n/);
  assert.match(fileDiff({ from: 'a\u202eb\u0085.md', to: null }), /^--- "a\\u202eb\\u0085\.md"\n/);
  assert.match(fileDiff({ from: '灯台.md', to: '灯台.md', ...text }), /^--- 灯台\.md\n/);
});

test('a diff applied to the old text gives the new text', () => {
  const line = fc.constantFrom('', 'a', 'b', 'same', '- x\r', '@@ -1 +1 @@', '--- y', '漢字');
  const text = fc
    .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom('', '\n'))
    .map(([lines, end]) => lines.join('\n') + end);
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = fileDiff({ from: 'x.md', to: 'x.md', before, after });
      assert.equal(diff === '' ? before : applyPatch(before, diff, { autoConvertLineEndings: false }), after);
    }),
  );
});

test('in a long text the equal lines at both ends are not compared, and the diff is the same', () => {
  const filling = Array.from({ length: 20_000 }, (_, at) => `line ${at}\n`).join('');
  const middle = fc
    .array(fc.constantFrom('a', 'b', 'c\r', '漢字'), { maxLength: 12 })
    .map((all) => all.map((one) => `${one}\n`).join(''));
  const ends = fc.constantFrom('', '\n', '\n\n', filling, `${filling}\n`, 'x');
  fc.assert(
    fc.property(ends, middle, middle, ends, (start, one, other, end) => {
      const [before, after] = [`${start}${one}${end}`, `${start}${other}${end}`];
      const file = { from: 'x.md', to: 'x.md', before, after };
      const diff = fileDiff(file);
      assert.equal(diff === '' ? before : applyPatch(before, diff, { autoConvertLineEndings: false }), after);
    }),
    { numRuns: 60 },
  );
  const appended = fileDiff({ from: 'x.md', to: 'x.md', before: filling, after: `${filling}new\n` });
  assert.equal(appended, '--- x.md\n+++ x.md\n@@ -19998,3 +19998,4 @@\n line 19997\n line 19998\n line 19999\n+new\n');
  const changed = filling.replace('line 9000\n', 'new\n');
  assert.match(
    fileDiff({ from: 'x.md', to: 'x.md', before: filling, after: changed }),
    /@@ -8998,7 \+8998,7 @@\n line 8997\n/,
  );
});

test('two long texts without a common line are shown as a removal and an addition, at a cost that grows with their length', () => {
  const lines = (mark: string, length = 60_000): string =>
    Array.from({ length }, (_, at) => `${mark} ${at * 7919}`).join('\n');
  const diffOf = (length: number) =>
    fileDiff({ from: 'x.md', to: 'x.md', before: lines('a', length), after: lines('b', length) });
  assert.ok(
    !growsTooFast(
      () => diffOf(7_500),
      () => diffOf(60_000),
      { noiseMs: 300, maxGrowth: 32 },
    ),
  );
  const diff = diffOf(60_000);
  assert.match(diff, /^--- x\.md\n\+\+\+ x\.md\n@@ -1,60000 \+1,60000 @@\n-a 0\n/);
  assert.equal(applyPatch(lines('a'), diff), lines('b'));
});

test('a diff is cut at line ends and counts the incomplete files', () => {
  const files = Array.from({ length: 5 }, (_, at) => ({
    from: `${at}.md`,
    to: `${at}.md`,
    before: 'a\n',
    after: 'b\n',
  }));
  const whole = boundedDiff(files, 100_000);
  assert.equal(whole.cut, 0);
  const one = whole.diff.length / 5;
  assert.deepEqual(boundedDiff(files, one * 2 + 3), {
    diff: whole.diff.slice(0, one * 2 + 3).replace(/[^\n]+$/, ''),
    cut: 3,
  });
  assert.equal(boundedDiff(files, whole.diff.length).cut, 0);
});

test('a brief diff has the changed lines before the lines around them, and no header without a change', () => {
  const lines = (mark: string): string =>
    Array.from({ length: 9 }, (_, at) => `${at % 4 === 0 ? mark : 'same'}\n`).join('');
  const file = (path: string) => ({ from: path, to: path, before: lines('a'), after: lines('b') });
  const moved = { from: 'x.md', to: 'y.md', before: 'a', after: 'a' };
  const one = briefDiff([file('x.md'), moved], 20);
  assert.match(one.diff, /^--- x\.md\n\+\+\+ x\.md\n@@ -1,2 \+1,2 @@\n-a\n\+b\n same\n@@/);
  assert.deepEqual([one.added, one.removed, one.isCut], [3, 3, false]);
  const all = [file('x.md'), file('y.md'), file('z.md')];
  for (let max = 1; max <= 40; max += 1) {
    const { diff, added, removed, isCut } = briefDiff(all, max);
    const shown = diff.split('\n').slice(0, -1);
    assert.ok(shown.length <= max);
    assert.doesNotMatch(diff, /(?:^|\n)(?:---|\+\+\+|@@)[^\n]*\n$/, `${max} lines`);
    if (isCut) assert.doesNotMatch(diff, /^ /m, `${max} lines`);
    assert.deepEqual([added, removed, isCut], [9, 9, max < 33]);
  }
  const long = briefDiff([{ from: 'x.md', to: 'x.md', before: '', after: `${'a'.repeat(5_000)}\n` }], 20);
  assert.deepEqual([long.isCut, long.diff.length < 1_100], [true, true]);
});
