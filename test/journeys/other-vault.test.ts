// The index of another vault in place of one's own: no answer comes from it, and accepting the loss makes it one's own.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { indexFile, openSession, runProgram, temporaryFolder } from './session.ts';

const NOTES = 30;
/** Both vaults have them. */
const COMMON = ['README.md', '2026-11-20.md'];

const CALLS = [
  ['list_notes', {}],
  ['search_text', { query: 'quokka' }],
  ['list_tasks', {}],
  ['list_tags', {}],
  ['read_notes', { notes: ['Theirs 1'] }],
  ['get_neighbors', { note: 'Theirs 1' }],
  ['search_text', { query: 'quokka', require_fresh: true }],
] as const;

function fill(vault: string, name: string): void {
  mkdirSync(vault, { recursive: true });
  for (const path of COMMON) writeFileSync(join(vault, path), `${name} in both`);
  for (let at = 0; at < NOTES; at += 1)
    writeFileSync(join(vault, `${name} ${at}.md`), `${name} quokka [[${name} ${at + 1}]] #${name}\n\n- [ ] ${name}\n`);
}

for (const isSealed of [true, false]) {
  test(`of an index of another vault ${isSealed ? 'with' : 'without'} its seal nothing is answered`, async (context) => {
    const own = { vault: join(temporaryFolder(context), 'own'), dataFolder: temporaryFolder(context) };
    const other = { vault: join(temporaryFolder(context), 'other'), dataFolder: temporaryFolder(context) };
    for (const [place, name] of [
      [own, 'Mine'],
      [other, 'Theirs'],
    ] as const) {
      fill(place.vault, name);
      const session = await openSession(context, place);
      await session.indexed();
      await session.close();
    }
    const [from, to] = [indexFile(other.dataFolder), indexFile(own.dataFolder)];
    rmSync(`${to}.seal`);
    copyFileSync(from, to);
    if (isSealed) copyFileSync(`${from}.seal`, `${to}.seal`);
    const session = await openSession(context, own);
    for (const [tool, args] of CALLS) {
      const { structured, text } = await session.call(tool, args);
      assert.equal(structured.error?.code, 'MASS_DELETE_BLOCKED', text);
      assert.doesNotMatch(text, /Theirs \d+\.md/);
    }
    assert.match((await session.call('status')).text, /MASS_DELETE_BLOCKED/);
    const places = ['--vault', own.vault, '--data-dir', own.dataFolder];
    for (const args of [
      ['doctor'],
      ['search', 'quokka'],
      ['export', '--format', 'json'],
      ['export', '--format', 'svg'],
    ]) {
      const { status, stdout, stderr } = runProgram(context, [...args, ...places]);
      assert.notEqual(status, 0, args.join(' '));
      assert.match(stdout + stderr, /MASS_DELETE_BLOCKED/);
      assert.doesNotMatch(stdout, /Theirs \d/);
    }
    const confirmed = await session.call('reindex', { confirm: true, wait_ms: 30_000 });
    assert.equal(confirmed.structured.data.state, 'succeeded', confirmed.text);
    const found = await session.call('search_text', { query: 'quokka', limit: 100 });
    assert.equal(found.structured.data.total, NOTES, found.text);
    assert.doesNotMatch(found.text, /Theirs/);
  });
}

test('a vault whose notes have all moved, or of which most are away, is still the vault of its index', async (context) => {
  const own = { vault: temporaryFolder(context), dataFolder: temporaryFolder(context) };
  fill(own.vault, 'Mine');
  const session = await openSession(context, own);
  await session.indexed();
  await session.close();
  const folder = join(own.vault, 'Moved');
  mkdirSync(folder);
  for (let at = 0; at < NOTES; at += 1) renameSync(join(own.vault, `Mine ${at}.md`), join(folder, `Mine ${at}.md`));
  for (const path of COMMON) rmSync(join(own.vault, path));
  const moved = await openSession(context, own);
  const found = await moved.call('search_text', { query: 'quokka', limit: 100, require_fresh: true });
  assert.equal(found.structured.data.total, NOTES, found.text);
  await moved.close();
  for (let at = 2; at < NOTES; at += 1) rmSync(join(folder, `Mine ${at}.md`));
  const partly = await openSession(context, own);
  const kept = await partly.call('search_text', { query: 'quokka', limit: 100 });
  assert.equal(kept.structured.data?.total, NOTES, kept.text);
  assert.match(kept.text, /STALE_UNKNOWN/);
});
