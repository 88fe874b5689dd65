// The one shape of an answer about many inputs, and the one loop that fills it. Knows nothing of what an item is.
import { toVaultgraphError, type VaultgraphError } from './errors.ts';

/** Each input stands in exactly one list, under the id its caller wrote; input order is kept inside each. */
export interface BatchResult<T> {
  readonly succeeded: readonly { readonly id: string; readonly result: T }[];
  readonly failed: readonly { readonly id: string; readonly error: VaultgraphError }[];
}

export function isBatchResult(value: unknown): value is BatchResult<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const { succeeded, failed } = value as Record<string, unknown>;
  return Array.isArray(succeeded) && Array.isArray(failed);
}

/**
 * Runs `work` for one id after the other. A thrown item becomes its row in `failed`; an abort ends the run, and what had
 * not begun fails with the abort's own reason.
 */
export async function runBatch<T>(
  ids: readonly string[],
  signal: AbortSignal,
  work: (id: string) => Promise<T>,
): Promise<BatchResult<T>> {
  const succeeded: { id: string; result: T }[] = [];
  const failed: { id: string; error: VaultgraphError }[] = [];
  for (const id of ids) {
    try {
      signal.throwIfAborted();
      succeeded.push({ id, result: await work(id) });
    } catch (thrown) {
      failed.push({ id, error: toVaultgraphError(thrown) });
    }
  }
  return { succeeded, failed };
}
