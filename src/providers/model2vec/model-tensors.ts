// Opens model.safetensors for reads of single parts, so that a large table does not have to fit in memory.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../../base/errno.ts';
import type { ModelFailures } from './model-failures.ts';
import { headerLength, LENGTH_BYTES, readHeader, type TensorHeader } from './safetensors.ts';

export const TENSORS = 'model.safetensors';

export interface ModelTensors {
  readonly header: TensorHeader;
  /** The size of the file. */
  readonly size: number;
  /** @throws PROVIDER_UNAVAILABLE, also if the file ends earlier */
  read(from: number, length: number): Promise<Buffer>;
}

/** Closes the file after `work`. @param known the header of the same file, if it was read before @throws PROVIDER_*, and what `work` throws */
export async function withTensors<T>(
  folder: string,
  failures: ModelFailures,
  work: (file: ModelTensors) => Promise<T>,
  known?: TensorHeader,
): Promise<T> {
  const unavailable = (thrown: unknown): never => {
    throw failures.unavailable(errnoOf(thrown), thrown);
  };
  const file = await open(join(folder, TENSORS)).catch(unavailable);
  const bytes = async (from: number, length: number): Promise<Buffer> => {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, from).catch(unavailable);
    return buffer.subarray(0, bytesRead);
  };
  const read = async (from: number, length: number): Promise<Buffer> => {
    const found = await bytes(from, length);
    if (found.length < length) throw failures.unavailable('ESTALE', undefined);
    return found;
  };
  try {
    const { size } = await file.stat().catch(unavailable);
    const header = known ?? (await headerOf(bytes, failures));
    return await work({ header, size, read });
  } finally {
    await file.close();
  }
}

type Read = ModelTensors['read'];

async function headerOf(firstBytes: Read, failures: ModelFailures): Promise<TensorHeader> {
  const length = headerLength(await firstBytes(0, LENGTH_BYTES), failures);
  return readHeader(await firstBytes(0, LENGTH_BYTES + length), failures);
}
