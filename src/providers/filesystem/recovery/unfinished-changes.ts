// Finds the changes that are not finished: a process is writing them now, or was killed while it did.
import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { errnoOrRethrow } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { isShown } from '../view-checks.ts';
import type { View } from '../view-globs.ts';
import { ChangeLog } from '../writing/change-log.ts';
import { realDisk } from '../writing/disk.ts';
import { isCompleted, parseFileName } from '../writing/logged-change.ts';

export interface UnfinishedChange {
  readonly id: string;
  /** Whether it may have changed notes; before that it has only made temporary files. */
  readonly isCommitted: boolean;
}

interface Listing {
  readonly changes: readonly UnfinishedChange[];
  readonly folderTime: bigint;
  /** Whether a later change of the folder certainly gives it another time. */
  readonly isSettled: boolean;
}

/** Some file systems give two changes within this time the same time. */
const TIME_STEP_MS = 2_000;

export class UnfinishedChanges {
  readonly #folder: string;
  readonly #view: View | undefined;
  #last: Listing | undefined;

  /** @param folder of the change log @param view only changes wholly in it are found */
  constructor(folder: string, view?: View) {
    this.#folder = folder;
    this.#view = view;
  }

  /** Oldest first. Costs one `stat` if the log has not changed; a log that cannot be read has none. */
  async find(): Promise<readonly UnfinishedChange[]> {
    try {
      // Before the first write there is no folder. To throw for that costs several times as much as the `stat`.
      const stats = statSync(this.#folder, { bigint: true, throwIfNoEntry: false });
      if (stats === undefined) return [];
      const { mtimeNs, mtimeMs } = stats;
      if (this.#last?.isSettled !== true || this.#last.folderTime !== mtimeNs) {
        const isSettled = Date.now() - Number(mtimeMs) > TIME_STEP_MS;
        this.#last = {
          changes: unfinishedIn(await readdir(this.#folder)).filter(({ id }) => this.#isShown(id)),
          folderTime: mtimeNs,
          isSettled,
        };
      }
      return this.#last.changes;
    } catch (thrown) {
      errnoOrRethrow(thrown);
      return [];
    }
  }

  /** It is unknown for a damaged change. */
  #isShown(id: string): boolean {
    if (this.#view === undefined) return true;
    try {
      const intent = new ChangeLog(realDisk, this.#folder).intent(id);
      return intent !== undefined && isShown(intent, this.#view);
    } catch (thrown) {
      if (!(thrown instanceof VaultgraphError)) throw thrown;
      return false;
    }
  }
}

function unfinishedIn(names: readonly string[]): readonly UnfinishedChange[] {
  const entries = names.flatMap((name) => parseFileName(name) ?? []).filter((entry) => !isCompleted(entry));
  return entries
    .map(({ id, stage }) => ({ id, isCommitted: stage !== 'begun' }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}
