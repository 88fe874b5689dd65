// Kills a server in the middle of a change of 300 notes: other servers say so, and one with write access completes it without being asked.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { configFile, openSession, runBeside, type Session, temporaryFolder } from './session.ts';

const NOTES = 300;
const KILL = { NODE_OPTIONS: `--import ${join(import.meta.dirname, 'kill-in-change.ts')}` };

interface Place {
  readonly vault: string;
  readonly dataFolder: string;
  open(access: string, env?: Readonly<Record<string, string>>): Promise<Session>;
  run(...command: string[]): Promise<{ readonly stdout: string; readonly status: number | null }>;
}

function linkedNotes(context: TestContext): Place {
  const vault = temporaryFolder(context);
  const dataFolder = temporaryFolder(context);
  mkdirSync(join(vault, 'Log'));
  for (let note = 0; note < NOTES; note++)
    writeFileSync(join(vault, `Log/Day ${note}.md`), `tide #log/day [[Log/Day ${(note + 1) % NOTES}]]\n`);
  writeFileSync(join(vault, 'Hub.md'), '[[Log/Day 7]]\n');
  const configs = new Map(
    ['read-only', 'read-write'].map((access) => [
      access,
      configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: ${access} }\n`),
    ]),
  );
  const config = (access: string): string => configs.get(access) ?? '';
  return {
    vault,
    dataFolder,
    open: (access, env = {}) => openSession(context, { config: config(access), dataFolder, env }),
    run: (...command) => runBeside(context, [...command, '--config', config('read-write'), '--data-dir', dataFolder]),
  };
}

/** Moves the folder with a server that is killed on the way. */
async function killInMove({ open, vault }: Place): Promise<void> {
  const server = await open('read-write', KILL);
  await server.indexed();
  await assert.rejects(server.call('move_note', { note: 'Log/', to: 'Diary', confirm: true }));
  assert.ok(existsSync(join(vault, 'Diary')), 'it was killed after it began');
  assert.ok(existsSync(join(vault, 'Log')), 'it was killed before it ended');
}

function contentsOf(vault: string): readonly string[] {
  const notes = readdirSync(join(vault, 'Log')).filter((name) => name.startsWith('Day'));
  return notes.sort().map((name) => readFileSync(join(vault, 'Log', name), 'utf8'));
}

function assertMoved({ vault }: Place): void {
  const notes = readdirSync(join(vault, 'Diary'));
  assert.equal(notes.filter((name) => name.endsWith('.md')).length, NOTES);
  assert.equal(notes.length, NOTES, 'no temporary file is left');
  assert.equal(existsSync(join(vault, 'Log')), false);
}

const warningsOf = (structured: { readonly warnings?: readonly { readonly code: string }[] }): string[] =>
  (structured.warnings ?? []).map(({ code }) => code);

test('a server with write access completes the move of a killed one, without being called', async (context) => {
  const place = linkedNotes(context);
  const other = await place.open('read-write');
  await other.indexed();
  await killInMove(place);
  while (existsSync(join(place.vault, 'Log'))) await sleep(50);
  assertMoved(place);
  for (;;) {
    const { structured } = await other.call('status');
    const { recovery } = structured.data;
    if (recovery?.recovered.length === 1 && recovery.unfinished === undefined) break;
    await sleep(50);
  }
  assert.equal(readFileSync(join(place.vault, 'Hub.md'), 'utf8'), '[[Diary/Day 7]]\n');
  const { structured } = await other.call('list_notes', { folder: 'Diary', require_fresh: true });
  assert.equal(structured.data.total, NOTES);
  assert.equal(warningsOf(structured).includes('CHANGE_UNFINISHED'), false);
});

for (const [tool, given, after] of [
  ['rename_tag', { from: 'log', to: 'diary' }, 'tide #diary/day [['],
  ['replace_in_notes', { find: 'tide', replace: 'ebb', everywhere: true }, 'ebb #log/day [['],
  ['set_properties', { set: { seen: true }, filter: { folder: 'Log' } }, '---\nseen: true\n---\ntide #log/day [['],
] as const)
  test(`the next server completes a ${tool} of a killed one, which can be undone byte for byte`, async (context) => {
    const place = linkedNotes(context);
    const before = contentsOf(place.vault);
    const killed = await place.open('read-write', KILL);
    await killed.indexed();
    const plan = await killed.call(tool, tool === 'replace_in_notes' ? given : { ...given, dry_run: true });
    await assert.rejects(killed.call(tool, { plan_id: plan.structured.data.plan_id }));
    const changed = (): number => contentsOf(place.vault).filter((text) => text.startsWith(after)).length;
    assert.ok(changed() > 0 && changed() < NOTES, `it was killed on the way, after ${changed()} notes`);
    const next = await place.open('read-write');
    while (changed() < NOTES || readdirSync(join(place.vault, 'Log')).length > NOTES) await sleep(50);
    const [{ id }] = JSON.parse((await place.run('changes', '--json')).stdout).changes;
    const undone = await next.call('undo_change', { change_id: id });
    assert.ok(!undone.isError, undone.text);
    assert.deepEqual(contentsOf(place.vault), before);
  });

test('without a server that may write, every answer says that a change is unfinished; the next one that starts completes it', async (context) => {
  const place = linkedNotes(context);
  const reader = await place.open('read-only');
  await reader.indexed();
  await killInMove(place);
  const { structured, text } = await reader.call('search_text', { query: 'tide' });
  assert.ok(warningsOf(structured).includes('CHANGE_UNFINISHED'), text);
  const status = await reader.call('status');
  assert.ok(warningsOf(status.structured).includes('CHANGE_UNFINISHED'));
  assert.match(status.structured.data.recovery.unfinished[0], /^chg_/);
  assert.match((await place.run('doctor')).stdout, /1 change is not complete \(chg_/);
  await place.run('changes');
  assert.ok(existsSync(join(place.vault, 'Log')), 'listing completes nothing');
  await place.open('read-write');
  while (existsSync(join(place.vault, 'Log'))) await sleep(50);
  assertMoved(place);
  while (warningsOf((await reader.call('search_text', { query: 'tide' })).structured).includes('CHANGE_UNFINISHED'))
    await sleep(50);
});
