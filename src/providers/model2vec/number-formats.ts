// How the number types of a safetensors file are read, without converting a whole tensor first. Knows no file.

export interface NumberFormat {
  /** Of one number. */
  readonly bytes: number;
  /** @returns the number at an index. Some share memory with the bytes given. */
  readonly open: (bytes: Uint8Array) => (index: number) => number;
}

type Parts = readonly [buffer: ArrayBufferLike, byteOffset: number, length: number];
type Numbers = Readonly<Record<number, number>>;

/** A type that JavaScript has itself; all little-endian, as is every machine that runs Node. */
function plain(bytes: number, open: (...parts: Parts) => Numbers): NumberFormat {
  return {
    bytes,
    open: (given) => {
      const numbers = open(...partsOf(given, bytes));
      return (index) => numbers[index] ?? Number.NaN;
    },
  };
}

/** A type of two bytes that JavaScript lacks: there are so few of its numbers that all are worked out beforehand. */
function half(convert: (bits: number) => number): NumberFormat {
  return {
    bytes: 2,
    open: (given) => {
      const all = Float32Array.from({ length: 0x10000 }, (_, bits) => convert(bits));
      const bits = new Uint16Array(...partsOf(given, 2));
      return (index) => all[bits[index] as number] ?? Number.NaN;
    },
  };
}

/** Arrays of numbers begin at a multiple of their size only. */
function partsOf(bytes: Uint8Array, size: number): Parts {
  const { buffer, byteOffset } = bytes.byteOffset % size === 0 ? bytes : Uint8Array.from(bytes);
  return [buffer, byteOffset, bytes.length / size];
}

/** Sign, five bits of exponent, ten of fraction. */
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

/** The upper half of a float of four bytes. */
function brainFloat(bits: number): number {
  word[0] = bits << 16;
  return single[0] as number;
}

const FORMATS: ReadonlyMap<string, NumberFormat> = new Map([
  ['F64', plain(8, (...parts) => new Float64Array(...parts))],
  ['F32', plain(4, (...parts) => new Float32Array(...parts))],
  ['F16', half(halfFloat)],
  ['BF16', half(brainFloat)],
  ['I8', plain(1, (...parts) => new Int8Array(...parts))],
  ['I32', plain(4, (...parts) => new Int32Array(...parts))],
  ['I64', plain(8, (...parts) => Float64Array.from(new BigInt64Array(...parts), Number))],
]);

/** Undefined for a type that no model is known to use. @param name as in the header of the file */
export const numberFormat = (name: string): NumberFormat | undefined => FORMATS.get(name);
