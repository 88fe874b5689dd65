// Tests edit_note on a real vault: all edits or none, only the edited span, and never over a concurrent change.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash } from '../../../src/base/content-hash.ts';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { WriteSession } from '../../../src/contracts/session.ts';
import { argumentNamesOf, parseInput } from '../../../src/mcp/dispatch/arguments.ts';
import { readNotes } from '../../../src/tools/notes/read_notes.ts';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { editNote } from '../../../src/tools/write/edit_note.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
import { createWriteSession } from '../../../src/tools/write/write-session.ts';
import { assertEach } from '../../assert-each.ts';
import { runs } from '../../runner/effort.ts';
import { shownWrittenUndone, withWrites } from './write-under-test.ts';

const NOTE = '---\ntags: [a]\n---\n# Log\n\nfirst line\n\n## Tasks\n\n- one\n- two ^two\n\n## Tasks too\n\nthe end\n';
const FILES = { 'Log.md': NOTE, 'Other.md': 'other\n', 'Books.base': 'views: []' };
const CALLS = runs(200);
const append = (text: string) => [{ op: 'append', text }];
const etagOf = (text: string | Uint8Array): string => contentHash(Buffer.from(text as string));

test('applies every kind of edit at once and returns one diff', () =>
  withWrites(FILES, async ({ ask, text }) => {
    const edits = [
      { op: 'prepend', text: 'top' },
      { op: 'insert_after', target: '#^two', text: '- three' },
      { op: 'insert_before', target: '#Tasks too', text: 'before' },
      { op: 'replace_text', target: 'first line', text: 'FIRST' },
      { op: 'replace_section', target: '#Tasks too', text: 'new end' },
      { op: 'append', target: '#Tasks', text: '- four' },
    ];
    const etag = (await ask(readNotes, { notes: ['Log'] })).succeeded[0].result.etag;
    const edited = await ask(editNote, { note: 'Log', if_match: etag, edits, detail: 'full' });
    const now = text('Log.md') ?? '';
    for (const part of ['top\n', '- three\n', 'before\n', 'FIRST\n', 'new end\n', '- four\n'])
      assert.ok(now.includes(part), part);
    assert.doesNotMatch(now, /the end|first line/);
    assert.equal(edited.etag, etagOf(now));
    for (const line of ['-first line', '+FIRST', '+top', '-the end', '+new end'])
      assert.ok(edited.diff.includes(`\n${line}\n`), line);
    assert.equal((await ask(searchText, { query: 'FIRST' })).total, 1, 'the writer reads its own write');
    await ask(undoChange, {});
    assert.equal(text('Log.md'), NOTE);
  }));

test('V14 one missing or ambiguous target: nothing is written, and the error names the edit', () =>
  withWrites(FILES, async ({ refusal, files }) => {
    const before = files();
    const good = { op: 'append', text: 'x' };
    const nowhere = { op: 'append', target: '#Nowhere', text: 'y' };
    const missing = await refusal(editNote, { note: 'Log', edits: [good, nowhere] }, 'EDIT_TARGET_NOT_FOUND');
    assert.match(missing.hint, /Tasks too/);
    const often = { op: 'replace_text', target: 'e', text: 'y', count: 2 };
    const several = await refusal(
      editNote,
      { note: 'Log', confirm: true, edits: [good, often] },
      'EDIT_TARGET_AMBIGUOUS',
    );
    assert.match(several.message, /not 2/);
    const over = { op: 'replace_section', target: '#Tasks', text: 'y' };
    const inside = { op: 'replace_text', target: '- one', text: 'z' };
    const both = await refusal(editNote, { note: 'Log', confirm: true, edits: [over, inside] }, 'INVALID_INPUT');
    assert.deepEqual((both.details as { accepted: string[] }).accepted, argumentNamesOf(editNote));
    assert.deepEqual(files(), before);
  }));

test('I11 a choice for an ambiguous target, passed back as returned, selects it', () =>
  withWrites({ 'Twice.md': 'same\n\nsame\n' }, async ({ ask, refusal, text }) => {
    const edit = { op: 'replace_text', target: 'same', text: 'other' };
    const error = await refusal(editNote, { note: 'Twice', confirm: true, edits: [edit] }, 'EDIT_TARGET_AMBIGUOUS');
    assert.equal(error.choices?.retryWith, 'edits.0.line');
    const line = error.choices?.items[1]?.value;
    const chosen = { note: 'Twice', confirm: true, edits: [{ ...edit, line }] };
    await ask(editNote, parseInput(editNote, chosen, { batch: 50, text: 1_000 }).input as object);
    assert.equal(text('Twice.md'), 'same\n\nother\n');
    await ask(editNote, { note: 'Twice', edits: append('x') });
  }));

