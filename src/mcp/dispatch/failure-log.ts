// The log's one record of a failed call, with its cause and without a word of the user's.
import type { VaultgraphError } from '../../base/errors.ts';
import type { LogFields } from '../../base/log.ts';

/** Enough to find the line of a bug. */
const MAX_FRAMES = 5;

/**
 * Fields for the record. The cause is named by its class, its code and the places it passed: a message may quote a note,
 * and a place is told by its last two path segments, because the ones before it may name the user.
 */
export function failureFields(error: VaultgraphError): LogFields {
  const cause = rootCause(error);
  return {
    error_id: error.errorId,
    code: error.code,
    category: error.category,
    ...(cause === error ? {} : { cause: cause.name, cause_code: codeOf(cause) }),
    ...(error.code === 'INTERNAL' ? { kind: detailOf(error), frames: framesOf(cause) } : {}),
  };
}

function rootCause(error: Error): Error {
  return error.cause instanceof Error && error.cause !== error ? rootCause(error.cause) : error;
}

function codeOf(error: Error): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

function detailOf({ details }: VaultgraphError): string | undefined {
  return 'kind' in details ? details.kind : undefined;
}

function framesOf({ stack = '' }: Error): string {
  const places = stack.split('\n').flatMap((line) => /([^/\\() ]+[/\\][^/\\()]+:\d+:\d+)\)?$/.exec(line)?.[1] ?? []);
  return places.slice(0, MAX_FRAMES).join(' < ');
}
