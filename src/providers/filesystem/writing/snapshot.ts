// What a file of the vault is before a change touches it: its content, its owner, its volume. Writes nothing.
import { constants } from 'node:fs';
import { join } from 'node:path';
import { contentHash } from '../../../base/content-hash.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { errnoOf } from '../errno.ts';
import { readFile } from '../read-file.ts';
import { statsAt } from './disk.ts';
import { hashOf, NOT_PLAIN, type Owned, ownedBy } from './file-content.ts';
import { inFolder } from './folder-handle.ts';
import { type Place, pathOf, split } from './place.ts';
import { conflict } from './slot.ts';
import type { Workshop } from './write-context.ts';

const ANY_WRITE_BIT = 0o222;

/** @throws WRITE_CONFLICT when it is another content than `before`, or gone; FILE_UNREADABLE, PATH_NOT_ALLOWED, LIMIT_EXCEEDED */
export function readBefore(shop: Workshop, path: string, place: Place, before: string): Uint8Array {
  hashBefore(shop, path, place, before);
  const { bytes } = readFile(shop.root, shop.exclusion, { path, onDisk: pathOf(place) }, shop.beat);
  const found = contentHash(bytes);
  if (found !== before) throw conflict(path, before, found);
  return bytes;
}

/** @param before any content where it is not given. @throws as `readBefore` */
export function hashBefore(shop: Workshop, path: string, place: Place, before?: string): string {
  const found = hashFound(shop, path, place);
  if (found === null && path.includes('\\'))
    throw new VaultgraphError('PATH_NOT_ALLOWED', { path, rule: 'folders are separated by `/`' });
  if (found === null && before === undefined) throw new VaultgraphError('FILE_UNREADABLE', { path, errno: 'ENOENT' });
  const isOther = before !== undefined && found !== before;
  if (found === null || found === NOT_PLAIN || isOther) throw conflict(path, before ?? null, found);
  return found;
}

/** Null where no file is, and where its folder is not. @throws FILE_UNREADABLE */
export function hashFound(shop: Workshop, path: string, place: Place): string | null {
  return inFolder(shop, place.folder, (folder) => {
    try {
      return folder === undefined ? null : hashOf(shop.disk, folder.at(place.name), path, shop.beat);
    } catch (thrown) {
      if (thrown instanceof VaultgraphError) throw thrown;
      throw new VaultgraphError('FILE_UNREADABLE', { path, errno: errnoOf(thrown) }, { cause: thrown });
    }
  });
}

/** A file that was made read-only is left as it is, also where its folder would let it be replaced. @throws EACCES as the system says it */
export function checkWritable({ disk, root }: Workshop, path: string, place: Place): void {
  const file = join(root, pathOf(place));
  disk.accessSync(file, constants.W_OK);
  if ((disk.lstatSync(file).mode & ANY_WRITE_BIT) !== 0) return;
  const details = { path, errno: 'EACCES', step: 'access', original_intact: true };
  throw new VaultgraphError('FILE_WRITE_FAILED', details);
}

export function ownedAt({ disk, root }: Workshop, place: Place): Owned {
  return ownedBy(disk.lstatSync(join(root, pathOf(place))));
}

/** Whether a file can go from one place to the other as it is, and not only its bytes. */
export function isOneVolume({ disk, root }: Workshop, from: Place, to: Place): boolean {
  let { folder } = to;
  while (folder !== '' && statsAt(disk, join(root, folder)) === undefined) folder = split(folder).folder;
  return disk.lstatSync(join(root, pathOf(from))).dev === disk.lstatSync(join(root, folder)).dev;
}