test('V5 a stale etag is refused with a diff of the changes since it was read, and the file is unchanged', () =>
  withWrites(FILES, async ({ ask, refusal, folder, text }) => {
    const { etag } = (await ask(readNotes, { notes: ['Log'] })).succeeded[0].result;
    folder.put('Log.md', NOTE.replace('first line', 'their line'));
    const given = { note: 'Log', if_match: etag.slice(0, 12), edits: append('mine') };
    const error = await refusal(editNote, given, 'WRITE_CONFLICT');
    const { diff, ...rest } = error.details as { diff: string };
    const now = etagOf(NOTE.replace('first line', 'their line'));
    assert.deepEqual(rest, { path: 'Log.md', if_match: given.if_match, current_etag: now });
    assert.match(diff, /^--- Log\.md\n\+\+\+ Log\.md\n@@[^\n]*\n ---\n # Log\n \n-first line\n\+their line\n/);
    assert.equal(text('Log.md'), NOTE.replace('first line', 'their line'));
    const unknown = await refusal(
      editNote,
      { note: 'Log', if_match: 'f'.repeat(32), edits: append('x') },
      'WRITE_CONFLICT',
    );
    assert.equal('diff' in unknown.details, false, 'no diff without the text that was read');
    await refusal(editNote, { note: 'Log', if_match: now.slice(0, 11), edits: append('x') }, 'WRITE_CONFLICT');
    const edited = await ask(editNote, { note: 'Log', if_match: now.slice(0, 12), edits: append('mine') });
    assert.equal((await ask(editNote, { note: 'Log', if_match: edited.etag, edits: append('mine') })).path, 'Log.md');
  }));

test('the etag returned by a write can be used like one from a read', () =>
  withWrites(FILES, async ({ ask, refusal, folder }) => {
    const first = await ask(editNote, { note: 'Other', edits: append('one') });
    const second = await ask(editNote, { note: 'Other', if_match: first.etag, edits: append('two') });
    folder.put('Other.md', 'theirs\n');
    const error = await refusal(
      editNote,
      { note: 'Other', if_match: second.etag, edits: append('x') },
      'WRITE_CONFLICT',
    );
    assert.match((error.details as { diff: string }).diff, /-two\n\+theirs/);
  }));

test('V16 an edit that removes text requires an etag, a plan or confirm; one that only adds does not', () =>
  withWrites(FILES, async ({ ask, refusal, files }) => {
    const before = files();
    for (const edit of [
      { op: 'replace_text', target: 'the end', text: '' },
      { op: 'replace_section', target: '#Tasks', text: 'x' },
    ]) {
      const error = await refusal(
        editNote,
        { note: 'Log', edits: [{ op: 'append', text: 'x' }, edit] },
        'CONFIRMATION_REQUIRED',
      );
      assert.deepEqual(error.details, { operation: 'edit_note', affected: ['Log.md'], dry_run: true, if_match: true });
      assert.match(error.hint, /dry_run: true.*plan_id.*if_match.*confirm: true/);
    }
    assert.deepEqual(files(), before);
    const edits = [{ op: 'replace_text', target: 'the end', text: 'END' }];
    const { plan_id } = await ask(editNote, { note: 'Log', edits, dry_run: true });
    await ask(editNote, { plan_id });
    await ask(editNote, {
      note: 'Log',
      confirm: true,
      edits: [{ op: 'replace_text', target: 'END', text: 'the end' }],
    });
    assert.deepEqual(files(), before);
  }));

test('a dry run writes nothing, its plan writes exactly its diff, and undo restores every byte', () =>
  withWrites({ ...FILES, 'Bom.md': '\uFEFF# One\r\n\r\ntext\r\nno end' }, async (under) => {
    await shownWrittenUndone(under, editNote, { note: 'Log', edits: append('x') });
    const after = await shownWrittenUndone(under, editNote, { note: 'Bom', edits: append('last') });
    assert.equal(
      Buffer.from(after['Bom.md'] ?? '', 'latin1').toString(),
      '\uFEFF# One\r\n\r\ntext\r\nno end\r\n\r\nlast',
    );
  }));

test('a plan whose note has changed is refused with a diff of the changes', () =>
  withWrites(FILES, async ({ ask, refusal, folder, text }) => {
    const { plan_id, etag } = await ask(editNote, { note: 'Other', edits: append('x'), dry_run: true });
    folder.put('Other.md', 'theirs\n');
    const error = await refusal(editNote, { plan_id }, 'WRITE_CONFLICT');
    assert.match((error.details as { diff: string }).diff, /-other\n\+theirs/);
    assert.equal(text('Other.md'), 'theirs\n');
    folder.put('Other.md', 'other\n');
    await refusal(editNote, { plan_id, note: 'Log' }, 'INVALID_INPUT');
    await refusal(editNote, { plan_id, if_match: etag }, 'INVALID_INPUT');
    assert.equal((await ask(editNote, { plan_id, note: 'Other', if_match: etagOf('other\n') })).etag, etag);
  }));

test('an edit that changes nothing writes nothing and says so', () =>
  withWrites(FILES, async ({ ask, writer }) => {
    const edits = [{ op: 'replace_text', target: 'other', text: 'other' }];
    const same = await ask(editNote, { note: 'Other', edits });
    assert.deepEqual(same, { unchanged: true, path: 'Other.md', etag: etagOf('other\n') });
    assert.deepEqual(await writer.changes(10, new AbortController().signal), []);
  }));

test('a reference that is not one whole, readable text note is refused, and nothing changes', () =>
  withWrites({ ...FILES, 'Latin.md': Buffer.from('caf\xe9', 'latin1'), 'A/T.md': '', 'B/T.md': '' }, async (under) => {
    const { refusal, folder, files } = under;
    const before = files();
    const edits = append('x');
    const invalid = await refusal(editNote, { note: 'Latin', edits }, 'FILE_UNREADABLE');
    assert.deepEqual([invalid.details, invalid.fixBy], [{ path: 'Latin.md', errno: 'EILSEQ' }, 'user']);
    await refusal(editNote, { note: 'Books.base', edits }, 'PATH_NOT_ALLOWED');
    await refusal(editNote, { note: 'Log#Tasks', edits }, 'INVALID_INPUT');
    await refusal(editNote, { note: 'Nobody', edits }, 'NOTE_NOT_FOUND');
    await refusal(editNote, { note: 'T', edits }, 'NOTE_AMBIGUOUS');
    await refusal(editNote, { note: '../Log', edits }, 'PATH_NOT_ALLOWED');
    await refusal(editNote, { edits }, 'INVALID_INPUT');
    assert.deepEqual(files(), before);
    folder.remove('Other.md');
    await refusal(editNote, { note: 'Other', edits }, 'FILE_UNREADABLE');
    folder.vanish();
    await refusal(editNote, { note: 'Log.md', edits }, 'VAULT_UNAVAILABLE');
    folder.comeBack();
  }));

test(`of ${CALLS} concurrent calls on one note each is applied or refused, and the note is intact`, () =>
  withWrites({ 'Many.md': 'begin\n' }, async ({ ask, text }) => {
    const calls = Array.from({ length: CALLS }, (_, at) =>
      ask(editNote, { note: 'Many', edits: append(`- line ${at}`) }),
    );
    const outcomes = await Promise.allSettled(calls);
    const lines = new Set((text('Many.md') ?? '').split('\n'));
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome.status === 'rejected')
        assert.ok(outcome.reason instanceof VaultgraphError && outcome.reason.code !== 'INTERNAL');
      assert.equal(lines.has(`- line ${at}`), outcome.status === 'fulfilled');
    }
    assert.ok(
      outcomes.every(({ status }) => status === 'fulfilled'),
      'no other program was in the vault',
    );
  }));

