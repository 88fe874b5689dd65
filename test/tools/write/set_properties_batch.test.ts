// Tests set_properties for several notes: a result for each, one change, and one undo.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setProperties } from '../../../src/tools/write/set_properties.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
import { shownWrittenUndone, withWrites } from './write-under-test.ts';

const FILES = {
  'a/One.md': '\uFEFF---\r\ntags: [book]\r\nstatus: new\r\n---\r\n# One  \r\n',
  'a/Two.md': '#book/novel\n',
  'b/Three.md': '---\nstatus: read\n---\n#book',
  'b/Other.md': 'other\n',
  'Broken.md': '---\na: b: c\n---\n#book\n',
  'Board.canvas': '{"nodes":[{"id":"1","type":"text","text":"#book"}],"edges":[]}',
  'Latin.md': Buffer.from('caf\xe9\n', 'latin1'),
};
const ids = (rows: readonly { readonly id: string }[]): readonly string[] => rows.map(({ id }) => id);

test('all notes of a filter are changed as one, and a note that cannot be is listed with its error', () =>
  withWrites(FILES, async (under) => {
    const args = { filter: { tags: ['book'] }, set: { status: 'read' }, add_tags: ['seen'] };
    const shown = await under.ask(setProperties, { ...args, dry_run: true });
    assert.deepEqual(ids(shown.succeeded), ['a/One.md', 'a/Two.md', 'b/Three.md']);
    assert.deepEqual(ids(shown.failed), ['Broken.md']);
    assert.equal(shown.failed[0].error.code, 'PROPERTIES_INVALID');
    assert.equal(shown.files_changed, 3);
    assert.match(under.warnings[0]?.message ?? '', /1 canvases and bases/);
    const { failed: _failed, ...rest } = shown;
    assert.ok(rest.succeeded.every(({ result }: { result: { etag: string } }) => /^[0-9a-f]{32}$/.test(result.etag)));
    await under.refusal(setProperties, args, 'CONFIRMATION_REQUIRED');
    const written = await under.ask(setProperties, { plan_id: shown.plan_id });
    assert.match(written.change_id, /^chg_/);
    assert.equal(under.text('a/One.md')?.slice(3), '---\r\ntags: [book, seen]\r\nstatus: read\r\n---\r\n# One  \r\n');
    assert.equal(under.text('a/Two.md'), '---\nstatus: read\ntags:\n  - seen\n---\n#book/novel\n');
    const again = await under.ask(setProperties, { ...args, confirm: true });
    assert.equal(again.unchanged, true);
    assert.ok(again.succeeded.every(({ result }: { result: { unchanged?: true } }) => result.unchanged === true));
    await under.ask(undoChange, {});
    for (const [path, content] of Object.entries(FILES))
      assert.equal(under.text(path), Buffer.from(content).toString('latin1'), path);
  }));

test('a list of notes, by any reference, each once', () =>
  withWrites(FILES, async (under) => {
    const notes = ['One', 'a/One.md', 'b/Other', 'Nobody', 'Latin', 'Board.canvas', 'One#One'];
    const args = { notes, remove: ['status'], set: { x: 1 } };
    const shown = await under.ask(setProperties, { ...args, dry_run: true });
    assert.deepEqual(ids(shown.succeeded), ['One', 'b/Other']);
    assert.deepEqual(
      shown.failed.map(({ id, error }: { id: string; error: { code: string } }) => `${id} ${error.code}`),
      ['Nobody NOTE_NOT_FOUND', 'One#One INVALID_INPUT', 'Latin FILE_UNREADABLE', 'Board.canvas PATH_NOT_ALLOWED'],
    );
    assert.match(shown.succeeded[1].result.notices[0], /"status" is not a property/);
    await under.ask(setProperties, { plan_id: shown.plan_id });
    await under.ask(undoChange, {});
    const after = await shownWrittenUndone(under, setProperties, { notes: ['One', 'Two'], add_aliases: ['Uno'] });
    assert.match(after['a/Two.md'] ?? '', /- Uno\n/);
  }));

test('refuses unclear arguments and changes nothing', () =>
  withWrites(FILES, async ({ refusal, ask, files, warnings }) => {
    const before = files();
    const set = { a: 1 };
    for (const args of [
      { set },
      { note: 'One', notes: ['Two'], set },
      { notes: ['One'], filter: { folder: 'a' }, set },
      { notes: ['One', 'Two'] },
      { notes: ['One', 'Two'], set, if_match: 'x' },
    ])
      await refusal(setProperties, args, 'INVALID_INPUT');
    await refusal(setProperties, { filter: { since: 'some day' }, set }, 'INVALID_QUERY');
    await refusal(setProperties, { filter: { folder: '../x' }, set }, 'PATH_NOT_ALLOWED');
    const { hint } = await refusal(setProperties, { filter: { folder: '.' }, set }, 'CONFIRMATION_REQUIRED');
    assert.doesNotMatch(hint, /if_match/);
    for (const filter of [{}, { tag: 'x' }, { tags: 'x' }])
      assert.equal(setProperties.input.safeParse({ filter, set }).success, false);
    const nothing = await ask(setProperties, { filter: { tags: ['no-such'] }, set });
    assert.deepEqual([nothing.unchanged, nothing.succeeded], [true, []]);
    assert.equal(warnings[0]?.code, 'FILTER_MATCHES_NOTHING');
    assert.deepEqual(files(), before);
  }));
