// Finds what a loss of power could still take away after some calls of the file system.
import { dirname } from 'node:path';
import type { Done } from './fault-cells.ts';

const WRITES = ['create', 'write', 'writev', 'writeFile', 'appendFile', 'ftruncate', 'truncate'];
const REMOVES = ['rm', 'rmdir', 'unlink'];

/** @returns the files whose content was not flushed, and the names that were given or taken and not flushed in their folder */
export function unflushed(calls: readonly Done[]): { readonly contents: Set<string>; readonly names: Set<string> } {
  const [contents, names] = [new Set<string>(), new Set<string>()];
  for (const { operation, path, to } of calls) {
    if (WRITES.includes(operation)) contents.add(path);
    if (operation === 'create' || operation === 'writeFile' || operation === 'mkdir') names.add(path);
    if (operation === 'copyFile' && to !== undefined) for (const each of [contents, names]) each.add(to);
    if (operation === 'fsync' || operation === 'fdatasync') {
      contents.delete(path);
      for (const name of [...names]) if (dirname(name) === path) names.delete(name);
    }
    if (operation === 'link' && to !== undefined) {
      names.add(to);
      if (contents.has(path)) contents.add(to);
    }
    if (operation === 'rename' && to !== undefined) {
      for (const each of [contents, names]) moveWithin(each, path, to);
      for (const name of [path, to]) names.add(name);
    }
    if (REMOVES.includes(operation)) {
      contents.delete(path);
      names.add(path);
    }
  }
  return { contents, names };
}

function moveWithin(paths: Set<string>, from: string, to: string): void {
  for (const path of [...paths])
    if (path === from || path.startsWith(`${from}/`)) {
      paths.delete(path);
      paths.add(to + path.slice(from.length));
    }
}
