// Tests the set_task edit: which task it means, what of the line changes, and what it refuses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VaultgraphError } from '../../../src/base/errors.ts';
import { editNote } from '../../../src/markdown/edit/note.ts';
import type { TaskDates, TaskEdit } from '../../../src/markdown/edit/task.ts';

const plugin = { format: 'emoji', done: true, cancelled: true, filter: '' } as const;
const EMOJI: TaskDates = { day: '2026-11-23', plugin };
const DATAVIEW: TaskDates = { day: '2026-11-23', plugin: { ...plugin, format: 'dataview' } };

function set(text: string, edit: TaskEdit, dates?: TaskDates): string {
  return editNote('Log.md', text, [{ op: 'set_task', ...edit }], dates).text;
}

function refusal(text: string, edit: object): VaultgraphError {
  let error: unknown;
  assert.throws(
    () => set(text, edit),
    (thrown) => {
      error = thrown;
      return true;
    },
  );
  return error as VaultgraphError;
}

for (const [name, before, edit, after, dates] of [
  [
    'by its text',
    '- [ ] Buy milk\n- [ ] Buy bread\n',
    { target: 'Buy milk', status: 'done' },
    '- [x] Buy milk\n- [ ] Buy bread\n',
  ],
  [
    'by a part of it',
    '# A\r\n* [ ] Buy milk #shop  \r\nx',
    { target: 'milk', status: 'done' },
    '# A\r\n* [x] Buy milk #shop  \r\nx',
  ],
  ['by its whole line', '  1. [ ] Buy', { target: '  1. [ ] Buy', status: 'cancelled' }, '  1. [-] Buy'],
  [
    'the whole text before a part',
    '- [ ] Buy milk\n- [ ] Buy\n',
    { target: 'Buy', status: 'done' },
    '- [ ] Buy milk\n- [x] Buy\n',
  ],
  [
    'by its block id',
    '> - [ ] a ^one\n> - [ ] a ^two\n',
    { target: '#^two', status: 'done' },
    '> - [ ] a ^one\n> - [x] a ^two\n',
  ],
  ['by its line', '- [ ] a\n- [ ] a\n', { line: 2, status: 'done' }, '- [ ] a\n- [x] a\n'],
  ['by text and line', '- [ ] a\n- [ ] a\n', { target: 'a', line: 1, status: '/' }, '- [/] a\n- [ ] a\n'],
  ['a mark of two UTF-16 units', '- [😀] a [x] a', { target: 'a [x] a', status: 'done' }, '- [x] a [x] a'],
  ['nothing to change', '- [X] a', { target: 'a', status: 'done' }, '- [X] a', EMOJI],
  [
    'the done date',
    '- [ ] a 📅 2026-11-20\n',
    { target: 'a', status: 'done' },
    '- [x] a 📅 2026-11-20 ✅ 2026-11-23\n',
    EMOJI,
  ],
  [
    'the done date before a block id',
    '- [ ] a  ^id \n',
    { target: 'a', status: 'done' },
    '- [x] a ✅ 2026-11-23  ^id \n',
    EMOJI,
  ],
  [
    'the done date of Dataview',
    '- [ ] a',
    { target: 'a', status: 'done' },
    '- [x] a  [completion:: 2026-11-23]',
    DATAVIEW,
  ],
  ['no second done date', '- [ ] a ✅ 2026-11-20', { target: 'a', status: 'done' }, '- [x] a ✅ 2026-11-20', EMOJI],
  [
    'no done date without the filter tag',
    '- [ ] a',
    { target: 'a', status: 'done' },
    '- [x] a',
    { ...EMOJI, plugin: { ...plugin, filter: '#task' } },
  ],
  [
    'no done date if it is switched off',
    '- [ ] a',
    { target: 'a', status: 'done' },
    '- [x] a',
    { ...EMOJI, plugin: { ...plugin, done: false } },
  ],
  ['a cancelled date', '- [ ] a', { target: 'a', status: 'cancelled' }, '- [-] a ❌ 2026-11-23', EMOJI],
  ['reopened', '- [x] a ✅ 2026-11-20 #b ^id', { target: 'a', status: 'open' }, '- [ ] a #b ^id'],
  ['reopened, Dataview', '- [x] a [completion:: 2026-11-20]', { target: 'a', status: 'open' }, '- [ ] a'],
  [
    'done instead of cancelled',
    '- [-] a ❌ 2026-11-20',
    { target: 'a', status: 'done' },
    '- [x] a ✅ 2026-11-23',
    EMOJI,
  ],
  [
    'recurring, on purpose',
    '- [ ] a 🔁 every day',
    { target: 'a', status: 'done', recurring: 'tick_only' },
    '- [x] a 🔁 every day',
  ],
  ['recurring, not completed', '- [ ] a 🔁 every day', { target: 'a', status: '/' }, '- [/] a 🔁 every day'],
] as const) {
  test(`sets a task: ${name}`, () => assert.equal(set(before, edit, dates), after));
}

test('tasks in code and comments are not tasks', () => {
  for (const text of ['```\n- [ ] a\n```\n', '<!--\n- [ ] a\n-->\n', '    - [ ] a\n'])
    assert.equal(refusal(text, { target: 'a', status: 'done' }).code, 'EDIT_TARGET_NOT_FOUND');
});

