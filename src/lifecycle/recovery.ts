// Completes or rolls back, before indexing starts, changes that a killed process left half done.
import { toVaultgraphError, type VaultgraphError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Store } from '../contracts/store.ts';
import type { ServerReport } from '../contracts/tool.ts';
import type { Change, Recovered, Writer } from '../contracts/writer.ts';

export interface Recovery {
  /**
   * The paths whose files changed and which the index may not know yet: of changes ended now or just before the kill.
   * Never rejects: a failure is logged and reported, and recovery is tried again before the next change.
   */
  begin(signal: AbortSignal): Promise<readonly string[]>;
  /** The row of `status`; empty if there was nothing to recover. */
  row(): Pick<ServerReport, 'recovery'>;
}

/** The time of a change is its start, that of a scan its end. */
const MAX_SCAN_MS = 10 * 60_000;
const MAX_CHANGES = 200;

/** @param writer undefined for a vault that may not be written */
export function createRecovery(writer: Writer | undefined, store: Store, log: Log): Recovery {
  let recovered: readonly Recovered[] = [];
  let error: VaultgraphError | undefined;

  async function end(signal: AbortSignal): Promise<readonly string[]> {
    if (writer === undefined) return [];
    recovered = await writer.recover(signal);
    for (const { id, outcome } of recovered) log('warn', 'change_recovered', { change_id: id, outcome });
    const { scannedAt } = await store.progress(signal);
    const since = scannedAt === null ? Number.POSITIVE_INFINITY : Date.parse(scannedAt) - MAX_SCAN_MS;
    const changes = await writer.changes(MAX_CHANGES, signal);
    return changes.filter(({ time }) => Date.parse(time) >= since).flatMap(pathsOf);
  }

  return Object.freeze({
    async begin(signal: AbortSignal) {
      const [outcome] = await Promise.allSettled([end(signal)]);
      if (outcome.status === 'fulfilled') return outcome.value;
      error = toVaultgraphError(outcome.reason);
      log('error', 'recovery_failed', { code: error.code, error_id: error.errorId });
      return [];
    },
    row: () => {
      if (recovered.length === 0 && error === undefined) return {};
      const rows = recovered.map(({ id, outcome }) => ({ change_id: id, outcome }));
      return { recovery: { recovered: rows, ...(error && { error: { code: error.code, message: error.message } }) } };
    },
  });
}

/** For a trashed file only its former path. */
function pathsOf({ files }: Change): string[] {
  return files.flatMap(({ kind, path, to }) => (kind === 'move' && to !== undefined ? [path, to] : [path]));
}
