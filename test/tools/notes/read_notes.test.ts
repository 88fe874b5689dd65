// read_notes over a real vault: current text, parts, and reported truncation.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { readNotes } from '../../../src/tools/notes/read_notes.ts';
import { assertEach } from '../../assert-each.ts';
import { gitVault } from '../../git-vault.ts';
import { type ToolsUnderTest, withTools } from '../tools-under-test.ts';

const LOG =
  '---\naliases: [Diary]\nmood: calm\n---\n# Log\n\n## Day\nRain. [[Tide]] #wet\n\n## Day\nSun. [[Nowhere]] ^sun\n';
const FILES = {
  'Log.md': LOG,
  'Tide.md': 'See [[Log]].\r\nEnd',
  'a/Twin.md': 'one',
  'b/Twin.md': 'two',
  'Empty.md': '',
};

async function one({ ask }: ToolsUnderTest, note: string, more: object = {}) {
  const { succeeded, failed } = await ask(readNotes, { notes: [note], ...more });
  assert.deepEqual(failed, []);
  assert.equal(succeeded[0].id, note);
  return succeeded[0].result;
}

async function failure({ ask }: ToolsUnderTest, note: string) {
  const { succeeded, failed } = await ask(readNotes, { notes: [note] });
  assert.deepEqual(succeeded, []);
  assert.ok(readNotes.fails.includes(failed[0].error.code));
  return failed[0].error;
}

test('a whole note is its exact text, its etag the hash of its bytes', () =>
  withTools(FILES, async (under) => {
    const note = await one(under, 'Log');
    const etag = createHash('sha256').update(LOG).digest('hex').slice(0, 32);
    assert.deepEqual(note, { path: 'Log.md', etag, match: 'exact', total_lines: 11, lines: [1, 11], content: LOG });
    assert.equal((await one(under, 'Tide.md')).content, 'See [[Log]].\r\nEnd');
    assert.equal((await one(under, 'diary')).match, 'alias');
    assert.equal((await one(under, 'TIDE')).match, 'case');
    const empty = await one(under, 'Empty');
    assert.equal(empty.content, '');
    assert.equal(empty.total_lines, 0);
  }));

test('the text comes from the file, not from the index', () =>
  withTools(FILES, async (under) => {
    under.folder.put('Log.md', '\uFEFFNew text');
    const changed = await one(under, 'Log');
    assert.equal(changed.content, 'New text');
    assert.equal(changed.etag, createHash('sha256').update('\uFEFFNew text').digest('hex').slice(0, 32));
    under.folder.put('Fresh.md', '# Fresh\n');
    assert.equal((await one(under, 'Fresh')).content, '# Fresh\n');
    assert.equal((await one(under, 'Fresh.md#Fresh')).content, '# Fresh');
    under.folder.remove('Tide.md');
    assert.equal((await failure(under, 'Tide')).code, 'FILE_UNREADABLE');
  }));

test('parts by heading, block and lines', () =>
  withTools(FILES, async (under) => {
    assert.deepEqual((await one(under, 'Log#^sun')).lines, [11, 11]);
    assert.equal((await one(under, 'Log:7-8')).content, '## Day\nRain. [[Tide]] #wet');
    assert.equal((await one(under, 'Log:8')).content, 'Rain. [[Tide]] #wet');
    assert.deepEqual((await one(under, 'Log#log')).lines, [5, 11]);
    const missing = await failure(under, 'Log#None');
    assert.equal(missing.code, 'NOTE_PART_NOT_FOUND');
    assert.deepEqual(missing.details.outline, ['# Log', '## Day', '## Day']);
    assert.equal((await failure(under, 'Log:99')).code, 'NOTE_PART_NOT_FOUND');
  }));

