// Daily notes in other languages, periodic notes of both versions of the plugin, and a settings folder of another name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getNeighbors } from '../../../src/tools/links/get_neighbors.ts';
import { listNotes } from '../../../src/tools/notes/list_notes.ts';
import { readNotes } from '../../../src/tools/notes/read_notes.ts';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { createNote } from '../../../src/tools/write/create_note.ts';
import { editNote } from '../../../src/tools/write/edit_note.ts';
import { withTools } from '../tools-under-test.ts';
import { withWrites } from '../write/write-under-test.ts';

const daily = (format: string, more: object = {}) => ({
  '.obsidian/daily-notes.json': JSON.stringify({ folder: 'Log', format, ...more }),
});

interface Case {
  readonly format: string;
  readonly existing: readonly string[];
  /** The note of 2026-01-03, and the new one of 2026-05-01, a Friday. */
  readonly found: string;
  readonly made: string;
  readonly language: string;
}

const CASES: readonly Case[] = [
  {
    format: 'YYYY-MM-DD dddd',
    existing: ['2026-01-03 samedi', '2026-01-04 Dimanche'],
    found: '2026-01-03 samedi',
    made: '2026-05-01 vendredi',
    language: 'fr',
  },
  {
    format: 'D MMMM YYYY',
    existing: ['3 января 2026', '2 января 2026'],
    found: '3 января 2026',
    made: '1 мая 2026',
    language: 'ru',
  },
  {
    format: 'YYYY-MM-DD ddd',
    existing: ['2026-01-03 토'],
    found: '2026-01-03 토',
    made: '2026-05-01 금',
    language: 'ko',
  },
  {
    format: 'YYYY/MM-MMMM/DD ddd',
    existing: ['2026/01-enero/03 Sáb', '2026/01-enero/02 vie'],
    found: '2026/01-enero/03 Sáb',
    made: '2026/05-mayo/01 vie.',
    language: 'es',
  },
  { format: 'YYYY-MM-DD', existing: ['٢٠٢٦-٠١-٠٣'], found: '٢٠٢٦-٠١-٠٣', made: '٢٠٢٦-٠٥-٠١', language: 'ar' },
  {
    format: 'dddd, Do MMMM YYYY',
    existing: ['Saturday, 3rd January 2026'],
    found: 'Saturday, 3rd January 2026',
    made: 'Friday, 1st May 2026',
    language: 'en',
  },
];

for (const { format, existing, found, made, language } of CASES) {
  test(`an existing daily note is found in its language, and a new one follows it: ${found}`, () => {
    const notes = Object.fromEntries(existing.map((name) => [`Log/${name}.md`, 'x']));
    return withWrites({ ...daily(format), ...notes, 'Log/Other.md': 'x' }, async ({ ask, refusal }) => {
      const read = await ask(readNotes, { notes: ['@2026-01-03'] });
      assert.equal(read.succeeded[0]?.result.path, `Log/${found}.md`);
      await refusal(createNote, { path: '@2026-01-03', content: 'x' }, 'NOTE_EXISTS');
      const created = await ask(createNote, { path: '@2026-05-01', content: 'x' });
      const { path, language: code, language_from: from } = created;
      assert.deepEqual({ path, code, from }, { path: `Log/${made}.md`, code: language, from: 'existing notes' });
    });
  });
}

test('without existing notes or a setting a new daily note is in English and says so', () =>
  withWrites(daily('YYYY-MM-DD dddd'), async ({ ask }) => {
    const edits = [{ op: 'append', text: 'x' }];
    const made = await ask(editNote, { note: '@2026-05-01', create: true, edits });
    const { path, language, language_from } = made;
    assert.deepEqual([path, language, language_from], ['Log/2026-05-01 Friday.md', 'en', 'default']);
  }));

test('without settings daily notes with the name of a day or a month are recognized', () =>
  withWrites(
    { 'J/2026-01-02 vendredi.md': 'x', 'J/2026-01-03 samedi.md': 'x', 'A 2026 plan.md': 'x' },
    async ({ ask }) => {
      assert.equal(
        (await ask(readNotes, { notes: ['@2026-01-03'] })).succeeded[0]?.result.path,
        'J/2026-01-03 samedi.md',
      );
      assert.equal((await ask(createNote, { path: '@2026-05-01', content: '' })).path, 'J/2026-05-01 vendredi.md');
    },
  ));

const TEMPLATE =
  '{{title}}|{{yesterday}}|{{ tomorrow }}|{{date+1d:YYYY-MM-DD}}|{{date -1w:GGGG-[W]WW}}|{{date-1M:MMMM}}|{{other}}|{{monday:DD}}\n';

