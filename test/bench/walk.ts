// Lists a folder recursively with the size and time stamp of each file, as simply as Node can.
import { readdirSync, statSync } from 'node:fs';
import type { ReferenceFile } from './reference-store.ts';

/** Paths relative to `folder`, with `/`. */
export function walk(folder: string, below = '', paths: string[] = []): string[] {
  for (const entry of readdirSync(`${folder}/${below}`, { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) walk(folder, path, paths);
    else paths.push(path);
  }
  return paths;
}

export function statAll(folder: string, paths: readonly string[]): ReferenceFile[] {
  return paths.map((path) => {
    const { size, mtimeMs } = statSync(`${folder}/${path}`);
    return { path, size, modified: mtimeMs };
  });
}
