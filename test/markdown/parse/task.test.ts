// Tests which lines of a note are tasks, and the dates and fields in their text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseCanvas } from '../../../src/markdown/parse/canvas.ts';
import { parseNote } from '../../../src/markdown/parse/parse-note.ts';
import { taskDependencies, taskFields, taskStatus } from '../../../src/markdown/parse/task.ts';
import { runs } from '../../runner/effort.ts';
import { growsTooFast } from '../cpu-growth.ts';

/** `line [mark] text`. */
const tasksIn = (...lines: string[]): string[] =>
  parseNote(lines.join('\n')).tasks.map(({ line, mark, text }) => `${line} [${mark}] ${text}`);

test('every list mark can start a task, with any one character as its mark', () => {
  assert.deepEqual(
    tasksIn('- [ ] a', '* [x] b', '+ [-] c', '', '1. [/] d', '2. [X] e', '', '7) [?] f', '', '- [海] g', '- [🔥] h'),
    ['1 [ ] a', '2 [x] b', '3 [-] c', '5 [/] d', '6 [X] e', '8 [?] f', '10 [海] g', '11 [🔥] h'],
  );
});

test('tasks can be nested, in quotes and callouts, after tabs and several blanks', () => {
  assert.deepEqual(
    tasksIn(
      ...['- [ ] a', '\t- [ ] b', '\t\t1. [x] c', '- d', '  - [ ] e', '', '> - [ ] f', '> > - [ ] g', ''],
      ...['> [!todo] Title', '> - [ ] h', '>\t- [ ] i', '', '-   [ ] j', '- [ ]   k  ', '- - [ ] l', '- [ ]\tm'],
    ).map((task) => task.slice(task.indexOf('[') + 4)),
    ['a', 'b', 'c', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm'],
  );
});

test('only the first line of an item can be a task', () => {
  assert.deepEqual(tasksIn('- [ ] a', '  more of it', '', '  further', '- [x] b'), ['1 [ ] a', '5 [x] b']);
  assert.deepEqual(tasksIn('text', '- [ ] a'), ['2 [ ] a']);
  assert.deepEqual(tasksIn('text', '2. [ ] a number but 1 ends no paragraph'), []);
});

test('there are no tasks in code, comments, math, HTML and front matter, or without text, blank or list mark', () => {
  const none = [
    ['```', '- [ ] a', '```'],
    ['- item', '  ```', '  - [ ] a', '  ```'],
    ['    - [ ] a'],
    ['-      [ ] a'],
    ['%%', '- [ ] a', '%%'],
    ['%% open', '', '- [ ] a'],
    ['$$', '- [ ] a', '$$'],
    ['<!--', '- [ ] a', '-->'],
    ['<div>', '- [ ] a', '</div>'],
    ['---', 'todo: |', '  - [ ] a', '---'],
    ['- [ ]'],
    ['- [ ] '],
    ['- [ ]a'],
    ['- [] a'],
    ['- [xx] a'],
    ['-[ ] a'],
    ['[ ] a'],
    ['> [ ] a'],
    ['- > [ ] a'],
    ['- text [ ] a'],
    ['\u200b\t- [ ] a'],
    ['- [x](to) a'],
    ['- \\[ ] a'],
  ];
  for (const lines of none) assert.deepEqual(tasksIn(...lines), [], lines.join('\n'));
});

test('cards of a canvas have no tasks, since they have no lines to cite', () => {
  const card = { id: '1', type: 'text', text: '- [ ] a', x: 0, y: 0, width: 1, height: 1 };
  assert.deepEqual(parseCanvas(JSON.stringify({ nodes: [card], edges: [] })).tasks, []);
});

test('tasks are the same with every line end and with a byte order mark', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const { tasks } = parseNote(`---\na: 1\n---\n# H${end}- [ ] a 📅 2026-01-02${end}- [x] b`);
    assert.deepEqual(tasks, [
      { line: 5, mark: ' ', text: 'a 📅 2026-01-02', due: '2026-01-02' },
      { line: 6, mark: 'x', text: 'b' },
    ]);
  }
});

test('x and X are done, - is cancelled, everything else is open', () => {
  const statuses = [...' xX-/?>!海'].map((mark) => taskStatus(mark));
  assert.deepEqual(statuses, ['open', 'done', 'done', 'cancelled', 'open', 'open', 'open', 'open', 'open']);
});

test('dates and fields in the emoji notation of Tasks', () => {
  const text =
    'pay 🔺 🔁 every month on the 1st 🛫 2026-01-01 ⏳ 2026-01-02 📅 2026-01-03 ➕2025-12-31 ❌ 2026-01-05 ✅ 2026-01-04';
  assert.deepEqual(taskFields(text), {
    due: '2026-01-03',
    scheduled: '2026-01-02',
    start: '2026-01-01',
    done: '2026-01-04',
    cancelled: '2026-01-05',
    created: '2025-12-31',
    priority: 'highest',
    recurrence: 'every month on the 1st',
  });
  for (const sign of ['📅', '📆', '🗓', '🗓️', '📅\uFE0F']) {
    assert.equal(taskFields(`x ${sign} 2026-02-28 ^id`).due, '2026-02-28', sign);
  }
  for (const [sign, priority] of [...'🔺⏫🔼🔽⏬'].map((sign, at) => [
    sign,
    ['highest', 'high', 'medium', 'low', 'lowest'][at],
  ])) {
    assert.equal(taskFields(`x ${sign}`).priority, priority);
  }
});

