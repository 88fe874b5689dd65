// Installs the library that runs ONNX models beside them: with npm, from the registry that it is configured for, or from the disk.
import { execFile } from 'node:child_process';
import { copyFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { RUNTIME, runtimeFault, runtimeFolder } from '../../app/load-providers.ts';
import { flushFolder, flushTree } from '../../base/atomic-write.ts';
import { isErrno } from '../../base/errno.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { makeFolderDurably } from '../../base/make-folder.ts';
import { renamePatiently } from '../../base/system/rename.ts';
import { ownRules } from '../../base/system/system-rules.ts';
import { onDisk } from './download.ts';
import { statsOf } from './fetch-model.ts';
import { removeFolder } from './model-folders.ts';

const FILES = Object.keys(RUNTIME.files);
const PACKAGE = `${RUNTIME.name}@${RUNTIME.version}`;
const TARBALL = `${RUNTIME.name}-${RUNTIME.version}.tgz`;
const MAX_NPM_MS = 600_000;
const WHERE = `Pass --runtime with ${PACKAGE} as a folder or as the tarball that \`npm pack ${PACKAGE}\` gets.`;

/** What a person agrees to. */
export const RUNTIME_QUESTION = `Get ${PACKAGE} (licence ${RUNTIME.licence}, 29 MB, of which 14 MB are kept), which runs this model, with npm?`;

const folderIn = (models: string): string => runtimeFolder(join(models, 'any'));

export const isRuntimeInstalled = async (models: string): Promise<boolean> =>
  (await onDisk(models, () => runtimeFault(folderIn(models)))) === undefined;

/** @param from a folder or a tarball; undefined asks npm @throws DOWNLOAD_FAILED, FILE_UNREADABLE, FILE_WRITE_FAILED */
export async function installRuntime(models: string, from: string | undefined, signal: AbortSignal): Promise<void> {
  const folder = folderIn(models);
  const staged = `${folder}.staged+`;
  await removeFolder(staged);
  await onDisk(staged, () => makeFolderDurably(staged));
  try {
    await (from === undefined ? packWithNpm(staged, signal) : copyFrom(resolve(from), staged));
    const fault = await onDisk(staged, () => runtimeFault(staged));
    if (fault !== undefined) throw failed(`its files are not those of version ${RUNTIME.version}`, from);
    await onDisk(folder, async () => {
      await rm(join(staged, TARBALL), { force: true });
      await flushTree(staged);
      await rm(folder, { recursive: true, force: true });
      await renamePatiently(staged, folder);
      await flushFolder(models);
    });
  } finally {
    await removeFolder(staged);
  }
}

/** For the last model that needs it. */
export const removeRuntime = (models: string): Promise<void> => removeFolder(folderIn(models));

const failed = (reason: string, from: string | undefined, cause?: unknown): VaultgraphError =>
  new VaultgraphError('DOWNLOAD_FAILED', { host: from ?? 'npm', file: PACKAGE, reason, advice: WHERE }, { cause });

/** npm knows the registry, the proxy and the credentials of this machine. It runs no script of the package. */
async function packWithNpm(staged: string, signal: AbortSignal): Promise<void> {
  const args = ['pack', PACKAGE, '--ignore-scripts', '--silent'];
  // All arguments are our own.
  const options = { cwd: staged, signal, timeout: MAX_NPM_MS, shell: ownRules().npmNeedsShell };
  try {
    await promisify(execFile)('npm', args, options);
  } catch (thrown) {
    signal.throwIfAborted();
    const { code } = Object(thrown);
    throw failed(code === 'ENOENT' ? 'there is no npm' : `npm ended with ${code ?? 'a signal'}`, undefined, thrown);
  }
  await unpack(join(staged, TARBALL), staged, undefined);
}

async function copyFrom(path: string, staged: string): Promise<void> {
  const stats = statsOf(path);
  if (stats === undefined) throw failed('there is no such file or folder', path);
  if (!stats.isDirectory()) return unpack(path, staged, path);
  const places = [path, join(path, 'dist'), join(path, 'node_modules', RUNTIME.name, 'dist')];
  const folder = places.find((place) => FILES.every((file) => statsOf(join(place, file)) !== undefined));
  if (folder === undefined) throw failed(`the folder has no ${FILES.join(', ')}`, path);
  for (const file of FILES) await onDisk(join(staged, file), () => copyFile(join(folder, file), join(staged, file)));
}

async function unpack(tarball: string, staged: string, from: string | undefined): Promise<void> {
  const { unpackFiles } = await import('./unpack.ts');
  try {
    await unpackFiles(tarball, FILES, staged);
  } catch (thrown) {
    if (isErrno(thrown, 'ENOSPC', 'EDQUOT', 'EFBIG', 'EACCES', 'EIO'))
      await onDisk(staged, () => Promise.reject(thrown));
    throw failed('the tarball cannot be read', from, thrown);
  }
}
