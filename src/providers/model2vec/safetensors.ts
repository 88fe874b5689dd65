// Reads tensors from a safetensors file: a header in JSON, then plain numbers. Knows nothing of what the tensors mean.
import * as z from 'zod';
import type { ModelFailures } from './model-failures.ts';
import { numberFormat } from './number-formats.ts';

export interface Tensor {
  readonly shape: readonly number[];
  /** The number at an index of the flat tensor. None is converted before it is asked for. */
  readonly at: (index: number) => number;
}

/** Where each tensor lies in the file. */
export interface TensorHeader {
  readonly entries: Readonly<Record<string, TensorEntry>>;
  /** The offset at which the numbers begin. */
  readonly dataFrom: number;
}

/** Its first bytes tell how long the header is. */
export const LENGTH_BYTES = 8;
/** A model of three tensors needs some hundred bytes; what claims to need far more is another kind of file. */
const LONGEST_HEADER = 1024 * 1024;

const entrySchema = z.object({
  dtype: z.string(),
  shape: z.array(z.int().min(0)),
  data_offsets: z.tuple([z.int().min(0), z.int().min(0)]),
});
type TensorEntry = z.infer<typeof entrySchema>;

/** @param start the first bytes of the file @throws PROVIDER_MODEL_UNSUITABLE */
export function headerLength(start: Buffer, failures: ModelFailures): number {
  const length = start.length < LENGTH_BYTES ? 0n : start.readBigUInt64LE(0);
  if (length < 2n || length > LONGEST_HEADER) throw failures.unsuitable('model.safetensors has no readable header');
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

/** Undefined where the file has none of that name. @throws PROVIDER_MODEL_UNSUITABLE */
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
  const format = numberFormat(dtype);
  if (format === undefined) throw failures.unsuitable(`the numbers of its tensor ${name} are of an unknown type`);
  const count = shape.reduce((product, size) => product * size, 1);
  if (to > file.length || to - from !== count * format.bytes)
    throw failures.unsuitable(`its tensor ${name} is not whole`);
  return { shape, at: format.open(file.subarray(from, to)) };
}
