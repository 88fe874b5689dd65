// Daily and weekly notes over stdio: the language and the settings folder of the config, and notes that already exist.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { configFile, openSession, temporaryFolder } from './session.ts';

function vaultOf(context: TestContext, files: Readonly<Record<string, string>>): string {
  const vault = temporaryFolder(context);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(vault, path, '..'), { recursive: true });
    writeFileSync(join(vault, path), text);
  }
  return vault;
}

test('the config names the language of new notes and the folder of the settings', async (context) => {
  const vault = vaultOf(context, {
    '.obsidian/daily-notes.json': '{"format":"YYYY"}',
    '.obsidian-mac/daily-notes.json': '{"format":"YYYY-MM-DD dddd","template":"Day"}',
    'Day.md': '{{tomorrow}} {{date+1w:D MMMM}}',
  });
  const settings = 'access: read-write, config_folder: .obsidian-mac, language: pt_BR';
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, ${settings} }\n`);
  const session = await openSession(context, { config });
  await session.indexed();
  const { structured, text } = await session.call('create_note', {
    path: '@2026-01-03',
    template: 'true',
    detail: 'full',
  });
  assert.equal(structured.ok, true, text);
  const { path, language, language_from: from, diff } = structured.data;
  assert.deepEqual([path, language, from], ['2026-01-03 sábado.md', 'pt-br', 'vault.language']);
  assert.match(diff, /\+2026-01-04 domingo 10 janeiro\n/);
  const read = await session.call('read_notes', { notes: '@2026-01-03' });
  assert.equal(read.structured.data.succeeded[0].result.path, '2026-01-03 sábado.md');
});

test('a settings folder that the config names and the vault does not have is not passed over', async (context) => {
  const vault = vaultOf(context, { '.obsidian/daily-notes.json': '{"format":"YYYY"}', 'A.md': 'kelp' });
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, config_folder: .obsidian-mc }\n`);
  const session = await openSession(context, { config });
  await session.indexed();
  const { text } = await session.call('read_notes', { notes: '@today' });
  assert.match(
    text,
    /the vault has no folder \.obsidian-mc; correct vault\.config_folder.*\n.*Give the path of the note/,
  );
  const { structured } = await session.call('search_text', { query: 'kelp' });
  assert.equal(structured.data.total, 1);
  assert.match(structured.warnings[0].message, /templates are not left out.*\.obsidian-mc/);
});
