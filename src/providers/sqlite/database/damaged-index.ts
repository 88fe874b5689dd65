// Remembers that an index file is damaged, beside the file, and has a server that leads put a new one in its place; replaces one of an unpublished version.
import { existsSync, rmSync, statSync } from 'node:fs';
import * as z from 'zod';
import { replaceFileSync } from '../../../base/atomic-write.ts';
import { errnoOf } from '../../../base/errno.ts';
import { type DetailsOf, VaultgraphError } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { errorOf } from '../../../base/outcome.ts';
import { readOwnJson } from '../../../base/system/own-file.ts';
import { holderInFile, refuseWhileHeld } from '../sharing/holder-file.ts';
import type { Engine } from './connection.ts';
import { setAside } from './index-file.ts';
import { fileIdentity } from './kept-file.ts';
import { isUnpublished } from './open-database.ts';
import { displayPath } from './store-errors.ts';

/** Disks and memories that damage one index after the other are for a person to look at. */
const MIN_PAUSE_MS = 60 * 60_000;
/** Between two looks at a file that calls find damaged, and after one that found nothing. */
const [LOOK_PAUSE_MS, SOUND_PAUSE_MS] = [5_000, 10_000];

const MARK = z.object({ identity: z.string(), at: z.string(), op: z.string(), sqlite_code: z.string() });
const REBUILT = z.object({
  at: z.string(),
  kept: z.string(),
  reason: z.enum(['damaged', 'unpublished']).default('damaged'),
});
type Mark = z.infer<typeof MARK>;
export type Rebuilt = z.infer<typeof REBUILT>;

export interface DamagedIndexParts {
  readonly file: string;
  /** Whether this process is a server, which may replace the file. */
  readonly serves: boolean;
  readonly log: Log;
  /** Why no process may replace it, if it is so. */
  readonly obstacle: () => DetailsOf<'STORE_CORRUPT'>['kept'];
  /** Whether another look at the whole file finds nothing wrong. */
  readonly isSound: () => Promise<boolean>;
  /** Makes an empty index where there is none. */
  readonly create: () => Promise<void>;
}

export class DamagedIndex {
  readonly #parts: DamagedIndexParts;
  /** The identity of the file that was found damaged, by this process or another. */
  #mark: Mark | undefined;
  /** The time of the mark that was read last. */
  #readAt = 0;
  #replacing: Promise<void> | undefined;
  /** By `performance.now()`. */
  #lookAgainAt = 0;
  /** A call that began later may end with one of these: it is the reason why its job was cancelled. */
  readonly #reported = new WeakSet<VaultgraphError>();

  constructor(parts: DamagedIndexParts) {
    this.#parts = parts;
  }

  /** Whether a server puts a new one in its place, now or later. Nothing is moved that may not be an index. */
  get isReplaceable(): boolean {
    return this.#parts.serves && this.#whyKept() === undefined;
  }

