// Tracks the running worker threads, because a thread inside a system call keeps the process from ending.
import type { Worker } from 'node:worker_threads';

const living = new Set<Worker>();

/** Call this for every new thread. */
export function rememberThread(worker: Worker): Worker {
  living.add(worker);
  worker.once('exit', () => living.delete(worker));
  return worker;
}

/** Terminates all threads. Never resolves if one is in a system call that does not return. */
export async function endThreads(): Promise<void> {
  await Promise.all([...living].map((worker) => worker.terminate()));
}

/**
 * The script `name` beside the code that starts it: TypeScript beside the sources, JavaScript in the build, which lays all its
 * files into one folder.
 * @param beside the starting module's `import.meta.url`
 */
export function threadScript(name: string, beside: string): URL {
  return new URL(`./${name}${beside.endsWith('.ts') ? '.ts' : '.js'}`, beside);
}
