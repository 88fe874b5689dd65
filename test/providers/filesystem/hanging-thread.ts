// A file thread on a disk that hangs: a read of a path with `hang` in it waits until the gate opens, one with `exit` ends the thread.
import { parentPort, workerData } from 'node:worker_threads';
import {
  type FileAnswer,
  type FileTask,
  type FileThreadSetup,
  HEARTBEATS,
  IS_WORKING,
  ITEMS_DONE,
  isStopped,
} from '../../../src/providers/filesystem/file-task.ts';

interface HangingSetup extends FileThreadSetup {
  /** Whether it is open, and how many files were read. */
  readonly gate: Int32Array;
  /** How long the thread takes to start, and to hand over its answer. */
  readonly startMs?: number;
  readonly answerMs?: number;
}

const { sharedState, gate, startMs = 0, answerMs = 0 } = workerData as HangingSetup;

Atomics.wait(gate, 0, 0, startMs);
parentPort?.on('message', (task: FileTask) => {
  Atomics.store(sharedState, IS_WORKING, 1);
  const found = answer(task);
  Atomics.store(sharedState, IS_WORKING, 0);
  Atomics.wait(gate, 0, 0, answerMs);
  parentPort?.postMessage(found);
});

function answer(task: FileTask): FileAnswer {
  if (task.kind === 'probe') return { kind: 'probe' };
  if (task.kind === 'list' && task.paths === undefined) Atomics.store(sharedState, ITEMS_DONE, 7);
  if (task.kind === 'list') beatUntilTheGateOpens();
  if (task.kind !== 'read') return { kind: 'error', error: { code: 'VAULT_UNAVAILABLE', details: { errno: 'EIO' } } };
  return { kind: 'read', rows: task.files.map(({ path }) => ({ content: contentOf(path) })) };
}

function contentOf(path: string) {
  Atomics.add(sharedState, HEARTBEATS, 1);
  if (path.includes('hang')) Atomics.wait(gate, 0, 0);
  if (path.includes('slow')) beatUntilTheGateOpens();
  if (path.includes('exit')) process.exit(3);
  Atomics.add(gate, 1, 1);
  Atomics.add(sharedState, ITEMS_DONE, 1);
  return { path: path as never, bytes: new Uint8Array(), sizeBytes: 0, modifiedMs: 0 };
}

/** Simulates a large file on a slow disk: it takes long, with heartbeats. */
function beatUntilTheGateOpens(): void {
  while (Atomics.wait(gate, 0, 0, 5) === 'timed-out' && !isStopped(sharedState))
    Atomics.add(sharedState, HEARTBEATS, 1);
}
