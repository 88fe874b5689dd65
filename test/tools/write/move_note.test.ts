// Tests move_note on a real vault: every link is updated, no file is overwritten, and a link that would break stops the move.
import assert from 'node:assert/strict';
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { getNeighbors } from '../../../src/tools/links/get_neighbors.ts';
import { readNotes } from '../../../src/tools/notes/read_notes.ts';
import { createNote } from '../../../src/tools/write/create_note.ts';
import { deleteNote } from '../../../src/tools/write/delete_note.ts';
import { editNote } from '../../../src/tools/write/edit_note.ts';
import { moveNote } from '../../../src/tools/write/move_note.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
import { assertEach } from '../../assert-each.ts';
import { shownWrittenUndone, withWrites } from './write-under-test.ts';

const FILES = {
  'Places/Harbour.md':
    '---\nnear: "[[Lamp]]"\n---\n# Harbour\n\nunder the [lamp](../Lamp.md), see [[#Harbour]] ![[plan.png]]\n',
  'Places/plan.png': 'png',
  'Lamp.md':
    '[[Harbour|the quay]] [[Places/Harbour#Berths]] ![[harbour]]\n\n```\n[[Harbour]]\n```\n[h](Places/Harbour.md)\n',
  'Log/Day.md': '---\nat: "[[Harbour]]"\n---\n[[Lamp]]\n',
  'Log/Other.md': 'no link here\n',
  'Board.canvas':
    '{"nodes":[{"id":"1","type":"file","file":"Places/Harbour.md"},{"id":"2","type":"text","text":"[[Harbour]]"}],"edges":[]}',
};

test('every link is updated: names, paths, aliases, headings, embeds, Markdown links, properties, canvas; code stays', () =>
  withWrites(FILES, async ({ ask, text, files, warnings }) => {
    const { etag } = (await ask(readNotes, { notes: ['Harbour'] })).succeeded[0].result;
    const moved = await ask(moveNote, { note: 'Harbour', to: 'Coast/Old port', if_match: etag });
    assert.deepEqual([moved.path, moved.from], ['Coast/Old port.md', 'Places/Harbour.md']);
    assert.equal(
      text('Lamp.md'),
      '[[Old port|the quay]] [[Coast/Old port#Berths]] ![[Old port]]\n\n```\n[[Harbour]]\n```\n[h](Coast/Old%20port.md)\n',
    );
    assert.equal(text('Log/Day.md'), '---\nat: "[[Old port]]"\n---\n[[Lamp]]\n');
    assert.equal(
      text('Board.canvas'),
      FILES['Board.canvas'].replace('Places/Harbour.md', 'Coast/Old port.md').replace('[[Harbour]]', '[[Old port]]'),
    );
    assert.equal(text('Coast/Old port.md'), FILES['Places/Harbour.md']);
    assert.equal(text('Log/Other.md'), FILES['Log/Other.md']);
    assert.equal('Places/Harbour.md' in files(), false);
    const places = moved.rewritten.map(({ path, line }: { path: string; line: number }) => `${path}:${line}`);
    assert.deepEqual(places.toSorted(), [
      'Board.canvas:1',
      'Board.canvas:1',
      'Lamp.md:1',
      'Lamp.md:1',
      'Lamp.md:1',
      'Lamp.md:6',
      'Log/Day.md:2',
    ]);
    assert.deepEqual([moved.files_changed, moved.files], [4, undefined]);
    const around = await ask(getNeighbors, { note: 'Old port', direction: 'in' });
    assert.deepEqual(around.neighbors.map(({ path }: { path: string }) => path).toSorted(), [
      'Board.canvas',
      'Lamp.md',
      'Log/Day.md',
    ]);
    assert.deepEqual(moved.unparsed_links, [{ path: 'Lamp.md', line: 4, text: '[[Harbour' }], 'code has no links');
    assert.deepEqual(warnings, []);
  }));

