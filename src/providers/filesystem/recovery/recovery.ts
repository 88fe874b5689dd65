// Completes or reverts changes that a killed process left half done: before indexing starts, and while this process runs.
import { sleepUnlessAborted } from '../../../base/async/waits.ts';
import { type DetailsOf, VaultgraphError } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { outcomeOf } from '../../../base/outcome.ts';
import type { RecordedChange, WriteLock } from '../../../contracts/session.ts';
import type { Store } from '../../../contracts/store.ts';
import type { ServerReport } from '../../../contracts/tool.ts';
import type { Change, Recovered, Writer } from '../../../contracts/writer.ts';

export interface RecoveryParts {
  /** Absent for a vault that may not be written. */
  readonly writer: Writer | undefined;
  readonly store: Store;
  readonly log: Log;
  /** The changes in the log that no process has finished; cheap to call often. */
  readonly unfinished: () => Promise<readonly Unfinished[]>;
  readonly pollMs?: number;
}

interface Unfinished {
  readonly id: string;
  /** Whether notes may be in a state between before and after. */
  readonly isCommitted: boolean;
}

type UpdateIndex = (paths: readonly string[], signal: AbortSignal) => Promise<unknown>;

/** The time of a change is its start, that of a scan its end. */
const MAX_SCAN_MS = 10 * 60_000;
const MAX_CHANGES = 200;
const POLL_MS = 1_000;
/** A recovery that fails, on a full disk for example, is tried again less and less often. */
const MAX_RETRY_MS = 60_000;

export class Recovery {
  readonly #parts: RecoveryParts;
  readonly #closing = new AbortController();
  #watching: Promise<void> | undefined;
  /** All that this process has recovered. */
  #recovered: readonly Recovered[] = [];
  /** Recovered, but perhaps not in the index yet. */
  #beingIndexed: readonly string[] = [];
  #error: VaultgraphError | undefined;
  #retryMs = 0;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  /**
   * The paths whose files changed and which the index may not know yet: of changes ended now or just before the kill.
   * Never rejects: a failure is logged and reported, and recovery is tried again while this process attends and before the next change.
   */
  async begin(signal: AbortSignal): Promise<readonly string[]> {
    const { writer, store } = this.#parts;
    if (writer === undefined) return [];
    const read = async (): Promise<readonly string[]> => {
      await this.#recover(writer, signal);
      const { scannedAt } = await store.progress(signal);
      const since = scannedAt === null ? Number.POSITIVE_INFINITY : Date.parse(scannedAt) - MAX_SCAN_MS;
      const changes = await writer.changes(MAX_CHANGES, signal);
      return changes.filter(({ time }) => Date.parse(time) >= since).flatMap(pathsOf);
    };
    const outcome = await outcomeOf(read());
    if ('value' in outcome) return outcome.value;
    this.#failed(outcome.error);
    return [];
  }

  /**
   * From now on completes what any other process leaves half done, within seconds, until closed.
   * @param index updates these paths in the index
   */
  attend(index: UpdateIndex): void {
    const { writer } = this.#parts;
    if (writer !== undefined) this.#watching ??= this.#watch(writer, index);
  }

  async close(): Promise<void> {
    this.#closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    await this.#watching;
  }

  /** Ids of the changes because of which answers may mix the notes before and after. */
  async unfinished(): Promise<readonly string[]> {
    const unfinished = await this.#parts.unfinished();
    const committed = unfinished.filter(({ isCommitted }) => isCommitted).map(({ id }) => id);
    return [...new Set([...committed, ...this.#beingIndexed])];
  }

  /** The row of `status`; empty if there was nothing to recover. */
  async row(): Promise<Pick<ServerReport, 'recovery'>> {
    const unfinished = await this.unfinished();
    const error = this.#error;
    if (this.#recovered.length === 0 && unfinished.length === 0 && error === undefined) return {};
    const recovered = this.#recovered.map(({ id, ...how }) => ({ change_id: id, ...how }));
    return {
      recovery: {
        recovered,
        ...(unfinished.length > 0 && { unfinished }),
        ...(error && { error: { code: error.code, message: error.message } }),
      },
    };
  }

  async #watch(writer: Writer, index: UpdateIndex): Promise<void> {
    const { unfinished, pollMs = POLL_MS } = this.#parts;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await sleepUnlessAborted(Math.max(pollMs, this.#retryMs), signal, false);
      if (signal.aborted || (await unfinished()).length === 0) continue;
      const outcome = await outcomeOf(this.#recover(writer, signal));
      if ('error' in outcome) this.#failed(outcome.error);
      else await this.#updateIndex(outcome.value, writer, index);
    }
  }

  /** @returns what was recovered since the last call */
  async #recover(writer: Writer, signal: AbortSignal): Promise<readonly Recovered[]> {
    const before = this.#recovered.length;
    this.#recovered = await writer.recover(signal);
    this.#error = undefined;
    this.#retryMs = 0;
    const recovered = this.#recovered.slice(before);
    for (const { id, outcome, kept } of recovered)
      this.#parts.log('warn', 'change_recovered', {
        change_id: id,
        outcome,
        ...(kept && { counts: { kept: kept.length } }),
      });
    return recovered;
  }

