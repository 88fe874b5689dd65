// A file thread on a disk that stops answering: whoever asks for a path with `hang` in it waits until the gate opens.
import { parentPort, workerData } from 'node:worker_threads';
import {
  BEATS,
  type FileAnswer,
  type FileTask,
  type FileThreadSetup,
  ITEMS,
  STOP,
} from '../../../src/providers/filesystem/file-task.ts';

const { pulse, gate } = workerData as FileThreadSetup & { gate: Int32Array };

parentPort?.on('message', (task: FileTask) => parentPort?.postMessage(answer(task)));

function answer(task: FileTask): FileAnswer {
  if (task.kind === 'probe') return { kind: 'probe' };
  if (task.kind !== 'read') return { kind: 'error', error: { code: 'VAULT_UNAVAILABLE', details: { errno: 'EIO' } } };
  return { kind: 'read', rows: task.files.map(({ path }) => ({ content: contentOf(path) })) };
}

function contentOf(path: string) {
  Atomics.add(pulse, BEATS, 1);
  if (path.includes('hang')) Atomics.wait(gate, 0, 0);
  if (path.includes('slow')) beatUntilTheGateOpens();
  Atomics.add(pulse, ITEMS, 1);
  return { path: path as never, bytes: new Uint8Array(), sizeBytes: 0, modifiedMs: 0 };
}

/** As a large file on a slow disk does: it takes long, and shows that it goes on. */
function beatUntilTheGateOpens(): void {
  while (Atomics.wait(gate, 0, 0, 5) === 'timed-out' && Atomics.load(pulse, STOP) === 0) Atomics.add(pulse, BEATS, 1);
}