test('a link before a colon moves with its note; texts that only look like links are listed and left', () =>
  withWrites(
    {
      'Old name.md': '- [[Old name]]: here',
      'Colons.md': '- [[Old name]]: word\n> [[Old name|x]]: <a b>\n\n[[Old name]]:说明 [a]\n\n[a]: <Old name.md>\n',
      'Html.md': '<div>\n[[Old name|x]] and [y](Old%20name.md)\n</div>\n\n[r]: <Old name.md>\n',
      'Broken.md': '[[Old name\n\n[z](Old name.md)\n',
      'Other.md': 'The old name, [[Old names]] and [[x/Old name]].',
    },
    async ({ ask, text, files, warnings }) => {
      const before = files();
      const moved = await ask(moveNote, { note: 'Old name', to: 'New', confirm: true });
      assert.equal(text('New.md'), '- [[New]]: here');
      assert.equal(
        Buffer.from(text('Colons.md') ?? '', 'latin1').toString(),
        '- [[New]]: word\n> [[New|x]]: <a b>\n\n[[New]]:说明 [a]\n\n[a]: <New.md>\n',
      );
      for (const path of ['Html.md', 'Broken.md', 'Other.md']) assert.equal(text(path), before[path]);
      assert.deepEqual(moved.unparsed_links, [
        { path: 'Broken.md', line: 1, text: '[[Old name' },
        { path: 'Broken.md', line: 3, text: '](Old name.md' },
        { path: 'Html.md', line: 2, text: '[[Old name' },
        { path: 'Html.md', line: 2, text: '](Old%20name.md' },
        { path: 'Html.md', line: 5, text: '<Old name.md' },
      ]);
      assert.deepEqual(warnings, []);
    },
  ));

test('a folder move lists texts with its old path, at most 50', () =>
  withWrites(
    { 'In/One.md': '', 'Up.md': `<div>\n${'[[In/One]] [[One]]\n'.repeat(60)}</div>` },
    async ({ ask, warnings }) => {
      const moved = await ask(moveNote, { note: 'In/', to: 'Out', confirm: true });
      assert.equal(moved.unparsed_links.length, 50);
      assert.deepEqual(moved.unparsed_links[0], { path: 'Up.md', line: 2, text: '[[In/One' });
      assert.deepEqual(warnings, [{ code: 'TRUNCATED', message: '10 more unparsed links are not listed', count: 10 }]);
    },
  ));

test('a dry run, its plan and undo, for notes and folders', () =>
  withWrites({ ...FILES, 'Twin/Lamp.md': 'a twin' }, async (under) => {
    await shownWrittenUndone(under, moveNote, { note: 'Harbour', to: 'Coast/' });
    await shownWrittenUndone(under, moveNote, { note: 'Places', to: 'Log/Places' });
    await shownWrittenUndone(under, moveNote, { note: 'Places/', to: 'Log/' });
    await shownWrittenUndone(under, moveNote, { note: 'Twin/Lamp.md', to: 'Log/Lamp' });
    await shownWrittenUndone(under, moveNote, { note: 'Board.canvas', to: 'x/Board' });
    await shownWrittenUndone(under, moveNote, { note: 'Harbour', to: 'Places/harbour' });
  }));

test('a folder moves with its attachments and leaves no empty folder; hidden and excluded files stay and are reported', () =>
  withWrites(
    {
      'In/a/One.md': '[[Two]] ![[p.png]]',
      'In/a/p.png': 'x',
      'In/b/Two.md': '[[../a/One]]',
      'Up.md': '[[In/b/Two]]',
      'In/b/skip.md': 'no',
      'In/.keep': '',
    },
    async ({ ask, text, everything, warnings }) => {
      const moved = await ask(moveNote, { note: 'In', to: 'Out', confirm: true });
      assert.deepEqual([moved.path, moved.from], ['Out/', 'In/']);
      assert.deepEqual([text('Up.md'), text('Out/b/Two.md')], ['[[Out/b/Two]]', '[[../a/One]]']);
      const left = everything().filter((path) => path.startsWith('In'));
      assert.deepEqual(left, ['In/', 'In/.keep', 'In/b/', 'In/b/skip.md']);
      assert.match(
        warnings.map(({ message }) => message).join(),
        /hidden, excluded or new files in there were not moved/,
      );
    },
    { exclude: ['**/skip.md'] },
  ));

