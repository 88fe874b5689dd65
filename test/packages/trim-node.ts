// Removes the headers and manuals from the package of Node after `npm ci`: a third of it, for compiling native modules, which this project never does.
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

for (const path of globSync('node_modules/node/node_modules/node-*/{include,share}', { cwd: ROOT }))
  rmSync(join(ROOT, path), { recursive: true });
