// Checks the vectors in a server's answer and scales them to unit length.
import type { BatchResult } from '../../base/batch.ts';
import type { VaultgraphError } from '../../base/errors.ts';
import type { Attempt } from './attempt.ts';
import { badResponse, unsuitableModel } from './failures.ts';

export interface ExpectedVectors {
  readonly ids: readonly string[];
  /** The length that the config asks for. */
  readonly dimensions?: number | undefined;
  /** The length of the model's vectors, if known. */
  readonly dims?: number | undefined;
}

/**
 * @param raw as parsed from JSON, one vector per id in the same order
 * @returns vectors of unit length, all equally long; `failed` has those that are zero or not finite, as errors of level `item`
 * @throws PROVIDER_BAD_RESPONSE for a wrong count, shape or length, PROVIDER_MODEL_UNSUITABLE if the length is not `dimensions`
 */
export function checkVectors(raw: unknown, expected: ExpectedVectors, attempt: Attempt): BatchResult<Float32Array> {
  const { ids } = expected;
  if (!Array.isArray(raw) || raw.length !== ids.length)
    throw badResponse(`${ids.length} vectors`, Array.isArray(raw) ? `${raw.length}` : 'not a list', attempt);
  const vectors = raw.map((each) => numbersIn(each, attempt));
  checkLengths(vectors, expected, attempt);
  const succeeded: { id: string; result: Float32Array }[] = [];
  const failed: { id: string; error: VaultgraphError }[] = [];
  for (const [at, id] of ids.entries()) {
    const result = unitVector(vectors[at] as readonly number[]);
    if (typeof result === 'string') failed.push({ id, error: badResponse('finite numbers', result, attempt, 'item') });
    else succeeded.push({ id, result });
  }
  return { succeeded, failed };
}

/** JSON cannot express NaN and infinity; servers write null instead. */
function numbersIn(raw: unknown, attempt: Attempt): readonly number[] {
  const isList = Array.isArray(raw) && raw.length > 0;
  if (!isList || !raw.every((each) => each === null || typeof each === 'number'))
    throw badResponse('a list of numbers', Array.isArray(raw) && !isList ? 'an empty list' : 'something else', attempt);
  return raw.map((each) => each ?? Number.NaN);
}

function checkLengths(vectors: readonly (readonly number[])[], expected: ExpectedVectors, attempt: Attempt): void {
  const lengths = [...new Set(vectors.map(({ length }) => length))];
  if (lengths.length > 1) throw badResponse('vectors of one length', `lengths ${lengths.join(', ')}`, attempt);
  const [length] = lengths;
  const { dimensions, dims } = expected;
  if (length === undefined) return;
  if (dimensions !== undefined && length !== dimensions) {
    const reason = `its vectors have ${length} numbers, the config asks for ${dimensions}`;
    throw unsuitableModel(reason, attempt, [], length);
  }
  if (dimensions === undefined && dims !== undefined && length !== dims)
    throw badResponse(`vectors of ${dims} numbers`, `${length}`, attempt);
}

/** Returns what is wrong with the vector, if anything. Divides by the largest component first, so that the sum of squares is finite. */
function unitVector(numbers: readonly number[]): Float32Array | string {
  let largest = 0;
  for (const each of numbers) {
    if (!Number.isFinite(each)) return 'a vector that is not finite';
    largest = Math.max(largest, Math.abs(each));
  }
  if (largest === 0) return 'a vector of zeros';
  let sum = 0;
  for (const each of numbers) sum += (each / largest) ** 2;
  const length = Math.sqrt(sum);
  return Float32Array.from(numbers, (each) => each / largest / length);
}
