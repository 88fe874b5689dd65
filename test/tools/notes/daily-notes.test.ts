// `@today` and the like over a real vault: settings, reading, creating and templates.
import assert from 'node:assert/strict';
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatMoment } from '../../../src/markdown/dates/moment-format.ts';
import { getNeighbors } from '../../../src/tools/links/get_neighbors.ts';
import { readNotes } from '../../../src/tools/notes/read_notes.ts';
import { resolveNames } from '../../../src/tools/notes/resolve_names.ts';
import { createNote } from '../../../src/tools/write/create_note.ts';
import { withTools } from '../tools-under-test.ts';
import { withWrites } from '../write/write-under-test.ts';

const day = (format: string, shift = 0): string => {
  const now = new Date();
  now.setDate(now.getDate() + shift);
  const written = formatMoment(now, format);
  return 'text' in written ? written.text : '';
};
const SETTINGS = { folder: '/Log/', format: 'YYYY/MM/DD ddd', template: 'Templates/Day' };
const withSettings = (files: Record<string, string>, daily: unknown = SETTINGS) => ({
  ...files,
  '.obsidian/daily-notes.json': typeof daily === 'string' ? daily : JSON.stringify(daily),
});

test('without settings daily notes are in the root of the vault', () =>
  withTools(
    {
      [`${day('YYYY-MM-DD')}.md`]: '# Plan\nrow\n',
      [`${day('YYYY-MM-DD', -1)}.md`]: 'rested',
      '2026-01-31.md': 'January [[Tide]]',
      'Elsewhere/2026-01-30.md': 'not the daily one',
    },
    async ({ ask, refusal }) => {
      const { succeeded } = await ask(readNotes, { notes: ['@today', '@Yesterday', '@2026-01-31', '@today:2'] });
      assert.deepEqual(
        succeeded.map(({ result }: { result: { path: string; content: string } }) => [result.path, result.content]),
        [
          [`${day('YYYY-MM-DD')}.md`, '# Plan\nrow\n'],
          [`${day('YYYY-MM-DD', -1)}.md`, 'rested'],
          ['2026-01-31.md', 'January [[Tide]]'],
          [`${day('YYYY-MM-DD')}.md`, 'row'],
        ],
      );
      const part = await ask(readNotes, { notes: ['[[@today#Plan]]'] });
      assert.deepEqual(part.succeeded[0].result.lines, [1, 2]);
      assert.equal((await ask(getNeighbors, { note: '@2026-01-31' })).path, '2026-01-31.md');
      const { details } = await refusal(getNeighbors, { note: '@2026-01-30' }, 'NOTE_NOT_FOUND');
      assert.deepEqual(details, {
        ...{ ref: '@2026-01-30', suggestions: [], unresolved_link: false },
        ...{ is: 'day', path: '2026-01-30.md' },
      });
      for (const note of ['@2026-02-30', '@2026-13-01', '@0000-01-01'])
        await refusal(getNeighbors, { note }, 'PATH_NOT_ALLOWED');
      await refusal(getNeighbors, { note: '@someone' }, 'NOTE_NOT_FOUND');
    },
  ));

test('folder and format of the settings are used', () => {
  const tomorrow = `Log/${day('YYYY/MM/DD ddd', 1)}.md`;
  return withTools(withSettings({ [tomorrow]: 'to do' }), async ({ ask }) => {
    const { succeeded, failed } = await ask(resolveNames, { names: ['@tomorrow', '@today'] });
    assert.deepEqual(succeeded, [{ id: '@tomorrow', result: { path: tomorrow, match: 'exact' } }]);
    assert.match(failed[0].error.hint ?? failed[0].error.message, /Log\/|@today/);
    assert.equal(failed[0].error.details.path, `Log/${day('YYYY/MM/DD ddd')}.md`);
  });
});

test('the settings of the periodic notes plugin are used if it is enabled', () => {
  const periodic = {
    '.obsidian/plugins/periodic-notes/data.json': JSON.stringify({ daily: { enabled: true, format: '[d]DDD' } }),
  };
  const on = { ...periodic, '.obsidian/community-plugins.json': '["periodic-notes"]' };
  const { path } = { path: `d${day('DDD')}.md` };
  return withTools({ ...withSettings({ [path]: 'x' }), ...on }, async ({ ask, folder }) => {
    assert.equal((await ask(readNotes, { notes: ['@today'] })).succeeded[0].result.path, path);
    folder.put('.obsidian/community-plugins.json', '[]');
    const { failed } = await ask(readNotes, { notes: ['@today'] });
    assert.equal(failed[0].error.details.path, `Log/${day('YYYY/MM/DD ddd')}.md`);
  });
});

