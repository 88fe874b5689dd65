// Reads a model's files from its folder and detects when they change.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine } from '../../base/command-line.ts';
import { errnoOf, isErrno } from '../../base/errno.ts';
import type { ModelFailures } from './model-failures.ts';
import { type ModelRecord, readRecord } from './model-record.ts';
import { TENSORS } from './safetensors.ts';

export const MODEL_FILES = [TENSORS, 'tokenizer.json', 'config.json'] as const;

/** Far more than any such model needs. */
const MAX_FILE = 4 * 1024 ** 3;

/** A text that changes when one of the files is rewritten. @throws PROVIDER_MODEL_MISSING, _UNSUITABLE, PROVIDER_UNAVAILABLE */
export async function modelStamp(
  folder: string,
  failures: ModelFailures,
  names: readonly string[] = MODEL_FILES,
): Promise<string> {
  const stats = await stat(folder).catch((thrown: unknown) => {
    throw isErrno(thrown, 'ENOENT') ? failures.missing(thrown) : diskFailure(thrown, failures);
  });
  if (!stats.isDirectory()) throw failures.unsuitable('it is not a folder');
  return (await Promise.all(names.map((name) => fileStamp(folder, name, failures)))).join();
}

async function fileStamp(folder: string, name: string, failures: ModelFailures): Promise<string> {
  const stats = await stat(join(folder, name)).catch((thrown: unknown) => {
    throw isErrno(thrown, 'ENOENT')
      ? failures.unsuitable(`its folder has no ${name}`, thrown)
      : diskFailure(thrown, failures);
  });
  if (!stats.isFile()) throw failures.unsuitable(`its ${name} is not a file`);
  if (stats.size > MAX_FILE) throw failures.unsuitable(`its ${name} is too large`);
  return `${stats.size}:${stats.mtimeMs}:${stats.ino}`;
}

/** @throws PROVIDER_UNAVAILABLE; the signal's reason */
export function readModelFile(folder: string, name: string, failures: ModelFailures, signal: AbortSignal) {
  return readFile(join(folder, name), { signal }).catch((thrown: unknown) => {
    signal.throwIfAborted();
    throw diskFailure(thrown, failures);
  });
}

/** Small pieces, between which other work runs. */
const BYTES_PER_STEP = 1024 * 1024;
const DIGITS = 32;

/**
 * A hash of all files, 32 hexadecimal digits. Includes their lengths, so that bytes cannot move between files.
 * @throws PROVIDER_UNAVAILABLE; the signal's reason
 */
export async function modelDigest(
  folder: string,
  failures: ModelFailures,
  signal: AbortSignal,
  names: readonly string[] = MODEL_FILES,
): Promise<string> {
  const hash = createHash('sha256');
  try {
    for (const name of names) {
      const path = join(folder, name);
      hash.update(`${(await stat(path)).size}:`);
      for await (const bytes of createReadStream(path, { signal, highWaterMark: BYTES_PER_STEP })) hash.update(bytes);
    }
  } catch (thrown) {
    signal.throwIfAborted();
    throw diskFailure(thrown, failures);
  }
  return hash.digest('hex').slice(0, DIGITS);
}

/**
 * The same, unless they are not the files that `vaultgraph models` installed: a model that is damaged answers all the same, with other vectors and scores.
 * @throws PROVIDER_MODEL_UNSUITABLE; as `modelDigest`
 */
export async function provenDigest(...args: Parameters<typeof modelDigest>): Promise<string> {
  const [folder, failures] = args;
  const digest = await modelDigest(...args);
  const record = recordIn(folder, failures);
  if (record?.digest === undefined || record.digest === digest) return digest;
  const add = `models add ${record.name}${record.source === null ? '' : ' --from FOLDER'}`;
  const advice = `Ask the user to run \`${commandLine(add)}\`, which installs it again.`;
  throw failures.unsuitable('its files have changed since it was installed', undefined, advice);
}

function recordIn(folder: string, failures: ModelFailures): ModelRecord | undefined {
  try {
    return readRecord(folder);
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT')) return undefined;
    throw diskFailure(thrown, failures);
  }
}

export function diskFailure(thrown: unknown, failures: ModelFailures): Error {
  const code = errnoOf(thrown);
  return code === 'ENOTDIR' ? failures.unsuitable('it is not a folder', thrown) : failures.unavailable(code, thrown);
}
