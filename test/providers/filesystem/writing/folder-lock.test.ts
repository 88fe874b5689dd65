// The lock on a folder: one holder at a time across handles, threads and processes, freed by the system when its holder ends.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Disk, realDisk } from '../../../../src/providers/filesystem/writing/disk.ts';
import { type LockPlace, withFolderLocks } from '../../../../src/providers/filesystem/writing/folder-lock.ts';

const HOLDER = join(import.meta.dirname, 'hold-lock-child.ts');
const onLinux = {
  skip: process.platform === 'linux' ? (false as const) : 'only Linux opens a folder without its lock',
};
class Impatient extends Error {}
const never = (): void => undefined;

interface Places {
  readonly folder: string;
  readonly outside: string;
}

function inFolder(work: (places: Places) => Promise<void> | void): () => Promise<void> {
  return async () => {
    const outside = mkdtempSync(join(realpathSync(tmpdir()), 'vaultgraph-test-'));
    const folder = join(outside, 'folder');
    mkdirSync(folder);
    try {
      await work({ folder, outside });
    } finally {
      rmSync(outside, { recursive: true });
    }
  };
}

/** Takes the lock if it is free within a few looks, and says where it is. */
function placeOf(folder: string, disk: Disk = realDisk, looks = 3): LockPlace | 'held' {
  let beats = 0;
  const checkStop = (): void => {
    beats += 1;
    if (beats > looks) throw new Impatient();
  };
  try {
    return withFolderLocks(disk, [folder], checkStop, (place) => place);
  } catch (thrown) {
    if (thrown instanceof Impatient) return 'held';
    throw thrown;
  }
}

test(
  'is held during the work, is released even if that throws, and leaves no file in the folder',
  inFolder(({ folder }) => {
    withFolderLocks(realDisk, [folder], never, () => assert.equal(placeOf(folder), 'held'));
    assert.equal(placeOf(folder), process.platform === 'win32' ? 'machine' : 'folder');
    const fail = (): never => {
      throw new Impatient();
    };
    assert.throws(() => withFolderLocks(realDisk, [folder], never, fail), Impatient);
    assert.notEqual(placeOf(folder), 'held');
    assert.deepEqual(readdirSync(folder), []);
  }),
);

// Without native modules another program takes the lock.
for (const options of [[], ['--no-addons']])
  test(
    `is held by one of two processes, and is free at once when that one is killed: ${options}`,
    inFolder(async ({ folder, outside }) => {
      const child = spawn(process.execPath, [...options, HOLDER, folder, outside], { stdio: 'inherit' });
      while (!existsSync(join(outside, 'held'))) await pause(5);
      assert.equal(placeOf(folder, realDisk, 20), 'held');
      child.kill('SIGKILL');
      await once(child, 'exit');
      assert.notEqual(placeOf(folder, realDisk, 0), 'held');
    }),
  );

test(
  'is free once the thread of this process that held it is terminated',
  inFolder(async ({ folder, outside }) => {
    const worker = new Worker(HOLDER, { argv: [folder, outside], stdout: true });
    while (!existsSync(join(outside, 'held'))) await pause(5);
    assert.equal(placeOf(folder), 'held');
    await worker.terminate();
    assert.notEqual(placeOf(folder), 'held');
  }),
);

test(
  'the locks of two folders are both held, and the first is released if the second is not free',
  inFolder(({ folder }) => {
    const [one, other] = [join(folder, 'one'), join(folder, 'other')];
    for (const each of [one, other]) mkdirSync(each);
    withFolderLocks(realDisk, [one, other], never, () => {
      assert.equal(placeOf(one), 'held');
      assert.equal(placeOf(other), 'held');
    });
    withFolderLocks(realDisk, [other], never, () => {
      assert.throws(() => withFolderLocks(realDisk, [one, other], never, never, 20), { code: 'FILE_WRITE_FAILED' });
      assert.notEqual(placeOf(one), 'held');
    });
  }),
);

test(
  'gives up with EBUSY after the maximum wait',
  inFolder(({ folder }) =>
    withFolderLocks(realDisk, [folder], never, () =>
      assert.throws(() => withFolderLocks(realDisk, [folder], never, never, 50), {
        code: 'FILE_WRITE_FAILED',
        message: /lock failed \(EBUSY/,
        hint: /another process is writing to this vault/,
      }),
    ),
  ),
);

test(
  'another folder that was put in its place meanwhile has a lock of its own',
  inFolder(({ folder }) =>
    withFolderLocks(realDisk, [folder], never, () => {
      renameSync(folder, `${folder}.away`);
      mkdirSync(folder);
      assert.notEqual(placeOf(folder), 'held');
      rmSync(`${folder}.away`, { recursive: true });
    }),
  ),
);

/** With the flag, Linux opens a path without what a lock needs, as some file systems do. */
const O_PATH = 0o10000000;

/** On which no folder can be locked. */
const disk: Disk = {
  ...realDisk,
  openSync: (path, flags, mode) =>
    realDisk.openSync(path, isFolder(String(path)) ? Number(flags) | O_PATH : flags, mode),
};

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function machineFileOf(folder: string): string {
  const { dev, ino } = lstatSync(folder, { bigint: true });
  return `/tmp/vaultgraph-${dev}-${ino}.lock`;
}

test(
  'where the file system gives no locks, it is a file of the machine that every user can open',
  onLinux,
  inFolder(({ folder }) => {
    const file = machineFileOf(folder);
    try {
      assert.equal(placeOf(folder, disk), 'machine');
      assert.equal(lstatSync(file).mode & 0o777, 0o644);
      withFolderLocks(disk, [folder], never, () => assert.equal(placeOf(folder, disk), 'held'));
      assert.equal(placeOf(folder, disk), 'machine');
    } finally {
      rmSync(file, { force: true });
    }
  }),
);

test(
  'the file of the machine is never reached through a link, and one that is removed meanwhile is created again',
  onLinux,
  inFolder(({ folder, outside }) => {
    const file = machineFileOf(folder);
    try {
      writeFileSync(join(outside, 'theirs'), '');
      symlinkSync(join(outside, 'theirs'), file);
      assert.throws(() => placeOf(folder, disk), { code: 'ELOOP' });
      rmSync(file);
      withFolderLocks(disk, [folder], never, () => rmSync(file));
      assert.equal(placeOf(folder, disk), 'machine');
    } finally {
      rmSync(file, { force: true });
    }
  }),
);