test('templates have the days around and dates at a distance, in the language of the daily notes', () =>
  withWrites(
    { ...daily('YYYY-MM-DD ddd', { template: 'T/Day' }), 'T/Day.md': TEMPLATE, 'Log/2026-01-03 sam.md': 'x' },
    async ({ ask, text }) => {
      const { path } = await ask(createNote, { path: '@2026-11-20', template: true });
      assert.equal(
        text(path),
        '2026-11-20 ven.|2026-11-19 jeu.|2026-11-21 sam.|2026-11-21|2026-W46|octobre|{{other}}|{{monday:DD}}\n',
      );
    },
  ));

test('a template with a letter that is known in English only is refused in another language', () => {
  const notes = { 'T/Day.md': '{{date:YYYY Mo}}', 'Log/2026-01-03 sam.md': 'x' };
  return withWrites({ ...daily('YYYY-MM-DD ddd', { template: 'T/Day' }), ...notes }, async ({ refusal }) => {
    const { message } = await refusal(createNote, { path: '@2026-11-20', template: true }, 'INVALID_INPUT');
    assert.match(message, /`Mo`, which is supported in English only/);
  });
});

const units = (keys: readonly string[], template: string) =>
  Object.fromEntries(
    keys.map((key, at) => [key, { enabled: at !== 4, folder: `F${at}`, [template]: at === 1 ? 'T/Week.md' : '' }]),
  );
const BEFORE = units(['daily', 'weekly', 'monthly', 'quarterly', 'yearly'], 'template');
const ONE = {
  activeCalendarSet: 'Mine',
  calendarSets: [
    { id: 'Other', day: { enabled: true, folder: 'Wrong' } },
    { id: 'Mine', ...units(['day', 'week', 'month', 'quarter', 'year'], 'templatePath') },
  ],
};

for (const [version, data] of [
  ['before 1.0', BEFORE],
  ['1.0', ONE],
] as const) {
  test(`the periodic notes of the plugin ${version} are named by their period`, () => {
    const settings = {
      '.obsidian-mac/app.json': '{}',
      '.obsidian-mac/community-plugins.json': '["periodic-notes"]',
      '.obsidian-mac/plugins/periodic-notes/data.json': JSON.stringify(data),
    };
    const files = {
      ...settings,
      'T/Week.md': '{{monday:MM-DD}} {{sunday:MM-DD}}',
      'F2/2026-11.md': 'month',
      '@2024.md': 'x',
    };
    return withWrites(files, async ({ ask, refusal, text }) => {
      const paths = async (path: string) => (await ask(createNote, { path, content: 'x', dry_run: true })).path;
      assert.equal(await paths('@2026-01-03'), 'F0/2026-01-03.md');
      assert.equal(await paths('@2026-W47'), 'F1/2026-W47.md');
      assert.equal(await paths('@2027-W01'), 'F1/2027-W01.md', 'counted as the format counts');
      assert.equal(await paths('@2026-Q4'), 'F3/2026-Q4.md');
      assert.equal(await paths('@Q4 2026'), 'F3/2026-Q4.md');
      assert.equal((await ask(readNotes, { notes: ['@2026-11'] })).succeeded[0]?.result.path, 'F2/2026-11.md');
      await ask(createNote, { path: '@2026-W47', template: true });
      assert.equal(text('F1/2026-W47.md'), '11-16 11-15');
      const year = await refusal(createNote, { path: '@2026', content: 'x' }, 'PATH_NOT_ALLOWED');
      assert.match(year.message, /no settings for yearly notes/);
      assert.equal((await ask(getNeighbors, { note: '@2024' })).path, '@2024.md', 'a note that exists');
      for (const path of ['@last 7 days', '@friday', '@7d', '@since monday'])
        assert.match((await refusal(createNote, { path, content: 'x' }, 'PATH_NOT_ALLOWED')).hint, /@last friday/);
      assert.equal(await paths('@april'), '@april.md', 'a name');
    });
  });
}

test('all settings of Obsidian come from the folder that has them', () =>
  withTools(
    {
      '.config-mine/app.json': '{}',
      '.config-mine/templates.json': '{"folder":"T"}',
      'T/A.md': 'kelp',
      '.git/config': '',
    },
    async ({ ask, refusal, folder }) => {
      assert.equal((await ask(searchText, { query: 'kelp' })).templates_left_out, 'T/');
      assert.equal((await ask(listNotes, {})).total, 1);
      folder.put('.obsidian-a/app.json', '{}');
      folder.put('.obsidian-b/app.json', '{}');
      const { message } = await refusal(getNeighbors, { note: '@today' }, 'PATH_NOT_ALLOWED');
      assert.match(message, /\.obsidian-a, \.obsidian-b.*set vault\.config_folder/);
      folder.put('.obsidian/daily-notes.json', '{ no json');
      assert.match(
        (await refusal(getNeighbors, { note: '@today' }, 'PATH_NOT_ALLOWED')).message,
        /\.obsidian\/daily-notes\.json is not valid JSON/,
      );
    },
    // The settings of templates are remembered for a while.
    { fresh: true },
  ));