test('a link to another note keeps its target when the new name would take it over', () =>
  withWrites(
    {
      'a/Long name/Tide.md': 'the old one',
      'x/Ebb.md': 'moves',
      'Log.md': '[[Tide]] and [[Ebb]]',
      'b/Tied.md': '[[Ebb]]',
    },
    async ({ ask, text }) => {
      await ask(moveNote, { note: 'Ebb', to: 'Tide', confirm: true });
      assert.equal(text('Log.md'), '[[Long name/Tide]] and [[Tide]]');
      await ask(undoChange, {});
      await ask(moveNote, { note: 'Ebb', to: 'a/Long page/Tide', confirm: true });
      assert.equal(text('Log.md'), '[[Long name/Tide]] and [[Long page/Tide]]', 'each link leads to one note');
    },
  ));

test('V6 V10 no existing file is overwritten, whatever its spelling, and a case-only rename works', () =>
  withWrites(FILES, async ({ ask, refusal, files, folder, text }) => {
    folder.put('Late.md', 'late');
    const before = files();
    await refusal(moveNote, { note: 'Harbour', to: 'Lamp', confirm: true }, 'NOTE_EXISTS');
    await refusal(moveNote, { note: 'Harbour', to: 'Late.md', confirm: true, dry_run: true }, 'NOTE_EXISTS');
    await refusal(moveNote, { note: 'Harbour', to: 'LAMP.md', confirm: true }, 'NOTE_EXISTS');
    await refusal(moveNote, { note: 'Places', to: 'Log', confirm: true }, 'NOTE_EXISTS');
    await refusal(moveNote, { note: 'Places', to: 'log', confirm: true }, 'NOTE_EXISTS');
    const folderThere = await refusal(moveNote, { note: 'Harbour', to: 'Log', confirm: true }, 'INVALID_INPUT');
    assert.match(folderThere.message, /to: names a folder/);
    await refusal(moveNote, { note: 'Harbour', to: 'Places/Harbour.md' }, 'INVALID_INPUT');
    await refusal(moveNote, { note: 'Places', to: 'Places' }, 'INVALID_INPUT');
    await refusal(moveNote, { note: 'Places', to: 'Places/deeper' }, 'INVALID_INPUT');
    await refusal(moveNote, { note: 'Places', to: 'New', if_match: 'x' }, 'INVALID_INPUT');
    await refusal(moveNote, { note: 'Harbour', to: 'New.txt' }, 'PATH_NOT_ALLOWED');
    await refusal(moveNote, { note: 'Harbour', to: '../out' }, 'PATH_NOT_ALLOWED');
    await refusal(moveNote, { note: 'Harbour', to: '.trash/x', confirm: true }, 'PATH_NOT_ALLOWED');
    await refusal(moveNote, { note: 'Nowhere/', to: 'x' }, 'NOTE_NOT_FOUND');
    await refusal(moveNote, { note: 'Nowhere', to: 'x' }, 'NOTE_NOT_FOUND');
    await refusal(moveNote, { note: 'Harbour' }, 'INVALID_INPUT');
    assert.deepEqual(files(), before);
    await ask(moveNote, { note: 'Harbour', to: 'Places/HARBOUR', confirm: true });
    assert.equal(text('Places/HARBOUR.md'), FILES['Places/Harbour.md']);
    assert.equal(text('Places/Harbour.md'), undefined);
  }));

test('no new name has controls of the reading direction; a file that has them is moved and deleted as it is', () =>
  withWrites({ 'a\u202eb/Turned\u2067.md': '[[Lamp]]', 'Lamp.md': '[[Turned\u2067]]' }, async (under) => {
    const { ask, refusal, text } = under;
    const before = under.files();
    for (const to of ['New\u202a', 'Fol\u2069der/', 'a\u202eb/Lamp\u2068'])
      await refusal(moveNote, { note: 'Lamp', to, confirm: true }, 'PATH_NOT_ALLOWED');
    assert.deepEqual(under.files(), before);
    await ask(moveNote, { note: 'a\u202eb/', to: 'deeper/', confirm: true });
    assert.equal(text('deeper/a\u202eb/Turned\u2067.md'), '[[Lamp]]');
    await ask(moveNote, { note: 'deeper/', to: 'top', confirm: true });
    await ask(moveNote, { note: 'Turned\u2067', to: '/', confirm: true });
    assert.equal((await ask(readNotes, { notes: ['Turned\u2067'] })).succeeded[0].result.path, 'Turned\u2067.md');
    await ask(deleteNote, { note: 'Turned\u2067', confirm: true });
    assert.deepEqual(Object.keys(under.files()), ['Lamp.md']);
  }));

