// Reads which tools changed which files from the change log, in slices, for a reader that looks again and again.
import { errnoOrRethrow } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { letOthersRun } from '../../../base/threads/turns.ts';
import type { OwnChanges } from '../../../contracts/feed.ts';
import type { PastChange } from '../../../contracts/writer.ts';
import type { LogFolders } from '../file-task.ts';
import { isShown } from '../view-checks.ts';
import type { View } from '../view-globs.ts';
import { ChangeLog } from './change-log.ts';
import { realDisk } from './disk.ts';
import { type Intent, isDamagedChange, type LogEntry, logNameAt } from './logged-change.ts';

export class PastWrites {
  readonly #log: ChangeLog;
  readonly #view: View | undefined;
  readonly since: (sinceMs: number, signal: AbortSignal) => Promise<OwnChanges>;
  /** The change with this id; undefined if the log does not have it. @throws FILE_UNREADABLE */
  readonly withId: (id: string) => PastChange | undefined;

  /** @param view only changes wholly in it exist for a client */
  constructor({ log }: LogFolders, view: View | undefined) {
    this.#log = new ChangeLog(realDisk, log);
    this.#view = view;
    this.since = (sinceMs, signal) => this.#read(sinceMs, signal);
    this.withId = (id) =>
      this.#orUnreadable(() => {
        const entry = this.#log.entries().find((one) => one.id === id && one.stage !== 'begun');
        return entry && this.#pastChange(entry);
      });
  }

  /** Newest first. @throws FILE_UNREADABLE for a log that cannot be read */
  async #read(sinceMs: number, signal: AbortSignal): Promise<OwnChanges> {
    const changes: PastChange[] = [];
    for (const entry of this.#orUnreadable(() => this.#log.entries())) {
      await letOthersRun(signal);
      if (entry.began < sinceMs || entry.stage === 'begun') continue;
      const past = this.#orUnreadable(() => this.#pastChange(entry));
      if (past !== undefined) changes.push(past);
    }
    return { changes, completeSince: this.#orUnreadable(() => this.#log.completeSince(Date.now())) };
  }

  #pastChange({ id }: LogEntry): PastChange | undefined {
    const intent = this.#intent(id);
    if (intent === undefined || (this.#view !== undefined && !isShown(intent, this.#view))) return undefined;
    const { slots: _slots, folders: _folders, emptied: _emptied, ...about } = intent;
    return {
      change: { ...about, state: 'done' },
      contentOf: (hash) => this.#orUnreadable(() => this.#log.findImage(id, hash)),
    };
  }

  /** What a damaged record changed is unknown. */
  #intent(id: string): Intent | undefined {
    try {
      return this.#log.intent(id);
    } catch (thrown) {
      if (isDamagedChange(thrown)) return undefined;
      throw thrown;
    }
  }

  #orUnreadable<T>(read: () => T): T {
    try {
      return read();
    } catch (thrown) {
      if (isDamagedChange(thrown)) throw thrown;
      const details = { path: logNameAt(this.#log.folder), errno: errnoOrRethrow(thrown) };
      throw new VaultgraphError('FILE_UNREADABLE', details, { cause: thrown });
    }
  }
}