test('dates and fields in the notation of Dataview', () => {
  const text =
    'pay [due:: 2026-11-20] (scheduled:: 2026-11-19) [Start::2026-11-18] [priority:: high] [repeat:: every week]';
  assert.deepEqual(taskFields(text), {
    due: '2026-11-20',
    scheduled: '2026-11-19',
    start: '2026-11-18',
    priority: 'high',
    recurrence: 'every week',
  });
  assert.deepEqual(taskFields('[completion:: 2026-01-02] [created:: 2026-01-01] [cancelled:: 2026-01-03]'), {
    done: '2026-01-02',
    created: '2026-01-01',
    cancelled: '2026-01-03',
  });
  assert.equal(taskFields('pay due:: 2026-11-20').due, '2026-11-20');
  assert.equal(taskFields('due:: 2026-11-20T09:00').due, '2026-11-20');
});

test('impossible dates and dates in code or inside a word are ignored; the first date counts', () => {
  const none = ['📅 2026-02-30', '📅 2026-13-01', '📅 0000-01-01', '📅 20261-01-01', '📅 2026-01-011', '📅 tomorrow'];
  const other = [
    '[due: 2026-01-01]',
    'overdue:: 2026-01-01',
    '`📅 2026-01-01`',
    '``a ` [due:: 2026-01-01]``',
    '2026-01-01',
  ];
  for (const text of [...none, ...other]) assert.deepEqual(taskFields(text), {}, text);
  assert.equal(taskFields('📅 2026-02-30 📅 2026-03-01 📅 2026-03-02').due, '2026-03-01');
  assert.equal(taskFields('`code` 📅 2026-03-01 `more`').due, '2026-03-01');
  for (const card of ['Oil @{2026-03-01}', 'Oil @{2026-03-01} @@{10:00}', '@[[2026-03-01]] Oil'])
    assert.equal(taskFields(card).due, '2026-03-01', card);
  for (const none of [
    'a@{2026-03-01}',
    '@{2026-03-01',
    '@{2026-03-01]]',
    '@{tomorrow}',
    '@@{2026-03-01}',
    '`@{2026-03-01}`',
  ])
    assert.equal(taskFields(none).due, undefined, none);
});

const PIECES = [
  '- [ ] ',
  '* [x] ',
  '1. [/] ',
  '> ',
  '\t',
  '  ',
  '\n',
  '\n\n',
  'text',
  '```',
  '%%',
  '$$',
  '<!--',
  '-->',
  '📅 2026-01-02',
  '# H',
];

test('in any note, tasks are on their lines, in order, with the due date of their own text', () => {
  const notes = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(notes, (note) => {
      const lines = note.split(/\r\n?|\n/);
      let before = 0;
      for (const { line, mark, text, due } of parseNote(note).tasks) {
        assert.ok(lines[line - 1]?.includes(text));
        assert.match(lines[line - 1] ?? '', /(?:[-*+]|\d[.)])[ \t]+\[.{1,2}\][ \t]/u);
        assert.ok([...mark].length === 1 && text.trim() === text && text !== '' && line > before);
        assert.equal(due, taskFields(text).due);
        before = line;
      }
    }),
    { numRuns: runs(500) },
  );
});

test('the cost of a malicious line is proportional to its length', () => {
  const repeated = ['📅', 'due::', '[due:: ', '[repeat:: ', '🔁 ', ' ', '`', '` ', '`` ` '];
  const textOf = (piece: string, length: number): string => piece.repeat(length / piece.length);
  /** About `length` characters. */
  const backticks = (length: number): string =>
    Array.from({ length: Math.sqrt(2 * length) }, (_, at) => '`'.repeat(at + 1)).join(' ');
  const read = (text: string): void => {
    for (const task of [text, `📅🔁${text}#`, `[due::${text}`]) {
      taskFields(task);
      parseNote(`- [ ] ${task}\n`.repeat(3));
    }
    parseNote(`- [ ] 📅🔁${text.slice(0, 1_900)}#\n`.repeat(text.length / 2_000));
  };
  const limit = { noiseMs: 100, maxGrowth: 32 };
  const slow = repeated.filter((piece) =>
    growsTooFast(
      () => read(textOf(piece, 12_500)),
      () => read(textOf(piece, 100_000)),
      limit,
    ),
  );
  assert.deepEqual(slow, []);
  assert.ok(
    !growsTooFast(
      () => read(backticks(10_000)),
      () => read(backticks(80_000)),
      limit,
    ),
  );
});

test('the id of a task and those that it depends on', () => {
  for (const [text, found] of [
    ['Oil 🆔 abc1 ⛔ x_1, y-2 📅 2026-01-01', { id: 'abc1', depends_on: ['x_1', 'y-2'] }],
    ['Oil [id:: a] (dependsOn:: b,c)', { id: 'a', depends_on: ['b', 'c'] }],
    ['Oil ⛔️ b', { depends_on: ['b'] }],
    ['Oil `🆔 abc` 🆔 📅', {}],
  ] as const)
    assert.deepEqual(taskDependencies(text), found, text);
});
