// The folder of a filter: found in another case, similar names for a misspelt one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHubs } from '../../../src/features/links/get_hubs.ts';
import { listNotes } from '../../../src/features/notes/list_notes.ts';
import { searchText } from '../../../src/features/search/search_text.ts';
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
