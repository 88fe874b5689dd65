// Tests set_properties on a real vault: the named properties change, and every other byte stays.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyTool } from '../../../src/contracts/tool.ts';
import { argumentNamesOf, parseInput } from '../../../src/mcp/dispatch/arguments.ts';
import { listNotes } from '../../../src/tools/notes/list_notes.ts';
import { readNotes } from '../../../src/tools/notes/read_notes.ts';
import { resolveNames } from '../../../src/tools/notes/resolve_names.ts';
import { createNote } from '../../../src/tools/write/create_note.ts';
import { editNote } from '../../../src/tools/write/edit_note.ts';
import { setProperties } from '../../../src/tools/write/set_properties.ts';
import { shownWrittenUndone, withWrites } from './write-under-test.ts';

const NOTE = '---\n# kept\nstatus: "open"   # why\ndue: 2026-11-20\nlist: [a,  b]\ntags:\n    - x\n---\nbody\n';
const FILES = {
  'Note.md': NOTE,
  'Plain.md': 'just text, no end',
  'Broken.md': '---\na: b: c\n---\nbody\n',
  'Windows.md': '\uFEFF---\r\nrank: 01\r\n---\r\nbody\r\n',
};

test('properties are set, added and removed, and the index is updated at once', () =>
  withWrites(FILES, async ({ ask, text }) => {
    const { etag } = (await ask(readNotes, { notes: ['Note'] })).succeeded[0].result;
    const change = { set: { status: 'done', rank: 3 }, remove: ['due'], add_tags: ['#tide'], remove_tags: ['x'] };
    const done = await ask(setProperties, { note: 'Note', if_match: etag, ...change, add_aliases: ['Other name'] });
    const now =
      '---\n# kept\nstatus: "done"   # why\nlist: [a,  b]\ntags:\n    - tide\nrank: 3\naliases:\n    - Other name\n---\nbody\n';
    assert.equal(text('Note.md'), now);
    assert.match(done.diff, /-due: 2026-11-20\n/);
    assert.equal((await ask(listNotes, { where: { rank: 3 } })).total, 1);
    assert.equal((await ask(listNotes, { tags: ['tide'] })).total, 1);
    assert.equal((await ask(resolveNames, { names: ['Other name'] })).succeeded[0].result.path, 'Note.md');
  }));

test('V4 setting and then removing a property leaves every byte unchanged', () =>
  withWrites(FILES, async ({ ask, files }) => {
    const before = files();
    for (const note of ['Note', 'Plain', 'Windows']) {
      await ask(setProperties, { note, set: { zz: { a: [1, 'x: y', null] } } });
      await ask(setProperties, { note, remove: ['zz'], confirm: true });
    }
    assert.deepEqual(files(), before);
  }));

test('a dry run, its plan and the undo', () =>
  withWrites(FILES, async (under) => {
    const after = await shownWrittenUndone(under, setProperties, { note: 'Windows', set: { rank: 2 } });
    assert.equal(
      Buffer.from(after['Windows.md'] ?? '', 'latin1').toString(),
      '\uFEFF---\r\nrank: 2\r\n---\r\nbody\r\n',
    );
  }));

test('V16 V3 removing a property requires consent, and invalid front matter is not changed', () =>
  withWrites(FILES, async ({ ask, refusal, files }) => {
    const before = files();
    await refusal(setProperties, { note: 'Note', remove: ['due'] }, 'CONFIRMATION_REQUIRED');
    const error = await refusal(setProperties, { note: 'Broken', set: { x: 1 } }, 'PROPERTIES_INVALID');
    assert.deepEqual([error.details.path, 'line' in error.details && error.details.line], ['Broken.md', 2]);
    await refusal(setProperties, { note: 'Note' }, 'INVALID_INPUT');
    await refusal(setProperties, { note: 'Note', set: { a: 1 }, remove: ['A'], confirm: true }, 'INVALID_INPUT');
    const noTag = await refusal(setProperties, { note: 'Note', add_tags: ['no tag'] }, 'INVALID_INPUT');
    assert.deepEqual((noTag.details as { accepted: string[] }).accepted, argumentNamesOf(setProperties));
    await refusal(setProperties, { note: 'Note', if_match: 'stale', set: { a: 1 } }, 'WRITE_CONFLICT');
    assert.deepEqual(files(), before);
    const same = await ask(setProperties, { note: 'Note', set: { status: 'open' }, remove_tags: ['nobody'] });
    assert.deepEqual([same.unchanged, same.notices.length], [true, 1]);
    assert.deepEqual(files(), before);
  }));

