// Changes the vault under a running server: it disappears, shrinks, or has bad files or names that are almost equal.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fingerprint } from './fingerprint.ts';
import { copyOfFixture, openSession, runProgram, type Session, temporaryFolder } from './session.ts';

const NOTES = 40;
const APART = 'Apart';
const MAX_UNWATCHED_MS = 60_000;

/** A chain of notes, each linking to the next; the first ones are in a folder of their own. */
function rowOfNotes(context: TestContext, apart = NOTES): string {
  const vault = temporaryFolder(context);
  mkdirSync(join(vault, APART));
  for (let at = 0; at < NOTES; at += 1)
    writeFileSync(join(vault, at < apart ? APART : '', `n${at}.md`), `# N ${at}\nsee [[n${at + 1}]]\n`);
  return vault;
}

/** Removes all files at once: a watcher sees no single deletion. */
function loseNotesApart(vault: string): void {
  renameSync(join(vault, APART), `${vault}.lost`);
}

/** Answers contain this warning until the folder is watched again. */
async function isFresh(session: Session): Promise<boolean> {
  return (await session.call('list_notes')).structured.meta === undefined;
}

async function total(session: Session): Promise<number> {
  const { structured } = await session.call('list_notes', { limit: 1 });
  return structured.data.total;
}

test('V1 if the vault is renamed the index is kept, each answer says so, and the vault is found again without a restart', async (context) => {
  const vault = rowOfNotes(context);
  const session = await openSession(context, { vault });
  await session.indexed();
  renameSync(vault, `${vault}.away`);
  const job = await session.indexed();
  assert.equal(job.state, 'failed');
  assert.equal(job.error.code, 'VAULT_UNAVAILABLE');
  const listed = await session.call('list_notes');
  assert.equal(listed.structured.data.total, NOTES);
  assert.equal(listed.structured.meta.index.stale, 'unknown');
  assert.match(listed.text, /STALE_UNKNOWN/);
  assert.match((await session.call('status')).text, /VAULT_UNAVAILABLE/);
  renameSync(`${vault}.away`, vault);
  assert.equal((await session.indexed()).state, 'succeeded');
  for (let waited = 0; !(await isFresh(session)); waited += 200) {
    assert.ok(waited < MAX_UNWATCHED_MS, 'it is watched again');
    await sleep(200);
  }
});

for (const [name, count] of [
  ['emptied', NOTES],
  ['reduced by 60 % of its notes', NOTES * 0.6],
] as const) {
  test(`V1 if the vault is ${name} the index is kept until the loss is confirmed`, async (context) => {
    const vault = rowOfNotes(context, count);
    const session = await openSession(context, { vault });
    await session.indexed();
    loseNotesApart(vault);
    const blocked = await session.indexed();
    assert.equal(blocked.state, 'failed');
    assert.equal(blocked.error.code, 'MASS_DELETE_BLOCKED');
    assert.equal(await total(session), NOTES);
    const status = await session.call('status');
    assert.equal(status.structured.data.index.last_error.code, 'MASS_DELETE_BLOCKED');
    assert.match(status.text, /MASS_DELETE_BLOCKED/);
    const confirmed = await session.call('reindex', { confirm: true, wait_ms: 45_000 });
    assert.equal(confirmed.structured.data.state, 'succeeded');
    assert.equal(await total(session), NOTES - count);
    assert.equal((await session.call('status')).structured.data.index.last_error, undefined);
  });
}

test('V1 a rebuild of a vault that shrank also keeps the index until the loss is confirmed', async (context) => {
  const vault = rowOfNotes(context);
  const dataFolder = temporaryFolder(context);
  const place = ['--vault', vault, '--data-dir', dataFolder];
  assert.equal(runProgram(context, ['index', ...place]).status, 0);
  loseNotesApart(vault);
  const blocked = runProgram(context, ['index', '--rebuild', ...place]);
  assert.notEqual(blocked.status, 0);
  assert.match(blocked.stderr, /MASS_DELETE_BLOCKED/);
  assert.equal(runProgram(context, ['index', '--confirm', ...place]).status, 0);
});

test('V3 notes with invalid front matter, huge notes and binary notes are counted and listed; the rest is indexed', async (context) => {
  const vault = copyOfFixture(context, 'broken');
  writeFileSync(join(vault, 'Huge.md'), '');
  truncateSync(join(vault, 'Huge.md'), 33 * 1024 * 1024);
  writeFileSync(
    join(vault, 'Binary.md'),
    Uint8Array.from({ length: 4_096 }, (_, at) => (at * 7) % 256),
  );
  const before = fingerprint(vault);
  const session = await openSession(context, { vault });
  const job = await session.indexed();
  assert.equal(job.state, 'succeeded');
  const { structured, text } = await session.call('status');
  const ledger = new Map<string, string>(
    structured.data.quarantine.map(({ path, code }: { path: string; code: string }) => [path, code]),
  );
  assert.equal(ledger.get('Huge.md'), 'LIMIT_EXCEEDED');
  assert.equal(ledger.get('Broken YAML.md'), 'PROPERTIES_INVALID');
  for (const path of ledger.keys()) assert.ok(text.includes(path), `${path} is in the text too`);
  const listed = await session.call('list_notes', { limit: 100 });
  assert.match(listed.text, /Warning \[QUARANTINED\]/);
  assert.match(listed.text, /files not read completely: status says/);
  assert.equal(listed.structured.warnings[0].count, structured.data.index.quarantined);
  const elsewhere = await session.call('list_notes', { folder: 'none of them' });
  assert.doesNotMatch(elsewhere.text, /QUARANTINED/);
  const huge = await session.call('read_notes', { notes: ['Huge.md'] });
  assert.match(huge.text, /split a note into smaller ones/);
  const body = await session.call('read_notes', { notes: ['Broken YAML.md'], include: ['content', 'properties'] });
  assert.ok(body.structured.data.succeeded[0].result.properties_fault.line > 0);
  assert.equal((await session.call('read_notes', { notes: ['Binary.md'] })).isError, false);
  assert.equal(fingerprint(vault), before);
});

