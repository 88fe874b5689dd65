// Gives one task to one file thread and waits: for its answer, the end of patience, or the caller's abort.
import type { Worker } from 'node:worker_threads';
import { BEATS, type FileAnswer, type FileTask, ITEMS, STOP } from './file-task.ts';

export interface Thread {
  readonly worker: Worker;
  readonly pulse: Int32Array;
  busy: boolean;
  stuck: boolean;
  /** Takes the task's answer, or what ended its thread. */
  settle: (answer: FileAnswer | Error) => void;
}

/** `stuck`: no sign of life for the whole patience, behind `items` done ones. The thread serves again once it answers after all. */
export type Outcome =
  | { readonly state: 'answered'; readonly answer: FileAnswer }
  | { readonly state: 'stuck'; readonly items: number };

/** How many times within the patience a thread is looked at. */
const LOOKS = 5;

/** What an abort means to who waits: the end of waiting, or only the wish that the thread may stop where it still can. */
export type OnAbort = 'leave' | 'wait';

/**
 * An abort asks the thread to stop; it stays busy until it has.
 * @param onStuck called when the thread is given up on
 */
export function performTask(
  thread: Thread,
  task: FileTask,
  patienceMs: number,
  signal: AbortSignal,
  onAbort: OnAbort,
  onStuck: () => void,
): Promise<Outcome> {
  const { worker, pulse } = thread;
  return new Promise((resolve, reject) => {
    let beats = 0;
    let silentLooks = 0;
    const look = (): void => {
      const now = Atomics.load(pulse, BEATS);
      silentLooks = now === beats ? silentLooks + 1 : 0;
      beats = now;
      if (silentLooks < LOOKS) return;
      leave();
      // What was given up on must not be done behind everybody's back, should the disk answer after all.
      Atomics.store(pulse, STOP, 1);
      thread.stuck = true;
      onStuck();
      resolve({ state: 'stuck', items: Atomics.load(pulse, ITEMS) });
    };
    const timer = setInterval(look, patienceMs / LOOKS);
    const stop = (): void => {
      Atomics.store(pulse, STOP, 1);
      if (onAbort === 'leave') reject(signal.reason);
    };
    const leave = (): void => {
      clearInterval(timer);
      signal.removeEventListener('abort', stop);
      worker.unref();
    };
    thread.settle = (answer: FileAnswer | Error) => {
      leave();
      if (answer instanceof Error) reject(answer);
      else resolve({ state: 'answered', answer });
    };
    signal.addEventListener('abort', stop);
    pulse.fill(0);
    worker.ref();
    worker.postMessage(task);
  });
}
