// Tests edits of what plugins replace when they save: cards of a Kanban board stay above its archive and settings, text of a drawing above its data.
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
    'to the board with an archive',
    `${START}${ARCHIVE}${SETTINGS}`,
    { op: 'append', text: '- [x] Oil' },
    `${START}- [x] Oil\n${ARCHIVE}${SETTINGS}`,
  ],
  [
    'the lane above the archive deleted',
    `${START}${ARCHIVE.replace('Archive', 'Archiv')}${SETTINGS}`,
    { op: 'delete_section', target: 'Done' },
    `${START.slice(0, START.indexOf('## Done'))}${ARCHIVE.replace('Archive', 'Archiv').trimStart()}${SETTINGS}`,
  ],
  [
    'the lane above the archive replaced',
    `${START}${ARCHIVE}${SETTINGS}`,
    { op: 'replace_section', target: 'Done', text: '- [x] Oil' },
    `${START.replace('**Complete**\n- [x] Sand', '- [x] Oil')}${ARCHIVE}${SETTINGS}`,
  ],
  [
    'to the top of a lane for done cards',
    BOARD,
    { op: 'prepend', target: 'Done', text: '- [x] Oil' },
    BOARD.replace('**Complete**\n', '**Complete**\n\n- [x] Oil\n'),
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

test('no date is written that the settings of the board do not read', () => {
  const due: NoteEdit = { op: 'set_task', target: 'Caulk', due: '2026-12-24' };
  for (const [settings, form] of [
    ['"date-format":"DD-MM-YY"', '@{DD-MM-YY}'],
    ['"date-trigger": "@date", "date-format": "YYYY-MM-DD"', '@date{YYYY-MM-DD}'],
  ] as const) {
    const board = BOARD.replace('"kanban-plugin"', `${settings},"kanban-plugin"`);
    assert.throws(() => edited(board, due), { message: new RegExp(`as ${form}`) });
    assert.match(edited(board, { op: 'set_task', target: 'Caulk', status: 'done' }), /- \[x\] Caulk @/);
  }
  const usual = '"date-trigger":"@","date-format":"YYYY-MM-DD","kanban-plugin"';
  assert.match(edited(BOARD.replace('"kanban-plugin"', usual), due), /Caulk @\{2026-12-24\}/);
});

test('the comment of another note is text like any other', () => {
  const text = '# A\n\n%% kanban:settings\n%%\n\nmore\n';
  assert.equal(edited(text, { op: 'append', text: 'b' }), `${text}\nb\n`);
});

const NOTES = '---\nexcalidraw-plugin: parsed\n---\n==⚠  Switch to EXCALIDRAW VIEW ⚠==\n\n## Notes\n\nmine\n';
const DATA = '## Text Elements\nHull ^aaaa1111\n\n## Drawing\n```compressed-json\nN4KAkARALgng\n```\n%%';
const FORMS = {
  'with a comment around the data': `\n%%\n# Excalidraw Data\n\n${DATA}`,
  'with a mark of the end': `\n#\n%%\n# Excalidraw Data\n\n${DATA}`,
  'with a comment around the drawing': `\n# Excalidraw Data\n\n${DATA.replace('## Drawing', '%%\n## Drawing')}`,
  'of old versions': `\n${DATA.replaceAll('## ', '# ')}`,
};

for (const [name, data] of Object.entries(FORMS)) {
  test(`a drawing ${name}`, () => {
    const drawing = NOTES + data;
    const wishes: [NoteEdit, string][] = [
      [{ op: 'append', text: 'more' }, `${NOTES}\nmore\n${data}`],
      [{ op: 'append', target: 'Notes', text: 'more' }, `${NOTES}\nmore\n${data}`],
      [{ op: 'replace_section', target: 'Notes', text: 'other' }, drawing.replace('mine', 'other')],
      [{ op: 'delete_section', target: 'Notes' }, drawing.replace('## Notes\n\nmine\n\n', '')],
      [{ op: 'replace_section', target: '#^aaaa1111', text: 'Keel' }, drawing.replace('Hull', 'Keel')],
    ];
    for (const [edit, after] of wishes) assert.equal(edited(drawing, edit), after, JSON.stringify(edit));
  });
}

test('no text goes into the data of a drawing, and a new heading goes above it', () => {
  const data = FORMS['with a comment around the drawing'];
  const drawing = NOTES + data;
  const log = edited(drawing, { op: 'append', target: '## Log', text: 'more', create_heading: true });
  assert.equal(log, `${NOTES}\n## Log\n\nmore\n${data}`);
  for (const edit of [
    { op: 'append', target: 'Text Elements', text: 'lost' },
    { op: 'insert_after', target: '#^aaaa1111', text: 'lost' },
    { op: 'delete_section', target: 'Excalidraw Data' },
  ] as const)
    assert.throws(() => edited(drawing, edit), { code: 'INVALID_INPUT' });
});
