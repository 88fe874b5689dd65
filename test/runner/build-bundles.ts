// Bundles the worker threads of the sources and programs of the tests, so that each starts from one file instead of a hundred.
import { build } from 'esbuild';
import { BUNDLING } from '../packaging/build-program.ts';
import { BUNDLES, PROGRAM_SOURCES, THREAD_SOURCES } from './bundles.ts';

/** As `npm run build` bundles them, from the sources as they are now. */
export async function buildBundles(): Promise<void> {
  await build({ ...BUNDLING, entryPoints: [...THREAD_SOURCES, ...PROGRAM_SOURCES], outdir: BUNDLES });
}
