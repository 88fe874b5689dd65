// Tests replace_in_notes on a real vault: always a plan first, links that would break, and undo.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replaceInNotes } from '../../../src/tools/write/replace_in_notes.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
import { withWrites } from './write-under-test.ts';

const FILES = {
  'Tide.md': '\uFEFF# Tide times\r\ntide  \r\n',
  'a/Log.md': '---\nabout: tide\n---\n[[Tide]] [[Tide#Tide times|tide]] `tide` tide',
  'a/Other.md': 'nothing\n',
  'Board.canvas': '{"nodes":[{"id":"1","type":"text","text":"tide"}],"edges":[]}',
  'Latin.md': Buffer.from('tide caf\xe9\n', 'latin1'),
};

test('the first call returns a plan and writes nothing; the plan writes what it showed, and undo restores every byte', () =>
  withWrites(FILES, async ({ ask, refusal, files, text }) => {
    const before = files();
    const shown = await ask(replaceInNotes, { find: 'tide', replace: 'ebb', everywhere: true });
    assert.deepEqual([shown.dry_run, shown.replacements, shown.files_changed], [true, 3, 2]);
    assert.deepEqual(shown.notes, [
      { path: 'Tide.md', count: 1 },
      { path: 'a/Log.md', count: 2 },
    ]);
    assert.deepEqual(shown.left_alone, { code: 1, properties: 1, links: 0 });
    assert.deepEqual(shown.skipped, [{ path: 'Latin.md', reason: 'it is not UTF-8 text' }]);
    assert.deepEqual(files(), before);
    await refusal(replaceInNotes, { plan_id: shown.plan_id, find: 'other' }, 'INVALID_INPUT');
    const written = await ask(replaceInNotes, { plan_id: shown.plan_id });
    assert.match(written.change_id, /^chg_/);
    assert.equal(text('a/Log.md'), '---\nabout: tide\n---\n[[Tide]] [[Tide#Tide times|ebb]] `tide` ebb');
    await refusal(replaceInNotes, { plan_id: shown.plan_id }, 'CHANGE_NOT_FOUND');
    await ask(undoChange, {});
    assert.deepEqual(files(), before);
  }));

test('links that would break are in the plan', () =>
  withWrites(FILES, async ({ ask }) => {
    const args = { find: '[Tt]ide', replace: 'Ebb', regex: true, in: ['links'], filter: { folder: '.' } };
    const { broken } = await ask(replaceInNotes, args);
    assert.deepEqual(broken, [
      { path: 'a/Log.md', line: 4, link: 'Ebb', reason: 'leads to no note' },
      { path: 'a/Log.md', line: 4, link: 'Ebb#Ebb times', reason: 'leads to no note' },
    ]);
    const properties = await ask(replaceInNotes, {
      find: 'tide',
      replace: '[',
      in: ['properties'],
      notes: ['Log', 'Nobody'],
    });
    assert.match(properties.skipped[0].reason, /no note is named "Nobody"|valid YAML/);
    assert.equal(properties.skipped.length, 2);
  }));

test('refuses what does not say where, and what the engine does not support', () =>
  withWrites(FILES, async ({ ask, refusal, folder, text }) => {
    const args = { find: 'tide', replace: 'ebb' };
    for (const more of [
      {},
      { everywhere: false },
      { everywhere: true, notes: ['Tide'] },
      { notes: ['Tide'], filter: { folder: 'a' } },
    ])
      await refusal(replaceInNotes, { ...args, ...more }, 'INVALID_INPUT');
    const { message } = await refusal(
      replaceInNotes,
      { find: 'a(?=b)', replace: '', regex: true, everywhere: true },
      'INVALID_INPUT',
    );
    assert.match(message, /replace_in_notes: find: uses looking ahead/);
    await refusal(replaceInNotes, { ...args, filter: { since: 'some day' } }, 'INVALID_QUERY');
    await refusal(replaceInNotes, { ...args, notes: ['Nobody'] }, 'NOTE_NOT_FOUND');
    assert.equal((await ask(replaceInNotes, { find: 'zzz', replace: '', everywhere: true })).replacements, 0);
    const { plan_id } = await ask(replaceInNotes, { ...args, notes: ['Tide'] });
    folder.put('Tide.md', 'my tide\n');
    await refusal(replaceInNotes, { plan_id }, 'WRITE_CONFLICT');
    assert.equal(text('Tide.md'), 'my tide\n');
  }));

test('an expression that takes long is aborted, and other work continues meanwhile', () =>
  withWrites({ 'Long.md': `${'x'.repeat(300_000)}\n` }, async ({ ask, files }) => {
    const before = files();
    let turns = 0;
    const ticks = setInterval(() => (turns += 1), 5);
    const args = { find: 'x[^y]*y|x', replace: 'z', regex: true, everywhere: true };
    const [outcome] = await Promise.allSettled([ask(replaceInNotes, args, { signal: AbortSignal.timeout(1_500) })]);
    clearInterval(ticks);
    assert.equal(outcome.status, 'rejected');
    assert.ok(turns > 10, `${turns}`);
    assert.deepEqual(files(), before);
  }));

const PAIRS = {
  'A.md':
    '# Log tide\n\nx ^tide-1\n\nA [t][tide] [tide] [tide][] ![i][Tide] foot[^tide2020] `[^tide2020]` tide\n\n[tide]: https://tide.example/tide\n[^tide2020]: a tide note\n',
  'B.md': '[[A#Log tide]] ![[A#^tide-1]] [x](A.md#Log%20tide) [[A#Nope]] tide\n',
  'C.canvas': '{"nodes":[{"type":"file","file":"A.md","subpath":"#Log tide"}]}',
};
const FOLLOWED = '[[A#Log ebb]] ![[A#^ebb-1]] [x](A.md#Log%20ebb) [[A#Nope]] ebb\n';

