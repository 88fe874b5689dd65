// The folders of installed models: each has the files of one model and a record of where they came from.
import { existsSync, readdirSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkModel, LOCAL_MODEL_FILES, type ModelRecord, RECORD, readRecord } from '../../app/load-providers.ts';
import { flushFolder, flushTree } from '../../base/atomic-write.ts';
import { errnoOf, errnoOrRethrow, isErrno } from '../../base/errno.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { makeFolder, makeFolderDurably } from '../../base/make-folder.ts';
import { readOwnFile } from '../../base/system/own-file.ts';
import { mayExist } from '../../base/system/presence.ts';
import { renamePatiently } from '../../base/system/rename.ts';
import { locateOwnFolders } from '../../config/config-sources.ts';
import type { CommonOptions } from '../common-options.ts';
import { thisMachine } from '../machine.ts';
import { onDisk } from './download.ts';

/** Not valid in a model's name, so that no model has a folder like that. */
const STAGED = '.staged+';

/** Letters, digits, `.`, `_` and `-`; a folder of that name exists on every system. */
export const isModelName = (name: string): boolean => /^[A-Za-z0-9][\w.-]{0,79}$/.test(name);

/** In the data folder, beside the indexes: all vaults share the models. */
export function modelsFolder({ dataDir }: CommonOptions): string {
  const flags = dataDir === undefined ? {} : { dataDir };
  return join(locateOwnFolders({ flags, ...thisMachine(), cwd: process.cwd() }).data.path, 'models');
}

export const folderOf = (models: string, name: string): string => join(models, name);

/** Undefined if no model of that name is installed, or its record is damaged. */
export function recordOf(models: string, name: string): ModelRecord | undefined {
  try {
    const record = readRecord(folderOf(models, name));
    return record?.name === name ? record : undefined;
  } catch (thrown) {
    errnoOrRethrow(thrown);
    return undefined;
  }
}

/** @throws FILE_UNREADABLE */
export function installedModels(models: string): ModelRecord[] {
  return namesOf(models).flatMap((name) => recordOf(models, name) ?? []);
}

/** The names of models whose record cannot be read. @throws FILE_UNREADABLE */
export function damagedModels(models: string): string[] {
  return namesOf(models).filter((name) => isInstalled(models, name) && recordOf(models, name) === undefined);
}

/** Also if its record is damaged. */
export const isInstalled = (models: string, name: string): boolean => mayExist(join(folderOf(models, name), RECORD));

/** @throws FILE_UNREADABLE */
function namesOf(models: string): string[] {
  return ifThere(models, () => readdirSync(models).filter(isModelName).sort()) ?? [];
}

const stagedIn = (models: string, name: string): string => join(models, `${STAGED}${name}`);

/** Whether an interrupted download of the model is kept. */
export const isStaged = (models: string, name: string): boolean => existsSync(stagedIn(models, name));

/** Removes an installed model, or what an interrupted download of it kept. */
export async function removeModel(models: string, name: string): Promise<void> {
  const [staged, folder] = [stagedIn(models, name), folderOf(models, name)];
  for (const each of [staged, beforeIn(models, name)]) await removeFolder(each);
  // What the disk keeps of it can be removed by another call then: without its record nothing shows that the folder was a model.
  await onDisk(folder, () => moved(folder, staged));
  await removeFolder(staged);
}

/** A folder for files that are still being collected. One of another revision is emptied. */
export async function stagingFolder(models: string, name: string, revision: string): Promise<string> {
  const folder = stagedIn(models, name);
  const marker = join(folder, 'revision');
  if (ifThere(marker, () => readOwnFile(marker).toString()) !== revision) await removeFolder(folder);
  await onDisk(folder, async () => {
    await makeFolderDurably(folder);
    // Left by an installation whose last step failed; these may be other files.
    await rm(join(folder, RECORD), { force: true });
    await writeFile(marker, revision);
  });
  return folder;
}

/** Undefined if there is no such file or folder. @throws FILE_UNREADABLE */
function ifThere<T>(path: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT', 'ENOTDIR')) return undefined;
    throw new VaultgraphError('FILE_UNREADABLE', { path, errno: errnoOf(thrown) }, { cause: thrown });
  }
}

export const removeFolder = (folder: string): Promise<void> =>
  onDisk(folder, () => rm(folder, { recursive: true, force: true }));

/** @returns the dimensions @throws MODEL_INVALID; the folder is then removed */
export async function checkStaged(staged: string, name: string, signal: AbortSignal): Promise<number> {
  try {
    return await checkModel(staged, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof VaultgraphError)) throw thrown;
    await removeFolder(staged);
    const { reason } = thrown.details as { reason?: string };
    throw new VaultgraphError('MODEL_INVALID', { name, reason: reason ?? thrown.message }, { cause: thrown });
  }
}

/** Puts the collected files in place with one rename, after the record is complete. A model of the same name is replaced. */
export async function placeModel(staged: string, models: string, record: ModelRecord): Promise<string> {
  const folder = folderOf(models, record.name);
  const before = beforeIn(models, record.name);
  await onDisk(folder, async () => {
    await rm(join(staged, 'revision'), { force: true });
    await writeFile(join(staged, RECORD), `${JSON.stringify(record, undefined, 2)}\n`);
    await flushTree(staged);
    await rm(before, { recursive: true, force: true });
    try {
      await moved(folder, before);
      await renamePatiently(staged, folder);
    } catch (thrown) {
      await Promise.allSettled([restoreModel(models, record.name)]);
      throw thrown;
    }
    // Otherwise a power loss could remove the last one, and not keep the new one's name.
    await flushFolder(models);
    // The model is in its place: what the disk keeps of the last one is removed with the next.
    await Promise.allSettled([rm(before, { recursive: true, force: true })]);
  });
  return folder;
}

const beforeIn = (models: string, name: string): string => join(models, `${STAGED}${name}-before`);

/**
 * Puts a model back that was to be replaced when the disk failed or the process was killed. Some network drives move a folder file by
 * file, so that either folder may have a part. @throws FILE_WRITE_FAILED
 */
export async function restoreModel(models: string, name: string): Promise<void> {
  const [folder, before] = [folderOf(models, name), beforeIn(models, name)];
  await onDisk(folder, async () => {
    const [now, kept] = [await namesIn(folder), await namesIn(before)];
    if (kept.length === 0) return;
    if (!isComplete(now)) {
      if (isComplete(kept)) await rm(folder, { recursive: true, force: true });
      makeFolder(folder);
      for (const file of kept) await renamePatiently(join(before, file), join(folder, file));
    }
    await rm(before, { recursive: true, force: true });
  });
}

function isComplete(names: readonly string[]): boolean {
  const [table, ...others] = LOCAL_MODEL_FILES;
  const hasWeights = [table, 'onnx', 'model.onnx'].some((name) => names.includes(name));
  return hasWeights && [RECORD, ...others].every((name) => names.includes(name));
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT')) return [];
    throw thrown;
  }
}

async function moved(from: string, to: string): Promise<boolean> {
  try {
    await renamePatiently(from, to);
    return true;
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT')) return false;
    throw thrown;
  }
}
