// Stores a model's table with one byte per number: each row gets a scale of its own, which becomes part of its tokens' weights.
import { open, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { renamePatiently } from '../../base/system/rename.ts';
import { failuresOf, type ModelFailures } from './model-failures.ts';
import {
  findTensor,
  LENGTH_BYTES,
  type ModelTensors,
  type Numbers,
  TENSORS,
  type Tensor,
  withTensors,
} from './safetensors.ts';
import { TABLE, tableShape } from './static-model.ts';

const MAX_INT8 = 127;
const ROWS_PER_STEP = 1_024;

/** Replaces the model's tensors; one that is stored so already stays as it is. @throws PROVIDER_MODEL_UNSUITABLE, PROVIDER_UNAVAILABLE, system errors */
export async function storeAsInt8(folder: string, signal: AbortSignal): Promise<void> {
  const failures = failuresOf(basename(folder));
  const path = join(folder, TENSORS);
  const target = `${path}.int8`;
  try {
    const isMade = await withTensors(folder, failures, (file) => writeInt8(file, target, failures, signal));
    if (isMade) await renamePatiently(target, path);
  } finally {
    await rm(target, { force: true });
  }
}

async function writeInt8(
  file: ModelTensors,
  made: string,
  failures: ModelFailures,
  signal: AbortSignal,
): Promise<boolean> {
  const { header, size } = file;
  const [rows, dims] = tableShape(header, failures);
  const table = findTensor(header, TABLE, size, failures) as Tensor;
  if (table.format.bytes === 1) return false;
  const list = (name: string): Promise<Numbers | undefined> => numbersOf(name, file, failures);
  const [weights, mapping] = [await list('weights'), await list('mapping')];
  const count = mapping?.length ?? weights?.length ?? rows;
  const head = headerOf(rows, dims, count, mapping !== undefined);
  const output = await open(made, 'w');
  try {
    // `writeFile` goes on after a short write.
    await output.writeFile(head);
    const scales = await writeRows(file, table, dims, (bytes) => output.writeFile(bytes), signal);
    const row = Float32Array.from(
      { length: count },
      (_, token) => (weights?.[token] ?? 1) * (scales[mapping?.[token] ?? token] ?? 1),
    );
    await output.writeFile(Buffer.from(row.buffer));
    if (mapping !== undefined) await output.writeFile(Buffer.from(Int32Array.from(mapping).buffer));
    await output.sync();
  } finally {
    await output.close();
  }
  return true;
}

async function numbersOf(
  name: string,
  { header, size, read }: ModelTensors,
  failures: ModelFailures,
): Promise<Numbers | undefined> {
  const tensor = findTensor(header, name, size, failures);
  if (tensor === undefined) return undefined;
  const numbers = new Float64Array((tensor.to - tensor.from) / tensor.format.bytes);
  tensor.format.decode(await read(tensor.from, tensor.to - tensor.from), numbers);
  return numbers;
}

/** Padded, so that the numbers after the table begin at a multiple of their size. */
function headerOf(rows: number, dims: number, count: number, isMapped: boolean): Buffer {
  const end = rows * dims;
  const weights = { dtype: 'F32', shape: [count], data_offsets: [end, end + 4 * count] };
  const mapping = { dtype: 'I32', shape: [count], data_offsets: [end + 4 * count, end + 8 * count] };
  const embeddings = { dtype: 'I8', shape: [rows, dims], data_offsets: [0, end] };
  const text = JSON.stringify({ [TABLE]: embeddings, weights, ...(isMapped && { mapping }) });
  const padded = text.padEnd(Math.ceil(text.length / 8) * 8);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeBigUInt64LE(BigInt(padded.length));
  return Buffer.concat([length, Buffer.from(padded)]);
}

/** @returns the scale of each row */
async function writeRows(
  { read }: ModelTensors,
  table: Tensor,
  dims: number,
  write: (bytes: Uint8Array) => Promise<unknown>,
  signal: AbortSignal,
): Promise<Float64Array> {
  const [rows = 0] = table.shape;
  const scales = new Float64Array(rows);
  const rowBytes = dims * table.format.bytes;
  for (let from = 0; from < rows; from += ROWS_PER_STEP) {
    signal.throwIfAborted();
    const count = Math.min(ROWS_PER_STEP, rows - from);
    const numbers = new Float32Array(count * dims);
    table.format.decode(await read(table.from + from * rowBytes, count * rowBytes), numbers);
    const bytes = new Int8Array(numbers.length);
    for (let row = 0; row < count; row += 1) {
      const part = numbers.subarray(row * dims, (row + 1) * dims);
      const scale = part.reduce((most, number) => Math.max(most, Math.abs(number)), 0) / MAX_INT8 || 1;
      scales[from + row] = scale;
      for (let dim = 0; dim < dims; dim += 1) bytes[row * dims + dim] = Math.round((part[dim] as number) / scale);
    }
    await write(new Uint8Array(bytes.buffer));
  }
  return scales;
}
