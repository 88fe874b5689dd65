// Reads tensors from a safetensors file, which is a JSON header followed by plain numbers.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { errnoOf } from '../../base/errno.ts';
import type { ModelFailures } from './model-failures.ts';

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
    const buffer = Buffer.allocUnsafe(length);
    let done = 0;
    // A system may read less than it was asked for, and goes on then.
    for (let count = -1; count !== 0 && done < length; done += count)
      count = (await file.read(buffer, done, length - done, from + done).catch(unavailable)).bytesRead;
    return buffer.subarray(0, done);
  };
  const read = async (from: number, length: number): Promise<Buffer> => {
    const header = await bytes(from, length);
    if (header.length < length) throw failures.unavailable('ESTALE', undefined);
    return header;
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

/** The position of each tensor in the file. */
export type TensorHeader = ReturnType<typeof readHeader>;

/** The header's length is in the first bytes. */
export const LENGTH_BYTES = 8;
/** Three tensors need some hundred bytes; a file with a much longer header is of another kind. */
const MAX_HEADER_LENGTH = 1024 * 1024;

const entrySchema = z.object({
  dtype: z.string(),
  shape: z.array(z.int().min(0)),
  data_offsets: z.tuple([z.int().min(0), z.int().min(0)]),
});

/** @param start the first bytes of the file @throws PROVIDER_MODEL_UNSUITABLE */
function headerLength(start: Buffer, failures: ModelFailures): number {
  const length = start.length < LENGTH_BYTES ? 0n : start.readBigUInt64LE(0);
  if (length < 2n || length > MAX_HEADER_LENGTH) throw failures.unsuitable('model.safetensors has no readable header');
  return Number(length);
}

/**
 * `dataFrom`: the offset of the first number.
 * @param file at least up to the end of its header @throws PROVIDER_MODEL_UNSUITABLE
 */
function readHeader(file: Buffer, failures: ModelFailures) {
  const dataFrom = LENGTH_BYTES + headerLength(file, failures);
  const { __metadata__, ...entries } = jsonObject(file.subarray(LENGTH_BYTES, dataFrom), failures);
  const parsed = z.record(z.string(), entrySchema).safeParse(entries);
  if (!parsed.success) throw failures.unsuitable('model.safetensors has a header of another shape');
  return { entries: parsed.data, dataFrom };
}

function jsonObject(bytes: Buffer, failures: ModelFailures): Record<string, unknown> {
  const text = bytes.toString('utf8');
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch (thrown) {
    throw failures.unsuitable('model.safetensors has no readable header', thrown);
  }
}

/** The position and type of one tensor's numbers. */
export interface Tensor {
  readonly shape: readonly number[];
  /** Offset in the file. */
  readonly from: number;
  readonly to: number;
  readonly format: NumberFormat;
}

/** Undefined if the file has no tensor of that name. @param size of the file @throws PROVIDER_MODEL_UNSUITABLE */
export function findTensor(
  { entries, dataFrom }: TensorHeader,
  name: string,
  size: number,
  failures: ModelFailures,
): Tensor | undefined {
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  if (entry === undefined) return undefined;
  const { dtype, shape, data_offsets } = entry;
  const [from, to] = data_offsets.map((offset) => dataFrom + offset) as [number, number];
  const format = FORMATS.get(dtype);
  if (format === undefined) throw failures.unsuitable(`the numbers of its tensor ${name} are of an unknown type`);
  const count = shape.reduce((product, size) => product * size, 1);
  if (to > size || to - from !== count * format.bytes) throw failures.unsuitable(`its tensor ${name} is incomplete`);
  return { shape, from, to, format };
}

export type Numbers = Float32Array | Float64Array;

interface NumberFormat {
  /** Size of one number. */
  readonly bytes: number;
  /** Writes all numbers of `bytes` to `into`. */
  readonly decode: (bytes: Buffer, into: Numbers) => void;
}

function format(bytes: number, read: (view: DataView, at: number) => number): NumberFormat {
  const decode = (from: Buffer, into: Numbers): void => {
    const view = new DataView(from.buffer, from.byteOffset, from.length);
    for (let index = 0; index < into.length; index += 1) into[index] = read(view, index * bytes);
  };
  return Object.freeze({ bytes, decode });
}

/** One sign bit, five exponent bits, ten fraction bits. */
function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const word = new Uint32Array(1);
const single = new Float32Array(word.buffer);

/** The upper half of a 32-bit float. */
function brainFloat(bits: number): number {
  word[0] = bits << 16;
  return single[0] as number;
}

const FORMATS: ReadonlyMap<string, NumberFormat> = new Map([
  ['F64', format(8, (view, at) => view.getFloat64(at, true))],
  ['F32', format(4, (view, at) => view.getFloat32(at, true))],
  ['F16', format(2, (view, at) => halfFloat(view.getUint16(at, true)))],
  ['BF16', format(2, (view, at) => brainFloat(view.getUint16(at, true)))],
  ['I8', format(1, (view, at) => view.getInt8(at))],
  ['I32', format(4, (view, at) => view.getInt32(at, true))],
  ['I64', format(8, (view, at) => Number(view.getBigInt64(at, true)))],
]);
