// Downloads one file to disk: continues an earlier attempt, and checks size and hash before the file gets its name.
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf, isErrno } from '../../base/errno.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { renamePatiently } from '../../base/system/rename.ts';
import { connectionReason, failed, type HubFile, type HubPlace, hostOf, IDLE_MS, openContent } from './hub.ts';

export interface Download {
  readonly place: HubPlace;
  readonly expected: HubFile;
  /** The file on disk; while it is incomplete it has `.part` after its name. */
  readonly path: string;
  /** Called with the bytes that are on disk. */
  readonly onProgress: (bytes: number) => void;
  readonly onHost: (host: string) => void;
  /** Without a byte for so long, the download fails. */
  readonly idleMs?: number;
}

/** @returns the SHA-256 @throws DOWNLOAD_FAILED, DOWNLOAD_MISMATCH, FILE_WRITE_FAILED */
export async function downloadFile(download: Download, signal: AbortSignal): Promise<string> {
  const { path, expected } = download;
  // Nothing would show that what an earlier attempt left is damaged; the hub names no hash of small files only.
  if (expected.sha256 === undefined) await removeKept(path);
  const done = await sizeOf(path);
  const part = done === undefined ? `${path}.part` : path;
  const hash = createHash('sha256');
  const keptBytes = await hashKept(part, hash, expected.bytes);
  if (done === undefined && keptBytes < expected.bytes)
    return finish(download, part, await fetchRest(download, part, keptBytes, hash, signal));
  download.onProgress(keptBytes);
  return finish(download, part, hash);
}

const removeKept = async (path: string): Promise<void> => {
  for (const each of [path, `${path}.part`]) await onDisk(each, () => rm(each, { force: true }));
};

/** Checks the whole file. One that is wrong is deleted: continuing it would not make it right. */
async function finish({ expected, place, path }: Download, part: string, hash: Hash): Promise<string> {
  const bytes = (await sizeOf(part)) ?? 0;
  const sha256 = hash.digest('hex');
  const isRightSize = bytes === expected.bytes;
  if (isRightSize && sha256 === (expected.sha256 ?? sha256)) {
    if (part !== path) await onDisk(part, () => renamePatiently(part, path));
    return sha256;
  }
  await onDisk(part, () => rm(part, { force: true }));
  const { file } = expected;
  const facts = isRightSize
    ? ({ what: 'SHA-256', expected: expected.sha256 ?? '', received: sha256 } as const)
    : ({ what: 'bytes', expected: expected.bytes, received: bytes } as const);
  throw new VaultgraphError('DOWNLOAD_MISMATCH', { host: hostOf(place.hub), file, ...facts });
}

/** The number of bytes that an earlier attempt left. */
async function hashKept(part: string, hash: Hash, max: number): Promise<number> {
  const size = await sizeOf(part);
  if (size === undefined) return 0;
  if (size > max) {
    await onDisk(part, () => rm(part));
    return 0;
  }
  await onDisk(part, async () => {
    for await (const bytes of createReadStream(part)) hash.update(bytes);
  });
  return size;
}

async function fetchRest(
  download: Download,
  part: string,
  keptLength: number,
  hash: Hash,
  signal: AbortSignal,
): Promise<Hash> {
  const { place, expected, onHost, idleMs = IDLE_MS } = download;
  const idle = idleLimit(idleMs, signal);
  let size = keptLength;
  try {
    const { body, from } = await openContent(place, expected.file, keptLength, onHost, idle.signal);
    // A server that sends the whole file makes what was kept superfluous.
    const digest = from === keptLength ? hash : createHash('sha256');
    size = from;
    await writing(part, from, async (file) => {
      for await (const bytes of body) {
        idle.renew();
        signal.throwIfAborted();
        if (size + bytes.length > expected.bytes) throw tooLong(download);
        await onDisk(part, () => file.writeFile(bytes), expected.bytes - size);
        digest.update(bytes);
        size += bytes.length;
        download.onProgress(size);
      }
    });
    if (size < expected.bytes) throw failed(place.hub, expected.file, 'the connection ended early');
    return digest;
  } catch (thrown) {
    throw await withKept(thrown, download, part, idle, signal);
  } finally {
    idle.end();
  }
}

function tooLong({ place, expected: { file, bytes } }: Download): VaultgraphError {
  const received = `more than ${bytes}`;
  return new VaultgraphError('DOWNLOAD_MISMATCH', {
    host: hostOf(place.hub),
    file,
    what: 'bytes',
    expected: bytes,
    received,
  });
}

/** A lost connection keeps what arrived; a full disk and a wrong file do not. */
async function withKept(
  thrown: unknown,
  { place, expected: { file } }: Download,
  part: string,
  idle: IdleLimit,
  signal: AbortSignal,
) {
  signal.throwIfAborted();
  if (thrown instanceof VaultgraphError && thrown.code !== 'DOWNLOAD_FAILED') {
    await Promise.allSettled([rm(part, { force: true })]);
    return thrown;
  }
  const kept_bytes = (await sizeOf(part)) ?? 0;
  const reason = idle.isOver() ? 'no answer in time' : connectionReason(thrown);
  const details = thrown instanceof VaultgraphError ? thrown.details : { host: hostOf(place.hub), file, reason };
  return new VaultgraphError(
    'DOWNLOAD_FAILED',
    { ...(details as { host: string; file: string; reason: string }), kept_bytes },
    { cause: thrown },
  );
}

type IdleLimit = ReturnType<typeof idleLimit>;

/** A signal that is also aborted after a time without `renew`. */
function idleLimit(ms: number, signal: AbortSignal) {
  const stop = new AbortController();
  const over = (): void => stop.abort();
  let timer = setTimeout(over, ms);
  return {
    signal: AbortSignal.any([signal, stop.signal]),
    renew: () => {
      clearTimeout(timer);
      timer = setTimeout(over, ms);
    },
    isOver: () => stop.signal.aborted,
    end: () => clearTimeout(timer),
  };
}

/** Flushes the file to disk after `work`. */
async function writing(part: string, from: number, work: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await onDisk(part, () => open(part, from > 0 ? 'a' : 'w'));
  try {
    await work(file);
    await onDisk(part, () => file.sync());
  } finally {
    await onDisk(part, () => file.close());
  }
}

/** @param needed bytes that still have to be written @throws FILE_WRITE_FAILED */
export async function onDisk<T>(path: string, work: () => Promise<T>, needed?: number): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof VaultgraphError) throw thrown;
    throw await writeFailure(path, errnoOf(thrown), needed, thrown);
  }
}

export async function writeFailure(path: string, errno: string, needed?: number, cause?: unknown) {
  const [free] = isFull(errno) ? await Promise.allSettled([freeBytes(dirname(path))]) : [];
  const free_bytes = free?.status === 'fulfilled' ? free.value : undefined;
  const facts =
    free_bytes === undefined ? {} : { free_bytes, ...(needed === undefined ? {} : { needed_bytes: needed }) };
  const details = { path, errno, step: 'write', original_intact: true, ...facts };
  return new VaultgraphError('FILE_WRITE_FAILED', details, { cause });
}

const isFull = (errno: string): boolean => ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(errno);

export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT')) return undefined;
    throw await writeFailure(path, errnoOf(thrown), undefined, thrown);
  }
}
