// A table with a vector for each token; a text's vector is the mean of its tokens' vectors. The table stays in its file.
import type { ModelFailures } from './model-failures.ts';
import { findTensor, type ModelTensors, type Numbers, type Tensor, type TensorHeader } from './safetensors.ts';

export type StaticModel = Awaited<ReturnType<typeof readStaticModel>>;

/** The tensor with the vectors. */
export const TABLE = 'embeddings';
/** A larger number means that the file is damaged or of another kind. */
const MAX_DIMS = 65_536;
/** Most texts consist of a few thousand frequent tokens. */
const MAX_CACHE_BYTES = 16 * 1024 * 1024;

/** The table's shape, from the header. @throws PROVIDER_MODEL_UNSUITABLE */
export function tableShape({ entries }: TensorHeader, failures: ModelFailures): readonly [rows: number, dims: number] {
  const { shape } = entries[TABLE] ?? {};
  if (shape === undefined) throw failures.unsuitable(`its model.safetensors has no tensor ${TABLE}`);
  const [rows = 0, dims = 0] = shape;
  if (shape.length !== 2 || rows < 1 || dims < 1 || dims > MAX_DIMS)
    throw failures.unsuitable(`its tensor ${TABLE} is not a table`);
  return [rows, dims];
}

/** @param tokens the size of the tokenizer's vocabulary @throws PROVIDER_MODEL_UNSUITABLE, PROVIDER_UNAVAILABLE */
export async function readStaticModel(file: ModelTensors, tokens: number, failures: ModelFailures) {
  const { header, size } = file;
  const [rows, dims] = tableShape(header, failures);
  const table = findTensor(header, TABLE, size, failures) as Tensor;
  const weights = await listOf('weights', file, tokens, failures);
  const rowOf = rowsOf(await listOf('mapping', file, tokens, failures), rows, tokens, failures);
  const cache = createRowCache(dims);

  /** The rows that are not in the cache. */
  async function missingRows(ids: readonly number[], file: ModelTensors): Promise<ReadonlyMap<number, Float32Array>> {
    const rowsById = new Map<number, Float32Array>();
    for (;;) {
      const missing = new Set<number>();
      for (const token of ids) {
        const at = rowOf[token] as number;
        if (!rowsById.has(at) && cache.get(at) === undefined) missing.add(at);
      }
      if (missing.size === 0) return rowsById;
      // Another call may replace rows of the cache meanwhile.
      await Promise.all(Array.from(missing, async (at) => rowsById.set(at, await readRow(at, file))));
    }
  }

  async function readRow(at: number, file: ModelTensors): Promise<Float32Array> {
    const length = dims * table.format.bytes;
    const row = new Float32Array(dims);
    table.format.decode(await file.read(table.from + at * length, length), row);
    return row;
  }

  /** A vector of unit length. @throws PROVIDER_BAD_RESPONSE of level `item` if the tokens have none, PROVIDER_UNAVAILABLE */
  async function vectorOf(ids: readonly number[], file: ModelTensors, failures: ModelFailures): Promise<Float32Array> {
    if (ids.length === 0) throw failures.unknownText('none');
    const missing = await missingRows(ids, file);
    const sums = new Float64Array(dims);
    for (const token of ids) {
      const at = rowOf[token] as number;
      addRow(sums, (missing.get(at) ?? cache.get(at)) as Float32Array, weights?.[token] ?? 1);
    }
    for (const [at, row] of missing) cache.set(at, row);
    return unitVector(sums, failures);
  }

  return Object.freeze({ dims, vectorOf });
}

/** Each row has one possible place, where it replaces the row before: a list in the order of use would cost more than it saves. */
function createRowCache(dims: number) {
  const places = Math.max(1, Math.floor(MAX_CACHE_BYTES / (dims * Float32Array.BYTES_PER_ELEMENT)));
  const rows: (Float32Array | undefined)[] = Array.from({ length: places });
  const owners = new Int32Array(places).fill(-1);
  return {
    get: (at: number) => (owners[at % places] === at ? rows[at % places] : undefined),
    set: (at: number, row: Float32Array): void => {
      rows[at % places] = row;
      owners[at % places] = at;
    },
  };
}

/** A tensor with a number for each token; undefined if the file has none of that name. */
async function listOf(
  name: string,
  { header, size, read }: ModelTensors,
  tokens: number,
  failures: ModelFailures,
): Promise<Numbers | undefined> {
  const tensor = findTensor(header, name, size, failures);
  if (tensor === undefined) return undefined;
  const [length = 0] = tensor.shape;
  if (tensor.shape.length !== 1 || length < tokens)
    throw failures.unsuitable(`its tensor ${name} does not fit its tokenizer`);
  const numbers = new Float64Array(length);
  tensor.format.decode(await read(tensor.from, tensor.to - tensor.from), numbers);
  return numbers;
}

/** The row of each token, from the mapping if there is one. */
function rowsOf(mapping: Numbers | undefined, rows: number, tokens: number, failures: ModelFailures): Uint32Array {
  const rowOf = new Uint32Array(tokens);
  for (let token = 0; token < tokens; token += 1) {
    const row = mapping === undefined ? token : (mapping[token] as number);
    if (!Number.isInteger(row) || row < 0 || row >= rows)
      throw failures.unsuitable(
        `its tensor ${TABLE} does not fit its ${mapping === undefined ? 'tokenizer' : 'mapping'}`,
      );
    rowOf[token] = row;
  }
  return rowOf;
}

function addRow(sums: Float64Array, row: Float32Array, weight: number): void {
  for (let dim = 0; dim < sums.length; dim += 1) sums[dim] = (sums[dim] as number) + weight * (row[dim] as number);
}

/** The mean and the sum differ only in length. */
function unitVector(sums: Float64Array, failures: ModelFailures): Float32Array {
  let square = 0;
  for (const sum of sums) square += sum * sum;
  if (!Number.isFinite(square)) throw failures.badAnswer('finite numbers', 'a vector that is not finite');
  if (square === 0) throw failures.unknownText('a vector of zeros');
  const length = Math.sqrt(square);
  return Float32Array.from(sums, (sum) => sum / length);
}
