// Tests rename_tag on a real vault: all notes at once, merged tags, what stays, and undo.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listTags } from '../../../src/tools/notes/list_tags.ts';
import { renameTag } from '../../../src/tools/write/rename_tag.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
import { shownWrittenUndone, withWrites } from './write-under-test.ts';

interface Renamed {
  readonly tag: string;
  readonly to: string;
  readonly places: number;
}

const FILES = {
  'Log.md': '\uFEFF---\r\ntags: [project, log]\r\n---\r\n#Project/Alpha and #projects\r\n\ttrailing  \r\n',
  'Task.md': '- [ ] #project/alpha one\n\n```query\ntag:#project\n```',
  'Work.md': '#work #work/alpha\n',
  'Code.md': '`#project` only\n',
  'Board.canvas': '{"nodes":[{"id":"1","type":"text","text":"#project"}],"edges":[]}',
  'All.base': 'filters: file.hasTag("project")\n',
  'Latin.md': Buffer.from('#project caf\xe9\n', 'latin1'),
  'Broken.md': '---\ntags: [project\n---\n#project\n',
};

test('renames the tag with its children everywhere, says what merges and what stays, and is undone as one change', () =>
  withWrites(FILES, async (under) => {
    const args = { from: '#PROJECT', to: 'work' };
    const shown = await under.ask(renameTag, { ...args, dry_run: true });
    const rows = shown.renamed.map(({ tag, to, places }: Renamed) => `${tag} ${to} ${places}`);
    assert.deepEqual(rows.sort(), ['#Project/Alpha #work/Alpha 1', '#project #work 3', '#project/alpha #work/alpha 1']);
    assert.deepEqual(shown.merges, [
      { tag: '#project', notes: 5, into: '#work', into_notes: 1 },
      { tag: '#Project/Alpha', notes: 2, into: '#work/alpha', into_notes: 1 },
    ]);
    assert.deepEqual(shown.skipped, [{ path: 'Latin.md', reason: 'it is not UTF-8 text' }]);
    assert.deepEqual(shown.left, [
      { path: 'All.base', line: 1, text: 'filters: file.hasTag("project")' },
      { path: 'Broken.md', line: 2, text: 'tags: [project' },
      { path: 'Code.md', line: 1, text: '`#project` only' },
      { path: 'Task.md', line: 4, text: 'tag:#project' },
    ]);
    assert.equal(under.warnings.find(({ code }) => code === 'EXTRA_MISSING')?.count, 1);
    assert.equal('path' in shown, false);
    const after = await shownWrittenUndone(under, renameTag, args);
    assert.equal(after['Task.md'], '- [ ] #work/alpha one\n\n```query\ntag:#project\n```');
    assert.equal(
      after['Log.md']?.slice(3),
      '---\r\ntags: [work, log]\r\n---\r\n#work/Alpha and #projects\r\n\ttrailing  \r\n',
    );
    assert.match(after['Board.canvas'] ?? '', /"#work"/);
    assert.equal(after['Broken.md'], '---\ntags: [project\n---\n#work\n');
    for (const path of ['Latin.md', 'Code.md', 'All.base', 'Work.md'] as const)
      assert.equal(after[path], Buffer.from(FILES[path]).toString('latin1'));
    await under.ask(renameTag, { ...args, nested: false, confirm: true });
    const { tags } = await under.ask(listTags, { prefix: 'project' });
    assert.deepEqual(
      tags.map(({ tag }: { tag: string }) => tag.toLowerCase()),
      ['#project', '#project/alpha', '#projects'],
      'one note could not be changed',
    );
    await under.ask(undoChange, {});
    assert.equal(under.text('Task.md'), FILES['Task.md']);
  }));

test('requires a plan or confirm for several files, and refuses what is not a tag', () =>
  withWrites(FILES, async ({ ask, refusal, files }) => {
    const before = files();
    const { details, hint } = await refusal(renameTag, { from: 'project', to: 'x' }, 'CONFIRMATION_REQUIRED');
    assert.ok((details as { affected: string[] }).affected.includes('Log.md (2 tags)'));
    assert.doesNotMatch(hint, /if_match/);
    const { hint: near } = await refusal(renameTag, { from: 'projekt', to: 'x', confirm: true }, 'INVALID_INPUT');
    assert.match(near, /`projects?`/);
    for (const [from, to] of [
      ['project', ''],
      ['project', 'a b'],
      ['project', '123'],
      ['', 'x'],
      ['project', '#'],
    ])
      await refusal(renameTag, { from, to, confirm: true }, 'INVALID_INPUT');
    await refusal(renameTag, { from: 'project' }, 'INVALID_INPUT');
    await refusal(renameTag, { plan_id: 'plan_nobody' }, 'CHANGE_NOT_FOUND');
    assert.deepEqual(files(), before);
    assert.equal((await ask(renameTag, { from: 'work', to: 'work', confirm: true })).unchanged, true);
    const single = await ask(renameTag, { from: 'work', to: 'job' });
    assert.match(single.change_id, /^chg_/);
  }));