test('a long diff is cut, and the answer says so', () =>
  withWrites(FILES, async ({ ask, warnings }) => {
    const long = Array.from({ length: 3_000 }, (_, at) => `line ${at}`).join('\n');
    const brief = await ask(editNote, { note: 'Other', edits: append(long.slice(0, 500)), dry_run: true });
    assert.equal(brief.diff.split('\n').length, 21);
    assert.match(brief.diff_cut, /detail: full/);
    assert.ok(brief.added_lines > 40 && brief.removed_lines === 0);
    const { diff } = await ask(editNote, { note: 'Other', edits: append(long), detail: 'full' });
    assert.ok(diff.length <= 20_000);
    assertEach(warnings, ({ code, count }) => [code, count], [['TRUNCATED', 1]]);
  }));

test('appends of two servers to one note all succeed, unless they pass an etag', () =>
  withWrites(FILES, async ({ ask, text, vault, refusal }) => {
    const etag = (await ask(readNotes, { notes: ['Log'] })).succeeded[0].result.etag;
    const sessions = [createWriteSession(vault.access), createWriteSession(vault.access)];
    const lines = Array.from({ length: 20 }, (_, at) => `line of ${at % 2}: ${at}`);
    await Promise.all(
      lines.map((line, at) =>
        ask(editNote, { note: 'Log', edits: append(line) }, { writes: sessions[at % 2] as WriteSession }),
      ),
    );
    const written = (text('Log.md') ?? '').split('\n').filter((line) => line.startsWith('line of'));
    assert.deepEqual(written.toSorted(), lines.toSorted());
    await refusal(editNote, { note: 'Log', if_match: etag, edits: append('late') }, 'WRITE_CONFLICT');
  }));
