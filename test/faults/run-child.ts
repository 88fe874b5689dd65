// Runs a child of these tests in a process whose file operations can fail, and checks its report.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { isLong } from '../runner/effort.ts';

const PRELOAD = join(import.meta.dirname, 'fault-preload.ts');
/** In memory if possible: what is flushed there is of no interest. */
const QUICK_PLACE = existsSync('/dev/shm') ? '/dev/shm' : realpathSync(tmpdir());
const SEED = process.env.VAULTGRAPH_FAULTS_SEED ?? '1';

interface Shares {
  /** Which part of all faults is tried. */
  readonly long: number;
  readonly short: number;
}

/** @param child its program @param only the beginning of the titles that are tried @throws with each fault after which something does not hold */
export async function checkFaults(child: string, { long, short }: Shares, minimum: number, only = ''): Promise<void> {
  const root = mkdtempSync(join(QUICK_PLACE, 'vaultgraph-faults-'));
  try {
    const share = process.env.VAULTGRAPH_FAULTS_SHARE ?? `${isLong ? long : short}`;
    const args = ['--import', PRELOAD, resolve(import.meta.dirname, child), share, SEED, only];
    const env = { ...process.env, TMPDIR: root, VAULTGRAPH_FAULTS_ROOT: `${root}/` };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 64 * 1024 * 1024 });
    const { runs, failures } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');
    assert.deepEqual(failures.slice(0, 5), [], `${failures.length} of ${runs} with seed ${SEED}`);
    assert.ok(runs > minimum * Number(share), `${runs} faults were met`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
