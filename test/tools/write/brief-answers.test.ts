// Tests that write tools answer briefly: each changed file once, few tokens for many files, and everything with detail: full.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { renderText, toPlainObject } from '../../../src/mcp/render/render-text.ts';
import { createNote } from '../../../src/tools/write/create_note.ts';
import { deleteNote } from '../../../src/tools/write/delete_note.ts';
import { editNote } from '../../../src/tools/write/edit_note.ts';
import { moveNote } from '../../../src/tools/write/move_note.ts';
import { renameTag } from '../../../src/tools/write/rename_tag.ts';
import { replaceInNotes } from '../../../src/tools/write/replace_in_notes.ts';
import { setProperties } from '../../../src/tools/write/set_properties.ts';
import { withWrites } from './write-under-test.ts';

const COUNT = 144;
const MAX_TOKENS = 1_500;
const paths = Array.from({ length: COUNT }, (_, at) => `Notes/Note ${at + 1}.md`);
const FILES = {
  ...Object.fromEntries(
    paths.map((path) => [path, '---\ntags: [old]\n---\n# Note\n\nA tide in [[Hub]], again [[Hub]].\n']),
  ),
  'Hub.md': '# Hub\n',
};

const MANY = [
  ['rename_tag', renameTag, { from: 'old', to: 'new', dry_run: true }],
  ['set_properties', setProperties, { filter: { tags: ['old'] }, set: { seen: true }, dry_run: true }],
  ['replace_in_notes', replaceInNotes, { find: 'tide', replace: 'ebb', everywhere: true }],
  ['move_note of a note with many links', moveNote, { note: 'Hub', to: 'Center', dry_run: true }],
  ['move_note of a folder', moveNote, { note: 'Notes/', to: 'Old/', dry_run: true }],
  ['edit_note', editNote, { edits: paths.map((note) => ({ note, op: 'append', text: 'x' })), dry_run: true }],
] as const;

test(`a dry run over ${COUNT} files names each once in at most ${MAX_TOKENS} tokens`, () =>
  withWrites(FILES, async ({ ask }) => {
    for (const [name, tool, args] of MANY) {
      const answer = await ask(tool, args);
      const text = renderText(toPlainObject(answer));
      for (const at of [1, 7, COUNT]) {
        const times = text.split(`Note ${at}.md`).length - 1;
        assert.equal(times, 1, `${name} names the file ${at} ${times} times`);
      }
      for (const shown of [text, JSON.stringify(answer)])
        assert.ok(countTokens(shown) <= MAX_TOKENS, `${name}: ${countTokens(shown)} tokens`);
    }
  }));

test('a finished write names each rename once, counts what it deletes, and has no hint at what it can no longer show', () =>
  withWrites(FILES, async ({ ask }) => {
    const cut = await ask(setProperties, { notes: paths.slice(0, 6), set: { seen: true }, confirm: true });
    assert.deepEqual([cut.added_lines, cut.removed_lines, cut.diff_cut], [6, 0, undefined]);
    assert.equal(cut.diff.match(/^\+seen: true$/gm)?.length, 5, 'as many changed lines as fit');
    assert.deepEqual(Object.keys(cut.succeeded[0].result), ['etag'], 'the path is the id');
    const moved = await ask(moveNote, { notes: paths.slice(0, 3), to: 'Old/', confirm: true });
    assert.deepEqual([moved.diff, moved.rewritten, moved.succeeded[0].result.path], [undefined, [], 'Old/Note 1.md']);
    const gone = await ask(deleteNote, { note: 'Note 9', confirm: true });
    assert.deepEqual([gone.lines, gone.diff, gone.dangling], [6, undefined, []]);
  }));

test('a note from a template is shown with the text that its caller has not written', () =>
  withWrites({ 'T.md': '# {{title}}\n\n## Log\n' }, async ({ ask }) => {
    const { diff } = await ask(createNote, { path: 'New', template: 'T', content: 'Mine.\n' });
    assert.match(diff, /^\+# New$[\s\S]*^\+Mine\.$/m);
  }));

test('detail: full has every file with its etag, and the diff; a plan is carried out with either', () =>
  withWrites(FILES, async ({ ask, text }) => {
    const args = { notes: paths.slice(0, 5), set: { seen: true } };
    const full = await ask(setProperties, { ...args, dry_run: true, detail: 'full' });
    assert.deepEqual([full.files.length, full.files_changed], [5, 5]);
    assert.match(full.diff, /\+seen: true/);
    const done = await ask(setProperties, { plan_id: full.plan_id, detail: 'brief' });
    assert.deepEqual([done.files, done.files_changed, done.succeeded.length], [undefined, 5, 5]);
    assert.equal(done.diff, undefined, 'the dry run has shown it');
    assert.match(text(paths[0] ?? '') ?? '', /seen: true/);
  }));
