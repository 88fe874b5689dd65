// A table with a vector for each token; a text's vector is the mean of its tokens' vectors.
import type { ModelFailures } from './model-failures.ts';
import { readHeader, readTensor, type Tensor, type TensorHeader } from './safetensors.ts';

export interface StaticModel {
  readonly dims: number;
  /** A vector of unit length. @throws PROVIDER_BAD_RESPONSE of level `item` if the tokens have none */
  vectorOf(tokens: readonly number[], failures: ModelFailures): Float32Array;
}

const TABLE = 'embeddings';
/** A larger number means that the file is damaged or of another kind. */
const MAX_DIMS = 65_536;

/** The table's shape, from the header. @throws PROVIDER_MODEL_UNSUITABLE */
export function tableShape({ entries }: TensorHeader, failures: ModelFailures): readonly [rows: number, dims: number] {
  const { shape } = entries[TABLE] ?? {};
  if (shape === undefined) throw failures.unsuitable(`its model.safetensors has no tensor ${TABLE}`);
  const [rows = 0, dims = 0] = shape;
  if (shape.length !== 2 || rows < 1 || dims < 1 || dims > MAX_DIMS)
    throw failures.unsuitable(`its tensor ${TABLE} is not a table`);
  return [rows, dims];
}

/**
 * @param file model.safetensors; the model keeps it
 * @param tokens the size of the tokenizer's vocabulary
 * @throws PROVIDER_MODEL_UNSUITABLE
 */
export function readStaticModel(file: Buffer, tokens: number, failures: ModelFailures): StaticModel {
  const header = readHeader(file, failures);
  const [rows, dims] = tableShape(header, failures);
  const table = readTensor(file, header, TABLE, failures) as Tensor;
  const weights = readTensor(file, header, 'weights', failures);
  const mapping = readTensor(file, header, 'mapping', failures);
  for (const [name, list] of Object.entries({ weights, mapping })) checkLength(name, list, tokens, failures);
  const rowOf = rowsOf(mapping, rows, tokens, failures);
  return Object.freeze({
    dims,
    vectorOf: (ids: readonly number[], failures: ModelFailures) => {
      if (ids.length === 0) throw failures.badVector('a word that the model knows', 'none');
      const sums = new Float64Array(dims);
      for (const token of ids) addRow(sums, table, (rowOf[token] as number) * dims, weights?.at(token) ?? 1);
      return unitVector(sums, failures);
    },
  });
}

/** Weights and mapping must have a number for each token. */
function checkLength(name: string, list: Tensor | undefined, tokens: number, failures: ModelFailures): void {
  if (list === undefined || (list.shape.length === 1 && (list.shape[0] ?? 0) >= tokens)) return;
  throw failures.unsuitable(`its tensor ${name} does not fit its tokenizer`);
}

/** The row of each token, from the mapping if there is one. */
function rowsOf(mapping: Tensor | undefined, rows: number, tokens: number, failures: ModelFailures): Uint32Array {
  const rowOf = new Uint32Array(tokens);
  for (let token = 0; token < tokens; token += 1) {
    const row = mapping === undefined ? token : mapping.at(token);
    if (!Number.isInteger(row) || row < 0 || row >= rows)
      throw failures.unsuitable(
        `its tensor ${TABLE} does not fit its ${mapping === undefined ? 'tokenizer' : 'mapping'}`,
      );
    rowOf[token] = row;
  }
  return rowOf;
}

function addRow(sums: Float64Array, { at }: Tensor, from: number, weight: number): void {
  for (let dim = 0; dim < sums.length; dim += 1) sums[dim] = (sums[dim] as number) + weight * at(from + dim);
}

/** The mean and the sum differ only in length. */
function unitVector(sums: Float64Array, failures: ModelFailures): Float32Array {
  let square = 0;
  for (const sum of sums) square += sum * sum;
  if (!Number.isFinite(square)) throw failures.badVector('finite numbers', 'a vector that is not finite');
  if (square === 0) throw failures.badVector('finite numbers', 'a vector of zeros');
  const length = Math.sqrt(square);
  return Float32Array.from(sums, (sum) => sum / length);
}
