// Tests moving several notes into a folder: one change, links follow, and a note that cannot move is listed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moveNote } from '../../../src/tools/write/move_note.ts';
import { shownWrittenUndone, withWrites } from './write-under-test.ts';

const FILES = {
  'Log/One.md': '---\ntags: [old]\n---\n[[Two]] [x](Two.md)\n',
  'Log/Two.md': '---\ntags: [old]\n---\n[[Log/One]]\n',
  'Board.canvas':
    '{"nodes":[{"id":"a","type":"file","file":"Log/One.md","x":0,"y":0,"width":1,"height":1}],"edges":[]}',
  'Hub.md': '[[Log/One]] [two](Log/Two.md)\n',
  'Taken.md': 'a\n',
  'Archive/Taken.md': 'b\n',
  'Archive/Here.md': 'c\n',
};
const OBSERVED = { 'Hub.md': '[[Archive/Sub/One]] [two](Archive/Sub/Two.md)\n' };

for (const [name, choice] of [
  ['notes', { notes: ['One', 'Two'] }],
  ['a filter', { filter: { tags: ['old'] } }],
  ['a folder of a filter', { filter: { folder: 'Log' } }],
] as const) {
  test(`moves ${name} into a folder as one change`, () =>
    withWrites(FILES, async (under) => {
      const args = { ...choice, to: 'Archive/Sub/' };
      await under.refusal(moveNote, args, 'CONFIRMATION_REQUIRED');
      const after = await shownWrittenUndone(under, moveNote, args);
      assert.equal(after['Hub.md'], OBSERVED['Hub.md']);
      assert.equal(after['Archive/Sub/Two.md']?.split('---\n').at(-1), '[[Archive/Sub/One]]\n');
      assert.match(after['Board.canvas'] ?? '', /Archive\/Sub\/One\.md/);
      assert.equal('Log/One.md' in after, false);
    }));
}

test('a note whose place is taken stays and is listed; one that is there already is unchanged', () =>
  withWrites(FILES, async ({ ask, files }) => {
    const moved = await ask(moveNote, { notes: ['Taken.md', 'Here', 'One', 'None'], to: 'Archive', confirm: true });
    assert.deepEqual(
      moved.succeeded.map(({ result }: { result: object }) => result),
      [{ path: 'Archive/Here.md', unchanged: true }, { path: 'Archive/One.md' }],
    );
    assert.deepEqual(
      moved.failed.map(({ id, error }: { id: string; error: { code: string } }) => [id, error.code]).sort(),
      [
        ['None', 'NOTE_NOT_FOUND'],
        ['Taken.md', 'NOTE_EXISTS'],
      ],
    );
    assert.equal(files()['Taken.md'], 'a\n');
  }));

test('two notes of one name cannot both move', () =>
  withWrites({ 'a/N.md': '1', 'b/n.md': '2' }, async ({ ask }) => {
    const { succeeded, failed } = await ask(moveNote, { notes: ['a/N.md', 'b/n.md'], to: '/', dry_run: true });
    assert.deepEqual([succeeded[0].result.path, failed[0].error.code], ['N.md', 'NOTE_EXISTS']);
  }));

test('what is unclear is refused, and nothing changes', () =>
  withWrites(FILES, async ({ refusal, files }) => {
    const before = files();
    for (const args of [
      { to: 'x/' },
      { note: 'One', notes: ['Two'], to: 'x/' },
      { notes: ['One'], filter: { folder: 'Log' }, to: 'x/' },
      { notes: ['One', 'Two'], to: 'x/New.md', confirm: true },
      { notes: ['One', 'Two'], to: 'x/', if_match: 'abc' },
    ])
      await refusal(moveNote, args, 'INVALID_INPUT');
    await refusal(moveNote, { notes: ['One', 'Two'], to: '../x/', confirm: true }, 'PATH_NOT_ALLOWED');
    assert.deepEqual(files(), before);
  }));
