// Starts the worker threads of the sources from their bundles: a thread then takes half the CPU time to start.
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import workerThreads, { type WorkerOptions } from 'node:worker_threads';

const ROOT = join(import.meta.dirname, '../..');
/** In the project's folder, because the bundles import its native packages. */
export const BUNDLED_THREADS = join(ROOT, '.test-threads');
export const THREAD_SOURCES = [
  'src/compute/thread.ts',
  'src/providers/filesystem/file-thread.ts',
  'src/providers/model2vec/tokenizer-thread.ts',
  'src/providers/postgresql/write/store-thread.ts',
  'src/providers/sqlite/write/writer-thread.ts',
] as const;

const sources = new Set(THREAD_SOURCES.map((path) => join(ROOT, path)));

class BundledWorker extends workerThreads.Worker {
  constructor(script: string | URL, options: WorkerOptions = {}) {
    const path = script instanceof URL ? fileURLToPath(script) : script;
    if (!sources.has(path)) super(script, options);
    else super(pathToFileURL(join(BUNDLED_THREADS, `${basename(path, '.ts')}.js`)), { execArgv: [], ...options });
  }
}

/** Replaces the `Worker` of modules that are loaded later. */
export function useBundledThreads(): void {
  workerThreads.Worker = BundledWorker;
  syncBuiltinESMExports();
}
