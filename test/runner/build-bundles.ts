// Bundles the worker threads of the sources, so that a test starts each from one file instead of a hundred.
import { join } from 'node:path';
import { build } from 'esbuild';
import { BUNDLED_THREADS, THREAD_SOURCES } from './bundled-threads.ts';

const ROOT = join(import.meta.dirname, '../..');

/** As `npm run build` bundles them, from the sources as they are now. */
export async function bundleThreads(): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: [...THREAD_SOURCES],
    outdir: BUNDLED_THREADS,
    entryNames: '[name]',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    external: ['better-sqlite3', 'sqlite-vec', '@parcel/watcher', 'koffi'],
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
}
