// Undoes changes from the command line, each of which is a session of its own.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
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
  assert.match(unknown.stderr, /^Error \[CHANGE_NOT_FOUND\]: .*\nHint: `.* changes --diff .*` lists/);
});
