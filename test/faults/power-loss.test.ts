// Loss of power at each moment of a change and its undo: whatever of it was not flushed, the next start finds the vault before or after.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkLog } from '../../src/providers/filesystem/writing/inverse-change.ts';
import { vaultFolderAt } from '../providers/filesystem/vault-folder.ts';
import { inBench, KINDS, type Kind, undoOf } from '../providers/filesystem/writing/change-kinds.ts';
import {
  assertClean,
  openWorkbench,
  type Snapshot,
  type Workbench,
} from '../providers/filesystem/writing/workbench.ts';
import { runs } from '../runner/effort.ts';
import { RecordedDisk } from './recorded-disk.ts';

/** The states of the disk that are tried at each moment. */
const STATES = runs(20);

/** Which contents the vault may have from a number of events on, until the next step. */
interface Step {
  readonly until: number;
  readonly allowed: readonly Texts[];
}

type Texts = Readonly<Record<string, string>>;

/** Permissions of what was not flushed are as the system makes files. */
const textsOf = (snapshot: Snapshot): Texts =>
  Object.fromEntries(
    [...snapshot].map(([path, found]) => [path, path.endsWith('/') ? '' : found.slice(found.indexOf(' '))]),
  );

interface Recording {
  readonly recorded: RecordedDisk;
  readonly steps: readonly Step[];
}

function record(bench: Workbench, kind: Kind): Recording {
  const request = kind.request(bench);
  const recorded = new RecordedDisk(bench.folder.outside);
  const [disk, before] = [{ disk: recorded.disk }, textsOf(bench.snapshot())];
  const { id } = bench.apply(request, disk);
  const [made, after] = [recorded.events.length, textsOf(bench.snapshot())];
  const steps: Step[] = [{ until: made, allowed: [before, after] }];
  if (request.undoes === undefined) {
    bench.apply(undoOf(bench, id), disk);
    steps.push({ until: recorded.events.length, allowed: [after, textsOf(bench.snapshot())] });
  }
  const last = steps.at(-1)?.allowed[1] ?? after;
  return { recorded, steps: [...steps, { until: recorded.events.length + 1, allowed: [last] }] };
}

function checkState({ recorded, steps }: Recording, events: number, number: number): void {
  let state = events * 1_000 + number + 1;
  const random = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
  for (let skipped = 0; skipped < 4; skipped += 1) random();
  inBench((other) => {
    const folder = vaultFolderAt(join(other.folder.outside, 'found'));
    recorded.build(folder.outside, events, random);
    const bench = openWorkbench(folder);
    bench.recover();
    assertClean(bench);
    const allowed = steps.find(({ until }) => events < until)?.allowed ?? [];
    const now = textsOf(bench.snapshot());
    if (!allowed.some((each) => isSame(each, now)))
      assert.deepEqual(now, allowed.at(-1), `state ${number} after ${events} events`);
    assert.deepEqual(checkLog({ log: join(folder.outside, 'log') }).damages, []);
    undoable(bench);
  });
}

const isSame = (one: Texts, other: Texts): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The newest change that is done can be undone. */
function undoable(bench: Workbench): void {
  const entry = bench.log.entries().find(({ stage }) => stage === 'done');
  if (entry === undefined || bench.log.intent(entry.id)?.undoes !== undefined) return;
  bench.apply(undoOf(bench, entry.id));
  assertClean(bench);
}

test('a loss of power at each moment of a change and of its undo, with all that may be lost', async (context) => {
  for (const kind of KINDS)
    await context.test(kind.title, () => {
      inBench((bench) => {
        const recording = record(bench, kind);
        for (let events = 0; events <= recording.recorded.events.length; events += 1)
          for (let number = 0; number < STATES; number += 1) checkState(recording, events, number);
      });
    });
});
