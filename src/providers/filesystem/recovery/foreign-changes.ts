// Finds the changes of servers with another state folder that are not finished: their temporary files are in the vault.
import { basename, dirname } from 'node:path';
import { errnoOrRethrow } from '../../../base/errno.ts';
import { outcomeOf } from '../../../base/outcome.ts';
import { NEVER } from '../../../base/until-aborted.ts';
import type { Vault, VaultListing } from '../../../contracts/vault.ts';
import { ChangeLog } from '../writing/change-log.ts';
import { realDisk } from '../writing/disk.ts';
import { beganAt } from '../writing/logged-change.ts';
import { parseScratchName } from '../writing/scratch-names.ts';

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
  const own = idsIn(log);
  const changes = Map.groupBy(scratch, (path) => parseScratchName(basename(path))?.change ?? '');
  return [...changes]
    .filter(([id]) => id !== '' && !own.has(id))
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
