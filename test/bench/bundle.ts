// Compiles the benchmark's own programs to plain JavaScript, so that no baseline includes type stripping.
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const REPOSITORY = join(import.meta.dirname, '../..');
const REQUIRE = "import{createRequire}from'node:module';const require=createRequire(import.meta.url);";

/** Bundles the programs (file names in this folder) into `folder`, like `npm run build` bundles the product. */
export async function bundlePrograms(folder: string, programs: readonly string[]): Promise<void> {
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'), 'junction');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const shared = {
    entryPoints: programs.map((program) => join(import.meta.dirname, program)),
    platform: 'node',
    target: 'node22',
    format: 'esm',
    logLevel: 'warning',
  } as const;
  const banner = { js: REQUIRE };
  await build({ ...shared, bundle: true, banner, external: ['better-sqlite3'], outdir: join(folder, 'bundled') });
  await build({ ...shared, bundle: true, packages: 'external', outdir: join(folder, 'unbundled') });
}
