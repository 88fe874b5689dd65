// Several vaults in one server against a server for each: the same answers, views, switches and faults, and the command line.
import assert from 'node:assert/strict';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { assertEach } from '../assert-each.ts';
import { configFile, openSession, runProgram, type Session, temporaryFolder } from './session.ts';
import { PRIVATE, PRIVATE_WORDS, questionsAbout, WORK, WORK_WORDS, writeNotes } from './several-vaults-notes.ts';

const KEYS = {
  work: 'access: read-write, read: ["**", "!Hidden/**"], tools: { except: [get_hubs] }',
  private: 'read: ["**", "!Therapy/**"]',
};
type Name = keyof typeof KEYS;

function folders(context: TestContext): Readonly<Record<Name, string>> {
  return { work: writeNotes(context, WORK), private: writeNotes(context, PRIVATE) };
}

const sectionOf = (name: Name, root: string, keys = KEYS[name]): string =>
  `${name}: { path: ${JSON.stringify(root)}, ${keys} }`;

function configOf(context: TestContext, roots: Readonly<Record<Name, string>>): string {
  const sections = Object.entries(roots).map(([name, root]) => sectionOf(name as Name, root));
  return configFile(context, `vaults: { ${sections.join(', ')} }\n`);
}

async function indexed(session: Session, vaults: readonly Name[]): Promise<Session> {
  for (const vault of vaults)
    assert.equal((await session.call('reindex', { vault })).structured.data.state, 'succeeded');
  return session;
}

