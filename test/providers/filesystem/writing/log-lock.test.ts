// The lock of the log: one holder at a time, over threads and processes, and how it is taken from a holder that is gone.
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
  'is held while the work is done, also when it throws, and leaves nothing behind',
  inLog((log) => {
    withLogLock(
      realDisk,
      log,
      () => {},
      (lock) => {
        lock.check();
        assert.equal(isFree(log), false);
        lock.check();
      },
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
  'is held by one of two processes, and free once the other is killed',
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
  'is free when the thread of this very process that held it was terminated',
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
  'is taken from a number that was given to another process, and to another thread, since',
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
  'is not taken from who cannot be asked, until it has been silent for long',
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
  'elsewhere is taken from a process that is gone, and not from one that runs',
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
  'tells a holder that lost it, so that it begins nothing',
  inLog((log) => {
    withLogLock(
      realDisk,
      log,
      () => {},
      (lock) => {
        const [mark] = readdirSync(join(log, 'lock'));
        rmSync(join(log, 'lock', String(mark)));
        assert.throws(() => lock.check(), { code: 'FILE_WRITE_FAILED', message: /EBUSY/ });
      },
    );
  }),
);

it(
  'clears away those who died waiting, and not those who wait',
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
  'ends with a typed failure when it is held for long',
  inLog((log) => {
    leave(log, newHolderName());
    const nothing = (): void => undefined;
    assert.throws(() => withLogLock(realDisk, log, nothing, nothing, 50), {
      code: 'FILE_WRITE_FAILED',
      message: /lock failed \(EBUSY\)/,
    });
  }),
);
