// Damages the change log of a rename over six notes between two starts, and asks every way that would read it back.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fingerprint } from './fingerprint.ts';
import { configFile, openSession, runProgram, temporaryFolder } from './session.ts';

const LINKING = ['One', 'Two', 'Three', 'Four', 'Five'];

test('a damaged change log is never written into notes: undo, its dry run, changes, doctor', async (context) => {
  const [vault, dataFolder] = [temporaryFolder(context), temporaryFolder(context)];
  writeFileSync(join(vault, 'Target.md'), 'The target.\n');
  for (const name of LINKING) writeFileSync(join(vault, `${name}.md`), `${'x '.repeat(300)}[[Target]] of ${name}\n`);
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\n`);
  const places = ['--config', config, '--data-dir', dataFolder];
  const first = await openSession(context, { config, dataFolder });
  const moved = await first.call('move_note', { note: 'Target', to: 'Goal.md', confirm: true });
  assert.equal(moved.structured.ok, true, moved.text);
  const id: string = moved.structured.data.change_id;
  await first.close();
  const log = logIn(dataFolder);
  const file = join(log, readdirSync(log).find((name) => name.startsWith(id)) ?? '');
  const whole = readFileSync(file);
  const changed = fingerprint(vault);
  for (const damage of DAMAGES) {
    damage(file, whole);
    const session = await openSession(context, { config, dataFolder });
    for (const args of [{ change_id: id }, { change_id: id, dry_run: true }]) {
      const { structured, text } = await session.call('undo_change', args);
      assert.equal(structured.error?.code, 'FILE_WRITE_FAILED', text);
      assert.match(text, new RegExp(`${id}.*is damaged`));
      assert.equal(fingerprint(vault), changed);
    }
    const written = await session.call('create_note', { path: 'Later.md', content: 'x\n' });
    assert.equal(written.structured.ok, true, 'other writes continue');
    const undone = await session.call('undo_change', { change_id: written.structured.data.change_id });
    assert.equal(undone.structured.ok, true, 'another change can be undone');
    await session.close();
    const doctor = runProgram(context, ['doctor', ...places]);
    assert.match(doctor.stdout, new RegExp(`! changes: the change ${id} is damaged`));
    assert.match(runProgram(context, ['changes', ...places]).stdout, new RegExp(id));
    writeFileSync(file, whole);
  }
  const session = await openSession(context, { config, dataFolder });
  const undone = await session.call('undo_change', { change_id: id });
  assert.equal(undone.structured.ok, true, undone.text);
  assert.match(readFileSync(join(vault, 'Five.md'), 'utf8'), /\[\[Target\]\] of Five/);
  assert.match(runProgram(context, ['doctor', ...places]).stdout, /✓ changes: .* can be undone/);
});

const DAMAGES: readonly ((file: string, whole: Buffer) => void)[] = [
  (file, { length }) => truncateSync(file, Math.floor(length / 2)),
  (file) => truncateSync(file, 0),
  (file, whole) => writeFileSync(file, Buffer.from(whole).fill(0, 1_600, 2_112)),
  (file, whole) => {
    const copy = Buffer.from(whole);
    copy.writeUInt8(copy.readUInt8(copy.length - 20) ^ 1, copy.length - 20);
    writeFileSync(file, copy);
  },
];

function logIn(dataFolder: string): string {
  const state = join(dataFolder, 'state');
  const [hash = ''] = readdirSync(state);
  return join(state, hash, 'change-log');
}

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