  #whyKept(): DetailsOf<'STORE_CORRUPT'>['kept'] {
    const { file, obstacle } = this.#parts;
    return obstacle() ?? (['.seal', '.holder'].some((suffix) => existsSync(file + suffix)) ? undefined : 'unsure');
  }

  /** Undefined if nothing is known against the file, as of the last `readMark`. */
  faultOf(identity: string): VaultgraphError | undefined {
    if (this.#mark?.identity !== identity) return undefined;
    const failure = this.#failure(this.#mark);
    void this.#replaceIfDue(identity);
    return failure;
  }

  /** Has every later call of every process on this file fail. @returns the error to throw */
  marked(identity: string, error: VaultgraphError): VaultgraphError {
    if (this.#reported.has(error)) return error;
    const { details } = error;
    const { op = 'read', sqlite_code = 'SQLITE_CORRUPT' } = details as Partial<Mark>;
    if (this.#mark?.identity !== identity) {
      this.#mark = { identity, at: new Date().toISOString(), op, sqlite_code };
      if (this.#parts.serves) this.#parts.log('error', 'index_damaged', { code: 'STORE_CORRUPT', kind: op });
      // Without it, other processes find the damage themselves.
      unlessSystemError(() => replaceFileSync(markPath(this.#parts.file), JSON.stringify(this.#mark), 0o600));
    }
    const failure = this.#failure(this.#mark);
    void this.#replaceIfDue(identity);
    return failure;
  }

  /** Resolves once no replacement is being made. */
  async settled(): Promise<void> {
    await this.#replacing;
  }

  /** An index of a build before the first release stays beside the new one. @throws INDEX_CONFLICT while another process holds it */
  async replaceUnpublished(engine: Engine): Promise<void> {
    const { file } = this.#parts;
    if (!isUnpublished(file)) return;
    refuseWhileHeld(engine, file);
    await this.#replaceNow('unpublished');
  }

  /** The last time that a new index was put in place of another by itself. */
  lastRebuilt(): Rebuilt | undefined {
    return readJson(rebuiltPath(this.#parts.file), REBUILT);
  }

  #failure(mark: Mark): VaultgraphError {
    const failure = this.#failureNow(mark);
    this.#reported.add(failure);
    return failure;
  }

  #failureNow({ op, sqlite_code }: Mark): VaultgraphError {
    const details = { op, sqlite_code, file: displayPath(this.#parts.file) };
    const kept = this.#whyKept();
    if (kept !== undefined) return new VaultgraphError('STORE_CORRUPT', { ...details, kept });
    if (!this.#parts.serves) return new VaultgraphError('STORE_CORRUPT', details);
    const due = this.#dueAt();
    if (due <= Date.now())
      return new VaultgraphError('STORE_CORRUPT', { ...details, rebuild: 'now' }, { retry: 'D', retryAfterMs: 2_000 });
    return new VaultgraphError('STORE_CORRUPT', { ...details, rebuild: new Date(due).toISOString() });
  }

  /** A time in the future is of a clock that was wrong. */
  #dueAt(): number {
    const { at = '', reason = '' } = this.lastRebuilt() ?? {};
    const last = reason === 'damaged' ? Date.parse(at) : Number.NaN;
    return Number.isNaN(last) || last > Date.now() ? 0 : last + MIN_PAUSE_MS;
  }

  #replaceIfDue(identity: string): Promise<void> {
    this.#replacing ??= this.#replace(identity).finally(() => {
      this.#replacing = undefined;
    });
    return this.#replacing;
  }

  /** Only the process that leads, or any if none does: the others use the new file as soon as it is there. */
  async #replace(identity: string): Promise<void> {
    const { file, log } = this.#parts;
    if (await this.#isTakenBack(identity)) return;
    const holder = holderInFile(file);
    const isOthers = holder !== undefined && holder.pid !== process.pid;
    if (isOthers || !this.isReplaceable || this.#dueAt() > Date.now() || fileIdentity(file) !== identity) return;
    const error = await errorOf(this.#replaceNow('damaged'));
    if (error !== undefined) log('error', 'index_rebuild_failed', { code: error.code, error_id: error.errorId });
  }

  /** The engine also reports damage while the disk refuses to read. What calls fail on although a look finds nothing is replaced. */
  async #isTakenBack(identity: string): Promise<boolean> {
    const { file, serves, log, isSound } = this.#parts;
    const now = performance.now();
    if (!serves || this.#mark?.op === 'replaced' || now < this.#lookAgainAt) return false;
    this.#lookAgainAt = now + LOOK_PAUSE_MS;
    if (fileIdentity(file) !== identity || !(await isSound())) return false;
    this.#lookAgainAt = now + SOUND_PAUSE_MS;
    if (fileIdentity(file) !== identity) return false;
    this.#mark = undefined;
    unlessSystemError(() => forgetDamage(file));
    log('warn', 'index_readable', { path: displayPath(file) });
    return true;
  }

  async #replaceNow(reason: Rebuilt['reason']): Promise<void> {
    const { file, log, create } = this.#parts;
    // First, so that a process that is killed in between does not begin again and again.
    const rebuilt: Rebuilt = { at: new Date().toISOString(), kept: '', reason };
    replaceFileSync(rebuiltPath(file), JSON.stringify(rebuilt), 0o600);
    const place = setAside(file) ?? '';
    replaceFileSync(rebuiltPath(file), JSON.stringify({ ...rebuilt, kept: place }), 0o600);
    await create();
    log('warn', 'index_rebuilt', { path: place, reason });
  }

  /** Every process on the file learns from the mark what another has found. */
  readMark(): void {
    const path = markPath(this.#parts.file);
    const changedAt = unlessSystemError(() => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    // What is known of the file stays known while the system refuses to look.
    if (changedAt === undefined) return;
    if (changedAt === this.#readAt) return;
    this.#readAt = changedAt;
    this.#mark = changedAt === 0 ? undefined : readJson(path, MARK);
  }
}

const markPath = (file: string): string => `${file}.damaged`;
const rebuiltPath = (file: string): string => `${file}.rebuilt`;

/** Before an index is made: the mark is of a file that is gone, whose number the system may give to the new one. */
export function forgetDamage(file: string): void {
  rmSync(markPath(file), { force: true });
}

function readJson<T>(path: string, schema: z.ZodType<T>): T | undefined {
  return unlessSystemError(() => schema.safeParse(readOwnJson(path)).data);
}

function unlessSystemError<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (thrown) {
    if (errnoOf(thrown) === 'unknown') throw thrown;
    return undefined;
  }
}
