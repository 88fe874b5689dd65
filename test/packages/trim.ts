// Removes from `node_modules` after `npm ci` what neither the build nor a test reads: a third of its bytes.
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const MODULES = join(import.meta.dirname, '../../node_modules');

const UNREAD = [
  '**/*.map',
  // For compiling native modules, which this project never does.
  'node/node_modules/node-*/{include,share}',
  'better-sqlite3/{deps,src}',
  // Variants of what is bundled.
  'gpt-tokenizer/{cjs,src,esm/model}',
  'highlight.js/{scss,styles}',
  'pdfjs-dist/{build,cmaps,iccs,image_decoders,standard_fonts,wasm,web,legacy/image_decoders,legacy/web}',
  'zod/src',
];

for (const path of [...globSync(UNREAD, { cwd: MODULES }), ...otherSystems()])
  rmSync(join(MODULES, path), { recursive: true, force: true });

/** The binaries of SQLite for other systems than this one; those of both C libraries stay. */
function otherSystems(): string[] {
  const own = new RegExp(`/${process.platform}(?:musl)?-${process.arch}\\.node$`);
  return globSync('better-sqlite3/prebuilds/*.node', { cwd: MODULES }).filter((path) => !own.test(path));
}
