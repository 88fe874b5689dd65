// Reads tensors from a safetensors file, which is a JSON header followed by plain numbers.
import * as z from 'zod';
import type { ModelFailures } from './model-failures.ts';

export interface Tensor {
  readonly shape: readonly number[];
  /** The number at an index of the flattened tensor; converted when it is read. */
  readonly at: (index: number) => number;
}

/** The position of each tensor in the file. */
export interface TensorHeader {
  readonly entries: Readonly<Record<string, TensorEntry>>;
  /** The offset of the first number. */
  readonly dataFrom: number;
}

/** The header's length is in the first bytes. */
export const LENGTH_BYTES = 8;
/** Three tensors need some hundred bytes; a file with a much longer header is of another kind. */
const MAX_HEADER_LENGTH = 1024 * 1024;

const entrySchema = z.object({
  dtype: z.string(),
  shape: z.array(z.int().min(0)),
  data_offsets: z.tuple([z.int().min(0), z.int().min(0)]),
});
type TensorEntry = z.infer<typeof entrySchema>;

/** @param start the first bytes of the file @throws PROVIDER_MODEL_UNSUITABLE */
export function headerLength(start: Buffer, failures: ModelFailures): number {
  const length = start.length < LENGTH_BYTES ? 0n : start.readBigUInt64LE(0);
  if (length < 2n || length > MAX_HEADER_LENGTH) throw failures.unsuitable('model.safetensors has no readable header');
  return Number(length);
}

/** @param file at least up to the end of its header @throws PROVIDER_MODEL_UNSUITABLE */
export function readHeader(file: Buffer, failures: ModelFailures): TensorHeader {
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

/** Undefined if the file has no tensor of that name. @throws PROVIDER_MODEL_UNSUITABLE */
export function readTensor(
  file: Buffer,
  { entries, dataFrom }: TensorHeader,
  name: string,
  failures: ModelFailures,
): Tensor | undefined {
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  if (entry === undefined) return undefined;
  const { dtype, shape, data_offsets } = entry;
  const [from, to] = data_offsets.map((offset) => dataFrom + offset) as [number, number];
  const format = FORMATS.get(dtype);
  if (format === undefined) throw failures.unsuitable(`the numbers of its tensor ${name} are of an unknown type`);
  const count = shape.reduce((product, size) => product * size, 1);
  if (to > file.length || to - from !== count * format.bytes)
    throw failures.unsuitable(`its tensor ${name} is incomplete`);
  return { shape, at: format.open(file.subarray(from, to)) };
}

interface NumberFormat {
  /** Size of one number. */
  readonly bytes: number;
  /** Returns a function that reads the number at an index, possibly from the memory of `bytes`. */
  readonly open: (bytes: Uint8Array) => (index: number) => number;
}

type Parts = readonly [buffer: ArrayBufferLike, byteOffset: number, length: number];
type Numbers = Readonly<Record<number, number>>;

/** A type with a typed array. The format is little-endian, as is every machine that runs Node. */
function nativeFormat(bytes: number, open: (...parts: Parts) => Numbers): NumberFormat {
  return {
    bytes,
    open: (input) => {
      const numbers = open(...partsOf(input, bytes));
      return (index) => numbers[index] ?? Number.NaN;
    },
  };
}

/** A 16-bit type without a typed array: all 65,536 values are computed in advance. */
function tableFormat(convert: (bits: number) => number): NumberFormat {
  return {
    bytes: 2,
    open: (input) => {
      const all = Float32Array.from({ length: 0x10000 }, (_, bits) => convert(bits));
      const bits = new Uint16Array(...partsOf(input, 2));
      return (index) => all[bits[index] as number] ?? Number.NaN;
    },
  };
}

/** A typed array must begin at a multiple of its element size. */
function partsOf(bytes: Uint8Array, size: number): Parts {
  const { buffer, byteOffset } = bytes.byteOffset % size === 0 ? bytes : Uint8Array.from(bytes);
  return [buffer, byteOffset, bytes.length / size];
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
  ['F64', nativeFormat(8, (...parts) => new Float64Array(...parts))],
  ['F32', nativeFormat(4, (...parts) => new Float32Array(...parts))],
  ['F16', tableFormat(halfFloat)],
  ['BF16', tableFormat(brainFloat)],
  ['I8', nativeFormat(1, (...parts) => new Int8Array(...parts))],
  ['I32', nativeFormat(4, (...parts) => new Int32Array(...parts))],
  ['I64', nativeFormat(8, (...parts) => Float64Array.from(new BigInt64Array(...parts), Number))],
]);