/** Without what a server of one vault does not say, and times and ids. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !LEFT_OUT.includes(key));
  return Object.fromEntries(kept.map(([key, member]) => [key, comparable(member)]));
}

const LEFT_OUT = ['vault', 'error_id', 'as_of', 'next_cursor', 'hint'];

test('what is asked about one vault is answered as by a server that has no other', async (context) => {
  const roots = folders(context);
  const both = await indexed(await openSession(context, { config: configOf(context, roots) }), ['work', 'private']);
  for (const [vault, note, other, foreign] of [
    ['work', 'Harbour', 'Journal', PRIVATE_WORDS],
    ['private', 'Journal', 'Harbour', WORK_WORDS],
  ] as const) {
    const keys = KEYS[vault].replace(/, tools.*$/, '');
    const config = configFile(context, `vault: { path: ${JSON.stringify(roots[vault])}, ${keys} }\n`);
    const alone = await openSession(context, { config });
    await alone.indexed();
    for (const [tool, given] of questionsAbout(note, other)) {
      if (vault === 'work' && tool === 'get_hubs') continue;
      const shown = `${vault}: ${tool} ${JSON.stringify(given)}`;
      const one = await both.call(tool, { ...given, vault });
      assert.deepEqual(comparable(one.structured), comparable((await alone.call(tool, given)).structured), shown);
      const own = JSON.stringify(given).match(/\w+/g) ?? [];
      const text = own.reduce((rest, word) => rest.replaceAll(new RegExp(word, 'gi'), ''), one.text);
      assert.doesNotMatch(text, foreign, shown);
    }
    await alone.close();
  }
});

test('the view and the switches of a vault hold where all vaults answer together', async (context) => {
  const session = await indexed(await openSession(context, { config: configOf(context, folders(context)) }), [
    'work',
    'private',
  ]);
  for (const [tool, given] of [
    ['search_text', { query: 'salary euros fears session doctor pay' }],
    ['list_notes', { detail: 'full' }],
    ['list_tags', {}],
    ['list_tasks', {}],
    ['status', {}],
  ] as const) {
    const { text } = await session.call(tool, given);
    assert.doesNotMatch(
      text.replace(/salary euros fears session doctor pay/g, ''),
      /Salary|Hidden|Therapy|Session\.md|#pay|#doctor/,
      tool,
    );
  }
  const { tools } = await session.client.listTools();
  const hubs = tools.find(({ name }) => name === 'get_hubs');
  assert.deepEqual(hubs?.inputSchema.properties?.vault, { type: 'string', enum: ['private'] });
  const { structured } = await session.call('get_hubs', { vault: 'work' });
  assert.match(structured.error.message, /work does not offer get_hubs/);
  assert.equal((await session.call('get_hubs')).structured.data.vault, 'private');
  const resources = JSON.stringify([
    await session.client.listResources(),
    await session.client.listResources({ cursor: 'private:' }),
  ]);
  assert.doesNotMatch(resources, /Salary|Therapy/);
  const hidden = { work: ['Hidden/Salary.md', 'Dreams.md'], private: ['Therapy/Session.md'] };
  for (const [vault, paths] of Object.entries(hidden))
    for (const path of paths)
      await assert.rejects(session.client.readResource({ uri: `note://${vault}/${path}` }), /NOTE_NOT_FOUND/);
});

test('changes, plans and undo are those of their own vault', async (context) => {
  const roots = folders(context);
  const both = KEYS.work.replace(/, tools.*$/, '');
  const sections = `${sectionOf('work', roots.work, both)}, ${sectionOf('private', roots.private, 'access: read-write')}`;
  const config = configFile(context, `vaults: { ${sections} }\n`);
  const session = await indexed(await openSession(context, { config }), ['work', 'private']);
  const planned = await session.call('edit_note', {
    note: 'private:Dreams',
    edits: [{ op: 'append', text: 'Flying.' }],
    dry_run: true,
  });
  const { plan_id } = planned.structured.data;
  assert.equal((await session.call('edit_note', { plan_id })).structured.error.code, 'INVALID_INPUT');
  assert.equal((await session.call('edit_note', { plan_id, vault: 'work' })).structured.error.code, 'CHANGE_NOT_FOUND');
  const made = await session.call('edit_note', { plan_id, vault: 'private' });
  assert.equal(made.structured.data.vault, 'private');
  assert.equal((await session.call('undo_change', { vault: 'work' })).structured.error.code, 'CHANGE_NOT_FOUND');
  const undone = await session.call('undo_change', { vault: 'private' });
  assert.equal(undone.structured.data.undoes.change_id, made.structured.data.change_id);
  assert.equal((await session.call('create_note', { path: 'X', content: 'x' })).structured.error.code, 'INVALID_INPUT');
  await session.close();
  const args = ['--config', config, '--data-dir', session.dataFolder];
  const listed = JSON.parse(runProgram(context, ['changes', '--json', ...args]).stdout).changes;
  assertEach(listed, ({ vault }: { vault: string }) => vault, ['private', 'private']);
});

test('a damaged index and a folder that went away are of their own vault; it serves again once it can', async (context) => {
  const roots = folders(context);
  const config = configOf(context, roots);
  const dataFolder = temporaryFolder(context);
  const first = await indexed(await openSession(context, { config, dataFolder }), ['work', 'private']);
  await first.close();
  const [indexOfOne = ''] = readdirSync(dataFolder).filter((name) => /^[0-9a-f]{16}$/.test(name));
  const hidden = `${roots.private}-gone`;
  renameSync(roots.private, hidden);
  const session = await openSession(context, { config, dataFolder });
  const found = await session.call('list_notes');
  assert.deepEqual(found.structured.data.missing[0].code, 'VAULT_UNAVAILABLE');
  assert.match(found.text, /^PARTIAL 1\/2 vaults answered; missing: private \[VAULT_UNAVAILABLE\]/);
  renameSync(hidden, roots.private);
  let again = await session.call('list_notes');
  while (again.structured.data.missing !== undefined) again = await session.call('list_notes');
  assert.equal(again.structured.data.vaults.length, 2);
  await session.close();
  // A server replaces a damaged index at most once an hour.
  const rebuilt = JSON.stringify({ at: new Date().toISOString(), kept: '' });
  writeFileSync(join(dataFolder, indexOfOne, 'index.db.rebuilt'), rebuilt);
  writeFileSync(join(dataFolder, indexOfOne, 'index.db'), 'this is no database, and never was one'.repeat(200));
  const damaged = await openSession(context, { config, dataFolder });
  const answer = await damaged.call('search_text', { query: 'journal harbour' });
  assert.equal(answer.structured.data.missing.length, 1, answer.text);
  assert.match(answer.structured.data.missing[0].code, /^STORE_/);
  assert.equal(answer.structured.data.hits.length > 0, true);
});

test('every command works with several vaults, and `--vault` chooses one by its name', async (context) => {
  const config = configOf(context, folders(context));
  const args = ['--config', config, '--data-dir', temporaryFolder(context)];
  const run = (...words: string[]) => runProgram(context, [...words, ...args]);
  assert.match(run('index', '--quiet').stdout, /^work\n {2}succeeded: 2 files.*\n\nprivate\n {2}succeeded: 2 files/s);
  assert.match(run('status').stdout, /^work\n {2}vault .*\n\nprivate\n {2}vault /s);
  assert.equal(JSON.parse(run('status', '--json', '--vault', 'private').stdout).data.vault.name, 'private');
  assert.match(run('config').stdout, /vaults\.work\.tools\.except +\["get_hubs"\]/);
  const called = JSON.parse(run('call', 'search_text', '{"query": "zenobia quay"}').stdout);
  assert.deepEqual(
    new Set(called.data.hits.map(({ vault }: { vault: string }) => vault)),
    new Set(['work', 'private']),
  );
  const doctor = run('doctor', '--json');
  const checks = JSON.parse(doctor.stdout).checks.map(({ check }: { check: string }) => check);
  for (const check of ['node', 'work: vault', 'private: vault', 'work: index'])
    assert.ok(checks.includes(check), check);
  for (const command of ['export', 'view']) {
    const refused = run(command);
    assert.equal(refused.status, 78, refused.stderr);
    assert.match(refused.stderr, /name it with --vault, allowed: work, private/);
  }
  assert.doesNotMatch(run('export', '--vault', 'work').stdout, /Journal\.md|Dreams|Salary/);
  assert.match(
    run('install', '--client', 'cursor', '--dry-run', '--json', '--vault', 'work').stdout,
    /"--vault","work"/,
  );
  assert.doesNotMatch(run('install', '--client', 'cursor', '--dry-run', '--json').stdout, /"--vault"/);
});

test('the question before a change, its progress and its answer name the vault', async (context) => {
  const roots = folders(context);
  const sections = [
    sectionOf('work', roots.work, 'access: read-write, consent: ask'),
    sectionOf('private', roots.private),
  ];
  const config = configFile(context, `vaults: { ${sections.join(', ')} }\n`);
  const questions: string[] = [];
  const answerForm = async (message: string): Promise<ElicitResult> => {
    questions.push(message);
    return { action: 'accept', content: { approve: true } };
  };
  const session = await openSession(context, { config, answerForm });
  const progress: string[] = [];
  const onprogress = ({ message }: { message?: string | undefined }): void => void progress.push(message ?? '');
  assert.equal((await session.call('reindex', { vault: 'work' }, { onprogress })).isError, false);
  for (const message of progress) assert.match(message, /^(?:work: |reindex is running)/);
  const { structured } = await session.call('delete_note', { note: 'work:Budget' });
  assert.equal(structured.data.vault, 'work');
  assert.equal(questions.length, 1);
  assert.match(questions[0] ?? '', /^In the vault work: /);
});
