// Writes a file so that it is there whole or not at all.
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, constants, copyFile, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';

/** False, with nothing written, where the file is there and may not be replaced. @throws FILE_WRITE_FAILED, and what `text` throws */
export async function writeWhole(file: string, text: AsyncIterable<string>, replace: boolean): Promise<boolean> {
  if (!replace && (await isThere(file))) return false;
  const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await pipeline(text, createWriteStream(draft, { flags: 'wx' }));
    if (replace) await rename(draft, file);
    // Fails, unlike a rename, where somebody made the file in the meantime.
    else await copyFile(draft, file, constants.COPYFILE_EXCL);
    return true;
  } catch (thrown) {
    throw writeFailure(thrown, file);
  } finally {
    await rm(draft, { force: true });
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
