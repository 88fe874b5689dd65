// Maps each file's spelling on disk to one NFC vault path, and back. Linux keeps differently normalized names apart.
import { readdirSync } from 'node:fs';
import type { NotePath } from '../../base/note.ts';
import { comparePaths } from '../../base/path-order.ts';
import type { OpenFolders } from './open-folders.ts';

/**
 * The vault path of each file on disk. A name that is NFC on disk keeps its path. Any other gets its NFC form; where that is taken
 * by another file (possible only on Linux) it keeps its spelling on disk, the only case of a path that is not NFC.
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

/** The spelling of `path` on disk, segment by segment; a segment without another spelling, or below a link, stays as it is. */
export function findOnDiskSpelling(folders: OpenFolders, path: string): string {
  let found = '';
  for (const segment of path.split('/')) {
    const name = spellingIn(folders.pathOf(found), segment);
    found = found === '' ? name : `${found}/${name}`;
  }
  return found;
}

function spellingIn(folder: string | undefined, segment: string): string {
  const names = folder === undefined ? [] : readdirSync(folder);
  if (names.includes(segment)) return segment;
  const composed = segment.normalize('NFC');
  const [first] = names.filter((name) => name.normalize('NFC') === composed).sort(comparePaths);
  return first ?? segment;
}
