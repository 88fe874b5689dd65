// The folder writer with its real threads: the writer contract, closing and hanging.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { NotePath } from '../../../../src/base/note.ts';
import type { Opened } from '../../../../src/contracts/provider.ts';
import type { WriteRequest, Writer } from '../../../../src/contracts/writer.ts';
import { FileThreadPool } from '../../../../src/providers/filesystem/file-threads.ts';
import { createFolderWriter } from '../../../../src/providers/filesystem/writer-provider.ts';
import { assertEach } from '../../../assert-each.ts';
import { writerLaws } from '../../../contracts/writer.ts';
import { createVaultFolder, type VaultFolder } from '../vault-folder.ts';
import { Killed } from './faulty-disks.ts';
import { logFolderOf, openWriter } from './open-writer.ts';
import { openWorkbench } from './workbench.ts';

const { signal } = new AbortController();

function filesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(root, path)).isFile())
    .toSorted();
}

writerLaws('the filesystem provider', async () => {
  const folder = createVaultFolder();
  const { capability: writer, close } = await openWriter(folder);
  const at = (path: string): string => join(folder.root, path);
  return {
    writer,
    put: folder.put,
    remove: folder.remove,
    read: (path) => (existsSync(at(path)) ? new Uint8Array(readFileSync(at(path))) : undefined),
    list: () => filesIn(folder.root),
    vanish: folder.vanish,
    async close() {
      await close();
      folder.delete();
    },
  };
});

interface Open {
  readonly folder: VaultFolder;
  readonly opened: Opened<Writer>;
}

function inFolder(title: string, check: (open: Open) => Promise<void>, exclude: string[] = []): void {
  it(title, async () => {
    const folder = createVaultFolder();
    const opened = await openWriter(folder, exclude);
    try {
      await check({ folder, opened });
    } finally {
      await opened.close();
      folder.delete();
    }
  });
}

const create = (path: string, text: string) =>
  ({ kind: 'create', path: path as NotePath, bytes: new Uint8Array(Buffer.from(text)) }) as const;
const by = { tool: 'a_test', client: '' };

it('opening does not touch the disk, and an unused writer closes', async () => {
  const folder = createVaultFolder();
  folder.vanish();
  const { capability: writer, probe, close } = await openWriter(folder);
  assert.deepEqual(readdirSync(folder.outside), ['vault.away']);
  assert.equal((await probe(signal)).ok, false);
  await assert.rejects(writer.recover(signal), { code: 'VAULT_UNAVAILABLE' });
  folder.comeBack();
  assert.deepEqual(await writer.recover(signal), [], 'a failed recovery is tried again');
  assert.equal((await probe(signal)).ok, true);
  await close();
  folder.delete();
});

inFolder('the log is outside the vault and readable only by its owner', async ({ folder, opened }) => {
  await opened.capability.apply({ ...by, operations: [create('Note.md', 'private')] }, signal);
  assert.deepEqual(readdirSync(folder.root), ['Note.md']);
  const log = logFolderOf(folder);
  const within = readdirSync(log, { recursive: true, encoding: 'utf8' });
  assert.equal(within.length, 1);
  for (const path of [log, ...within.map((name) => join(log, name))])
    assert.equal(statSync(path).mode & 0o077, 0, path);
});

inFolder(
  'excluded paths are refused',
  async ({ folder, opened }) => {
    folder.put('Archive/Old.md', 'old');
    folder.put('Note.md', 'note');
    const refused = {
      code: 'PATH_NOT_ALLOWED',
      details: { path: 'Archive/New.md', rule: 'it is excluded by vault.exclude: "Archive/**"' },
    };
    const move = { kind: 'move', path: 'Note.md' as NotePath, to: 'Archive/New.md' as NotePath } as const;
    for (const operation of [create('Archive/New.md', 'x'), move])
      await assert.rejects(opened.capability.apply({ ...by, operations: [operation] }, signal), refused);
    assert.deepEqual(filesIn(folder.root), ['Archive/Old.md', 'Note.md']);
  },
  ['Archive/**'],
);

inFolder('closing waits for the running change and rejects later calls', async ({ folder, opened }) => {
  const { capability: writer, close } = opened;
  await writer.recover(signal);
  const operations = Array.from({ length: 20 }, (_, n) => create(`${n}.md`, 'x'));
  const requested = writer.apply({ ...by, operations }, signal);
  const closing = close();
  await assert.rejects(writer.changes(1, signal), { code: 'SHUTTING_DOWN' });
  const [outcome] = await Promise.allSettled([requested, closing]);
  if (outcome.status === 'fulfilled') assert.equal(filesIn(folder.root).length, 20);
  else assert.equal(outcome.reason.code, 'SHUTTING_DOWN');
  const again = await openWriter(folder);
  const recovered = await again.capability.recover(signal);
  assert.ok([0, 20].includes(filesIn(folder.root).length));
  if (outcome.status === 'fulfilled') assert.deepEqual(recovered, []);
  await again.close();
});