test('an ambiguous reference offers choices that resolve', () =>
  withTools(FILES, async (under) => {
    for (const [note, code, count] of [
      ['Log#Day', 'NOTE_PART_AMBIGUOUS', 2],
      ['Twin', 'NOTE_AMBIGUOUS', 2],
      ['Twin:1', 'NOTE_AMBIGUOUS', 2],
    ] as const) {
      const error = await failure(under, note);
      assert.equal(error.code, code);
      assert.equal(error.choices.total, count);
      assert.equal(error.choices.retryWith, 'notes');
      for (const { value } of error.choices.items) await one(under, value);
    }
    assert.deepEqual((await one(under, 'Log:7-9')).lines, [7, 9]);
  }));

test('outline, links with targets and back links, properties', () =>
  withTools(FILES, async (under) => {
    const note = await one(under, 'Log', { include: ['outline', 'links', 'properties'] });
    assert.equal('content' in note, false);
    assert.deepEqual(note.outline, [
      { line: 5, level: 1, text: 'Log' },
      { line: 7, level: 2, text: 'Day' },
      { line: 10, level: 2, text: 'Day' },
    ]);
    assert.deepEqual(note.links, [
      { line: 8, column: 7, kind: 'wikilink', link: 'Tide', path: 'Tide.md' },
      { line: 11, column: 6, kind: 'wikilink', link: 'Nowhere', unresolved: true },
    ]);
    assert.equal(note.backlinks.length, 1);
    assert.deepEqual(note.properties, { aliases: ['Diary'], mood: 'calm' });
    assert.deepEqual(note.tags, ['#wet']);
    const part = await one(under, 'Log#^sun', { include: ['links'] });
    assertEach(part.links, ({ link }: { link: string }) => link, ['Nowhere']);
  }));

test('a link that is not indexed yet has no target and is counted', () =>
  withTools(FILES, async (under) => {
    under.folder.put('Tide.md', 'See [[Log]] and [[Empty]].');
    const { links } = await one(under, 'Tide', { include: ['links'] });
    assert.deepEqual(links[1], { line: 1, column: 17, kind: 'wikilink', link: 'Empty' });
    assertEach(under.warnings, ({ code, count }) => [code, count], [['EXTRA_MISSING', 1]]);
  }));

test('invalid front matter is reported with its position', () =>
  withTools({ 'Bad.md': '---\na: b: c\n---\nText' }, async (under) => {
    const note = await one(under, 'Bad', { include: ['properties'] });
    assert.deepEqual(note.properties, {});
    assert.equal(note.properties_fault.line, 2);
  }));

test('a long note is cut at a line end and says where to continue', () => {
  const long = Array.from({ length: 100 }, (_, at) => `line ${at + 1}`).join('\n');
  return withTools({ 'Long.md': long, 'Wide.md': '🐈'.repeat(50) }, async (under) => {
    const parts: string[] = [];
    let note = 'Long.md';
    for (let next: string | undefined = note; next !== undefined; note = next ?? '') {
      const part = await one(under, note, { max_chars: 100 });
      assert.ok(part.content.length <= 100);
      parts.push(part.content.replace(/\n$/, ''));
      next = part.truncated?.next;
      if (part.truncated !== undefined) {
        assert.equal(part.truncated.shown, part.content.length);
        assert.equal(under.warnings[0]?.code, 'TRUNCATED');
      }
    }
    assert.equal(parts.join('\n'), long);
    const wide = await one(under, 'Wide', { max_chars: 7 });
    assert.equal(wide.content, '🐈🐈🐈');
    assert.deepEqual(wide.truncated, { shown: 6, total: 100 });
  });
});

test('each input is in one list, and items fail individually', () =>
  withTools({ ...FILES, 'Big.md': new Uint8Array(33 * 1024 * 1024) }, async (under) => {
    const notes = ['Tide', 'Nix', '../x', '.obsidian/app.json', 'Log', 'Big', 'Twin'];
    const { succeeded, failed } = await under.ask(readNotes, { notes });
    assertEach(succeeded, ({ id }: { id: string }) => id, ['Tide', 'Log']);
    assert.deepEqual(
      failed.map(({ id, error }: { id: string; error: { code: string } }) => [id, error.code]),
      [
        ['Nix', 'NOTE_NOT_FOUND'],
        ['../x', 'PATH_NOT_ALLOWED'],
        ['.obsidian/app.json', 'PATH_NOT_ALLOWED'],
        ['Big', 'LIMIT_EXCEEDED'],
        ['Twin', 'NOTE_AMBIGUOUS'],
      ],
    );
    under.folder.vanish();
    assert.equal((await failure(under, 'Tide')).code, 'VAULT_UNAVAILABLE');
    under.folder.comeBack();
  }));

