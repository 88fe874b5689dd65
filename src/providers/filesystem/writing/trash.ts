// Where in the vault's own trash a file goes, as Obsidian keeps it: `.trash` at the root, with the file's folders below. Writes nothing.
import { join } from 'node:path';
import { VaultgraphError } from '../../../base/errors.ts';
import { brokenPathRule } from '../vault-path.ts';
import { statsAt } from './disk.ts';
import { numberedNames } from './free-name.ts';
import { folded } from './names-on-disk.ts';
import { type Place, pathOf, placeOf, split } from './place.ts';
import type { Ground } from './vault-root.ts';

const TRASH = '.trash';

/** @param given folded paths that are given away; the answer is added */
export function freeInTrash({ disk, root }: Ground, given: Set<string>, { folder, name }: Place): Place {
  const below = folder === '' ? TRASH : `${TRASH}/${folder}`;
  for (const free of numberedNames(name)) {
    const place = { folder: below, name: free };
    const path = pathOf(place);
    if (given.has(folded(path)) || statsAt(disk, join(root, path)) !== undefined) continue;
    given.add(folded(path));
    return place;
  }
  throw new VaultgraphError('INTERNAL', { kind: 'no name is free in the trash' });
}

/** @throws PATH_NOT_ALLOWED for what is not in the trash */
export function trashedPlace(path: string): Place {
  const rule = path.startsWith(`${TRASH}/`) ? brokenPathRule(path.slice(TRASH.length + 1)) : 'it is not in the trash';
  if (rule !== undefined) throw new VaultgraphError('PATH_NOT_ALLOWED', { path, rule });
  return split(path);
}

/** A folder that goes when it is empty, by its spelling on disk. @throws PATH_NOT_ALLOWED */
export function emptiedFolder(ground: Ground, path: string): string {
  if (path === TRASH) return path;
  return pathOf(path.startsWith(`${TRASH}/`) ? trashedPlace(path) : placeOf(ground, path));
}
