// Tests edit_note with create, and set_task in vaults with and without the Tasks plugin.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMoment } from '../../../src/markdown/dates/moment-format.ts';
import { editNote } from '../../../src/tools/write/edit_note.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
import { shownWrittenUndone, withWrites } from './write-under-test.ts';

const today = (format: string): string => {
  const written = formatMoment(new Date(), format);
  return 'text' in written ? written.text : '';
};
const append = (text: string) => [{ op: 'append', text }];
const DAILY = JSON.stringify({ folder: 'Log', format: 'YYYY/MM-DD', template: 'Templates/Day' });

test('a daily append is one call, with the folder, format and template of the settings', () => {
  const files = {
    '.obsidian/daily-notes.json': DAILY,
    'Templates/Day.md': '# {{title}}\r\n\r\n## Notes\r\n',
  };
  return withWrites(files, async (under) => {
    const path = `Log/${today('YYYY/MM-DD')}.md`;
    const edits = [{ op: 'append', target: '#Notes', text: '- met Ada' }];
    const after = await shownWrittenUndone(under, editNote, { note: '@today', create: true, edits });
    assert.equal(after[path], `# ${today('MM-DD')}\r\n\r\n## Notes\r\n\r\n- met Ada\r\n`);
    const first = await under.ask(editNote, { note: '@today', create: true, edits });
    assert.deepEqual([first.path, first.created], [path, true]);
    const second = await under.ask(editNote, { note: '@today', create: true, edits: append('- more') });
    assert.equal(second.created, undefined);
    assert.match(under.text(path) ?? '', /- met Ada\r\n- more\r\n$/);
    for (const _ of [1, 2]) await under.ask(undoChange, {});
    assert.ok(!under.everything().includes('Log/'), 'its folders are removed, too');
    under.folder.put('.obsidian/daily-notes.json', JSON.stringify({ template: 'Nowhere' }));
    await under.refusal(editNote, { note: '@today', create: true, edits }, 'NOTE_NOT_FOUND');
  });
});

const DAYS_OF_LOG = { 'Log/2026-01-01.md': 'a', 'Log/2026-01-02.md': 'b', 'x/2026-01-03.md': 'c' };
for (const [name, files, path] of [
  ['one folder', DAYS_OF_LOG, 'Log/YYYY-MM-DD'],
  [
    'folders of years and months',
    { 'Journal/2025/11/2025-11-20.md': 'a', 'Journal/2026/01/2026-01-02.md': 'b' },
    '[Journal]/YYYY/MM/YYYY-MM-DD',
  ],
  ['another separator', { 'journals/2021_05_10.md': 'a' }, '[journals]/YYYY_MM_DD'],
  ['the later of two folders', { 'Old/2025-01-01.md': 'a', 'New/2026-01-01.md': 'b' }, '[New]/YYYY-MM-DD'],
  ['none', { 'Old/2025-13-01.md': 'a' }, 'YYYY-MM-DD'],
] as const) {
  test(`without settings a daily note is created like the existing ones: ${name}`, () =>
    withWrites(files, async ({ ask, text }) => {
      const made = await ask(editNote, { note: '@today', create: true, edits: append('one') });
      assert.equal(made.path, `${today(path.replace('Log/', '[Log]/'))}.md`);
      assert.equal(text(made.path), 'one\n');
    }));
}

test('only what does not exist at all is created', () =>
  withWrites(
    { 'a/Twin.md': '1', 'b/Twin.md': '2', 'Tide.md': 'x [[New]]\n' },
    async ({ ask, refusal, text, files }) => {
      const before = files();
      const create = (note: string, more: object = {}) => ({ note, create: true, edits: append('x'), ...more });
      await refusal(editNote, create('Twin'), 'NOTE_AMBIGUOUS');
      await refusal(editNote, create('a'), 'NOTE_NOT_FOUND');
      await refusal(editNote, create('Nobody', { if_match: 'x' }), 'NOTE_NOT_FOUND');
      await refusal(editNote, create('Nobody', { create: false }), 'NOTE_NOT_FOUND');
      await refusal(editNote, create('Nobody#Part'), 'INVALID_INPUT');
      await refusal(editNote, create('../out'), 'PATH_NOT_ALLOWED');
      const nowhere = [{ op: 'append', target: '#Nowhere', text: 'x' }];
      await refusal(editNote, create('Nobody', { edits: nowhere }), 'EDIT_TARGET_NOT_FOUND');
      assert.deepEqual(files(), before);
      const { path } = await ask(editNote, create('[[Harbour/New]]'));
      assert.deepEqual([path, text(path)], ['Harbour/New.md', 'x\n']);
      assert.equal((await ask(editNote, create('tide'))).path, 'Tide.md');
    },
  ));

test('appends of two callers to a missing note are both kept', () =>
  withWrites({}, async ({ ask, text }) => {
    const edits = (line: string) => ({ note: 'New', create: true, edits: append(line) });
    await Promise.all([ask(editNote, edits('- one')), ask(editNote, edits('- two'))]);
    assert.match(text('New.md') ?? '', /^- one\n- two\n$/);
  }));

const TASKS = '.obsidian/plugins/obsidian-tasks-plugin/data.json';
const ON = { '.obsidian/community-plugins.json': '["obsidian-tasks-plugin"]' };
for (const [name, settings, line] of [
  ['without the plugin', {}, '- [x] Buy milk'],
  ['without settings of the plugin', ON, '- [x] Buy milk ✅ YYYY-MM-DD'],
  [
    'in the format of Dataview',
    { ...ON, [TASKS]: '{"taskFormat":"dataview"}' },
    '- [x] Buy milk  [completion:: YYYY-MM-DD]',
  ],
  ['without done dates', { ...ON, [TASKS]: '{"setDoneDate":false}' }, '- [x] Buy milk'],
  ['with a filter tag', { ...ON, [TASKS]: '{"globalFilter":"#task"}' }, '- [x] Buy milk'],
  ['of a plugin that is not enabled', { [TASKS]: '{}', '.obsidian/community-plugins.json': '[]' }, '- [x] Buy milk'],
] as const) {
  test(`a task is ticked in one call, ${name}`, () =>
    withWrites({ ...settings, 'Log.md': '\uFEFF- [ ] Buy milk\r\n- [ ] Rest 🔁 every day\n' }, async (under) => {
      const edits = [{ op: 'set_task', target: 'Buy milk', status: 'done' }];
      const after = await shownWrittenUndone(under, editNote, { note: 'Log', edits });
      const wanted = `\uFEFF${line.replace('YYYY-MM-DD', today('YYYY-MM-DD'))}\r\n- [ ] Rest 🔁 every day\n`;
      assert.equal(Buffer.from(after['Log.md'] ?? '', 'latin1').toString(), wanted);
      const recurring = [{ op: 'set_task', target: 'Rest', status: 'done' }];
      const { message } = await under.refusal(editNote, { note: 'Log', edits: recurring }, 'INVALID_INPUT');
      assert.match(message, /recurs.*tick_only/);
    }));
}

test('settings of the Tasks plugin that cannot be read are refused', () =>
  withWrites({ ...ON, [TASKS]: '{', 'Log.md': '- [ ] a\n' }, async ({ refusal, files }) => {
    const before = files();
    const edits = [{ op: 'set_task', target: 'a', status: 'done' }];
    const { message } = await refusal(editNote, { note: 'Log', edits }, 'PATH_NOT_ALLOWED');
    assert.match(message, /obsidian-tasks-plugin\/data\.json is not valid JSON/);
    assert.deepEqual(files(), before);
  }));