test('V4 a first index, the tools, a rebuild and doctor modify no file of the vault', async (context) => {
  for (const fixture of ['tiny', 'broken', 'unicode']) {
    const vault = copyOfFixture(context, fixture);
    const before = fingerprint(vault);
    const session = await openSession(context, { vault });
    await session.indexed();
    const [first] = (await session.call('list_notes')).structured.data.notes;
    const everything = { notes: [first.path], include: ['content', 'outline', 'links', 'properties'] };
    await session.call('read_notes', everything);
    await session.call('get_neighbors', { note: first.path, depth: 3 });
    for (const kind of ['unresolved', 'orphans', 'dead_ends', 'unlinked_mentions'])
      await session.call('find_gaps', { kind });
    await session.call('find_related', { note: first.path });
    await session.call('get_context', { notes: [first.path] });
    await session.call('read_notes', { notes: ['@today'] });
    await session.call('reindex', { rebuild: true, confirm: true, wait_ms: 45_000 });
    await session.close();
    for (const command of [['doctor', '--rebuild-index'], ['status'], ['export']]) {
      runProgram(context, [...command, '--vault', vault, '--data-dir', session.dataFolder]);
    }
    assert.equal(fingerprint(vault), before, fixture);
  }
});

const FORBIDDEN = [
  '../secret.md',
  'Places/../../secret.md',
  '/etc/passwd',
  '//server/share/secret.md',
  'C:/secret.md',
  'C:\\secret.md',
  '..\\secret.md',
  '.obsidian/app.json',
  '.trash/Old.md',
  '.git/config',
  'node_modules/package/README.md',
  'Link out.md',
  'Folder out/secret.md',
];

test('V9 every tool that takes a note refuses paths that leave the vault or are hidden, and reveals nothing', async (suite) => {
  const context = suite as TestContext;
  const outside = temporaryFolder(context);
  writeFileSync(join(outside, 'secret.md'), 'the secret text [[Harbour]]\n');
  const vault = copyOfFixture(context, 'tiny');
  for (const folder of ['.obsidian', '.trash', '.git', 'node_modules/package']) {
    mkdirSync(join(vault, folder), { recursive: true });
  }
  for (const path of ['.obsidian/app.json', '.trash/Old.md', '.git/config', 'node_modules/package/README.md']) {
    writeFileSync(join(vault, path), 'the secret text [[Harbour]]\n');
  }
  symlinkSync(join(outside, 'secret.md'), join(vault, 'Link out.md'));
  symlinkSync(outside, join(vault, 'Folder out'));
  const session = await openSession(context, { vault });
  await session.indexed();
  for (const path of FORBIDDEN) {
    await suite.test(`V9 ${path}`, async () => {
      for (const [tool, given] of [
        ['get_neighbors', { note: path }],
        ['find_path', { from: 'Harbour', to: path }],
        ['find_gaps', { kind: 'unresolved', note: path }],
        ['reindex', { notes: [path] }],
        ['read_notes', { notes: [path] }],
        ['resolve_names', { names: [path] }],
      ] as const) {
        const answer = await session.call(tool, given);
        const [item] = answer.structured.error?.details.failed ?? [answer.structured];
        assert.match(item.error?.code ?? answer.text, /^(PATH_NOT_ALLOWED|NOTE_NOT_FOUND)$/, `${tool}: ${answer.text}`);
        assert.doesNotMatch(JSON.stringify(answer), /secret text/);
      }
    });
  }
  assert.equal((await session.call('search_text', { query: '"secret text"' })).structured.data.total, 0);
});

test('V9 a note that was replaced by a symbolic link out of the vault after indexing is not read', async (context) => {
  const outside = temporaryFolder(context);
  writeFileSync(join(outside, 'secret.md'), 'the secret text\n');
  const vault = copyOfFixture(context, 'tiny');
  const session = await openSession(context, { vault });
  await session.indexed();
  rmSync(join(vault, 'Places/Harbour.md'));
  symlinkSync(join(outside, 'secret.md'), join(vault, 'Places/Harbour.md'));
  const read = await session.call('read_notes', { notes: ['Harbour'] });
  assert.equal(read.structured.error.details.failed[0].error.code, 'PATH_NOT_ALLOWED');
  renameSync(join(vault, 'People'), join(outside, 'People'));
  symlinkSync(join(outside, 'People'), join(vault, 'People'));
  const through = await session.call('read_notes', { notes: ['Ada Finch'] });
  assert.equal(through.structured.error.details.failed[0].error.code, 'PATH_NOT_ALLOWED');
  await session.indexed();
  assert.doesNotMatch(JSON.stringify(await session.call('search_text', { query: 'secret' })), /secret text/);
});

