// What becomes of a batch: what succeeded beside what failed, or one failure when nothing succeeded.
import type { BatchResult } from '../../base/batch.ts';
import { type Choices, type ErrorCode, type Retry, VaultgraphError } from '../../base/errors.ts';
import { itemFailureOf } from './failure.ts';
import type { PathMask } from './path-mask.ts';
import { type PlainObject, toPlainObject } from './plain-value.ts';

/** More causes than this are counted by code instead of told. */
const MAX_CAUSES = 3;

type FailedItem = BatchResult<unknown>['failed'][number];

/** The batch as data: input order inside each list, each error as its four fields. */
export function batchData(batch: BatchResult<unknown>, mask: PathMask): PlainObject {
  const failed = batch.failed.map(({ id, error }) => ({ id, error: itemFailureOf(error, mask) }));
  return toPlainObject({ ...batch, failed });
}

/**
 * The failure that a batch is when all of it failed, as can be mended as its items are: told as their cause where they
 * have one, retryable only if every item is.
 */
export function failedBatch(failed: readonly FailedItem[], mask: PathMask): VaultgraphError<'BATCH_FAILED'> {
  const errors = failed.map(({ error }) => error);
  const waits = errors.map((error) => error.retryAfterMs ?? 0);
  const choices = failed.length === 1 ? failed[0]?.error.choices : undefined;
  const details = {
    failed: failed.map(({ id, error }) => ({ id, error: itemFailureOf(error, mask) })),
    by_code: countByCode(errors),
    why: causeOf(tried(errors)),
    advice: distinct(errors.map((error) => error.hint))
      .slice(0, MAX_CAUSES)
      .join(' '),
  };
  return new VaultgraphError('BATCH_FAILED', details, {
    cause: errors[0],
    retry: retryOf(errors),
    retryAfterMs: Math.max(...waits),
    ...choicesOf(choices),
  });
}

/** What was not tried tells the cause of another once more; where nothing was tried, it is all there is to tell. */
function tried(errors: readonly VaultgraphError[]): readonly VaultgraphError[] {
  const made = errors.filter((error) => !error.untried);
  return made.length === 0 ? errors : made;
}

function causeOf(errors: readonly VaultgraphError[]): string {
  const causes = distinct(errors.map((error) => error.message));
  if (causes.length <= MAX_CAUSES) return causes.join('; ');
  return Object.entries(countByCode(errors))
    .map(([code, count]) => `${code} × ${count}`)
    .join(', ');
}

/** Later, if every item may succeed later; else whoever can mend most: the caller, the user, nobody. */
function retryOf(errors: readonly VaultgraphError[]): Retry {
  const classes = new Set(errors.map((error) => error.retry));
  if (errors.every((error) => error.retryable)) return classes.has('D*') ? 'D*' : 'D';
  if (classes.has('C')) return 'C';
  return classes.has('U') || classes.has('D*') ? 'U' : 'N';
}

function countByCode(errors: readonly VaultgraphError[]): Partial<Record<ErrorCode, number>> {
  const counts: Partial<Record<ErrorCode, number>> = {};
  for (const { code } of errors) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function choicesOf(choices: Choices | undefined): { choices?: Choices } {
  return choices === undefined ? {} : { choices };
}