  /** What fails here is found by the next scan. */
  async #updateIndex(recovered: readonly Recovered[], writer: Writer, index: UpdateIndex): Promise<void> {
    if (recovered.length === 0) return;
    this.#beingIndexed = recovered.map(({ id }) => id);
    const { signal } = this.#closing;
    const update = async (): Promise<void> => {
      const changes = await writer.changes(MAX_CHANGES, signal);
      const paths = changes.filter(({ id }) => this.#beingIndexed.includes(id)).flatMap(pathsOf);
      if (paths.length > 0) await index(paths, signal);
    };
    await Promise.allSettled([update()]);
    this.#beingIndexed = [];
  }

  #failed(error: VaultgraphError): void {
    if (isBusy(error) || error.code === 'SHUTTING_DOWN') return;
    this.#error = error;
    this.#retryMs = Math.min(MAX_RETRY_MS, 2 * this.#retryMs + POLL_MS);
    this.#parts.log('error', 'recovery_failed', { code: error.code, error_id: error.errorId });
  }
}

/** A process that lives is writing, here or on another machine. */
function isBusy({ code, details }: VaultgraphError): boolean {
  if (code === 'STORE_BUSY') return true;
  return code === 'FILE_WRITE_FAILED' && 'errno' in details && details.errno === 'EBUSY';
}

/** For a trashed file only its former path. */
function pathsOf({ files }: Change): string[] {
  return files.flatMap(({ kind, path, to }) => (kind === 'move' && to !== undefined ? [path, to] : [path]));
}

// A writer beside servers on other machines: it recovers under the lock of all of them, and knows where a change was made.

interface SharedWriterParts {
  readonly writer: Writer;
  readonly lock: WriteLock;
  /** The changes in the log of this machine that no process has finished. */
  readonly unfinished: () => Promise<readonly unknown[]>;
  readonly log: Log;
}

/** The caller of `apply` and `inverse` holds the lock. */
export function sharedWriter({ writer, lock, unfinished, log }: SharedWriterParts): Writer {
  /** The change itself is made: without the record another machine cannot say where. */
  const record = async (change: RecordedChange): Promise<void> => {
    const outcome = await outcomeOf(lock.record(change));
    if ('error' in outcome) log('warn', 'change_not_recorded', { change_id: change.id, code: outcome.error.code });
  };
  const recover: Writer['recover'] = async (signal) => {
    const recovered = await writer.recover(signal);
    for (const { id, outcome } of recovered) if (outcome === 'finished') await record({ id });
    return recovered;
  };
  return Object.freeze<Writer>({
    ...writer,
    // A change that is left unfinished after this check needs no lock: the killed process still has it for some seconds.
    recover: async (signal) =>
      (await unfinished()).length === 0 ? writer.recover(signal) : lock.hold(signal, () => recover(signal)),
    apply: async (request, signal, onBegun) => {
      const applied = await writer.apply(request, signal, onBegun);
      await record(applied);
      return applied;
    },
    inverse: async (id, signal) => {
      const outcome = await outcomeOf(writer.inverse(id, signal));
      if ('value' in outcome) return outcome.value;
      throw id === undefined ? outcome.error : await withMachine(outcome.error, id, lock, signal);
    },
  });
}

async function withMachine(
  error: VaultgraphError,
  id: string,
  lock: WriteLock,
  signal: AbortSignal,
): Promise<VaultgraphError> {
  const machine = error.code === 'CHANGE_NOT_FOUND' ? await lock.machineOf(id, signal) : undefined;
  if (machine === undefined) return error;
  const details = error.details as DetailsOf<'CHANGE_NOT_FOUND'>;
  return new VaultgraphError('CHANGE_NOT_FOUND', { ...details, machine }, { cause: error });
}