for (const [daily, reason] of [
  ['{ no json', /daily-notes\.json is not valid JSON/],
  ['[1]', /daily-notes\.json is not a JSON object/],
  [{ format: 7 }, /format in \.obsidian\/daily-notes\.json is not a string/],
  [`"${'x'.repeat(70_000)}"`, /larger than 65536 bytes/],
  [{ folder: '../outside' }, /no such note|leads|outside|`\.\.`/],
] as const) {
  test(`invalid settings are rejected, never guessed: ${JSON.stringify(daily).slice(0, 40)}`, () =>
    withTools(withSettings({ 'Tide.md': 'x' }, daily), async ({ refusal, ask }) => {
      const { message, hint } = await refusal(getNeighbors, { note: '@today' }, 'PATH_NOT_ALLOWED');
      assert.match(message, reason);
      assert.match(hint, /path/i);
      assert.equal((await ask(getNeighbors, { note: 'Tide' })).path, 'Tide.md');
    }));
}

test('settings behind a symbolic link are not read', () =>
  withTools(
    withSettings({}),
    async ({ refusal, folder }) => {
      const settings = join(folder.root, '.obsidian/daily-notes.json');
      renameSync(settings, join(folder.outside, 'elsewhere.json'));
      symlinkSync(join(folder.outside, 'elsewhere.json'), settings);
      const { message } = await refusal(getNeighbors, { note: '@today' }, 'PATH_NOT_ALLOWED');
      assert.match(message, /symbolic link is not followed/);
      renameSync(join(folder.root, '.obsidian'), join(folder.outside, 'settings'));
      rmSync(join(folder.outside, 'settings/daily-notes.json'));
      renameSync(join(folder.outside, 'elsewhere.json'), join(folder.outside, 'settings/daily-notes.json'));
      symlinkSync(join(folder.outside, 'settings'), join(folder.root, '.obsidian'));
      await refusal(getNeighbors, { note: '@today' }, 'PATH_NOT_ALLOWED');
      // Settings that were read are kept for a moment.
    },
    { fresh: true },
  ));

test('create_note creates a daily note from its template', () => {
  const template = '# {{title}}\n{{date}} {{ DATE:dddd }} {{date:YYYY}}-{{time}}{{time:HH}} {{other}}\n';
  const files = withSettings({ 'Templates/Day.md': template });
  return withWrites({ ...files, '.obsidian/templates.json': '{"dateFormat":"DD.MM.YYYY"}' }, async (under) => {
    const { ask, text, refusal } = under;
    const path = `Log/${day('YYYY/MM/DD ddd')}.md`;
    const shown = await ask(createNote, { path: '@today', template: true, content: 'more', dry_run: true });
    assert.equal(shown.path, path);
    const made = await ask(createNote, { plan_id: shown.plan_id });
    assert.equal(made.path, path);
    const title = path.slice(path.lastIndexOf('/') + 1, -'.md'.length);
    const [heading, dates, more] = (text(path) ?? '').split('\n');
    assert.deepEqual([heading, more], [`# ${title}`, 'more']);
    assert.match(
      dates ?? '',
      new RegExp(`^${day('DD.MM.YYYY')} ${day('dddd')} ${day('YYYY')}-\\d\\d:\\d\\d\\d\\d \\{\\{other\\}\\}$`),
    );
    await refusal(createNote, { path: '@today', content: '' }, 'NOTE_EXISTS');
    await ask(createNote, { path: '@2026-01-31', template: true });
    assert.match(text('Log/2026/01/31 Sat.md') ?? '', /^# 31 Sat\n31\.01\.2026 Saturday 2026-/);
    await ask(createNote, { path: 'Meeting', template: 'Day' });
    assert.match(text('Meeting.md') ?? '', /^# Meeting\n/);
  });
});

test('invalid templates are rejected', () =>
  withWrites(
    { ...withSettings({ 'A/Twin.md': '', 'B/Twin.md': '' }, {}), 'Gone.md': '' },
    async ({ refusal, folder }) => {
      await refusal(createNote, { path: 'New', template: true }, 'INVALID_INPUT');
      const none = await refusal(createNote, { path: '@today', template: true }, 'INVALID_INPUT');
      assert.match(none.message, /name no daily note template/);
      await refusal(createNote, { path: 'New', template: 'Nowhere' }, 'NOTE_NOT_FOUND');
      await refusal(createNote, { path: 'New', template: 'Twin' }, 'NOTE_AMBIGUOUS');
      await refusal(createNote, { path: 'New' }, 'INVALID_INPUT');
      folder.remove('Gone.md');
      await refusal(createNote, { path: 'New', template: 'Gone' }, 'FILE_UNREADABLE');
    },
  ));