inFolder('an interrupted change is reported by the next start and by later calls', async ({ folder, opened }) => {
  const { capability: writer } = opened;
  await writer.recover(signal);
  // Another process of the same vault, killed in mid-change while this one runs.
  cutOff(folder);
  const refused = writer.apply({ ...by, operations: [create('Theirs.md', 'mine')] }, signal);
  await assert.rejects(refused, { code: 'NOTE_EXISTS' });
  await writer.apply({ ...by, operations: [create('Mine.md', 'mine')] }, signal);
  assertEach(await writer.recover(signal), ({ outcome }) => outcome, ['finished']);
  assert.deepEqual(filesIn(folder.root), ['Mine.md', 'Theirs.md']);
});

function cutOff(folder: VaultFolder): void {
  const bench = openWorkbench(folder, [], logFolderOf(folder));
  const die = (point: string): void => {
    if (point === 'committed') throw new Killed();
  };
  assert.throws(() => bench.apply({ ...by, operations: [create('Theirs.md', 'theirs')] }, { at: die }), Killed);
}

const HANGING = new URL('./hanging-writer-thread.ts', import.meta.url);
/** Longer than a thread takes to start on a busy machine. */
const SHORT_PATIENCE_MS = 1_500;

type Hanging = (writer: Writer, open: () => void, hangs: () => Promise<void>) => Promise<void>;

/** The second cell is 1 while a change hangs. */
const createGate = (): Int32Array => new Int32Array(new SharedArrayBuffer(8));

async function hangsAt(gate: Int32Array): Promise<void> {
  while (Atomics.load(gate, 1) === 0) await pause(5);
}

function hanging(title: string, check: Hanging): void {
  it(title, { timeout: 60_000 }, async () => {
    const gate = createGate();
    const threads = new FileThreadPool(HANGING, { gate }, SHORT_PATIENCE_MS, 1);
    const open = (): void => {
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
    };
    try {
      await check(createFolderWriter(threads, { log: 'no log' }), open, () => hangsAt(gate));
    } finally {
      open();
      await threads.close();
    }
  });
}

const request = (tool: string): WriteRequest => ({ operations: [create('a.md', 'a')], tool, client: '' });

hanging('V1 a disk that hangs before the commit fails the call, and nothing is written later', async (writer, open) => {
  await assert.rejects(writer.apply(request('hang'), signal), { code: 'VAULT_UNAVAILABLE', message: /ETIMEDOUT/ });
  await assert.rejects(writer.changes(1, signal), { code: 'VAULT_UNAVAILABLE' });
  open();
  while ((await writer.changes(1, signal).catch(() => undefined)) === undefined) await pause(10);
});

hanging('a disk that hangs after the commit is reported as a possibly half-made change', async (writer) => {
  const details = { path: 'the change', errno: 'ETIMEDOUT', step: 'write', original_intact: false };
  await assert.rejects(writer.apply(request('committed'), signal), { code: 'FILE_WRITE_FAILED', details });
});

hanging("M5 an abort waits for the thread's answer and then rejects with its reason", async (writer, open) => {
  const call = new AbortController();
  const reason = new Error('enough');
  let isOver = false;
  const requested = writer.apply(request('hang'), call.signal).finally(() => {
    isOver = true;
  });
  const refused = assert.rejects(requested, reason);
  await writer.recover(signal);
  await pause(50);
  call.abort(reason);
  await pause(50);
  assert.equal(isOver, false);
  open();
  await refused;
});

for (const tool of ['hang', 'committed'])
  hanging(`an abort says at once whether it comes too late: ${tool}`, async (writer, open, hangs) => {
    const call = new AbortController();
    let hasBegun = false;
    const requested = writer.apply(request(tool), call.signal, () => {
      hasBegun = true;
    });
    const refused = assert.rejects(requested);
    await hangs();
    assert.equal(hasBegun, false);
    call.abort(new Error('enough'));
    assert.equal(hasBegun, tool === 'committed');
    open();
    await refused;
  });

it('a writer that is closed in a committed change says that it may be written', async () => {
  for (const [tool, committed] of [
    ['hang', undefined],
    ['committed', 'partial'],
  ] as const) {
    const gate = createGate();
    const threads = new FileThreadPool(HANGING, { gate }, 60_000, 1);
    const requested = createFolderWriter(threads, { log: 'no log' }).apply(request(tool), signal);
    const refused = assert.rejects(requested, { code: 'SHUTTING_DOWN', details: committed ? { committed } : {} });
    await hangsAt(gate);
    await threads.close();
    await refused;
  }
});
