// The worker threads of this process that have not ended. A process cannot end by itself while one of them stands in a system call.
import type { Worker } from 'node:worker_threads';

const living = new Set<Worker>();

/** To be called for every thread when it is made. */
export function rememberThread(worker: Worker): Worker {
  living.add(worker);
  worker.once('exit', () => living.delete(worker));
  return worker;
}

/** Ends them all. Resolves when the last one has ended: never, where one stands in a call that does not return. */
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