test('a text of several tasks lists them', () => {
  const error = refusal('- [ ] Buy milk\n\n- [ ] Buy bread\n', { target: 'Buy', status: 'done' });
  assert.equal(error.code, 'EDIT_TARGET_AMBIGUOUS');
  assert.deepEqual(
    error.choices?.items.map(({ value, label }) => [value, label]),
    [
      ['1', '- [ ] Buy milk'],
      ['3', '- [ ] Buy bread'],
    ],
  );
  assert.equal(error.choices?.retryWith, 'edits.0.line');
});

test('a missing task names the most similar line', () => {
  const error = refusal('- [ ] Buy oat milk\n', { target: 'Buy oat mlk', status: 'done' });
  assert.match(error.hint, /Buy oat milk/);
});

for (const [edit, path, rule] of [
  [{ target: 'a' }, 'edits.0.status', /open, done, cancelled/],
  [{ target: 'a', status: 'finished' }, 'edits.0.status', /one character/],
  [{ target: 'a', status: '\n' }, 'edits.0.status', /one character/],
  [{ status: 'done' }, 'edits.0.target', /target or a line/],
  [{ line: 1, status: 'done' }, 'edits.0.line', /not a task/],
  [{ target: '^quay', status: 'done' }, 'edits.0.target', /not a task/],
  [{ target: 'a', status: 'done', text: 'x' }, 'edits.0.text', /no text/],
  [{ target: 'b', status: 'done' }, 'edits.0.recurring', /every week.*tick_only/],
] as const) {
  test(`refuses ${JSON.stringify(edit)}`, () => {
    const error = refusal('# Log ^quay\ntext ^quay\n- [ ] a\n- [ ] b [repeat:: every week]\n', edit);
    assert.equal(error.code, 'INVALID_INPUT');
    const [issue] = (error as VaultgraphError<'INVALID_INPUT'>).details.issues;
    assert.equal(issue?.path, path);
    assert.match(issue?.rule ?? '', rule);
  });
}

const ANY: TaskDates = { day: '2026-11-23' };

for (const [name, before, edit, after] of [
  ['a due date is added', '- [ ] a ^id\n', { due: '2026-12-01' }, '- [ ] a 📅 2026-12-01 ^id\n'],
  [
    'a due date is replaced in its form',
    '- [ ] a [due:: 2026-01-01] b',
    { due: '2026-12-01' },
    '- [ ] a [due:: 2026-12-01] b',
  ],
  ['another sign of due', '- [ ] a 🗓️ 2026-01-01', { due: '2026-12-01' }, '- [ ] a 🗓️ 2026-12-01'],
  [
    'a date in code is not a date',
    '- [ ] a `📅 2026-01-01`',
    { due: '2026-12-01' },
    '- [ ] a `📅 2026-01-01` 📅 2026-12-01',
  ],
  ['a date is removed', '- [ ] a 📅 2026-01-01 #x', { due: 'none' }, '- [ ] a #x'],
  ['a field is removed', '- [ ] a (due:: 2026-01-01) #x', { due: 'none' }, '- [ ] a #x'],
  [
    'all of them at once',
    '- [ ] a ⏳ 2026-01-01',
    { start: '2026-12-01', scheduled: '2026-12-02', due: '2026-12-03', priority: 'high', status: '/' },
    '- [/] a ⏳ 2026-12-02 ⏫ 🛫 2026-12-01 📅 2026-12-03',
  ],
  ['a priority is replaced', '- [ ] a 🔽 b', { priority: 'highest' }, '- [ ] a 🔺 b'],
  ['a priority is removed', '- [ ] a 🔽 b', { priority: 'none' }, '- [ ] a b'],
  ['a priority as a field', '- [ ] a [priority:: low]', { priority: 'high' }, '- [ ] a [priority:: high]'],
  [
    'fields as the other tasks have them',
    '- [ ] a\n- [ ] b [due:: 2026-01-01]',
    { due: '2026-12-01' },
    '- [ ] a  [due:: 2026-12-01]\n- [ ] b [due:: 2026-01-01]',
  ],
  ['nothing to change', '- [ ] a 📅 2026-12-01', { due: '2026-12-01' }, '- [ ] a 📅 2026-12-01'],
  [
    'a done date where the other tasks have one',
    '- [ ] a\n- [x] b ✅ 2026-01-01\n- [x] c',
    { status: 'done' },
    '- [x] a ✅ 2026-11-23\n- [x] b ✅ 2026-01-01\n- [x] c',
  ],
  [
    'no done date where most have none',
    '- [ ] a\n- [x] b ✅ 2026-01-01\n- [x] c\n- [x] d',
    { status: 'done' },
    '- [x] a\n- [x] b ✅ 2026-01-01\n- [x] c\n- [x] d',
  ],
  [
    'a completion field where the other tasks have one',
    '- [ ] a\n- [x] b [completion:: 2026-01-01]',
    { status: 'done' },
    '- [x] a  [completion:: 2026-11-23]\n- [x] b [completion:: 2026-01-01]',
  ],
] as const) {
  test(`dates and priority: ${name}`, () => assert.equal(set(before, { line: 1, ...edit }, ANY), after));
}
