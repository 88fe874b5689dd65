// The result of an operation on many inputs, and the loop that runs one.
import { toVaultgraphError, untriedFailure, type VaultgraphError } from './errors.ts';

/** Each input is in exactly one list, under the id that its caller wrote; each list keeps the input order. */
export interface BatchResult<T> {
  readonly succeeded: readonly { readonly id: string; readonly result: T }[];
  readonly failed: readonly { readonly id: string; readonly error: VaultgraphError }[];
}

export function isBatchResult(value: unknown): value is BatchResult<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const { succeeded, failed } = value as Record<string, unknown>;
  return Array.isArray(succeeded) && Array.isArray(failed);
}

/** What ends a run before its last item. */
export interface RunEnds {
  /** Asked before each item: the failure of all that has not begun, as long as there is one. */
  readonly tooLate?: () => VaultgraphError | undefined;
  /** Whether a failure is of what all items need, and not of the one it was met by: then the others are not tried. */
  readonly endsAll?: (error: VaultgraphError) => boolean;
}

/**
 * Runs `work` for one id after the other. A thrown item becomes its row in `failed`; an abort ends the run, and what had
 * not begun fails with the abort's own reason.
 */
export async function runBatch<T>(
  ids: readonly string[],
  signal: AbortSignal,
  work: (id: string, index: number) => Promise<T>,
  { tooLate, endsAll }: RunEnds = {},
): Promise<BatchResult<T>> {
  const succeeded: { id: string; result: T }[] = [];
  const failed: { id: string; error: VaultgraphError }[] = [];
  let common: VaultgraphError | undefined;
  for (const [index, id] of ids.entries()) {
    const late = tooLate?.();
    if (late !== undefined || common !== undefined) {
      failed.push({ id, error: late ?? untriedFailure(common as VaultgraphError) });
      continue;
    }
    try {
      signal.throwIfAborted();
      succeeded.push({ id, result: await work(id, index) });
    } catch (thrown) {
      const error = toVaultgraphError(thrown);
      failed.push({ id, error });
      if (endsAll?.(error)) common = error;
    }
  }
  return { succeeded, failed };
}