test('a name of both a note and a folder is refused as ambiguous', () =>
  withWrites({ 'agile.md': 'note', 'agile/Scrum.md': 'below' }, async ({ ask, refusal, files }) => {
    const error = await refusal(moveNote, { note: 'agile', to: 'x/' }, 'NOTE_AMBIGUOUS');
    assertEach(error.choices?.items, ({ value }) => value, ['agile.md', 'agile/']);
    await ask(moveNote, { note: 'agile.md', to: 'x/' });
    await ask(moveNote, { note: 'agile/', to: 'x/' });
    assert.deepEqual(Object.keys(files()), ['x/agile.md', 'x/agile/Scrum.md']);
  }));

test('V16 one file moves without consent; several require an etag, a plan or confirm, and the error lists each with its links', () =>
  withWrites(FILES, async ({ ask, refusal, files }) => {
    const before = files();
    const error = await refusal(moveNote, { note: 'Harbour', to: 'Port' }, 'CONFIRMATION_REQUIRED');
    assert.deepEqual((error.details as { affected: string[] }).affected, [
      'Places/Harbour.md → Port.md',
      'Board.canvas (2 links)',
      'Lamp.md (4 links)',
      'Log/Day.md (1 link)',
    ]);
    await refusal(moveNote, { note: 'Harbour', to: 'Port', if_match: 'stale' }, 'WRITE_CONFLICT');
    assert.deepEqual(files(), before);
    assert.equal((await ask(moveNote, { note: 'Log/Other', to: 'Port' })).path, 'Port.md');
  }));

test('a link that was written since the last scan is updated, too, and invalidates a plan', () =>
  withWrites(FILES, async ({ ask, refusal, folder, text }) => {
    const { plan_id } = await ask(moveNote, { note: 'Harbour', to: 'Port', dry_run: true });
    folder.put('Late.md', '[[Harbour]]');
    const error = await refusal(moveNote, { plan_id }, 'WRITE_CONFLICT');
    assert.equal(error.details.path, 'Late.md');
    await ask(moveNote, { note: 'Harbour', to: 'Port', confirm: true });
    assert.equal(text('Late.md'), '[[Port]]');
  }));

const LATIN = Buffer.from('caf\xe9 [[Harbour]]', 'latin1');

test('V15 if a link would break, nothing moves unless that is allowed, and then the link is reported', () =>
  withWrites({ ...FILES, 'Latin.md': LATIN }, async (under) => {
    const { ask, refusal, files, text, warnings } = under;
    const before = files();
    const error = await refusal(moveNote, { note: 'Harbour', to: 'Port', confirm: true }, 'LINK_INTEGRITY');
    assert.deepEqual(error.details, {
      incoming: 1,
      sample: [{ path: 'Latin.md', line: 1, reason: 'it is not UTF-8 text' }],
    });
    assert.match(error.hint, /allow_broken: true/);
    assert.deepEqual(files(), before);
    const moved = await ask(moveNote, { note: 'Harbour', to: 'Port', confirm: true, allow_broken: true });
    assert.equal(moved.broken.length, 1);
    assertEach(warnings, ({ code, count }) => [code, count], [['LINKS_BROKEN', 1]]);
    assert.equal(text('Latin.md'), LATIN.toString('latin1'));
    assert.match(text('Lamp.md') ?? '', /\[\[Port\|the quay\]\]/);
    await ask(moveNote, { note: 'Lamp', to: 'x/Lamp', confirm: true });
  }));

