// Starts the worker threads of the sources, and programs of the tests, from their bundles: each then takes half the CPU time to start, or less.
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import workerThreads, { type WorkerOptions } from 'node:worker_threads';

const ROOT = join(import.meta.dirname, '../..');
/** In the project's folder, because the bundles import its native packages. */
export const BUNDLES = join(ROOT, '.test-bundles');
export const THREAD_SOURCES = [
  'src/compute/thread.ts',
  'src/providers/filesystem/file-thread.ts',
  'src/providers/model2vec/tokenizer-thread.ts',
  'src/providers/onnx/onnx-thread.ts',
  'src/providers/postgresql/write/store-thread.ts',
  'src/providers/sqlite/history/history-thread.ts',
  'src/providers/sqlite/write/writer-thread.ts',
] as const;

/** Programs that the tests start many times; the base name of each is its own. */
export const PROGRAM_SOURCES = [
  'test/crash/crash-child.ts',
  'test/faults/tools-child.ts',
  'test/mcp/test-server.ts',
  'test/providers/filesystem/watching/watch-child.ts',
  'test/providers/filesystem/writing/append-child.ts',
] as const;

const bundleOf = (source: string): string => join(BUNDLES, `${basename(source, '.ts')}.js`);

/** The program to start: the bundle, as the runner built it. */
export const bundledProgram = (source: (typeof PROGRAM_SOURCES)[number]): string => bundleOf(source);

const sources = new Set(THREAD_SOURCES.map((path) => join(ROOT, path)));

class BundledWorker extends workerThreads.Worker {
  constructor(script: string | URL, options: WorkerOptions = {}) {
    const path = script instanceof URL ? fileURLToPath(script) : script;
    if (!sources.has(path)) super(script, options);
    else super(pathToFileURL(bundleOf(path)), { execArgv: [], ...options });
  }
}

/** Replaces the `Worker` of modules that are loaded later. */
export function useBundledThreads(): void {
  workerThreads.Worker = BundledWorker;
  syncBuiltinESMExports();
}
