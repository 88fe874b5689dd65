// Reads a model's files from its folder and detects when they change.
import { createHash } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { errnoOf, isErrno } from '../../base/errno.ts';
import type { ModelFailures } from './model-failures.ts';
import { headerLength, LENGTH_BYTES, readHeader, type TensorHeader } from './safetensors.ts';

const FILES = ['model.safetensors', 'tokenizer.json', 'config.json'] as const;
type ModelFile = (typeof FILES)[number];

/** Far more than any such model needs; Node could not read a larger file at once. */
const MAX_FILE = 1024 ** 3;

export interface ModelBytes {
  readonly tensors: Buffer;
  readonly tokenizer: Buffer;
  /** A hash of all files, 32 hexadecimal digits. */
  readonly digest: string;
}

/** A text that changes when one of the files is rewritten. @throws PROVIDER_MODEL_MISSING, _UNSUITABLE, PROVIDER_UNAVAILABLE */
export async function modelStamp(folder: string, failures: ModelFailures): Promise<string> {
  const found = await stat(folder).catch((thrown: unknown) => {
    throw isErrno(thrown, 'ENOENT') ? failures.missing(thrown) : diskFailure(thrown, failures);
  });
  if (!found.isDirectory()) throw failures.unsuitable('it is not a folder');
  return (await Promise.all(FILES.map((name) => fileStamp(folder, name, failures)))).join();
}

async function fileStamp(folder: string, name: ModelFile, failures: ModelFailures): Promise<string> {
  const found = await stat(join(folder, name)).catch((thrown: unknown) => {
    throw isErrno(thrown, 'ENOENT')
      ? failures.unsuitable(`its folder has no ${name}`, thrown)
      : diskFailure(thrown, failures);
  });
  if (!found.isFile()) throw failures.unsuitable(`its ${name} is not a file`);
  if (found.size > MAX_FILE) throw failures.unsuitable(`its ${name} is too large`);
  return `${found.size}:${found.mtimeMs}:${found.ino}`;
}

/** @throws PROVIDER_MODEL_UNSUITABLE, PROVIDER_UNAVAILABLE; the signal's reason */
export async function readModelFiles(
  folder: string,
  failures: ModelFailures,
  signal: AbortSignal,
): Promise<ModelBytes> {
  const read = (name: ModelFile): Promise<Buffer> =>
    readFile(join(folder, name), { signal }).catch((thrown: unknown) => {
      signal.throwIfAborted();
      throw diskFailure(thrown, failures);
    });
  const [tensors, tokenizer, config] = await Promise.all([read(FILES[0]), read(FILES[1]), read(FILES[2])]);
  return { tensors, tokenizer, digest: await digestOf([tensors, tokenizer, config], signal) };
}

/** Reads only the header of the tensors. @throws as `readModelFiles` */
export async function readModelHeader(folder: string, failures: ModelFailures): Promise<TensorHeader> {
  const file = await open(join(folder, FILES[0])).catch((thrown: unknown) => {
    throw diskFailure(thrown, failures);
  });
  try {
    const start = await firstBytes(LENGTH_BYTES);
    return readHeader(await firstBytes(LENGTH_BYTES + headerLength(start, failures)), failures);
  } finally {
    await file.close();
  }

  async function firstBytes(count: number): Promise<Buffer> {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(count), 0, count, 0).catch((thrown: unknown) => {
      throw diskFailure(thrown, failures);
    });
    return buffer.subarray(0, bytesRead);
  }
}

const BYTES_PER_STEP = 8 * 1024 * 1024;
const DIGITS = 32;

/** Hashes in pieces, so that a large model does not block other work, and with lengths, so that bytes cannot move between files. */
async function digestOf(files: readonly Buffer[], signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) {
    hash.update(`${file.length}:`);
    for (let at = 0; at < file.length; at += BYTES_PER_STEP) {
      hash.update(file.subarray(at, at + BYTES_PER_STEP));
      await yieldToOthers();
      signal.throwIfAborted();
    }
  }
  return hash.digest('hex').slice(0, DIGITS);
}

function diskFailure(thrown: unknown, failures: ModelFailures): Error {
  const code = errnoOf(thrown);
  return code === 'ENOTDIR' ? failures.unsuitable('it is not a folder', thrown) : failures.unavailable(code, thrown);
}
