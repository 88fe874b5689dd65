// Writes a file completely or not at all.
import { access, constants, copyFile } from 'node:fs/promises';
import { replaceFile } from '../../base/atomic-write.ts';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';

/** @returns false, with nothing written, if the file exists and may not be replaced. @throws FILE_WRITE_FAILED, and what `text` throws */
export async function writeWhole(file: string, text: AsyncIterable<string>, replace: boolean): Promise<boolean> {
  if (!replace && (await isThere(file))) return false;
  // Unlike a rename, this fails if another program has created the file in the meantime.
  const copyNew = (temporary: string) => copyFile(temporary, file, constants.COPYFILE_EXCL);
  try {
    await replaceFile(file, text, replace ? {} : { commit: copyNew });
    return true;
  } catch (thrown) {
    throw writeFailure(thrown, file);
  }
}

async function isThere(file: string): Promise<boolean> {
  const [seen] = await Promise.allSettled([access(file)]);
  return seen.status === 'fulfilled';
}

function writeFailure(thrown: unknown, file: string): VaultgraphError {
  const errno = thrown instanceof Error && 'errno' in thrown && 'code' in thrown ? String(thrown.code) : undefined;
  if (errno === undefined || thrown instanceof VaultgraphError) return toVaultgraphError(thrown);
  return new VaultgraphError('FILE_WRITE_FAILED', { path: file, errno, step: 'writing', original_intact: true });
}
