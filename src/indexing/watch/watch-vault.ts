// Follows the vault: indexes what events point at once it is quiet, one job at a time, and scans the whole where events are missing.

import { untilAborted } from '../../base/async/waits.ts';
import { VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { foldersAbove } from '../../base/note.ts';
import { type Outcome, outcomeOf } from '../../base/outcome.ts';
import type { IndexJob, WatchState } from '../../contracts/indexer.ts';
import type { Vault } from '../../contracts/vault.ts';
import { Backoff } from '../backoff.ts';
import { EventSource } from './event-source.ts';
import { ScanSchedule, type ScanTimes } from './scan-schedule.ts';

export interface WatchParts {
  readonly vault: Pick<Vault, 'watch'>;
  /**
   * Indexes these paths after the running job; resolves with the job that did it. An event is only a hint: the mass-delete guard
   * applies, and a missing path is not a failure.
   */
  readonly refresh: (paths: readonly string[], signal: AbortSignal) => Promise<IndexJob>;
  /** Scans the whole vault, starting no sooner than it is called. */
  readonly scan: () => Promise<IndexJob>;
  readonly log: Log;
  readonly times?: Partial<WatchTimes>;
}

/** In milliseconds. */
export interface WatchTimes extends ScanTimes {
  /** A change counts as complete after this long without an event; none waits longer than `maxSettle`. */
  readonly settle: number;
  readonly maxSettle: number;
  /** The events of a change of this server arrive within this time. */
  readonly expected: number;
  /** What failed is retried after this, then after twice as long, up to the maximum: a job, and opening the watcher. */
  readonly retry: number;
  readonly maxRetry: number;
  readonly reopen: number;
  readonly maxReopen: number;
}

const TIMES: WatchTimes = {
  settle: 50,
  maxSettle: 400,
  expected: 2_000,
  firstScan: 1_000,
  poll: 5_000,
  sweep: 300_000,
  rescan: 10_000,
  pollFactor: 100,
  sweepFactor: 1_000,
  retry: 1_000,
  maxRetry: 30_000,
  reopen: 1_000,
  maxReopen: 300_000,
};
/** A scan finds more paths at less cost, and so many events at once may also mean that some were lost. */
const MAX_PATHS = 1_000;
const OFF: WatchState = Object.freeze({ mode: 'off', pending: 0 });

export class VaultWatch {
  readonly #parts: WatchParts;
  #run: WatchRun | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  get state(): WatchState {
    return this.#run?.state ?? OFF;
  }

  /** Has no effect while it runs. */
  start(): void {
    this.#run ??= new WatchRun(this.#parts, { ...TIMES, ...this.#parts.times });
  }

  /** Scans the whole vault as soon as nothing else runs, after the pause of a retry. */
  scanSoon(): void {
    this.#run?.scanSoon();
  }

  /** These paths are as this server has just written them, and indexed: their next events are no changes that the index lacks. */
  indexed(paths: readonly string[]): void {
    this.#run?.indexed(paths);
  }

  /** Never rejects; a running job continues. */
  async stop(): Promise<void> {
    const run = this.#run;
    this.#run = undefined;
    await run?.stop();
  }
}

/** One run of the watch, from `start` to `stop`. */
class WatchRun {
  readonly #parts: WatchParts;
  readonly #times: WatchTimes;
  readonly #stopping = new AbortController();
  readonly #changes = new ChangeQueue();
  readonly #retries: Backoff;
  readonly #scans: ScanSchedule;
  readonly #events: EventSource;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  #stalled: Stall | undefined;
  #lastFault: string | undefined;

