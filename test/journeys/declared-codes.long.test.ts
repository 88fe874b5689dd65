// M1, M16: provokes the error codes that a tool declares over the wire, by its arguments and by files of the vault, and checks that the next call works.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { declaredCodes } from '../../src/mcp/dispatch/dispatch.ts';
import {
  AFTER_ITS_PLAN,
  AFTER_OTHER_HANDS,
  BY_ARGUMENTS,
  BY_PROVIDERS,
  BY_STATE,
  changeSomething,
  codeOf,
  everyTool,
  HEALTHY,
  IN_A_VIEW,
  OUT_OF_REACH,
  provokeAll,
  TABLES,
  toolCatalog,
  WITH_EVERY_NOTE_GONE,
  WITH_THE_VAULT_GONE,
  WITHOUT_APPROVAL,
} from './declared-codes.ts';
import { provokingVault, tinyVault } from './provoking-vault.ts';
import { configFile, copyOfFixture, openSession } from './session.ts';

test('M1 the tables provoke exactly the codes that the tools declare', () => {
  for (const { name, fails } of toolCatalog) {
    const provoked = TABLES.flatMap((table) => Object.keys(table[name] ?? {}));
    assert.deepEqual([...new Set(provoked)].sort(), [...new Set(fails)].sort(), name);
  }
  const names = toolCatalog.map(({ name }) => name);
  assert.deepEqual(
    TABLES.flatMap((table) => Object.keys(table)).filter((name) => !names.includes(name)),
    [],
  );
  assert.deepEqual(Object.keys(HEALTHY), names);
});

test('M16 every code that a call can return is either provoked or listed as unreachable with a reason', () => {
  const declared = new Set(toolCatalog.flatMap((tool) => [...declaredCodes(tool)]));
  const provoked = TABLES.flatMap((table) => Object.values(table).flatMap((codes) => Object.keys(codes)));
  const covered = new Set([...provoked, ...BY_STATE, ...BY_PROVIDERS, ...Object.keys(OUT_OF_REACH)]);
  assert.deepEqual([...covered].sort(), [...declared].sort());
  for (const code of provoked) assert.ok(!(code in OUT_OF_REACH), code);
});

test('M1 each tool returns each of its codes that depends on the arguments', async (suite) => {
  const { vault, forget } = provokingVault(suite as TestContext);
  const session = await openSession(suite as TestContext, await everyTool(suite as TestContext, vault));
  await session.indexed();
  forget();
  await provokeAll(suite as TestContext, session, BY_ARGUMENTS, ['search_text', { query: 'tide' }]);
  assert.doesNotMatch(session.stderr(), /"undeclared"|INTERNAL/);
});

test('M1 each tool returns the codes that all tools share', async (suite) => {
  const vault = tinyVault(suite as TestContext);
  const session = await openSession(suite as TestContext, await everyTool(suite as TestContext, vault));
  await session.indexed();
  await changeSomething(session);
  const deep = JSON.parse('['.repeat(40) + ']'.repeat(40));
  for (const { name } of toolCatalog) {
    await suite.test(`M3 ${name}: INVALID_INPUT and LIMIT_EXCEEDED`, async () => {
      assert.equal(codeOf(await session.call(name, { ...HEALTHY[name], surprise: 1 })), 'INVALID_INPUT');
      assert.equal(codeOf(await session.call(name, { ...HEALTHY[name], surprise: deep })), 'LIMIT_EXCEEDED');
      const next = await session.call(name, HEALTHY[name]);
      assert.equal(next.isError, false, next.text);
    });
  }
  assert.doesNotMatch(session.stderr(), /"undeclared"|INTERNAL/);
});

test('V1 each tool returns VAULT_UNAVAILABLE, and works again when the vault is back', async (suite) => {
  const vault = tinyVault(suite as TestContext);
  const session = await openSession(suite as TestContext, await everyTool(suite as TestContext, vault));
  await session.indexed();
  await changeSomething(session);
  renameSync(vault, `${vault}.away`);
  try {
    await provokeAll(suite as TestContext, session, WITH_THE_VAULT_GONE, ['list_notes', {}]);
  } finally {
    renameSync(`${vault}.away`, vault);
  }
  for (const [tool, given] of Object.entries(HEALTHY)) assert.equal((await session.call(tool, given)).isError, false);
  assert.doesNotMatch(session.stderr(), /"undeclared"|INTERNAL/);
});

test('V1 move_note and delete_note return INDEX_JOB_FAILED while all notes are missing', async (suite) => {
  const vault = tinyVault(suite as TestContext);
  const session = await openSession(suite as TestContext, await everyTool(suite as TestContext, vault));
  await session.indexed();
  renameSync(vault, `${vault}.away`);
  mkdirSync(vault);
  await provokeAll(suite as TestContext, session, WITH_EVERY_NOTE_GONE, ['list_notes', {}]);
  rmdirSync(vault);
  renameSync(`${vault}.away`, vault);
  assert.equal((await session.call('delete_note', HEALTHY.delete_note)).isError, false);
});

