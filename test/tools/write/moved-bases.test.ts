// Moves notes and folders that bases name: their expressions follow in the same change, which is undone byte for byte.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryBase } from '../../../src/tools/bases/query_base.ts';
import { moveNote } from '../../../src/tools/write/move_note.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
import { withWrites } from './write-under-test.ts';

const SHELF = `# Books and nothing else
filters:
  and:
    - categories.contains(link("Books"))   # Books
    - 'file.inFolder("Old/Shelf")'
views:
  - name: Books
`;

const FILES = {
  'Old/Shelf/Moby.md': '---\ncategories: ["[[Books]]"]\n---\n',
  'Old/All.base': SHELF,
  'Other.base': 'filters: name == "Books"\n',
  'Torn.base': 'filters: link("Books"\nviews: 5\n',
  'Books.md': '',
};

test('a base follows a note and a folder, and its rows stay', () =>
  withWrites(FILES, async ({ ask, text, files }) => {
    const rows = async (): Promise<string[]> =>
      (await ask(queryBase, { base: 'All' })).rows.map(({ path }: { path: string }) => path);
    assert.deepEqual(await rows(), ['Old/Shelf/Moby.md']);
    const preview = await ask(moveNote, { note: 'Books', to: 'Novels', dry_run: true });
    assert.match(
      preview.diff,
      /- {4}- categories\.contains\(link\("Books"\)\) {3}# Books\n\+.*link\("Novels"\)\) {3}# Books/,
    );
    await ask(moveNote, { note: 'Books', to: 'Novels', plan_id: preview.plan_id });
    assert.equal(text('Old/All.base'), SHELF.replace('link("Books")', 'link("Novels")'));
    assert.deepEqual(await rows(), ['Old/Shelf/Moby.md']);
    const moved = await ask(moveNote, { note: 'Old/', to: 'Archive', confirm: true });
    assert.equal(
      text('Archive/All.base'),
      SHELF.replace('link("Books")', 'link("Novels")').replace('Old/Shelf', 'Archive/Shelf'),
    );
    assert.deepEqual(await rows(), ['Archive/Shelf/Moby.md']);
    assert.ok(
      moved.rewritten.some(
        ({ path, line }: { path: string; line: number }) => path === 'Archive/All.base' && line === 5,
      ),
    );
    await ask(undoChange, {});
    await ask(undoChange, {});
    const now = files();
    for (const [path, content] of Object.entries(FILES))
      assert.equal(String(now[path as keyof typeof now]), content, path);
  }));

test('a base that cannot follow stops the move', () => {
  const escaped = 'filters: "link(\'B\\x6foks\')"\n';
  return withWrites({ 'Books.md': '', 'Hard.base': escaped }, async ({ refusal, ask, text }) => {
    const error = await refusal(moveNote, { note: 'Books', to: 'Novels', confirm: true }, 'LINK_INTEGRITY');
    assert.match(JSON.stringify(error.details), /Hard\.base.*cannot be rewritten/);
    await ask(moveNote, { note: 'Books', to: 'Novels', confirm: true, allow_broken: true });
    assert.equal(text('Hard.base'), escaped);
  });
});

const NOTE =
  '# Shelf of [[Books]]\r\n> [!info] base\r\n> ```base\r\n> filters:\r\n>   and:\r\n>     - file.inFolder("Old/Shelf")   # Old\r\n>     - tags.contains("[[Books]]")\r\n> ```\r\n\r\n- a\r\n\t~~~base\r\n\tfilters: link("Books")\r\n\t~~~\r\n\r\n```yaml\r\nfilters: link("Books")\r\n```\r\n';

test('bases in code blocks of notes follow with every other byte as it was', () =>
  withWrites(
    { ...FILES, 'View.md': NOTE, 'Old/Own.md': '```base\nfilters: link("Books")\n' },
    async ({ ask, text }) => {
      await ask(moveNote, { note: 'Books', to: 'Novels', confirm: true });
      const renamed = NOTE.replaceAll('[[Books]]', '[[Novels]]').replace('link("Books")', 'link("Novels")');
      assert.equal(text('View.md'), renamed);
      assert.equal(text('Old/Own.md'), '```base\nfilters: link("Novels")\n');
      await ask(moveNote, { note: 'Old/', to: 'Archive', confirm: true });
      assert.equal(text('View.md'), renamed.replace('Old/Shelf', 'Archive/Shelf'));
      await ask(undoChange, {});
      await ask(moveNote, { note: 'Novels', to: 'Books', confirm: true });
      assert.equal(text('View.md'), NOTE);
    },
  ));

test('a base in a code block that cannot follow stops the move, and names its line in the note', () =>
  withWrites(
    { 'Books.md': '', 'Hard.md': "# A\n\n```base\nfilters: \"link('Books') == link('B\\x6foks')\"\n```\n" },
    async ({ refusal }) => {
      const error = await refusal(moveNote, { note: 'Books', to: 'Novels', confirm: true }, 'LINK_INTEGRITY');
      assert.match(JSON.stringify(error.details), /"Hard\.md","line":4.*cannot be rewritten/);
    },
  ));
