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
  assert.equal(note(), before);
  edit('two');
  edit('three');
  const written = note();
  assert.equal(
    JSON.parse(runProgram(context, ['undo', '--since', '1h', '--dry-run', ...places]).stdout).data.succeeded.length,
    3,
  );
  assert.equal(note(), written);
  const none = runProgram(context, ['call', 'undo_change', '{}', ...places]);
  assert.match(none.stdout, /this session made no change/);
  assert.equal(runProgram(context, ['undo', ...places]).status, 64);
  const all = JSON.parse(runProgram(context, ['undo', '--since', 'today', ...places]).stdout).data;
  assert.deepEqual([all.succeeded.length, all.failed], [3, []]);
  assert.equal(all.succeeded[0].result.undoes.tool, 'edit_note');
});