test('properties as a list of pairs are written as those of an object', () =>
  withWrites({ 'One.md': 'text\n', 'Two.md': 'text\n' }, async ({ ask, refusal, text, files }) => {
    const pairs = [
      { property: 'status', value: 'done' },
      { property: 'code', value: '5' },
      { property: 'rank', json: '5' },
      { property: 'seen', json: 'true' },
      { property: 'with', json: '["Ada", "[[Tide]]"]' },
      { property: 'crew', json: ['Ada', 2] },
      { property: 'grade', json: 3 },
    ];
    await ask(setProperties, parsed(setProperties, { note: 'One', set: pairs }));
    const set = {
      status: 'done',
      code: '5',
      rank: 5,
      seen: true,
      with: ['Ada', '[[Tide]]'],
      crew: ['Ada', 2],
      grade: 3,
    };
    await ask(setProperties, parsed(setProperties, { note: 'Two', set }));
    assert.equal(text('One.md'), text('Two.md'));
    await ask(createNote, parsed(createNote, { path: 'Three', content: 'text\n', properties: JSON.stringify(pairs) }));
    assert.equal(text('Three.md'), text('One.md'));
    const before = files();
    for (const bad of [
      [{ property: 'a' }],
      [{ property: 'a', value: 'x', json: '1' }],
      [{ property: 'a', json: '[1' }],
      [{ value: 'x' }],
      [
        { property: 'a', value: 'x' },
        { property: 'a', value: 'y' },
      ],
      [],
    ])
      assert.throws(() => parsed(setProperties, { note: 'One', set: bad }), { code: 'INVALID_INPUT' });
    // An object is always a map of names, whatever its names are.
    await ask(setProperties, parsed(setProperties, { note: 'Two', set: { property: 'x', value: 'z' } }));
    assert.match(text('Two.md') ?? '', /property: x\nvalue: z\n/);
    assert.deepEqual(Object.keys(before).length, 3);
    await refusal(setProperties, { note: 'One' }, 'INVALID_INPUT');
  }));

const parsed = (tool: AnyTool, args: object): object =>
  parseInput(tool, args, { batch: 50, text: 10_000 }).input as object;

test('what Obsidian ignores in the properties of a write is said with it, whichever tool writes', () =>
  withWrites(FILES, async ({ ask, warnings }) => {
    const ignored = () =>
      warnings.splice(0).flatMap(({ code, message }) => (code === 'PROPERTIES_IGNORED' ? message : []));
    const writes = [
      [setProperties, { note: 'Plain', set: { tags: 'a, b' } }, /"a, b" is one text, not a list/],
      [setProperties, { note: 'Plain', set: { aliases: '["a", "b"]' } }, /write `aliases: \["a", "b"\]`/],
      [setProperties, { note: 'Plain', set: { tags: ['a b', '12'] } }, /"a b" is not a valid tag.*"12" is not/],
      [setProperties, { notes: ['Plain', 'Windows'], set: { aliases: 'x, y' } }, /Plain\.md: .*Windows\.md: aliases/],
      [
        createNote,
        { path: 'One', content: 'x', properties: { tag: 'a' } },
        /tag: Obsidian ignores it since 1\.9; write `tags`/,
      ],
      [createNote, { path: 'Two', content: '---\nALIAS: a\n---\n' }, /ALIAS: Obsidian ignores/],
      [createNote, { path: 'Three', content: '---\na: [\n---\n' }, /not valid YAML \(line 3/],
      [
        editNote,
        { note: 'Two', edits: [{ op: 'replace_text', target: 'ALIAS: a', text: 'cssclass: wide' }] },
        /`cssclasses`/,
      ],
    ] as const;
    for (const [tool, args, said] of writes) {
      await ask(tool, { ...args, confirm: true });
      assert.match(ignored().join(), said, JSON.stringify(args));
    }
    await ask(editNote, { note: 'Two', edits: [{ op: 'append', text: 'more' }] });
    await ask(setProperties, { note: 'One', add_tags: ['good'] });
    assert.deepEqual(ignored(), [], 'what was ignored before is not said again');
  }));
