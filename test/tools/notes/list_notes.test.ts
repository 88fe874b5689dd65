// list_notes over a real vault: filters, every order, pages.
import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { listNotes } from '../../../src/tools/notes/list_notes.ts';
import { assertEach } from '../../assert-each.ts';
import { everyPage, withTools } from '../tools-under-test.ts';

const FILES = {
  'b.md': '---\nrank: 2\n---\n[[a]] [[c]]',
  'a.md': '---\nrank: 5\naliases: [First]\n---\n#x/y',
  'sub/c.md': '#z',
  'sub/d.md': '[[a]]',
  'pic.png': 'x',
};
const paths = (answer: { notes: { path: string }[] }) => answer.notes.map(({ path }) => path);

test('sorted by name, with the fields of each note', () =>
  withTools(FILES, async ({ ask }) => {
    const answer = await ask(listNotes);
    assert.deepEqual(paths(answer), ['a.md', 'b.md', 'sub/c.md', 'sub/d.md']);
    assert.equal(answer.total, 4);
    assert.deepEqual(Object.keys(answer.notes[0]), ['path', 'title', 'modified', 'tags']);
    assert.deepEqual(answer.notes[0].tags, ['#x/y']);
    const full = await ask(listNotes, { detail: 'full', limit: 1 });
    assert.deepEqual(full.notes[0].properties, { rank: 5, aliases: ['First'] });
    assert.deepEqual(full.notes[0].aliases, ['First']);
  }));

test('orders', () =>
  withTools(FILES, async (under) => {
    const { ask, folder, run } = under;
    for (const [at, path] of ['sub/d.md', 'a.md', 'sub/c.md', 'b.md'].entries()) {
      utimesSync(join(folder.root, path), 1_000, 1_000_000 + at);
    }
    await run();
    assert.deepEqual(paths(await ask(listNotes, { sort: 'modified' })), ['b.md', 'sub/c.md', 'a.md', 'sub/d.md']);
    assert.deepEqual(paths(await ask(listNotes, { sort: 'modified', order: 'asc', limit: 1 })), ['sub/d.md']);
    assert.equal((await ask(listNotes, { sort: 'modified', limit: 1 })).notes[0].modified, '1970-01-12T13:46:43.000Z');
    assert.equal(paths(await ask(listNotes, { sort: 'links' }))[0], 'a.md');
    assert.deepEqual(paths(await ask(listNotes, { order: 'desc', limit: 2 })), ['sub/d.md', 'sub/c.md']);
    assert.equal((await ask(listNotes, { sort: 'created' })).total, 4);
    const random = await ask(listNotes, { sort: 'random', limit: 3 });
    assert.equal(new Set(paths(random)).size, 3);
    assert.equal('next_cursor' in random, false);
  }));

test('filters', () =>
  withTools(FILES, async ({ ask, warnings }) => {
    assert.deepEqual(paths(await ask(listNotes, { folder: 'sub' })), ['sub/c.md', 'sub/d.md']);
    assert.deepEqual(paths(await ask(listNotes, { tags: ['x', '#z'] })), ['a.md', 'sub/c.md']);
    assert.deepEqual(paths(await ask(listNotes, { tags: ['x', 'z'], tag_mode: 'all' })), []);
    assert.deepEqual(paths(await ask(listNotes, { where: { rank: { gt: 2 } } })), ['a.md']);
    assert.deepEqual(paths(await ask(listNotes, { where: { aliases: 'First' } })), ['a.md']);
    assert.equal(warnings.length, 0);
    assert.deepEqual(paths(await ask(listNotes, { tags: ['x', 'nix'] })), ['a.md']);
    assert.equal(warnings[0]?.code, 'FILTER_MATCHES_NOTHING');
  }));

test('date filters use the note date, and results say where the date comes from', () =>
  withTools({ ...FILES, '2026-11-03.md': '', 'x.md': '---\ncreated: 2026-10-31\n---' }, async ({ ask }) => {
    const { notes, total } = await ask(listNotes, { since: '2026-10', until: '2026-11-03', detail: 'full' });
    assert.equal(total, 2);
    const dates = notes.map((note: { path: string; date: string; dated_by: string }) => [
      note.path,
      note.date,
      note.dated_by,
    ]);
    assert.deepEqual(dates, [
      ['2026-11-03.md', '2026-11-03', 'name'],
      ['x.md', '2026-10-31', 'property'],
    ]);
    const changed = await ask(listNotes, { since: '1h', sort: 'modified', limit: 1 });
    assert.deepEqual([changed.notes[0].dated_by, changed.notes[0].date], ['modified', changed.notes[0].modified]);
    assert.equal('date' in (await ask(listNotes, { limit: 1 })).notes[0], false);
  }));

test('paging returns every note once', () => {
  const many = Object.fromEntries(Array.from({ length: 31 }, (_, at) => [`n${at}.md`, '']));
  return withTools(many, async (under) => {
    for (const sort of ['name', 'modified', 'links'] as const) {
      const notes = await everyPage(under, listNotes, { sort }, 'notes', 7);
      assert.equal(new Set(paths({ notes })).size, 31);
      assert.equal(notes.length, 31);
    }
  });
});

test('refusals', () =>
  withTools(FILES, async ({ ask, refusal }) => {
    await refusal(listNotes, { folder: '..' }, 'PATH_NOT_ALLOWED');
    await refusal(listNotes, { since: '2026-02-30' }, 'INVALID_QUERY');
    const { next_cursor: cursor } = await ask(listNotes, { limit: 1 });
    await refusal(listNotes, { folder: 'sub', cursor }, 'INVALID_INPUT');
    await refusal(listNotes, { sort: 'random', cursor }, 'INVALID_INPUT');
    for (const limit of [0, -1, 101, '10']) assert.equal(listNotes.input.safeParse({ limit }).success, false);
  }));

test('attachments instead of notes, with their type, size and the notes that link to them', () =>
  withTools({ ...FILES, 'e.md': '![[pic.png]]', 'sub/Plan.PDF': 'xyz' }, async ({ ask }) => {
    const brief = await ask(listNotes, { attachments: true });
    const shown = brief.attachments.map(({ path, type, size_bytes }: Record<string, unknown>) => [
      path,
      type,
      size_bytes,
    ]);
    assert.deepEqual(shown, [
      ['pic.png', 'png', 1],
      ['sub/Plan.PDF', 'pdf', 3],
    ]);
    assert.equal(brief.total, 2);
    const full = await ask(listNotes, { attachments: true, detail: 'full' });
    assertEach(full.attachments, ({ linked_from }: Record<string, unknown>) => linked_from, [['e.md'], []]);
    assert.equal((await ask(listNotes, { attachments: true, folder: 'sub' })).total, 1);
    await assert.rejects(ask(listNotes, { attachments: true, tags: ['x'] }), { code: 'INVALID_INPUT' });
    assert.equal((await ask(listNotes, { attachments: false })).total, 5);
  }));
