// Tests that a killed embed job continues without sending a text twice, and that the old vectors stay in use.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { linkRuntime, writeOnnxModel } from '../../fakes/onnx-folder.ts';
import { createVaultFolder, type VaultFolder } from '../../providers/filesystem/vault-folder.ts';
import { openIndex, signal } from '../index-under-test.ts';
import { activeGeneration, fillNotes, generationOf, nearest, repeated } from './embedding-under-test.ts';

const NOTES = 600;
/** Two requests that are under way, and the two before them, which may not be written yet. Requests grow during a job. */
const OPEN_REQUESTS = 4;

/** @param more `renew` replaces the vectors of a model with another digest */
function start(folder: VaultFolder, log: string, digest: string, ...more: readonly 'renew'[]): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, 'embed-child.ts'), folder.outside, log, digest, ...more]);
}

/** @param kills the counts of embedded notes from which on the child is killed, one after the other; then it is left to end */
async function embedWithKills(
  folder: VaultFolder,
  log: string,
  digest: string,
  kills: readonly number[],
): Promise<void> {
  for (const at of [...kills, Number.POSITIVE_INFINITY]) {
    const child = start(folder, log, digest);
    const ended = once(child, 'exit');
    const last = await lastLine(child, at);
    const expected = at === Number.POSITIVE_INFINITY ? [0, null] : [null, 'SIGKILL'];
    assert.deepEqual(await ended, expected, last);
  }
}

async function lastLine(child: ChildProcess, killAt: number): Promise<string> {
  assert.ok(child.stdout);
  let last = '';
  for await (last of createInterface({ input: child.stdout })) {
    const [what, done] = last.split(' ');
    if (what === 'embedding' && Number(done) >= killAt) child.kill('SIGKILL');
  }
  return last;
}

/** The texts of each request. */
const sentRequests = (log: string): readonly (readonly string[])[] =>
  existsSync(log)
    ? readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];

const sentTexts = (log: string): readonly string[] => sentRequests(log).flat();

const openTexts = (log: string): number =>
  OPEN_REQUESTS * Math.max(0, ...sentRequests(log).map((texts) => texts.length));

it('S7 killed twice in the middle: the next run sends only texts without stored vectors', async () => {
  const folder = createVaultFolder();
  try {
    fillNotes(folder, NOTES);
    const log = join(folder.outside, 'sent.log');
    await embedWithKills(folder, log, 'sha256:one', [50, 40]);
    const sent = sentTexts(log);
    assert.equal(new Set(sent).size, NOTES);
    const twice = repeated(sent).length;
    assert.ok(twice <= 2 * openTexts(log), `${twice} texts were sent twice`);
    await checkVectors(folder, 'sha256:one');
  } finally {
    folder.delete();
  }
});

it('S7 a model inside the process, killed twice: no note has two vectors, and none is made again beyond the open requests', async () => {
  const folder = createVaultFolder();
  try {
    const model = join(folder.outside, 'models/tiny');
    writeOnnxModel(model);
    linkRuntime(model);
    fillNotes(folder, NOTES);
    const log = join(folder.outside, 'sent.log');
    await embedWithKills(folder, log, model, [50, 40]);
    const sent = sentTexts(log);
    const notes = sent.filter((text) => text.includes('topic'));
    assert.equal(new Set(notes).size, NOTES);
    const twice = repeated(notes).length;
    assert.ok(twice <= 2 * openTexts(log), `${twice} texts were sent twice`);
    const under = await openIndex(folder);
    const { embedded, pending, chunks } = await activeGeneration(under.store);
    assert.deepEqual([embedded, pending, chunks], [NOTES, 0, NOTES]);
    assert.deepEqual(await under.store.integrity(signal), []);
    await under.close();
  } finally {
    folder.delete();
  }
});

it('S7 killed while another model embeds: the old vectors stay in use, and the next run continues the new ones unasked', async () => {
  const folder = createVaultFolder();
  try {
    fillNotes(folder, NOTES);
    await embedWithKills(folder, join(folder.outside, 'one.log'), 'sha256:one', []);
    const log = join(folder.outside, 'two.log');
    const child = start(folder, log, 'sha256:two', 'renew');
    const ended = once(child, 'exit');
    await lastLine(child, 100);
    assert.deepEqual(await ended, [null, 'SIGKILL']);
    const under = await openIndex(folder);
    const half = await generationOf(under.store, 'building');
    assert.equal((await activeGeneration(under.store)).fingerprint.digest, 'sha256:one');
    assert.equal(await nearest(under.store, 'text of topic7'), 'area 1/Note 7.md');
    await under.close();
    assert.ok(half && half.embedded >= 100 && half.pending > 0);
    await embedWithKills(folder, log, 'sha256:two', []);
    const twice = repeated(sentTexts(log)).length;
    assert.ok(twice <= openTexts(log), `${twice} texts were sent twice`);
    assert.equal(new Set(sentTexts(log)).size, NOTES);
    await checkVectors(folder, 'sha256:two', half.id);
  } finally {
    folder.delete();
  }
});

async function checkVectors(folder: VaultFolder, digest: string, generation?: number): Promise<void> {
  const under = await openIndex(folder);
  try {
    const active = await activeGeneration(under.store);
    assert.deepEqual([active.fingerprint.digest, active.embedded, active.pending], [digest, NOTES, 0]);
    assert.equal(active.chunks, NOTES);
    if (generation !== undefined) assert.equal(active.id, generation);
    assert.deepEqual(await under.store.integrity(signal), []);
    assert.equal(await nearest(under.store, 'text of topic411'), 'area 0/Note 411.md');
  } finally {
    await under.close();
  }
}