/** Whether the file system distinguishes the two names. */
function keepsApart(context: TestContext, one: string, other: string): boolean {
  const folder = temporaryFolder(context);
  writeFileSync(join(folder, one), '1');
  writeFileSync(join(folder, other), '2');
  return readdirSync(folder).length === 2;
}

test('V10 a case-only rename is detected, and Note.md and note.md stay two notes', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const session = await openSession(context, { vault });
  await session.indexed();
  renameSync(join(vault, 'Places/Harbour.md'), join(vault, 'Places/HARBOUR.md'));
  await session.indexed();
  const found = await session.call('resolve_names', { names: ['Harbour', 'HARBOUR', 'places/harbour.md'] });
  const paths = found.structured.data.succeeded.map(({ result }: { result: { path: string } }) => result.path);
  assert.deepEqual(paths, Array(3).fill('Places/HARBOUR.md'));
  const linking = await session.call('get_neighbors', { note: 'HARBOUR', direction: 'in' });
  assert.ok(linking.structured.data.total > 0);
  if (!keepsApart(context, 'Note.md', 'note.md')) return;
  writeFileSync(join(vault, 'Note.md'), 'the upper one\n');
  writeFileSync(join(vault, 'note.md'), 'the lower one\n');
  await session.indexed();
  for (const [path, text] of [
    ['Note.md', 'the upper one\n'],
    ['note.md', 'the lower one\n'],
    ['Note', 'the upper one\n'],
    ['note', 'the lower one\n'],
  ]) {
    const { structured } = await session.call('read_notes', { notes: [path] });
    assert.equal(structured.data.succeeded[0].result.content, text, path);
  }
  const neither = await session.call('resolve_names', { names: ['NOTE'] });
  assert.equal(neither.structured.error.details.failed[0].error.code, 'NOTE_AMBIGUOUS');
});

test('V10 a name that is NFD on disk is found by NFC and NFD, and two files that differ only in that stay two notes', async (context) => {
  const vault = temporaryFolder(context);
  const [composed, decomposed] = ['Café.md'.normalize('NFC'), 'Café.md'.normalize('NFD')];
  writeFileSync(join(vault, decomposed), 'decomposed\n');
  writeFileSync(join(vault, 'Links.md'), `[[${composed.slice(0, -3)}]] and [[${decomposed.slice(0, -3)}]]\n`);
  const session = await openSession(context, { vault });
  await session.indexed();
  for (const name of [composed, decomposed]) {
    const { structured } = await session.call('read_notes', { notes: [name] });
    const [{ result }] = structured.data.succeeded;
    assert.deepEqual([result.path, result.content], [composed, 'decomposed\n']);
  }
  const gaps = await session.call('find_gaps', { kind: 'unresolved' });
  assert.equal(gaps.structured.data.total, 0);
  if (!keepsApart(context, composed, decomposed)) return;
  writeFileSync(join(vault, composed), 'composed\n');
  await session.indexed();
  const { structured } = await session.call('read_notes', { notes: [composed] });
  assert.equal(structured.data.succeeded[0].result.content, 'composed\n');
  assert.equal(await total(session), 3);
});

test('V13 two notes with the same name or alias are ambiguous, and every choice resolves; conflict copies are notes', async (context) => {
  const vault = temporaryFolder(context);
  mkdirSync(join(vault, 'a'));
  mkdirSync(join(vault, 'b'));
  for (const folder of ['a', 'b']) {
    writeFileSync(join(vault, folder, 'Same.md'), `---\naliases: [Both]\n---\n# Part\nin ${folder}\n`);
  }
  writeFileSync(join(vault, 'Same (conflicted copy 2026-11-20).md'), 'a copy\n');
  const session = await openSession(context, { vault });
  await session.indexed();
  assert.equal(await total(session), 3);
  for (const [name, tool, argument] of [
    ['Same', 'get_neighbors', 'note'],
    ['Both', 'find_path', 'to'],
    ['Same#Part', 'get_neighbors', 'note'],
  ] as const) {
    const rest = tool === 'find_path' ? { from: 'a/Same.md' } : {};
    const answer = await session.call(tool, { ...rest, [argument]: name });
    const { code, choices, total_matches, retry_with } = answer.structured.error;
    assert.equal(code, 'NOTE_AMBIGUOUS');
    assert.equal(retry_with, argument);
    assert.deepEqual([choices.length, total_matches], [2, 2]);
    for (const { value } of choices) {
      assert.ok(answer.text.includes(`- ${value}`));
      assert.equal((await session.call(tool, { ...rest, [retry_with]: value })).isError, false);
    }
  }
});
