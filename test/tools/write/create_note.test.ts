// Tests create_note on a real vault: it writes the requested bytes and never changes an existing file.
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { contentHash } from '../../../src/base/content-hash.ts';
import { readNotes } from '../../../src/tools/notes/read_notes.ts';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { createNote } from '../../../src/tools/write/create_note.ts';
import { deleteNote } from '../../../src/tools/write/delete_note.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
import { shownWrittenUndone, withWrites } from './write-under-test.ts';

const FILES = { 'Places/Harbour.md': '# Harbour\n', 'Board.canvas': '{}' };

test('creates the note and its folders, returns its etag, and every tool finds it at once', () =>
  withWrites(FILES, async (under) => {
    const { ask, text } = under;
    const made = await ask(createNote, { path: 'New/Deep/Tide', content: 'spring\r\ntide without end' });
    assert.equal(made.path, 'New/Deep/Tide.md');
    assert.equal(text('New/Deep/Tide.md'), 'spring\r\ntide without end');
    assert.equal(made.etag, contentHash(Buffer.from('spring\r\ntide without end')));
    assert.deepEqual([made.diff, made.lines], [undefined, 2], 'a created note is not sent back');
    const shown = await ask(createNote, {
      path: 'New/Deep/Other',
      content: 'spring\r\ntide',
      dry_run: true,
      detail: 'full',
    });
    assert.match(shown.diff, /^--- \/dev\/null\n\+\+\+ New\/Deep\/Other\.md\n@@ -0,0 \+1,2 @@\n\+spring/);
    assert.equal((await ask(searchText, { query: 'spring' })).hits[0].path, 'New/Deep/Tide.md');
    assert.equal((await ask(readNotes, { notes: ['Tide'] })).succeeded[0].result.etag, made.etag);
    assert.deepEqual(under.warnings, []);
  }));

test('V8 a dry run shows the note, its plan creates it, and undo also removes the folders that it created', () =>
  withWrites(FILES, async (under) => {
    const before = under.everything();
    const args = { path: 'New/Deep/Tide.md', content: '', properties: { tags: ['a'], due: '2026-11-20' } };
    const after = await shownWrittenUndone(under, createNote, args);
    assert.equal(after['New/Deep/Tide.md'], '---\ntags:\n  - a\ndue: 2026-11-20\n---\n');
    assert.deepEqual(under.everything(), before);
  }));

test('properties are added to the front matter of the content', () =>
  withWrites(FILES, async ({ ask, text, refusal }) => {
    const content = '---\nstatus: "open" # yes\n---\nbody\n';
    await ask(createNote, { path: 'A', content, properties: { status: 'done', rank: 3 } });
    assert.equal(text('A.md'), '---\nstatus: "done" # yes\nrank: 3\n---\nbody\n');
    await ask(createNote, { path: 'B', content: '---\na: b: c\n---\n' });
    assert.equal(text('B.md'), '---\na: b: c\n---\n', 'unrelated front matter is unchanged');
    await refusal(
      createNote,
      { path: 'C', content: '---\na: b: c\n---\n', properties: { x: 1 } },
      'PROPERTIES_INVALID',
    );
    const half = { path: 'C', content: '', properties: { x: { deep: '\ud800' } } };
    const error = await refusal(createNote, half, 'INVALID_INPUT');
    assert.match(error.message, /^create_note: properties\.x: /);
    assert.equal(text('C.md'), undefined);
  }));

test('the content begins on its own line after a template, unless the template ends with a blank', () => {
  const templates = {
    'T/Bare.md': '# Log',
    'T/Windows.md': 'a\r\nb',
    'T/Item.md': '- ',
    'T/Ended.md': 'a\n',
    'T/None.md': '',
  };
  return withWrites({ ...FILES, ...templates }, async ({ ask, text }) => {
    for (const name of Object.keys(templates))
      await ask(createNote, { path: name.replace('T/', 'New/'), template: name, content: 'Text' });
    const made = Object.keys(templates).map((name) => text(name.replace('T/', 'New/')));
    assert.deepEqual(made, ['# Log\nText', 'a\r\nb\r\nText', '- Text', 'a\nText', 'Text']);
    await ask(createNote, { path: 'New/Alone.md', template: 'T/Bare' });
    assert.equal(text('New/Alone.md'), '# Log');
  });
});

test('an unknown extension is part of the name, and only notes are created', () =>
  withWrites(FILES, async ({ ask, refusal }) => {
    for (const [path, made] of [
      ['v1.2', 'v1.2.md'],
      ['2.1 Tides', '2.1 Tides.md'],
      ['Old.log.md', 'Old.log.md'],
      ['./x/Here', 'x/Here.md'],
      ['Cafe\u0301', 'Caf\u00e9.md'],
      ['Draft.excalidraw', 'Draft.excalidraw.md'],
      ['LOUD.MD', 'LOUD.MD'],
    ] as const) {
      assert.equal((await ask(createNote, { path, content: 'x' })).path, made);
    }
    for (const path of ['a.png', 'a.canvas', 'a.base', 'script.js', 'folder/', ''])
      await refusal(createNote, { path, content: 'x' }, 'PATH_NOT_ALLOWED');
  }));

test('V6 an existing file that is not indexed is refused with its etag and is not changed', () =>
  withWrites(FILES, async ({ refusal, folder, text }) => {
    folder.put('Late.md', 'late');
    for (const dry_run of [false, true]) {
      const error = await refusal(createNote, { path: 'Late', content: 'x', dry_run }, 'NOTE_EXISTS');
      assert.deepEqual(error.details, { path: 'Late.md', etag: contentHash(Buffer.from('late')) });
    }
    assert.equal(text('Late.md'), 'late');
    await refusal(createNote, { path: 'places/HARBOUR', content: 'x' }, 'PATH_NOT_ALLOWED');
    await refusal(createNote, { path: 'Places/harbour', content: 'x' }, 'NOTE_EXISTS');
    assert.equal(text('Places/Harbour.md'), '# Harbour\n');
  }));

