// Runs schedules of the simulation in a process of its own: those that once failed, and some new ones.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { runs } from '../runner/effort.ts';

const PROGRAM = join(import.meta.dirname, 'simulate.ts');
/** Each found a fault that was fixed since. */
const KEPT: readonly number[] = [];
const SCHEDULES = runs(100);

async function simulate(seed: number, schedules: number): Promise<void> {
  const args = [PROGRAM, '--schedules', `${schedules}`, '--seed', `${seed}`];
  const [outcome] = await Promise.allSettled([promisify(execFile)(process.execPath, args)]);
  if (outcome.status === 'rejected') assert.fail(`${outcome.reason.stdout}${outcome.reason.stderr}`);
}

test('servers, an editor and a sync client on one vault lose nothing, and the index ends as a fresh one', () =>
  simulate(1, SCHEDULES));

for (const seed of KEPT) test(`the schedule of seed ${seed}, which once failed`, () => simulate(seed, 1));
