// A table with a vector for each token: a text's vector is the mean of its tokens'.
import type { ModelFailures } from './model-failures.ts';
import { readHeader, readTensor, type Tensor, type TensorHeader } from './safetensors.ts';

export interface StaticModel {
  readonly dims: number;
  /** Of unit length. @throws PROVIDER_BAD_RESPONSE of level `item` where the tokens have none */
  vectorOf(tokens: readonly number[], failures: ModelFailures): Float32Array;
}

const TABLE = 'embeddings';
/** More makes no vector of a text, but a file that is broken or meant for something else. */
const MAX_DIMS = 65_536;

/** Of the table, as its header has it. @throws PROVIDER_MODEL_UNSUITABLE */
export function tableShape({ entries }: TensorHeader, failures: ModelFailures): readonly [rows: number, dims: number] {
  const { shape } = entries[TABLE] ?? {};
  if (shape === undefined) throw failures.unsuitable(`its model.safetensors has no tensor ${TABLE}`);
  const [rows = 0, dims = 0] = shape;
  if (shape.length !== 2 || rows < 1 || dims < 1 || dims > MAX_DIMS)
    throw failures.unsuitable(`its tensor ${TABLE} is no table`);
  return [rows, dims];
}

/**
 * @param file model.safetensors, which the model goes on reading from
 * @param tokens how many numbers the tokenizer gives
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
    vectorOf: (given: readonly number[], failures: ModelFailures) => {
      if (given.length === 0) throw failures.badVector('a word that the model knows', 'none');
      const sums = new Float64Array(dims);
      for (const token of given) addRow(sums, table, (rowOf[token] as number) * dims, weights?.at(token) ?? 1);
      return unitVector(sums, failures);
    },
  });
}

/** Weights and mapping have a number for each token. */
function checkLength(name: string, list: Tensor | undefined, tokens: number, failures: ModelFailures): void {
  if (list === undefined || (list.shape.length === 1 && (list.shape[0] ?? 0) >= tokens)) return;
  throw failures.unsuitable(`its tensor ${name} does not fit its tokenizer`);
}

/** The row of each token: its own, or where several tokens share their rows, the one that the mapping names. */
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

/** The mean differs from the sum in its length alone. */
function unitVector(sums: Float64Array, failures: ModelFailures): Float32Array {
  let square = 0;
  for (const sum of sums) square += sum * sum;
  if (!Number.isFinite(square)) throw failures.badVector('finite numbers', 'a vector that is not finite');
  if (square === 0) throw failures.badVector('finite numbers', 'a vector of zeros');
  const length = Math.sqrt(square);
  return Float32Array.from(sums, (sum) => sum / length);
}
