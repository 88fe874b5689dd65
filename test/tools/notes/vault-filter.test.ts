// The folder of a filter: found in another case, similar names for a misspelt one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHubs } from '../../../src/tools/links/get_hubs.ts';
import { listNotes } from '../../../src/tools/notes/list_notes.ts';
import { listTags } from '../../../src/tools/notes/list_tags.ts';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { assertEach } from '../../assert-each.ts';
import { withTools } from '../tools-under-test.ts';

const FILES = {
  'Sea/Log Books/Tide.md': 'tide [[Moon]]',
  'Moon.md': 'moon [[Tide]]',
  'old/a.md': 'tide',
  'Old/b.md': 'tide',
  'Only images/a.png': 'x',
};

test('a folder in another case is found, unless several differ only in case', () =>
  withTools(FILES, async ({ ask, warnings }) => {
    for (const folder of ['sea', 'SEA/log books/', 'Sea/Log Books']) {
      assert.equal((await ask(listNotes, { folder })).total, 1, folder);
      assert.equal((await ask(searchText, { query: 'tide', folder })).total, 1, folder);
      assert.equal((await ask(getHubs, { folder })).total, 1, folder);
      assert.deepEqual(warnings, []);
    }
    assert.equal((await ask(listNotes, { folder: 'old' })).notes[0].path, 'old/a.md');
    assert.equal((await ask(listNotes, { folder: 'OLD' })).total, 0);
    assert.equal(warnings[0]?.message, 'no indexed note has the folder "OLD"; similar: "Old", "old"');
  }));

test('a misspelt folder gets similar names, by its last name', () =>
  withTools(FILES, async ({ ask, warnings }) => {
    for (const [folder, message] of [
      ['Seas', 'no indexed note has the folder "Seas"; similar: "Sea"'],
      ['Log Book', 'no indexed note has the folder "Log Book"; similar: "Sea/Log Books"'],
      ['Mountains', 'no indexed note has the folder "Mountains"'],
    ] as const) {
      assert.equal((await ask(listNotes, { folder })).total, 0);
      assert.deepEqual(warnings, [{ code: 'FILTER_MATCHES_NOTHING', message }]);
    }
  }));

const VALUES = {
  'a.md':
    '---\nn: 5\ndone: true\nat: 2026-11-20T09:30\nup: "[[Moon]]"\nlist: [x, 7]\nmap: { inner: no }\nblank:\n---\n',
  'b.md': '---\nn: "7"\ndone: "false"\n---\n',
};

test('a value is found by its text, and its text by the value', () =>
  withTools(VALUES, async ({ ask, warnings }) => {
    for (const [where, paths] of [
      [{ n: '5' }, ['a.md']],
      [{ n: 7 }, ['b.md']],
      [{ n: { gt: '4', lt: 6 } }, ['a.md']],
      [{ n: { ne: '5' } }, ['b.md']],
      [{ done: 'true' }, ['a.md']],
      [{ done: false }, ['b.md']],
      [{ list: '7' }, ['a.md']],
      [{ blank: '' }, ['a.md']],
      [{ up: 'moon' }, ['a.md']],
      [{ at: '2026-11-20 09:30:00' }, ['a.md']],
    ] as const) {
      const { notes } = await ask(listNotes, { where });
      assertEach(notes, ({ path }: { path: string }) => path, paths, JSON.stringify(where));
    }
    assert.deepEqual(warnings, []);
  }));

test('a comparison that no note passes names values that notes have', () =>
  withTools(VALUES, async ({ ask, warnings }) => {
    for (const [where, message] of [
      [{ n: 'five' }, 'property "n" with eq "five"; of 2 notes with it, the first have 5, "7"'],
      [{ n: { gt: 100 } }, 'property "n" with gt 100; of 2 notes with it, the first have 5, "7"'],
      [{ up: 'Sun' }, 'property "up" with eq "Sun"; of 1 notes with it, the first have "[[Moon]]"'],
      [{ list: { contains: 'y' } }, 'property "list" with contains "y"; of 1 notes with it, the first have ["x",7]'],
      [{ 'map.inner': 'yes' }, 'property "map.inner" with eq "yes"; of 1 notes with it, the first have "no"'],
      [{ nix: 1 }, 'property "nix"'],
    ] as const) {
      warnings.length = 0;
      assert.equal((await ask(listNotes, { where })).total, 0);
      assertEach(warnings, (warning) => warning.message, [`no indexed note has the ${message}`]);
    }
    warnings.length = 0;
    await ask(listNotes, { where: { at: '2026-11-20' } });
    assert.match(warnings[0]?.message ?? '', /for its days write \{"at":\{"gte":"2026-11-20","lte":"2026-11-20"\}\}/);
    assert.equal((await ask(listNotes, { where: { at: { gte: '2026-11-20', lte: '2026-11-20' } } })).total, 1);
  }));

test('a misspelt tag or property gets similar names, a tag also by its last name', () =>
  withTools({ 'a.md': '---\nstatus: open\ntags: [project, garden/herbs]\n---\n' }, async ({ ask, warnings }) => {
    for (const [args, message] of [
      [{ tags: ['projct'] }, 'tag #projct; similar: #project'],
      [{ tags: ['herb'] }, 'tag #herb; similar: #garden/herbs'],
      [{ tags: ['mountains'] }, 'tag #mountains'],
      [
        { where: { statu: 'open' } },
        'property "statu"; similar: "status", status: of 1 notes with it, the first have "open"',
      ],
      [{ where: { colour: 'red' } }, 'property "colour"'],
    ] as const) {
      await ask(listNotes, args);
      assertEach(warnings, (one) => one.message, [`no indexed note has the ${message}`]);
    }
    await ask(listTags, { prefix: 'garten' });
    assert.equal(warnings[0]?.message, 'no indexed note has the tag #garten; similar: #garden');
  }));
