// The lock of earlier versions: one holder at a time across threads and processes, and how it is taken over from a dead one.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { realDisk } from '../../../../src/providers/filesystem/writing/disk.ts';
import { newHolderName, withLogLock } from '../../../../src/providers/filesystem/writing/log-lock.ts';
import { asPlatform } from './workbench.ts';

const HOLDER = join(import.meta.dirname, 'lock-child.ts');
const onLinux = { skip: process.platform === 'linux' ? (false as const) : 'only Linux tells when a thread began' };
class Impatient extends Error {}

function inLog(work: (log: string) => Promise<void> | void): () => Promise<void> {
  return async () => {
    const log = mkdtempSync(join(realpathSync(tmpdir()), 'vaultgraph-test-'));
    try {
      await work(log);
    } finally {
      rmSync(log, { recursive: true });
    }
  };
}

/** Whether the lock is free, or can be taken over, within a few looks. */
function isFree(log: string, looks = 5): boolean {
  let beats = 0;
  const checkStop = (): void => {
    beats += 1;
    if (beats > looks) throw new Impatient();
  };
  try {
    return withLogLock(realDisk, log, checkStop, () => true);
  } catch (thrown) {
    if (thrown instanceof Impatient) return false;
    throw thrown;
  }
}

/** As another holder would have left it. */
function leave(log: string, holder: string): string {
  mkdirSync(join(log, 'lock'), { recursive: true });
  const mark = join(log, 'lock', holder);
  writeFileSync(mark, '');
  return mark;
}

function holderWith(change: (parts: string[]) => void): string {
  const parts = newHolderName().split('.');
  change(parts);
  return parts.join('.');
}

it(
  'is held during the work, is released even if that throws, and leaves no file',
  inLog((log) => {
    withLogLock(
      realDisk,
      log,
      () => {},
      () => assert.equal(isFree(log), false),
    );
    assert.throws(
      () =>
        withLogLock(
          realDisk,
          log,
          () => {},
          () => {
            throw new Impatient();
          },
        ),
      Impatient,
    );
    assert.equal(isFree(log), true);
    assert.deepEqual(readdirSync(log), []);
  }),
);

it(
  'is held by one of two processes, and is free once that one is killed',
  inLog(async (log) => {
    const child = spawn(process.execPath, [HOLDER, log], { stdio: 'inherit' });
    while (!existsSync(join(log, 'lock'))) await pause(5);
    assert.equal(isFree(log, 20), false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.equal(isFree(log), true);
    assert.deepEqual(readdirSync(log), []);
  }),
);

it(
  'is free once the thread of this process that held it is terminated',
  onLinux,
  inLog(async (log) => {
    const worker = new Worker(HOLDER, { argv: [log], stdout: true });
    while (!existsSync(join(log, 'lock'))) await pause(5);
    assert.equal(isFree(log, 20), false);
    await worker.terminate();
    assert.equal(isFree(log), true);
  }),
);

it(
  'is taken over from a pid or thread id that was given out again',
  onLinux,
  inLog((log) => {
    for (const part of [0, 2]) {
      leave(
        log,
        holderWith((parts) => {
          parts[part] = part === 0 ? '999999999' : '1';
        }),
      );
      assert.equal(isFree(log), true);
    }
  }),
);

it(
  'is taken over from a holder on another machine only after a long silence',
  inLog((log) => {
    const mark = leave(
      log,
      holderWith((parts) => {
        parts[3] = 'another-machine';
      }),
    );
    assert.equal(isFree(log), false);
    const before = new Date(Date.now() - 61_000);
    utimesSync(mark, before, before);
    assert.equal(isFree(log), true);
  }),
);

it(
  'on other systems is taken over from an ended process, not from a running one',
  inLog((log) => {
    asPlatform('darwin', () => {
      const { pid } = spawnSync(process.execPath, ['-e', '']);
      leave(
        log,
        holderWith((parts) => {
          parts[0] = String(pid);
        }),
      );
      assert.equal(isFree(log), true);
      leave(log, newHolderName());
      assert.equal(isFree(log), false);
    });
  }),
);

it(
  'a lock without a holder is free',
  inLog((log) => {
    mkdirSync(join(log, 'lock'));
    assert.equal(isFree(log), true);
  }),
);

it(
  'stops a holder that lost it',
  inLog((log) => {
    withLogLock(
      realDisk,
      log,
      () => {},
      (keep) => {
        keep();
        const [mark] = readdirSync(join(log, 'lock'));
        rmSync(join(log, 'lock', String(mark)));
        assert.throws(keep, { code: 'FILE_WRITE_FAILED', message: /EBUSY/ });
      },
    );
  }),
);

it(
  'removes the files of dead waiters only',
  inLog((log) => {
    const gone = holderWith((parts) => {
      parts[0] = '999999999';
    });
    const waiting = newHolderName();
    for (const holder of [gone, waiting]) {
      mkdirSync(join(log, `lock.${holder}`));
      writeFileSync(join(log, `lock.${holder}`, holder), '');
    }
    assert.equal(isFree(log), true);
    assert.deepEqual(readdirSync(log), [`lock.${waiting}`]);
  }),
);

it(
  'gives up with EBUSY after the maximum wait',
  inLog((log) => {
    leave(log, newHolderName());
    const nothing = (): void => undefined;
    assert.throws(() => withLogLock(realDisk, log, nothing, nothing, 50), {
      code: 'FILE_WRITE_FAILED',
      message: /lock failed \(EBUSY/,
    });
  }),
);
