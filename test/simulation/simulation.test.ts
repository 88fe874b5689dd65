// Runs schedules of the simulation in a process of its own: those that once failed, and some new ones.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { isLong, runs } from '../runner/effort.ts';

const PROGRAM = join(import.meta.dirname, 'simulate.ts');
/**
 * Each found a fault of the program or the simulation that was fixed since: a look at replaced files on a disk that hangs; what a
 * cancelled call had written; an emptied vault; a temporary file in a folder that was moved; a job that ended while
 * its process took the lead; a note at the path of one that had moved; an example
 * that depended on the order of indexing; a temporary file in a moved folder whose name another one had by then; an edit that
 * was refused, and stayed in a note whose folder was moved meanwhile; a simulated client that read an index while
 * it was built again; a note that was followed, indexed and deleted between two looks;
 * a change of a text that kept size and time, within the two seconds in which a disk keeps times; a name that stayed decomposed;
 * a file that a client of the feed knew at both paths of its move; a line that a program wrote to a replaced file between the last
 * two looks at it; two files whose names differ only in how they are composed;
 * a change that kept size and time, while no server ran and the clock was set back; notes that were restored as other files with the
 * same texts and times; a call that was to follow an answer of a server that was killed meanwhile; a note that was renamed while it was
 * excluded; settings that were changed and changed back between two looks at them; a note at the old path of a move whose first half
 * a client had read before; a template without a line end; a note that was
 * gone and another one at its path, in a job that ended between them; an index that was removed while servers used it; an old
 * file that a killed server had put aside in a folder that was moved twice; notes that were moved away while a change rewrote them; an index that was removed
 * while a server opened it, or while the clock was set back; copies in two folders that were gone and back at one of the old paths;
 * an index that was removed and made again while a server opened it; a wait for a job that the store still had as the running one, or no longer had;
 * a line that another program went on with after an edit had added another one behind it.
 */
const KEPT: readonly number[] = [
  12, 42, 73, 500133, 1000625, 3002922, 3006708, 3010408, 4000206, 4019885, 4024498, 4030163, 4032251, 5010173, 5010545,
  5030754, 5030889, 700000447, 900000121, 1000000050, 1010000005, 1040000105, 1050000116, 1006000936, 1006002080,
  1006002164, 1006102393, 1500000003, 1510000021, 1000000113, 1600027699, 1810000001, 1880003440, 1890001593,
  1900008573, 1910001843, 1920001497, 2000009182, 2100004203, 2200033471,
];
const SCHEDULES = runs(100);
/** With all kinds of actions. */
const NEW = 1_000_000_100;

async function simulate(...args: readonly string[]): Promise<void> {
  const [outcome] = await Promise.allSettled([promisify(execFile)(process.execPath, [PROGRAM, ...args])]);
  if (outcome.status === 'rejected') assert.fail(`${outcome.reason.stdout}${outcome.reason.stderr}`);
}

test('servers, an editor and a sync client on one vault lose nothing, the index ends as a fresh one, and a seed does the same again', () =>
  simulate('--schedules', `${SCHEDULES}`, '--seed', `${NEW}`));

test('the schedules that once failed', { skip: isLong && 'npm test runs them' }, () => simulate('--seed', KEPT.join()));