test('many long notes share 150,000 characters, and each says where it continues', () => {
  const files = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${at}.md`, '潮汐表 \n'.repeat(5_000)]));
  return withTools(files, async ({ ask }) => {
    const { succeeded, failed } = await ask(readNotes, { notes: Object.keys(files) });
    assert.deepEqual([succeeded.length, failed.length], [50, 0]);
    for (const { result } of succeeded) {
      assert.ok(result.content.length > 2_900 && result.content.length <= 3_000);
      assert.match(result.truncated.next, /:\d+-5000$/);
    }
  });
});

test('a note as it was at a time or a commit: its text then, without an etag; also a part, a moved and a deleted note', () =>
  withTools({ 'New/Tide.md': '# Tide\n\n## Low\nnow\n' }, async (under) => {
    const repository = gitVault(under.folder.root);
    repository.put('Tide.md', '---\nstatus: draft\n---\n# Tide\n\n## Low\nthen\n');
    repository.put('Gone.md', 'gone\n');
    repository.remove('New/Tide.md');
    const revision = repository.commit('2026-03-01');
    repository.move('Tide.md', 'New/Tide.md');
    repository.remove('Gone.md');
    repository.commit('2026-05-01');
    const as = { revision, written_at: '2026-03-01T12:00:00.000Z', kept_by: 'git' };
    assert.deepEqual(await one(under, 'Tide#Low', { at: '2026-03', include: ['content', 'properties'] }), {
      ...{ path: 'Tide.md', path_now: 'New/Tide.md', ...as, total_lines: 7, lines: [6, 7], content: '## Low\nthen' },
      ...{ properties: { status: 'draft' }, aliases: [], tags: [] },
    });
    assert.equal((await one(under, 'Tide', { at: revision.slice(0, 8) })).path, 'Tide.md');
    assert.equal((await one(under, 'Tide', { at: as.written_at })).revision, revision, 'at the very second');
    assert.equal((await one(under, 'Gone', { at: '2026-04-01' })).content, 'gone\n');
    const why = async (note: string, more: object) =>
      (await under.ask(readNotes, { notes: [note], ...more })).failed[0].error;
    assert.equal((await why('Tide', { at: '2026-03-01T11:59:59Z' })).code, 'EARLIER_TEXT_MISSING');
    const deleted = await why('Gone', { at: 'today' });
    assert.equal(deleted.code, 'EARLIER_TEXT_MISSING');
    assert.match(deleted.hint, /before that/);
    assert.match(deleted.message, /2026-05-01/);
    assert.equal((await why('Tide', { at: '2025' })).code, 'EARLIER_TEXT_MISSING');
    const nobody = await why('Tode', { at: '2026-04-01' });
    assert.equal(nobody.code, 'EARLIER_TEXT_MISSING');
    assert.match(nobody.message, /no such note today/);
    assert.match(nobody.hint, /New\/Tide/);
    const spring = await why('Tide', { at: 'spring' });
    assert.equal(spring.code, 'INVALID_QUERY');
    assert.match(spring.hint, /, or the id of a change, an etag or a commit\.$/);
    assert.equal((await why('Tide', { at: '2026-04-01', include: ['links'] })).code, 'INVALID_INPUT');
  }));

test('where nothing keeps earlier texts, the error names what would', () =>
  withTools(FILES, async ({ ask }) => {
    const { error } = (await ask(readNotes, { notes: ['Log'], at: '2026-03-01' })).failed[0];
    assert.equal(error.code, 'EARLIER_TEXT_MISSING');
    assert.match(error.hint, /git repository/);
  }));
