// Finds the changes that are not finished: a process is writing them now, or was killed while it did.
import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { NEVER } from '../../../base/async/waits.ts';
import { errnoOrRethrow } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { outcomeOf } from '../../../base/outcome.ts';
import type { Vault, VaultListing } from '../../../contracts/vault.ts';
import { isShown } from '../view-checks.ts';
import type { View } from '../view-globs.ts';
import { ChangeLog } from '../writing/change-log.ts';
import { realDisk } from '../writing/disk.ts';
import { beganAt, isCompleted, parseFileName } from '../writing/logged-change.ts';
import { parseScratchName } from '../writing/scratch-names.ts';

interface UnfinishedChange {
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

/** Its log is in another state folder, or gone. */
interface ForeignChange {
  readonly id: string;
  /** When it began, by the clock of the machine that wrote. */
  readonly time: string;
  /** Its temporary files, by path. */
  readonly files: readonly string[];
}

/** How soon the vault is listed again: sooner while some are known, so that the warning ends. */
const RECHECK_MS = { some: 5_000, none: 60_000 };
/** Listings take at most this part of the time. */
const MAX_SHARE = 1 / 50;

/** @param log the folder of the change log of this server */
export function foreignIn({ scratch = [] }: Pick<VaultListing, 'scratch'>, log: string): readonly ForeignChange[] {
  if (scratch.length === 0) return [];
  const ids = idsIn(log);
  const changes = Map.groupBy(scratch, (path) => parseScratchName(basename(path))?.change ?? '');
  return [...changes]
    .filter(([id]) => id !== '' && !ids.has(id))
    .map(([id, files]) => ({ id, time: new Date(beganAt(id)).toISOString(), files }));
}

/** A log that cannot be read has none: the listing does not fail for it. */
function idsIn(log: string): ReadonlySet<string> {
  try {
    return new Set(new ChangeLog(realDisk, log).entries().map(({ id }) => id));
  } catch (thrown) {
    errnoOrRethrow(thrown);
    return new Set();
  }
}

/** One sentence for people and assistants. */
export function foreignText([first, ...others]: readonly ForeignChange[]): string | undefined {
  if (first === undefined) return undefined;
  const folder = dirname(first.files[0] ?? '');
  const place = folder === '.' ? 'the root of the vault' : `the folder ${folder}`;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return `the change ${first.id} of ${first.time}${more}, made by a server with another state folder or on another machine, has temporary files in ${place}`;
}

/** What the listings of the vault show of them. */
export class ForeignChanges {
  readonly #log: string;
  readonly #vault: Vault;
  #found: readonly ForeignChange[] = [];
  #dueAt = 0;
  #listings = 0;

  constructor(vault: Vault, log: string) {
    this.#vault = vault;
    this.#log = log;
  }

  /** Returns what the last listing found; starts another one if that is due, and does not wait for it. */
  find(): readonly ForeignChange[] {
    if (performance.now() >= this.#dueAt && this.#listings === 0) void this.#look();
    return this.#found;
  }

  /** The vault, so that each listing of it is looked at. */
  observed(): Vault {
    const list: Vault['list'] = async (signal) => {
      const began = performance.now();
      this.#listings += 1;
      try {
        const listing = await this.#vault.list(signal);
        this.#found = foreignIn(listing, this.#log);
        return listing;
      } finally {
        this.#listings -= 1;
        const now = performance.now();
        const rest = this.#found.length > 0 ? RECHECK_MS.some : RECHECK_MS.none;
        this.#dueAt = now + Math.max(rest, (now - began) / MAX_SHARE);
      }
    };
    return Object.freeze({ ...this.#vault, list });
  }

  /** If the vault cannot be listed, calls fail by themselves and say so. */
  async #look(): Promise<void> {
    await outcomeOf(this.observed().list(NEVER));
  }
}