test('V15 a linking note that cannot be written stops the move, whatever is allowed', () =>
  withWrites(FILES, async ({ refusal, folder, files, warnings }) => {
    chmodSync(join(folder.root, 'Log/Day.md'), 0o444);
    const before = files();
    for (const allowed of [{}, { allow_broken: true }]) {
      const move = { note: 'Harbour', to: 'Port', confirm: true, ...allowed };
      const { details, hint } = await refusal(moveNote, move, 'FILE_WRITE_FAILED');
      assert.deepEqual(details, { path: 'Log/Day.md', errno: 'EACCES', step: 'access', original_intact: true });
      assert.doesNotMatch(hint, /allow_broken/);
      assert.deepEqual(files(), before);
      assert.deepEqual(warnings, []);
    }
  }));

test('V5 a concurrent change of a linking note is refused, and nothing is moved', () =>
  withWrites(FILES, async ({ ask, refusal, folder, files, writer }) => {
    const { plan_id } = await ask(moveNote, { note: 'Harbour', to: 'Port', dry_run: true });
    folder.put('Lamp.md', `${FILES['Lamp.md']}more\n`);
    const before = files();
    const error = await refusal(moveNote, { plan_id }, 'WRITE_CONFLICT');
    assert.match((error.details as { diff: string }).diff, /\+more/);
    assert.deepEqual(files(), before);
    assert.deepEqual(await writer.changes(5, new AbortController().signal), []);
  }));

test('V9 a folder that was replaced by a symbolic link is not followed', () =>
  withWrites(FILES, async ({ refusal, folder }) => {
    symlinkSync(folder.outside, join(folder.root, 'away'));
    await refusal(moveNote, { note: 'Harbour', to: 'away/Port', confirm: true }, 'PATH_NOT_ALLOWED');
  }));

test('concurrent moves and edits end as if they ran one after the other', () =>
  withWrites(FILES, async ({ ask, text }) => {
    const edits = (text: string) => [{ op: 'append', text }];
    await Promise.all([
      ask(moveNote, { note: 'Harbour', to: 'Port', confirm: true }),
      ask(editNote, { note: 'Lamp', edits: edits('[[Harbour]] at once') }),
      ask(editNote, { note: 'Log/Other', edits: edits('x') }),
    ]);
    assert.match(text('Lamp.md') ?? '', /^\[\[Port\|the quay\]\]/);
    assert.match(text('Lamp.md') ?? '', /at once\n$/);
  }));

test('a slash after the moved name is its new path, not a folder to move into', () =>
  withWrites({ 'Clippings/A.md': '', 'Archive/B.md': '', 'Tide.md': '' }, async (under) => {
    const { ask, refusal, files } = under;
    const moved = await ask(moveNote, { note: 'Clippings/', to: 'Archive/Clippings/', confirm: true });
    assert.equal(moved.path, 'Archive/Clippings/');
    assert.equal(moved.to, 'Archive/Clippings is the new folder, because it ends with the moved name');
    await ask(moveNote, { note: 'Archive/Clippings/', to: 'clippings/', confirm: true });
    await refusal(moveNote, { note: 'clippings/', to: 'clippings/' }, 'INVALID_INPUT');
    const note = await ask(moveNote, { note: 'Tide', to: 'Archive/Tide.md/' });
    assert.equal(note.to, 'Archive/Tide.md is the new path, because it ends with the moved name');
    const into = await ask(moveNote, { note: 'clippings/', to: 'Archive/', confirm: true });
    assert.equal('to' in into, false);
    assert.deepEqual(Object.keys(files()), ['Archive/B.md', 'Archive/Tide.md', 'Archive/clippings/A.md']);
    await ask(createNote, { path: 'clippings/C', content: '' });
    const { hint } = await refusal(moveNote, { note: 'clippings/', to: 'Archive/clippings/' }, 'NOTE_EXISTS');
    assert.match(hint, /`Archive\/clippings\/NAME`/);
    await ask(moveNote, { note: 'clippings/', to: 'Archive/clippings/clippings', confirm: true });
    assert.ok('Archive/clippings/clippings/C.md' in files());
  }));
