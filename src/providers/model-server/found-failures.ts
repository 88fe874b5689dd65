// Failures that no status tells: found in an answer that looked like a success. Reads no answer itself.
import type * as z from 'zod';
import { type ProviderDetails, VaultgraphError } from '../../base/errors.ts';
import { type Attempt, attemptDetails } from './attempt.ts';
import { speakable } from './foreign-text.ts';

/** A server may hold hundreds of models; a reader needs to see what sort of server it is. */
const MAX_LISTED = 10;

/** @param received in our words, or in the server's own */
export function badResponse(
  expected: string,
  received: string,
  attempt: Attempt,
  level: ProviderDetails['level'] = 'call',
): VaultgraphError {
  const details = { ...attemptDetails(attempt, level), expected, received: speakable(received, attempt.unspeakable) };
  return new VaultgraphError('PROVIDER_BAD_RESPONSE', details);
}

/**
 * What a server answered, in the shape that its vendor promises.
 * @throws PROVIDER_BAD_RESPONSE
 */
export function inShape<T>(shape: z.ZodType<T>, answer: unknown, attempt: Attempt): T {
  const parsed = shape.safeParse(answer);
  if (parsed.success) return parsed.data;
  const at = parsed.error.issues[0]?.path.join('.') ?? '';
  throw badResponse(`an answer of ${attempt.provider}`, `another shape${at === '' ? '' : ` at \`${at}\``}`, attempt);
}

/** @param installed names of the models that are there */
export function missingModel(attempt: Attempt, installed: readonly string[] = []): VaultgraphError {
  const told = { installed: installed.slice(0, MAX_LISTED), auto_pull: attempt.autoPull };
  const details = { ...attemptDetails(attempt), ...told };
  return new VaultgraphError('PROVIDER_MODEL_MISSING', details);
}

/** @param dims of the vectors that came or would come, where that is the reason */
export function unsuitableModel(
  reason: string,
  attempt: Attempt,
  capabilities: readonly string[] = [],
  dims?: number,
): VaultgraphError {
  const details = { ...attemptDetails(attempt), reason: speakable(reason, attempt.unspeakable), capabilities };
  return new VaultgraphError('PROVIDER_MODEL_UNSUITABLE', dims === undefined ? details : { ...details, dims });
}

/** @param limit of the model, in tokens like those of the text */
export function tooLongInput(tokens: number, limit: number, attempt: Attempt): VaultgraphError {
  return new VaultgraphError('PROVIDER_INPUT_TOO_LONG', { ...attemptDetails(attempt, 'item'), tokens, limit });
}

/** @param host where the model really runs */
export function blockedEgress(host: string, { capability, endpoint, model }: Attempt): VaultgraphError {
  return new VaultgraphError('EGRESS_BLOCKED', { capability, endpoint, host, model });
}

/** Of a request that was refused for its own sake: the server is as it was. */
export const isAboutOneInput = (thrown: unknown): boolean =>
  thrown instanceof VaultgraphError && (thrown.details as Partial<ProviderDetails>).level === 'item';
