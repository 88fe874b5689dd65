// Bundles the worker threads of the sources and programs of the tests, so that each starts from one file instead of a hundred.
import { join } from 'node:path';
import { build } from 'esbuild';
import { BUNDLES, PROGRAM_SOURCES, THREAD_SOURCES } from './bundles.ts';

const ROOT = join(import.meta.dirname, '../..');

/** As `npm run build` bundles them, from the sources as they are now. */
export async function buildBundles(): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: [...THREAD_SOURCES, ...PROGRAM_SOURCES],
    outdir: BUNDLES,
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
