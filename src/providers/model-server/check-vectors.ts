// Holds the vectors that a server answered against what was asked, and brings them to unit length.
import type { BatchResult } from '../../base/batch.ts';
import type { VaultgraphError } from '../../base/errors.ts';
import type { Attempt } from './attempt.ts';
import { badResponse, unsuitableModel } from './found-failures.ts';

export interface Wanted {
  readonly ids: readonly string[];
  /** The config asks for vectors of this length. */
  readonly dimensions?: number | undefined;
  /** The model is known to have vectors of this length. */
  readonly dims?: number | undefined;
}

/**
 * @param raw as parsed from JSON, one vector per id in the same order
 * @returns finite vectors of unit length, all equally long; in `failed` each that is zero or not finite, level `item`
 * @throws PROVIDER_BAD_RESPONSE when count, shape or lengths are wrong, PROVIDER_MODEL_UNSUITABLE when they are not of `dimensions`
 */
export function checkVectors(raw: unknown, wanted: Wanted, attempt: Attempt): BatchResult<Float32Array> {
  const { ids } = wanted;
  if (!Array.isArray(raw) || raw.length !== ids.length)
    throw badResponse(`${ids.length} vectors`, Array.isArray(raw) ? `${raw.length}` : 'no list', attempt);
  const vectors = raw.map((each) => numbersIn(each, attempt));
  checkLengths(vectors, wanted, attempt);
  const succeeded: { id: string; result: Float32Array }[] = [];
  const failed: { id: string; error: VaultgraphError }[] = [];
  for (const [at, id] of ids.entries()) {
    const result = unitVector(vectors[at] as readonly number[]);
    if (typeof result === 'string') failed.push({ id, error: badResponse('finite numbers', result, attempt, 'item') });
    else succeeded.push({ id, result });
  }
  return { succeeded, failed };
}

/** JSON has no word for NaN and infinity; servers that meet one write null. */
function numbersIn(raw: unknown, attempt: Attempt): readonly number[] {
  const isList = Array.isArray(raw) && raw.length > 0;
  if (!isList || !raw.every((each) => each === null || typeof each === 'number'))
    throw badResponse('a list of numbers', Array.isArray(raw) && !isList ? 'an empty list' : 'something else', attempt);
  return raw.map((each) => each ?? Number.NaN);
}

function checkLengths(vectors: readonly (readonly number[])[], wanted: Wanted, attempt: Attempt): void {
  const lengths = [...new Set(vectors.map(({ length }) => length))];
  if (lengths.length > 1) throw badResponse('vectors of one length', `lengths ${lengths.join(', ')}`, attempt);
  const [came] = lengths;
  const { dimensions, dims } = wanted;
  if (came === undefined) return;
  if (dimensions !== undefined && came !== dimensions) {
    const reason = `its vectors have ${came} numbers, the config asks for ${dimensions}`;
    throw unsuitableModel(reason, attempt, [], came);
  }
  if (dimensions === undefined && dims !== undefined && came !== dims)
    throw badResponse(`vectors of ${dims} numbers`, `${came}`, attempt);
}

/** Or what is wrong with it. Scaled by its largest component first: the sum of squares of finite numbers may be infinite. */
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