test('V1 no file is added while the vault is an empty folder', () =>
  withWrites(FILES, async ({ ask, refusal, folder, files }) => {
    await ask(createNote, { path: 'Board.md', content: 'x', confirm: true });
    const { change_id } = await ask(deleteNote, { note: 'Board.md', confirm: true });
    for (const path of Object.keys(files())) folder.remove(path);
    for (const [tool, args] of [
      [createNote, { path: 'New/Tide.md', content: 'x' }],
      [undoChange, { change_id }],
    ] as const)
      await refusal(tool, args, 'MASS_DELETE_BLOCKED');
    assert.deepEqual(files(), {});
  }));

test('V1 a note is added to a vault of which most is missing, but not all', () => {
  const many = Object.fromEntries(Array.from({ length: 24 }, (_, at) => [`Log/${at}.md`, '']));
  return withWrites(many, async ({ ask, folder, text, warnings }) => {
    for (const path of Object.keys(many).slice(4)) folder.remove(path);
    await ask(createNote, { path: 'Tide.md', content: '[[Nowhere]]' });
    assert.equal(text('Tide.md'), '[[Nowhere]]');
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['STALE_UNKNOWN'],
    );
  });
});

test('V9 a path outside the vault or a name that another system does not allow is refused', () =>
  withWrites(FILES, async ({ refusal, folder, everything }) => {
    mkdirSync(join(folder.outside, 'elsewhere'));
    symlinkSync(join(folder.outside, 'elsewhere'), join(folder.root, 'link'));
    const before = everything();
    for (const path of [
      '../out',
      '/etc/out',
      'C:/out',
      'a/../../out',
      '.obsidian/x',
      '.trash/x',
      'a/.hidden/x',
      'link/x',
      'CON',
      'a?b',
      'a#b',
      'a[b',
      'end./x',
      'end. ',
      'sub/B.md ',
      'A.md.',
      'B.md\u00a0',
      'etc...',
      'turned\u202egpj',
      'a\u2066b/x',
      'a\nb',
      'node_modules/x',
    ]) {
      await refusal(createNote, { path, content: 'x' }, 'PATH_NOT_ALLOWED');
      await refusal(createNote, { path, content: 'x', dry_run: true }, 'PATH_NOT_ALLOWED');
    }
    assert.deepEqual(everything(), before);
  }));

test('the hint for a name that not every system allows is about the name', () =>
  withWrites(FILES, async ({ refusal }) => {
    for (const path of ['CON', 'a?b', 'a#b', 'turned\u202egpj', 'a\u2066b/x', 'x'.repeat(300)]) {
      const { hint } = await refusal(createNote, { path, content: 'x' }, 'PATH_NOT_ALLOWED');
      assert.equal(hint, 'Choose a name that follows this rule.', path);
    }
  }));

test('a name that ends with a dot or a space is refused with what is allowed', () =>
  withWrites(FILES, async ({ ask, refusal }) => {
    for (const path of ['sub/B.md ', 'A.md.', 'A.md. .']) {
      const { message } = await refusal(createNote, { path, content: 'x' }, 'PATH_NOT_ALLOWED');
      assert.match(message, /a name may not end with a dot or a space, unless \.md follows it$/);
    }
    assert.equal((await ask(createNote, { path: 'And so on....md', content: 'x' })).path, 'And so on....md');
  }));

test('missing or contradictory arguments are refused by name', () =>
  withWrites(FILES, async ({ ask, refusal }) => {
    const error = await refusal(createNote, { content: 'x' }, 'INVALID_INPUT');
    assert.match(error.message, /path: is required/);
    await refusal(createNote, { path: 'A' }, 'INVALID_INPUT');
    await refusal(createNote, { plan_id: 'plan_nobody' }, 'CHANGE_NOT_FOUND');
    const { plan_id } = await ask(createNote, { path: 'A', content: 'x', dry_run: true });
    await refusal(createNote, { plan_id, dry_run: true }, 'INVALID_INPUT');
    await refusal(createNote, { plan_id, content: 'y' }, 'INVALID_INPUT');
    await refusal(undoChange, { plan_id }, 'CHANGE_NOT_FOUND');
    assert.match((await ask(createNote, { plan_id, content: 'x' })).change_id, /^chg_/);
  }));

test('a plan fails once another file has its path', () =>
  withWrites(FILES, async ({ ask, refusal, folder, text }) => {
    const { plan_id } = await ask(createNote, { path: 'A', content: 'x', dry_run: true });
    folder.put('A.md', 'theirs');
    await refusal(createNote, { plan_id }, 'NOTE_EXISTS');
    assert.equal(text('A.md'), 'theirs');
  }));

test('each change is logged with its tool, client and hashes', () =>
  withWrites(FILES, async ({ ask, writer }) => {
    const { change_id, etag } = await ask(createNote, { path: 'A', content: 'x' }, { client: 'Claude' });
    const [change] = await writer.changes(10, new AbortController().signal);
    assert.ok(change);
    const { time, machine: _machine, ...logged } = change;
    assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000);
    assert.deepEqual(logged, {
      ...{ id: change_id, tool: 'create_note', client: 'Claude', state: 'done' },
      files: [{ kind: 'create', path: 'A.md', before: null, after: etag }],
    });
  }));
