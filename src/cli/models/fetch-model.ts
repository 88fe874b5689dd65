// Gets the files of a model into a folder: from a hub, after asking it for revision, sizes and hashes, or from the disk.
import { createHash } from 'node:crypto';
import { createReadStream, type Stats, statSync } from 'node:fs';
import { copyFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import {
  type InstalledFile,
  LOCAL_MODEL_FILES,
  onnxFiles,
  type StoredTable,
  scoresPairs,
  storeAsInt8,
} from '../../app/load-providers.ts';
import { errnoOf } from '../../base/errno.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { makeFolder } from '../../base/make-folder.ts';
import type { Progress } from '../screen/show-progress.ts';
import { downloadFile, freeBytes, onDisk, writeFailure } from './download.ts';
import { describeFile, type HubFile, type HubPlace, hostOf } from './hub.ts';

/** The file whose hash `--sha256` names: the others are small and of no use without it. */
const TABLE_FILE = LOCAL_MODEL_FILES[0];
const BYTES_PER_UNIT = 1_000;

export interface DownloadPlan {
  /** With the commit as its revision. */
  readonly place: HubPlace;
  readonly files: readonly HubFile[];
  readonly bytes: number;
}

/** Downloads nothing. @param sha256 the expected hash of the table @throws DOWNLOAD_FAILED, DOWNLOAD_MISMATCH */
export async function planDownload(
  place: HubPlace,
  sha256: string | undefined,
  signal: AbortSignal,
): Promise<DownloadPlan> {
  const described: HubFile[] = [];
  for (const file of LOCAL_MODEL_FILES) described.push(await describeFile(place, file, signal));
  const host = hostOf(place.hub);
  const [revision = '', ...others] = new Set(described.map((file) => file.revision));
  if (others.length > 0) {
    const reason = 'the revision changed meanwhile; run the command again';
    throw new VaultgraphError('DOWNLOAD_FAILED', { host, file: place.repository, reason });
  }
  const files = described.map((file) => (file.file === TABLE_FILE ? pinned(file, sha256, host) : file));
  return { place: { ...place, revision }, files, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function pinned(file: HubFile, sha256: string | undefined, host: string): HubFile {
  if (sha256 === undefined || file.sha256 === sha256) return file;
  if (file.sha256 === undefined) return { ...file, sha256 };
  const details = { host, file: file.file, what: 'SHA-256', expected: sha256, received: file.sha256 } as const;
  throw new VaultgraphError('DOWNLOAD_MISMATCH', details);
}

/** @throws DOWNLOAD_FAILED, DOWNLOAD_MISMATCH, FILE_WRITE_FAILED */
export async function download(
  { place, files, bytes }: DownloadPlan,
  folder: string,
  progress: Progress,
  onHost: (host: string) => void,
  signal: AbortSignal,
): Promise<readonly InstalledFile[]> {
  const free = await onDisk(folder, () => freeBytes(folder));
  if (free < bytes) throw await writeFailure(folder, 'ENOSPC', bytes);
  const units = (count: number): number => Math.ceil(count / BYTES_PER_UNIT);
  const installed: InstalledFile[] = [];
  let before = 0;
  for (const expected of files) {
    const onProgress = (done: number): void => progress.show(units(before + done), units(bytes));
    const path = join(folder, expected.file);
    const sha256 = await downloadFile({ place, expected, path, onProgress, onHost }, signal);
    before += expected.bytes;
    const hash_from = expected.sha256 === undefined ? 'computed' : 'hub';
    installed.push({ file: expected.file, bytes: expected.bytes, sha256, hash_from });
  }
  return installed;
}

/** @throws FILE_UNREADABLE */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    throw unreadable(path, thrown);
  }
}

const unreadable = (path: string, thrown: unknown): VaultgraphError =>
  new VaultgraphError('FILE_UNREADABLE', { path, errno: errnoOf(thrown) }, { cause: thrown });

export interface Source {
  readonly folder: string;
  /** The one with the numbers first. */
  readonly files: readonly [string, ...string[]];
  readonly type?: 'onnx';
  readonly key?: 'rerank';
}

/** What is wrong with its files is reported once the whole model is checked. */
async function isReranker(folder: string): Promise<boolean> {
  const [scores] = await Promise.allSettled([scoresPairs(folder)]);
  return scores.status === 'fulfilled' && scores.value;
}

/** The first folder with weights of a transformer: `--from` may name their file, which is in a folder of its own. @throws FILE_UNREADABLE */
async function onnxIn(folders: readonly string[]): Promise<Source | undefined> {
  for (const folder of folders) {
    const files = await onnxFiles(folder).catch((thrown: unknown) => {
      throw unreadable(folder, thrown);
    });
    if (files !== undefined)
      return { folder, files, type: 'onnx', ...((await isReranker(folder)) && { key: 'rerank' }) };
  }
  return undefined;
}

/** The name of a model that `--from` alone says: that of its folder. */
export function nameOfSource(from: string): string {
  const path = resolve(from);
  const folder = statsOf(path)?.isFile() === true ? dirname(path) : path;
  return basename(basename(folder) === 'onnx' ? dirname(folder) : folder);
}

const ARCHIVE = /\.(?:zip|tgz|tar|gz|bz2|xz|zst|7z|rar)$/i;

/** The folder that `--from` names, or that has the file it names. @throws MODEL_INVALID, FILE_UNREADABLE */
export async function sourceFolder(name: string, from: string): Promise<Source> {
  const path = resolve(from);
  const stats = statsOf(path);
  const fail = (reason: string): never => {
    throw new VaultgraphError('MODEL_INVALID', { name, reason });
  };
  if (stats === undefined) return fail(`there is no ${from}`);
  const folder = stats.isDirectory() ? path : dirname(path);
  if (folder !== path && ARCHIVE.test(path)) return fail(`${from} is an archive; unpack it and name the folder`);
  const onnx = await onnxIn(basename(folder) === 'onnx' ? [dirname(folder), folder] : [folder]);
  const source: Source = onnx ?? { folder, files: LOCAL_MODEL_FILES };
  const missing = source.files.filter((file) => !statsOf(join(source.folder, file))?.isFile());
  return missing.length === 0 ? source : fail(`${source.folder} has no ${missing.join(', no ')}`);
}

/** @throws DOWNLOAD_MISMATCH if the table has another hash, FILE_WRITE_FAILED */
export async function copyModel(
  { folder: source, files }: Source,
  folder: string,
  sha256: string | undefined,
): Promise<readonly InstalledFile[]> {
  const installed: InstalledFile[] = [];
  for (const file of files) {
    const path = join(folder, file);
    await onDisk(path, async () => {
      makeFolder(dirname(path));
      await copyFile(join(source, file), path);
    });
    const hash = await onDisk(path, () => hashOf(path));
    if (file === files[0] && sha256 !== undefined && hash !== sha256)
      throw new VaultgraphError('DOWNLOAD_MISMATCH', {
        host: source,
        file,
        what: 'SHA-256',
        expected: sha256,
        received: hash,
      });
    const { size: bytes } = await onDisk(path, () => stat(path));
    installed.push({ file, bytes, sha256: hash, hash_from: 'computed' });
  }
  return installed;
}

/** Replaces the table with one of one byte per number. @throws FILE_WRITE_FAILED */
export async function storeTable(folder: string, signal: AbortSignal): Promise<StoredTable> {
  const path = join(folder, TABLE_FILE);
  await onDisk(path, () => storeAsInt8(folder, signal));
  const sha256 = await onDisk(path, () => hashOf(path));
  const { size: bytes } = await onDisk(path, () => stat(path));
  return { numbers: 'int8', bytes, sha256 };
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes);
  return hash.digest('hex');
}
