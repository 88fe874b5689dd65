// Reads the files of a vault folder for tests.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NotePath } from '../../../src/base/note.ts';
import { isLong } from '../../runner/effort.ts';

/** The vaults of other people, beside the checkout; not part of the project. */
const PUBLIC_VAULTS = join(import.meta.dirname, '../../../../shared/vaults');

/** Where a public vault is, or why the test that needs it is skipped. */
export function publicVault(name: string): { folder: string; skip: false | string } {
  const folder = join(PUBLIC_VAULTS, name);
  if (!isLong) return { folder, skip: 'npm run test:long reads the public vaults' };
  return { folder, skip: existsSync(folder) ? false : `the public vault ${name} is not beside the checkout` };
}

/** All files by vault path, dot-folders left out as in Obsidian. */
export function readVault(folder: string): Map<NotePath, Buffer> {
  const files = new Map<NotePath, Buffer>();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name)
      .slice(folder.length + 1)
      .split('\\')
      .join('/')
      .normalize('NFC');
    if (path.split('/').some((segment) => segment.startsWith('.'))) continue;
    files.set(path as NotePath, readFileSync(join(entry.parentPath, entry.name)));
  }
  return files;
}