test('a note that is changed after the plan is not overwritten', () =>
  withWrites(FILES, async ({ ask, refusal, folder, text }) => {
    const { plan_id } = await ask(renameTag, { from: 'project', to: 'x', dry_run: true });
    folder.put('Task.md', 'mine #project/alpha\n');
    await refusal(renameTag, { plan_id }, 'WRITE_CONFLICT');
    assert.equal(text('Task.md'), 'mine #project/alpha\n');
    assert.equal(text('Code.md'), FILES['Code.md']);
  }));

test('every form of the tag that is no tag is named, each line once', () => {
  const property = (yaml: string) => `---\n${yaml}\n---\nx\n`;
  const files = {
    'a.md': property('tags: boat, sea'),
    'b.md': property('tags: boat sea'),
    'c.md': property('tag: boat'),
    'd.md': property('TAGS: |\n  sea\n  boat'),
    'e.md': property('tags: [boat\na: b: c'),
    'f.md': property('tags: "#boat, boat"'),
    'g.md': property('"tags": [sea boat, boats]'),
    'h.md': '#boat `#boat` and `#boat`\n',
    'i.md': property('keywords: [boat]\ntags: [boats]'),
  };
  return withWrites(files, async ({ ask, text }) => {
    const { left, renamed } = await ask(renameTag, { from: 'boat', to: 'ship', confirm: true });
    assert.deepEqual(
      left.map(({ path, line }: { path: string; line: number }) => `${path} ${line}`),
      ['a.md 2', 'b.md 2', 'c.md 2', 'd.md 4', 'e.md 2', 'f.md 2', 'g.md 2', 'h.md 1'],
    );
    assert.deepEqual(renamed, [{ tag: '#boat', to: '#ship', places: 1 }]);
    assert.equal(text('h.md'), '#ship `#boat` and `#boat`\n');
    for (const path of ['a.md', 'e.md', 'g.md'] as const) assert.equal(text(path), files[path]);
  });
});

test('links to a heading with the tag follow it', () => {
  const files = {
    'Log.md': '# Log #boat\n\n## The #boat/x trip\n\n[[#The boat x trip]]\n',
    'Links.md':
      '[[Log#Log boat]] ![[log#Log boat#The boat x trip|s]] [a](Log.md#Log%20boat) [[Log#^boat]] [[Log#boat]]\n',
    'Card.canvas': '{"nodes":[{"type":"file","file":"Log.md","subpath":"#Log boat"}]}',
  };
  return withWrites(files, async ({ ask, text }) => {
    const { broken } = await ask(renameTag, { from: 'boat', to: 'big/ship', confirm: true });
    assert.equal(broken, undefined);
    assert.equal(text('Log.md'), '# Log #big/ship\n\n## The #big/ship/x trip\n\n[[#The big/ship/x trip]]\n');
    const now = '[[Log#Log big/ship]] ![[log#Log big/ship#The big/ship/x trip|s]] [a](Log.md#Log%20big/ship)';
    assert.equal(text('Links.md'), `${now} [[Log#^boat]] [[Log#boat]]\n`);
    assert.match(text('Card.canvas') ?? '', /"subpath":"#Log big\/ship"/);
    await ask(undoChange, {});
    assert.deepEqual([text('Log.md'), text('Links.md')], [files['Log.md'], files['Links.md']]);
  });
});

test('a tag that no note has is answered with the most similar one, also by its last name', () =>
  withWrites({ 'a.md': '---\ntags: [project, garden/herbs]\n---\n' }, async ({ refusal }) => {
    for (const [from, meant] of [
      ['projct', 'project'],
      ['herbs', 'garden/herbs'],
    ] as const) {
      const { hint } = await refusal(renameTag, { from, to: 'x' }, 'INVALID_INPUT');
      assert.match(hint, new RegExp(`Did you mean \`${meant}\`\\?`));
    }
  }));
