// One NFC path for every file, and the way back to the spelling the disk knows it by. Linux keeps both spellings apart.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { NotePath } from '../../base/note.ts';
import { comparePaths } from '../../graph/path-order.ts';

/**
 * The vault path of each file on disk. A name that is NFC on disk keeps its path. Another gets the NFC form of its own, and where that
 * is taken (twins, which only Linux can hold) it stays as spelled on disk: the one kind of path that is not NFC.
 */
export function assignPaths(onDisk: readonly string[]): readonly NotePath[] {
  const composed = onDisk.map((path) => path.normalize('NFC'));
  const isDecomposed = (index: number): boolean => composed[index] !== onDisk[index];
  const decomposed = [...onDisk.keys()].filter(isDecomposed);
  if (decomposed.length === 0) return onDisk as readonly NotePath[];
  const taken = new Set(onDisk.filter((_, index) => !isDecomposed(index)));
  const assigned = [...onDisk];
  for (const index of decomposed.sort((a, b) => comparePaths(onDisk[a] ?? '', onDisk[b] ?? ''))) {
    const path = composed[index] ?? '';
    if (taken.has(path)) continue;
    taken.add(path);
    assigned[index] = path;
  }
  return assigned as NotePath[];
}

/** The path by which the disk knows a file when it does not know it by `path`; `path` itself when there is no other spelling. */
export function findOnDiskSpelling(root: string, path: string): string {
  let found = '';
  for (const segment of path.split('/')) {
    const name = spellingIn(join(root, found), segment);
    found = found === '' ? name : `${found}/${name}`;
  }
  return found;
}

function spellingIn(folder: string, segment: string): string {
  const names = readdirSync(folder);
  if (names.includes(segment)) return segment;
  const composed = segment.normalize('NFC');
  const [first] = names.filter((name) => name.normalize('NFC') === composed).sort(comparePaths);
  return first ?? segment;
}