test('V16 undo_change returns WRITE_CONFLICT or NOTE_EXISTS after another program changed the vault', async (context) => {
  const vault = tinyVault(context);
  const session = await openSession(context, await everyTool(context, vault));
  await session.indexed();
  await changeSomething(session);
  writeFileSync(join(vault, 'Changed.md'), 'by another program');
  assert.equal(
    codeOf(await session.call('undo_change', AFTER_OTHER_HANDS.undo_change?.WRITE_CONFLICT)),
    'WRITE_CONFLICT',
  );
  await session.call('delete_note', { note: 'Unsorted', confirm: true });
  writeFileSync(join(vault, 'Ideas/Unsorted.md'), 'by another program');
  assert.equal(codeOf(await session.call('undo_change', AFTER_OTHER_HANDS.undo_change?.NOTE_EXISTS)), 'NOTE_EXISTS');
  await session.call('create_note', { path: 'Twice', content: '' });
  await session.call('create_note', { path: 'Linking', content: '[[Twice]]' });
  await session.call('delete_note', { note: 'Twice', confirm: true });
  mkdirSync(join(vault, 'A'));
  writeFileSync(join(vault, 'A/Twice.md'), 'by another program');
  await session.call('reindex', { wait_ms: 45_000 });
  const given = AFTER_OTHER_HANDS.undo_change?.CONFIRMATION_REQUIRED;
  assert.equal(codeOf(await session.call('undo_change', given)), 'CONFIRMATION_REQUIRED');
  assert.equal(readFileSync(join(vault, 'Changed.md'), 'utf8'), 'by another program');
  assert.doesNotMatch(session.stderr(), /"undeclared"|INTERNAL/);
});

test('a write returns LINK_INTEGRITY if it would change what the view hides', async (suite) => {
  const context = suite as TestContext;
  const vault = copyOfFixture(context, 'tiny');
  const view = '{ path: VAULT, access: read-write, read: ["!Diary"] }'.replace('VAULT', JSON.stringify(vault));
  const session = await openSession(context, { config: configFile(context, `vault: ${view}\n`) });
  await session.indexed();
  await changeSomething(session);
  await session.call('move_note', { note: 'Changed', to: 'Moved', confirm: true });
  mkdirSync(join(vault, 'Diary'));
  writeFileSync(join(vault, 'Diary/Secret.md'), '[[Lighthouse]] and [[Moved]] #log\n');
  await provokeAll(context, session, IN_A_VIEW, ['list_notes', {}]);
  assert.doesNotMatch(session.stderr(), /"undeclared"|INTERNAL/);
});

test('V5 a plan whose note has changed meanwhile returns WRITE_CONFLICT', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const session = await openSession(context, await everyTool(context, vault));
  await session.indexed();
  for (const [tool, codes] of Object.entries(AFTER_ITS_PLAN)) {
    writeFileSync(join(vault, 'Changing.md'), 'changing #changing\n');
    await session.call('reindex', { wait_ms: 45_000 });
    const planned = await session.call(tool, codes.WRITE_CONFLICT);
    assert.equal(planned.isError, false, planned.text);
    writeFileSync(join(vault, 'Changing.md'), `by another program: changing #changing for ${tool}\n`);
    const { data } = planned.structured as unknown as { data: { plan_id: string } };
    assert.equal(codeOf(await session.call(tool, { plan_id: data.plan_id })), 'WRITE_CONFLICT');
  }
  assert.doesNotMatch(session.stderr(), /"undeclared"|INTERNAL/);
});

test('M1 a plan that the user declines is refused', async (context) => {
  const vault = tinyVault(context);
  const config = configFile(context, `vault:\n  path: ${vault}\n  access: read-write\n  consent: ask\n`);
  const session = await openSession(context, { config, answerForm: async () => ({ action: 'decline' }) });
  await session.indexed();
  for (const [tool, codes] of Object.entries(WITHOUT_APPROVAL)) {
    const planned = await session.call(tool, codes.CONFIRMATION_REQUIRED);
    const { plan_id } = planned.structured.data;
    assert.equal(codeOf(await session.call(tool, { plan_id })), 'CONFIRMATION_REQUIRED');
  }
  assert.doesNotMatch(session.stderr(), /"undeclared"|INTERNAL/);
});

test('V7 create_note and edit_note return FILE_WRITE_FAILED when the disk is full, leave no file behind, and the next write works', async (context) => {
  const vault = tinyVault(context);
  const setup = await everyTool(context, vault);
  // Files may grow to 2 MiB: enough for the index of a small vault, but not for three million bytes.
  const session = await openSession(context, { ...setup, shell: 'ulimit -f 4096;' });
  await session.indexed();
  const before = readdirSync(vault, { recursive: true });
  const long = '漢'.repeat(999_000);
  const harbour = readFileSync(join(vault, 'Places/Harbour.md'));
  for (const [tool, given] of [
    ['create_note', { path: 'Long', content: long }],
    ['edit_note', { note: 'Harbour', edits: [{ op: 'append', text: long }] }],
  ] as const) {
    const answer = await session.call(tool, given);
    assert.equal(codeOf(answer), 'FILE_WRITE_FAILED', answer.text.slice(0, 500));
    assert.equal(answer.structured.error.details.original_intact, true);
    assert.match(answer.text, /EFBIG/);
  }
  assert.deepEqual(readdirSync(vault, { recursive: true }), before);
  assert.deepEqual(readFileSync(join(vault, 'Places/Harbour.md')), harbour);
  await changeSomething(session);
  assert.doesNotMatch(session.stderr(), /"undeclared"|INTERNAL/);
});
