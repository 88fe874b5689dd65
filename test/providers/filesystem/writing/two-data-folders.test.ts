// Writers with data folders of their own write one note in turn, so that what one of them confirmed is never lost.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { contentHash } from '../../../../src/base/content-hash.ts';
import { bundledProgram } from '../../../runner/bundles.ts';
import { isLong } from '../../../runner/effort.ts';
import { createVaultFolder, type VaultFolder } from '../vault-folder.ts';
import { openWriter } from './open-writer.ts';
import { bytes, note } from './workbench.ts';

const APPENDS = bundledProgram('test/providers/filesystem/writing/append-child.ts');
const HOLDS = join(import.meta.dirname, 'hold-lock-child.ts');
/** Each of two writers appends so many lines. */
const LINES = isLong ? 300 : 15;
/** Owns nothing and has no rights of its own, whether or not the system has a name for it. */
const ANOTHER_USER = '65534';
const WRITABLE_BY_ALL = 0o777;
/** A writer that does not wait for the lock is much faster. */
const LONG_ENOUGH_MS = 150;
const { signal } = new AbortController();

/** The second writer: the command of a script for the vault and for a folder outside it that is its own. */
interface Other {
  readonly title: string;
  readonly skip: string | false;
  command(script: string, vault: string, outside: string, ...more: string[]): readonly string[];
}

const isRoot = process.getuid?.() === 0;
const AS_ROOT = isRoot ? '' : '--user --map-root-user ';
const CONTAINED = `unshare ${AS_ROOT}--mount --pid --fork --kill-child --mount-proc --ipc --uts --net`.split(' ');
const isContainable = spawnSync(CONTAINED[0] ?? '', [...CONTAINED.slice(1), 'true']).status === 0;

const OTHERS: readonly Other[] = [
  {
    title: 'another server of the same user',
    skip: false,
    command: (...given) => [process.execPath, ...given],
  },
  {
    title: 'a server of another user',
    skip: !isRoot && 'only root can become another user',
    command: (...given) => [process.execPath, ...given, ANOTHER_USER],
  },
  {
    title: 'a server in a container, which has the vault at another path and sees no other process',
    skip: !isContainable && 'the kernel gives this user no mount namespace',
    command(script, vault, outside, ...more) {
      const mounted = join(outside, 'mounted');
      mkdirSync(mounted);
      const mount = 'mount --bind "$0" "$1" && shift && exec "$@"';
      return [...CONTAINED, 'sh', '-c', mount, vault, mounted, process.execPath, script, mounted, outside, ...more];
    },
  },
];

for (const other of OTHERS) {
  describe(`beside ${other.title}`, { skip: other.skip }, () => {
    it('a change waits while the other writes, until its call is aborted or the other is killed', () =>
      inVault(other, waits));
    it('no line that either of them appended is lost', () => inVault(other, appends));
  });
}

type Start = (script: string, ...more: string[]) => ChildProcess;

async function inVault(other: Other, work: (vault: VaultFolder, start: Start, outside: string) => Promise<void>) {
  const vault = createVaultFolder();
  const outside = join(vault.outside, 'other');
  try {
    mkdirSync(outside);
    vault.put('Note.md', '');
    for (const path of [vault.outside, vault.root, join(vault.root, 'Note.md')]) chmodSync(path, WRITABLE_BY_ALL);
    const start: Start = (script, ...more) => {
      const [program = '', ...given] = other.command(script, vault.root, outside, ...more);
      return spawn(program, given, { stdio: ['ignore', 'inherit', 'inherit'] });
    };
    await work(vault, start, outside);
  } finally {
    vault.delete();
  }
}

async function waits(vault: VaultFolder, start: Start, outside: string): Promise<void> {
  const holder = start(HOLDS);
  const { capability: writer, probe, close } = await openWriter(vault);
  try {
    while (!existsSync(join(outside, 'held'))) await pause(5);
    assert.deepEqual(await probe(signal), { ok: true, detail: 'another process is writing a change' });
    const before = contentHash(bytes(''));
    const operations = [{ kind: 'replace', path: note('Note.md'), before, bytes: bytes('ours') }] as const;
    const request = { operations, tool: 'a_test', client: '' };
    const gone = new AbortController();
    const aborted = writer.apply(request, gone.signal);
    assert.equal(await soon(aborted), 'waits');
    gone.abort();
    await assert.rejects(aborted, { name: 'AbortError' });
    const change = writer.apply(request, signal).then(() => 'made');
    assert.equal(await soon(change), 'waits');
    holder.kill('SIGKILL');
    assert.equal(await change, 'made');
    assert.match((await probe(signal)).detail, /a lock on the folder itself/);
  } finally {
    holder.kill('SIGKILL');
    await close();
  }
}

const soon = (change: Promise<unknown>): Promise<unknown> => Promise.race([change, pause(LONG_ENOUGH_MS, 'waits')]);

async function appends(vault: VaultFolder, start: Start): Promise<void> {
  const children = [
    spawn(process.execPath, [APPENDS, vault.root, vault.outside, 'ours', `${LINES}`], { stdio: 'inherit' }),
    start(APPENDS, 'theirs', `${LINES}`),
  ];
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
  assert.deepEqual(codes, [0, 0]);
  const lines = readFileSync(join(vault.root, 'Note.md'), 'utf8').trimEnd().split('\n');
  const confirmed = ['ours', 'theirs'].flatMap((name) => Array.from({ length: LINES }, (_, at) => `${name} ${at}`));
  assert.deepEqual(lines.toSorted(), confirmed.toSorted());
}