test('both of a pair change, or neither: footnotes, labels of links, headings and blocks with the links to them', () =>
  withWrites(PAIRS, async ({ ask, text, files }) => {
    const before = files();
    const asked = { find: 'tide', replace: 'ebb', everywhere: true };
    const shown = await ask(replaceInNotes, asked);
    assert.equal(shown.broken, undefined);
    assert.deepEqual(
      shown.rewritten.map(({ path, link }: { path: string; link: string }) => `${path} ${link}`),
      ['B.md A#Log tide', 'B.md A#^tide-1', 'B.md A.md#Log tide', 'C.canvas A.md'],
    );
    await ask(replaceInNotes, { plan_id: shown.plan_id });
    const labels = '[t][tide] [tide] [tide][] ![i][Tide]';
    assert.equal(
      text('A.md'),
      `# Log ebb\n\nx ^ebb-1\n\nA ${labels} foot[^ebb2020] \`[^tide2020]\` ebb\n\n[tide]: https://tide.example/tide\n[^ebb2020]: a ebb note\n`,
    );
    assert.deepEqual([text('B.md'), text('C.canvas')], [FOLLOWED, PAIRS['C.canvas'].replace('tide', 'ebb')]);
    await ask(undoChange, {});
    assert.deepEqual(files(), before);
    const both = await ask(replaceInNotes, { ...asked, in: ['links'] });
    assert.equal(both.broken, undefined);
    assert.deepEqual(both.rewritten[0], { path: 'A.md', line: 5, link: '[Tide]' }, 'the label in capitals follows');
    await ask(replaceInNotes, { plan_id: both.plan_id });
    assert.match(
      text('A.md') ?? '',
      /\[t\]\[ebb\] \[ebb\] \[ebb\]\[\] !\[i\]\[ebb\][\s\S]*\n\[ebb\]: https:\/\/ebb\.example\/ebb\n/,
    );
    assert.equal(text('B.md'), FOLLOWED);
  }));

test('what a replacement leaves without its other half is listed', () =>
  withWrites(PAIRS, async ({ ask }) => {
    const brokenAfter = async (find: string, replace: string, more = {}) =>
      (await ask(replaceInNotes, { find, replace, everywhere: true, ...more })).broken.map(
        ({ path, line, link }: { path: string; line: number; link: string }) => `${path}:${line} ${link}`,
      );
    assert.deepEqual(await brokenAfter('[^tide2020]: a', 'a'), ['A.md:5 [^tide2020]']);
    assert.deepEqual(await brokenAfter('# Log tide', 'Log'), [
      'B.md:1 A#Log tide',
      'B.md:1 A.md#Log tide',
      'C.canvas:1 A.md',
    ]);
    assert.deepEqual(await brokenAfter('x ^tide-1', 'x'), ['B.md:1 A#^tide-1']);
  }));

test('the other half follows where the text fits only one: another case, the definition alone, a use alone', () =>
  withWrites(
    { 'N.md': 'a[^A1] b[^a1] [t][One] ![i][one] [one]\n\n[^a1]: foot\n[one]: https://one.example\n' },
    async ({ ask, text }) => {
      const after = async (find: string, replace: string) => {
        const { plan_id: plan } = await ask(replaceInNotes, { find, replace, everywhere: true, in: ['links'] });
        await ask(replaceInNotes, { plan_id: plan });
        const [uses, , foot, link] = (text('N.md') ?? '').split('\n');
        await ask(undoChange, {});
        return [uses, foot, link];
      };
      const asBefore = ['a[^A1] b[^a1] [t][One] ![i][one] [one]', '[^a1]: foot', '[one]: https://one.example'];
      assert.deepEqual(await after('A1', 'O2'), ['a[^O2] b[^O2] [t][One] ![i][one] [one]', '[^O2]: foot', asBefore[2]]);
      assert.deepEqual(await after('[^a1]:', '[^z]:'), [
        'a[^z] b[^z] [t][One] ![i][one] [one]',
        '[^z]: foot',
        asBefore[2],
      ]);
      assert.deepEqual(await after('[t][One]', '[t][Two]'), [
        'a[^A1] b[^a1] [t][Two] ![i][Two] [one][Two]',
        asBefore[1],
        '[Two]: https://one.example',
      ]);
      assert.deepEqual(await after('[one]:', '[two]:'), [
        'a[^A1] b[^a1] [t][two] ![i][two] [one][two]',
        asBefore[1],
        '[two]: https://one.example',
      ]);
    },
  ));

test('a use that gets the label of another pair, and uses that get several, leave their definition', () =>
  withWrites({ 'N.md': 'a[^1] b[^1] c[^2]\n\n[^1]: one\n[^2]: two\n' }, async ({ ask }) => {
    const shown = async (more: object) => ask(replaceInNotes, { everywhere: true, ...more });
    assert.deepEqual(await shown({ find: 'a[^1]', replace: 'a[^2]' }).then(({ rewritten }) => rewritten), undefined);
    const several = await shown({ find: '([ab])\\[\\^1\\]', replace: '$1[^$1]', regex: true });
    assert.deepEqual(
      [several.rewritten, several.broken.map(({ link }: { link: string }) => link)],
      [undefined, ['[^a]', '[^b]']],
    );
  }));
