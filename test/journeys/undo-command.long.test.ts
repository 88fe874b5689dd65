// Undoes changes from the command line, each of which is a session of its own.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { configFile, copyOfFixture, runProgram, temporaryFolder } from './session.ts';

test('vaultgraph undo takes back one change, or all since a time', (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\n`);
  const places = ['--config', config, '--data-dir', temporaryFolder(context), '--state-dir', temporaryFolder(context)];
  const note = (): string => readFileSync(join(vault, 'Lamp.md'), 'utf8');
  const edit = (text: string) => {
    const args = { note: 'Lamp', create: true, edits: [{ op: 'append', text }] };
    const { stdout } = runProgram(context, ['call', 'edit_note', JSON.stringify(args), ...places]);
    return JSON.parse(stdout).data;
  };
  edit('zero');
  const before = note();
  const { change_id } = edit('one');
  const undone = runProgram(context, ['undo', change_id, ...places]);
  assert.equal(undone.status, 0, undone.stderr);
  assert.match(
    undone.stdout,
    /^Undid edit_note of .*\): Lamp\.md\n--- Lamp\.md\n[\s\S]*^To take that back: .* undo chg_/m,
  );
  assert.equal(note(), before);
  edit('two');
  edit('three');
  const written = note();
  assert.equal(
    JSON.parse(runProgram(context, ['undo', '--since', '1h', '--dry-run', '--json', ...places]).stdout).data.succeeded
      .length,
    3,
  );
  assert.equal(note(), written);
  const none = runProgram(context, ['call', 'undo_change', '{}', ...places]);
  assert.match(none.stdout, /this session made no change/);
  const wrong = runProgram(context, ['undo', 'chg_1', '--since', 'today', ...places]);
  assert.deepEqual([wrong.status, wrong.stdout], [64, '']);
  const planned = runProgram(context, ['undo', '--dry-run', ...places]).stdout;
  assert.match(planned, /^Would undo edit_note .*Lamp\.md\n[\s\S]*^-three$/m);
  assert.equal(note(), written);
  const all = JSON.parse(runProgram(context, ['undo', '--since', 'today', '--json', ...places]).stdout).data;
  assert.deepEqual([all.succeeded.length, all.failed], [3, []]);
  assert.equal(all.succeeded[0].result.undoes.tool, 'edit_note');
  assert.match(runProgram(context, ['undo', ...places]).stdout, /^There is no change to undo\.$/m);
  edit('four');
  edit('five');
  assert.match(runProgram(context, ['undo', ...places]).stdout, /^-five$/m);
  const unknown = runProgram(context, ['undo', 'chg_1', ...places]);
  assert.equal(unknown.status, 1);
  assert.match(unknown.stderr, /^Error \[CHANGE_NOT_FOUND\]: .*\nHint: `.* changes --diff .*` lists/m);
});

test('a newest change whose record is damaged is named, and the change before it stays', (context) => {
  const [vault, state] = [temporaryFolder(context), temporaryFolder(context)];
  mkdirSync(join(vault, 'Log'));
  for (let at = 0; at < 6; at += 1) writeFileSync(join(vault, `Log/Day ${at}.md`), 'See [[Tide]].');
  writeFileSync(join(vault, 'Tide.md'), 'ebb');
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\n`);
  const places = ['--config', config, '--data-dir', temporaryFolder(context), '--state-dir', state];
  const call = (tool: string, args: object) => runProgram(context, ['call', tool, JSON.stringify(args), ...places]);
  assert.equal(call('create_note', { path: 'First.md', content: 'one' }).status, 0);
  assert.equal(call('move_note', { note: 'Tide', to: 'Flow.md', confirm: true }).status, 0);
  const log = join(state, readdirSync(state)[0] ?? '', 'change-log');
  const newest = join(
    log,
    readdirSync(log)
      .filter((name) => name.endsWith('.done'))
      .toSorted()
      .at(-1) ?? '',
  );
  const record = readFileSync(newest);
  writeFileSync(newest, Buffer.from(record).fill(0, 300, 800));
  for (const how of [['--dry-run'], []]) {
    const { status, stderr } = runProgram(context, ['undo', ...how, ...places]);
    assert.equal(status, 1);
    assert.match(stderr, /EBADMSG/);
  }
  assert.equal(readFileSync(join(vault, 'First.md'), 'utf8'), 'one');
  writeFileSync(newest, record);
  const { stdout } = runProgram(context, ['undo', ...places]);
  assert.match(stdout, /^Undid move_note of .*\n(?: {2}.*Day \d\.md\n){6}/m);
  assert.doesNotMatch(stdout, /undefined/);
});
