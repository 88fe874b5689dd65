// Tests edits of a board of the Kanban plugin: cards stay above its archive and its settings, and their dates are its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editNote, type NoteEdit } from '../../../src/markdown/edit/note.ts';

const START =
  '---\nkanban-plugin: board\n---\n\n## To do\n\n- [ ] Caulk @{2026-12-01} @@{10:00}\n\n\n## Done\n\n**Complete**\n- [x] Sand\n';
const ARCHIVE = '\n\n***\n\n## Archive\n\n- [x] Old\n';
const SETTINGS = '\n\n\n\n%% kanban:settings\n```\n{"kanban-plugin":"board"}\n```\n%%';
const BOARD = `${START}${SETTINGS}`;

const edited = (text: string, ...edits: NoteEdit[]): string => editNote('Board.md', text, edits).text;

for (const [name, text, edit, after] of [
  ['to the last lane', BOARD, { op: 'append', target: '#Done', text: '- [x] Oil' }, `${START}- [x] Oil\n${SETTINGS}`],
  ['to the board', BOARD, { op: 'append', text: '- [x] Oil' }, `${START}- [x] Oil\n${SETTINGS}`],
  [
    'to the lane above the archive',
    `${START}${ARCHIVE}${SETTINGS}`,
    { op: 'append', target: 'Done', text: '- [x] Oil' },
    `${START}- [x] Oil\n${ARCHIVE}${SETTINGS}`,
  ],
  [
    'to the archive',
    `${START}${ARCHIVE}${SETTINGS}`,
    { op: 'append', target: 'Archive', text: '- [x] Oil' },
    `${START}${ARCHIVE}- [x] Oil\n${SETTINGS}`,
  ],
  [
    'a new lane',
    BOARD,
    { op: 'append', target: '#Later', text: '- [ ] Oil', create_heading: true },
    `${START}\n## Later\n\n- [ ] Oil\n${SETTINGS}`,
  ],
  [
    'the last lane replaced',
    BOARD,
    { op: 'replace_section', target: 'Done', text: '- [x] Oil' },
    `${START.replace('**Complete**\n- [x] Sand', '- [x] Oil')}${SETTINGS}`,
  ],
  [
    'the last lane deleted',
    BOARD,
    { op: 'delete_section', target: 'Done' },
    `${START.slice(0, START.indexOf('## Done'))}${SETTINGS.trimStart()}`,
  ],
  [
    'a date of a card',
    BOARD,
    { op: 'set_task', target: 'Caulk', due: '2026-12-24' },
    BOARD.replace('2026-12-01', '2026-12-24'),
  ],
  [
    'no date of a card',
    BOARD,
    { op: 'set_task', target: 'Caulk', due: 'none' },
    BOARD.replace(' @{2026-12-01} @@{10:00}', ''),
  ],
  [
    'the first date of a card',
    BOARD.replace(' @{2026-12-01} @@{10:00}', ' #hull'),
    { op: 'set_task', target: 'Caulk', due: '2026-12-24' },
    BOARD.replace(' @{2026-12-01} @@{10:00}', ' #hull @{2026-12-24}'),
  ],
] as const) {
  test(name, () => assert.equal(edited(text, edit as NoteEdit), after));
}

test('the comment of another note is text like any other', () => {
  const text = '# A\n\n%% kanban:settings\n%%\n\nmore\n';
  assert.equal(edited(text, { op: 'append', text: 'b' }), `${text}\nb\n`);
});
