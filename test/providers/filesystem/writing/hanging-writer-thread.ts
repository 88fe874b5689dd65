// A file thread of a writer whose disk hangs, before or after a change is committed, until its gate is opened.
import { parentPort, workerData } from 'node:worker_threads';
import {
  commitTask,
  type FileAnswer,
  type FileTask,
  type FileThreadSetup,
  IS_WORKING,
  isStopped,
} from '../../../../src/providers/filesystem/file-task.ts';

const { sharedState, gate } = workerData as FileThreadSetup & { readonly gate: Int32Array };

parentPort?.on('message', (task: FileTask) => {
  Atomics.store(sharedState, IS_WORKING, 1);
  if (task.kind === 'apply') {
    if (task.request.tool === 'committed') commitTask(sharedState);
    Atomics.store(gate, 1, 1);
    Atomics.wait(gate, 0, 0);
  }
  Atomics.store(sharedState, IS_WORKING, 0);
  parentPort?.postMessage(answerTo(task));
});

function answerTo(task: FileTask): FileAnswer {
  if (task.kind === 'recover') return { kind: 'recover', recovered: [], late: [] };
  if (task.kind === 'changes') return { kind: 'changes', changes: [] };
  return {
    kind: 'error',
    error: { code: isStopped(sharedState) ? 'CANCELLED' : 'INTERNAL', details: { committed: 'none', kind: '' } },
  };
}