  constructor(parts: WatchParts, times: WatchTimes) {
    const { vault, log } = parts;
    this.#parts = parts;
    this.#times = times;
    this.#retries = new Backoff(times.retry, times.maxRetry);
    this.#scans = new ScanSchedule(times);
    this.#events = new EventSource({
      vault,
      log,
      reopenMs: times.reopen,
      maxReopenMs: times.maxReopen,
      onChanges: ({ paths, folders, stamps }) => {
        this.#changes.add(paths, now(), stamps);
        this.#changes.addFolders(folders, now());
        this.#schedule();
      },
      onStalled: (folders) => {
        this.#stalled = { since: this.#stalled?.since ?? now(), folders };
      },
      onEventsLost: (folders) => {
        this.#stalled = undefined;
        if (folders === undefined) this.#changes.addWhole(now());
        else this.#changes.addFolders(folders, now());
        this.#schedule();
      },
      onEnded: () => {
        this.#stalled = undefined;
        this.#scans.scanNow(now());
        this.#retries.succeeded();
        this.#schedule();
      },
    });
    this.#startWork();
  }

  get state(): WatchState {
    const { isOpen } = this.#events;
    const reason = isOpen ? undefined : this.#events.reason;
    const oldest = this.#changes.oldest ?? this.#stalled?.since;
    const isMissing = this.#stalled !== undefined && !this.#changes.areExpected(this.#stalled.folders);
    const { lastScanAt } = this.#scans;
    return {
      mode: isOpen ? 'events' : reason === undefined ? 'off' : 'polling',
      ...(reason !== undefined && { reason }),
      // Events that may be missing count as one.
      pending: Math.max(this.#changes.pending, isMissing ? 1 : 0),
      ...(oldest !== undefined && { oldestAt: new Date(Date.now() - (now() - oldest)).toISOString() }),
      ...(lastScanAt !== undefined && { lastScanAt }),
    };
  }

  scanSoon(): void {
    this.#scans.scanNow(now());
    this.#schedule();
  }

  indexed(paths: readonly string[]): void {
    this.#changes.expect(paths, now() + this.#times.expected);
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    clearTimeout(this.#timer);
    await Promise.all([this.#events.close(), this.#working]);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#working !== undefined || this.#stopping.signal.aborted) return;
    const dueAt = Math.max(this.#retries.retryAt, Math.min(this.#scans.nextAt, this.#settledAt()));
    this.#timer = setTimeout(() => this.#startWork(), Math.max(0, dueAt - now())).unref();
  }

  /** When the waiting changes count as complete. */
  #settledAt(): number {
    const waiting = this.#changes.waitingSince;
    if (waiting === undefined) return Number.POSITIVE_INFINITY;
    return Math.min(waiting.first + this.#times.maxSettle, waiting.last + this.#times.settle);
  }

  #startWork(): void {
    this.#working = this.#work().finally(() => {
      this.#working = undefined;
      this.#schedule();
    });
  }

  async #work(): Promise<void> {
    if (this.#settledAt() <= now()) return this.#index(this.#changes.take());
    if (this.#scans.nextAt > now()) return;
    if (this.#events.isReopenDue) await this.#events.open(this.#stopping.signal);
    // A server scans at startup by itself; what happened between that and the watcher is found a little later.
    if (this.#scans.isNew) this.#scans.started(now());
    else await this.#index();
  }

  /** Paths of events are read whatever their time stamp; a scan, also one in place of many events, reads what looks changed. */
  async #index(batch?: Batch): Promise<void> {
    const { refresh, scan } = this.#parts;
    const { signal } = this.#stopping;
    const isScan = batch === undefined || batch.whole || batch.paths.length > MAX_PATHS;
    const job = async (): Promise<IndexJob> => (isScan ? scan() : refresh(batch.paths, signal));
    const began = now();
    const outcome = await outcomeOf(untilAborted(job(), signal));
    if (signal.aborted) return;
    const fault = faultOf(outcome);
    if (fault !== undefined) return this.#failed(fault);
    this.#changes.done(now());
    this.#retries.succeeded();
    if (isScan && 'value' in outcome) this.#scans.scanned(outcome.value, began, this.#events.isOpen, now());
    else this.#scans.changesIndexed(now());
    if (this.#lastFault !== undefined) {
      // The vault is back, so the watcher may be, too.
      this.#events.reopenSoon();
      if (!this.#events.isOpen) this.#scans.scanNow(now());
    }
    this.#lastFault = undefined;
  }

  #failed(fault: string): void {
    this.#changes.putBack();
    this.#retries.failed(now());
    if (fault !== this.#lastFault) this.#parts.log('warn', 'watch_look_failed', { code: fault });
    this.#lastFault = fault;
  }
}

const now = (): number => performance.now();

/** Why the job did not do its work. */
function faultOf(outcome: Outcome<IndexJob>): string | undefined {
  if ('error' in outcome) return outcome.error.code;
  const { state, error } = outcome.value;
  return state === 'succeeded' ? undefined : (error?.code ?? state);
}

/** While events may be missing: below the folders, or anywhere. */
interface Stall {
  readonly since: number;
  readonly folders: readonly string[] | undefined;
}

interface Batch {
  readonly paths: readonly string[];
  /** Whether the whole vault has to be scanned, because not all changed paths are known. */
  readonly whole: boolean;
}

/** Times are milliseconds of a clock that never goes back: when the first and the last of the changes came. */
interface Changes {
  readonly paths: Set<string>;
  readonly whole: boolean;
  /** Whether not even their folders are known. */
  readonly isUnknown: boolean;
  readonly first: number;
  readonly last: number;
}

interface Expected {
  readonly until: number;
  /** The stamp of the first event that came. */
  stamp?: string;
}

const NONE: ReadonlySet<string> = new Set();
const NO_STAMPS: ReadonlyMap<string, string> = new Map();

/** Without making a set: every answer asks for it, and both may hold the paths of a whole vault. */
function unionSize(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const [smaller, larger] = one.size < other.size ? [one, other] : [other, one];
  let size = larger.size;
  for (const path of smaller) if (!larger.has(path)) size += 1;
  return size;
}

export class ChangeQueue {
  #waiting: Changes | undefined;
  #taken: Changes | undefined;
  readonly #expected = new Map<string, Expected>();

  /** The times of what waits; undefined while nothing does. */
  get waitingSince(): Pick<Changes, 'first' | 'last'> | undefined {
    return this.#waiting;
  }

  /** Number of paths that are not indexed yet; 1 if even their number is unknown. */
  get pending(): number {
    const [taken, waiting] = [this.#taken, this.#waiting];
    const isUnknown = taken?.isUnknown === true || waiting?.isUnknown === true;
    const [one, other] = [taken?.paths ?? NONE, waiting?.paths ?? NONE];
    let count = unionSize(one, other);
    for (const path of this.#expected.keys()) if (one.has(path) || other.has(path)) count -= 1;
    return Math.max(count, isUnknown ? 1 : 0);
  }

  /**
   * The next events of these paths and of the folders above them, until a time, are looked at as any others but do not count as pending.
   * One write can bring several events of a path, so those with the same stamp do not count either.
   */
  expect(paths: readonly string[], until: number): void {
    for (const path of paths) for (const one of [path, ...foldersAbove(path)]) this.#expected.set(one, { until });
  }

  /** Whether events of all these paths are expected; not if they are unknown. */
  areExpected(paths: readonly string[] | undefined): boolean {
    return paths?.every((path) => this.#expected.has(path)) === true;
  }

  /** When the oldest pending change came. */
  get oldest(): number | undefined {
    return (this.#taken ?? this.#waiting)?.first;
  }

  add(paths: readonly string[], at: number, stamps: ReadonlyMap<string, string> = NO_STAMPS): void {
    if (paths.length === 0) return;
    this.#add(paths, {}, at);
    for (const path of paths) this.#meet(path, stamps.get(path));
  }

  /** The whole vault has to be scanned, because anything below these folders may have changed. */
  addFolders(folders: readonly string[], at: number): void {
    if (folders.length > 0) this.#add(folders, { whole: true }, at);
  }

  /** The whole vault has to be scanned. */
  addWhole(at: number): void {
    this.#add([], { whole: true, isUnknown: true }, at);
  }

  /** All that waits; it stays pending until `done` or `putBack`. */
  take(): Batch {
    this.#taken = this.#waiting;
    this.#waiting = undefined;
    return { paths: [...(this.#taken?.paths ?? [])], whole: this.#taken?.whole ?? true };
  }

  /** @param at the time now */
  done(at: number): void {
    this.#forgetLate(at);
    this.#taken = undefined;
  }

  /** The taken batch could not be indexed; how far it came is unknown, so the whole vault has to be scanned. */
  putBack(): void {
    if (this.#taken === undefined) return;
    const { paths, first } = this.#taken;
    const { last = first } = this.#waiting ?? {};
    const all = new Set([...(this.#waiting?.paths ?? []), ...paths]);
    this.#waiting = { paths: all, whole: true, isUnknown: true, first, last };
    this.#taken = undefined;
  }

  #forgetLate(at: number): void {
    for (const [path, { until }] of this.#expected) if (until <= at) this.#expected.delete(path);
  }

  /** An event with another stamp than the first one is of a change by another program. */
  #meet(path: string, stamp: string | undefined): void {
    const expected = this.#expected.get(path);
    if (expected === undefined || stamp === undefined) return;
    expected.stamp ??= stamp;
    if (expected.stamp !== stamp) this.#expected.delete(path);
  }

  #add(paths: Iterable<string>, { whole = false, isUnknown = false }: Partial<Changes>, at: number): void {
    this.#forgetLate(at);
    // The set grows in place, because a burst comes as many small events.
    const was = this.#waiting ?? { paths: new Set<string>(), whole: false, isUnknown: false, first: at };
    for (const path of paths) was.paths.add(path);
    this.#waiting = { ...was, whole: whole || was.whole, isUnknown: isUnknown || was.isUnknown, last: at };
  }
}
