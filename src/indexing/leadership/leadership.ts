// Decides whether this process writes the index: takes the lease, renews it, and takes it over from a leader that stopped.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, NEVER, sleepUnlessAborted } from '../../base/async/waits.ts';
import { VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { errorOf } from '../../base/outcome.ts';
import type { HolderReport, HolderUpdate, KeptJob, Lease, SharedStore } from '../../contracts/lease.ts';
import { Backoff } from '../backoff.ts';

/** All in milliseconds. */
export interface LeaseTimes extends PollTimes {
  readonly heartbeat: number;
  /** How long a leader may send no heartbeat before its lease is taken over. */
  readonly takeover: number;
}

const TIMES: LeaseTimes = { poll: 400, fastPoll: 100, recheck: 1_000, heartbeat: 3_000, takeover: 15_000 };
/** A process that cannot write its heartbeats tries to lead less and less often. */
const MAX_RETRY_MS = 60_000;
const RELEASE_LIMIT_MS = 1_000;
/** Its waits keep no process alive. */
const SYSTEM_CLOCK: Clock = Object.freeze({
  now: () => performance.now(),
  sleep: (ms: number, signal: AbortSignal) => sleepUnlessAborted(ms, signal, false),
});

export interface LeadershipParts {
  readonly store: SharedStore;
  readonly log: Log;
  readonly clock?: Clock;
  readonly times?: Partial<LeaseTimes>;
  readonly client: () => string;
  /** What each heartbeat says beside the client. */
  readonly report: () => Omit<HolderReport, 'client'>;
  /** The jobs that are written together with a new lease. */
  readonly firstJobs: () => readonly KeptJob[];
  readonly onLead: () => void;
  /** All index work must end: its writes are refused from now on. */
  readonly onLost: (error: VaultgraphError) => void;
  /** The same as in `PollLoop`, with the lease already read. */
  readonly onPoll: (hasChanged: boolean) => Promise<boolean>;
  readonly onTakeover?: () => void;
}

/** `taking` while the store is asked for the lease; `following` also while no process is known to lead. */
type LeadershipState = 'following' | 'taking' | 'leading' | 'closed';

export class Leadership {
  readonly #parts: LeadershipParts;
  readonly #times: LeaseTimes;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  readonly #heartbeats: HeartbeatMonitor;
  readonly #retries: Backoff;
  readonly #updates: LeaseUpdates;
  readonly #polling: PollLoop;
  #lease: Lease | undefined;
  #state: LeadershipState = 'following';
  #isAttending = false;
  #taking: Promise<void> | undefined;

  constructor(parts: LeadershipParts) {
    const { store, log, clock = SYSTEM_CLOCK } = parts;
    const times = { ...TIMES, ...parts.times };
    this.#parts = parts;
    this.#times = times;
    this.#clock = clock;
    this.#heartbeats = new HeartbeatMonitor(clock, times.recheck * 2);
    this.#retries = new Backoff(times.heartbeat, MAX_RETRY_MS);
    this.#updates = new LeaseUpdates(
      (update) => store.publish({ report: { ...parts.report(), client: parts.client() }, ...update }, NEVER),
      (error) => (error === undefined ? this.#retries.succeeded() : this.#lose(error)),
    );
    this.#polling = new PollLoop({
      store,
      clock,
      times,
      log,
      signal: this.#closing.signal,
      isOn: () => this.isLeader || this.#isAttending,
      // What failed while the store was away says nothing about now.
      onBack: () => this.#retries.succeeded(),
      onPoll: (hasChanged) => this.#poll(hasChanged),
    });
  }

  get isLeader(): boolean {
    return this.#state === 'leading';
  }

  /** Whether another living process is known to lead. */
  get isFollower(): boolean {
    const lease = this.#lease;
    return !this.isLeader && lease?.holder !== undefined && !lease.isMine && !lease.isDead;
  }

  get isAttending(): boolean {
    return this.#isAttending;
  }

  /** The lease as it was last read. */
  get lease(): Lease | undefined {
    return this.#lease;
  }

  /** Takes the lease. @throws INDEX_CONFLICT if another process holds it; the store's errors */
  async lead(): Promise<void> {
    this.#closing.signal.throwIfAborted();
    if (this.isLeader) return;
    this.#taking ??= this.#takeOrWatch().finally(() => {
      this.#taking = undefined;
    });
    await this.#taking;
  }

  /** From now on takes the lease whenever no other process has it, until closed. */
  attend(): void {
    this.#isAttending = true;
    this.#polling.start();
  }

  /** Reads the lease now. */
  async refresh(): Promise<void> {
    const before = this.#lease;
    const lease = await this.#parts.store.lease(NEVER);
    // It may have been read before this process took the lease, or show it as a holder that does not know yet that it is.
    if (this.#lease !== before || this.#state === 'taking') return;
    this.#lease = lease;
    this.#heartbeats.observe(lease);
  }

  /**
   * Shares jobs and answers with other processes, beside a heartbeat. Resolves once they are written, or the write failed and cost
   * the lease; never rejects. Does nothing unless this process leads.
   */
  async update(jobs: readonly KeptJob[], answers: HolderUpdate['answers'] = []): Promise<void> {
    if (!this.isLeader) return;
    this.#updates.add({ jobs, answers });
    await this.#updates.flush();
  }

  /** Waits for the write in progress and frees the lease. */
  async close(): Promise<void> {
    this.#closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
    await errorOf(this.#taking ?? Promise.resolve());
    await this.#updates.idle();
    const { isLeader } = this;
    this.#state = 'closed';
    if (!isLeader) return;
    await errorOf(this.#parts.store.releaseLease(AbortSignal.timeout(RELEASE_LIMIT_MS)));
  }

  /** A process that does not attend cannot wait for ever, so it watches a silent leader for as long as a takeover takes. */
  async #takeOrWatch(): Promise<void> {
    for (;;) {
      const error = await errorOf(this.#take());
      if (error === undefined) return;
      if (this.#isAttending || error.code !== 'INDEX_CONFLICT' || !(await this.#isLeaderStalled())) throw error;
    }
  }

  async #take(): Promise<void> {
    const { store, client, firstJobs, log, onTakeover, onLead } = this.#parts;
    const before = this.#lease;
    const stalled = before !== undefined && this.#isSilent() ? { stalled: before } : {};
    this.#state = 'taking';
    const taking = store.takeLease({ client: client(), ...stalled, jobs: firstJobs() }, this.#closing.signal);
    const lease = await taking.finally(() => {
      this.#state = 'following';
    });
    this.#lease = lease;
    this.#heartbeats.observe(lease);
    if (!lease.isMine) throw conflictWith(lease);
    this.#state = 'leading';
    const previous = before?.isMine ? undefined : before?.holder;
    log(previous ? 'warn' : 'info', 'lease_taken', { token: lease.token, ...(previous && { pid: previous.pid }) });
    if (previous !== undefined) onTakeover?.();
    onLead();
    void this.#sendHeartbeats(lease.token);
    this.#polling.start();
  }

  /**
   * Whether the leader sends no heartbeat for as long as a takeover needs; its first heartbeat ends the wait. The age of the last
   * heartbeat, which depends on the system clocks, only decides whether waiting is worth while.
   */
  async #isLeaderStalled(): Promise<boolean> {
    const { heartbeat, recheck } = this.#times;
    if ((this.#lease?.holder?.heartbeat_age_ms ?? 0) < heartbeat * 2) return false;
    while (!this.#isSilent()) {
      const { token, heartbeats } = this.#lease ?? {};
      await sleep(recheck);
      this.#closing.signal.throwIfAborted();
      await this.refresh();
      if (this.#lease?.token !== token || this.#lease?.heartbeats !== heartbeats) return false;
    }
    return true;
  }

  #isSilent(): boolean {
    return this.#heartbeats.silentMs >= this.#times.takeover;
  }

  async #sendHeartbeats(token: number): Promise<void> {
    const { signal } = this.#closing;
    const isOn = (): boolean => this.isLeader && this.#lease?.token === token && !signal.aborted;
    while (isOn()) {
      await this.#clock.sleep(this.#times.heartbeat, signal);
      if (isOn()) await this.#updates.flush();
    }
  }

  #lose(error: VaultgraphError): void {
    if (!this.isLeader) return;
    this.#state = 'following';
    this.#updates.discard();
    if (!isReplaced(error)) this.#retries.failed(this.#clock.now());
    this.#parts.log('warn', 'lease_lost', { code: error.code, error_id: error.errorId });
    this.#parts.onLost(error);
  }

  async #poll(hasChanged: boolean): Promise<boolean> {
    await this.refresh();
    if (this.isLeader && this.#lease?.isMine === false) this.#lose(conflictWith(this.#lease));
    if (this.#isAttending && !this.isLeader) await this.#takeIfDue();
    return this.#parts.onPoll(hasChanged);
  }

  async #takeIfDue(): Promise<void> {
    const lease = this.#lease;
    const isFree = lease?.holder === undefined || lease.isDead || lease.isMine;
    const isDue = isFree ? this.#clock.now() >= this.#retries.retryAt : this.#isSilent();
    const error = isDue ? await errorOf(this.lead()) : undefined;
    if (error === undefined || error.code === 'INDEX_CONFLICT') return;
    this.#retries.failed(this.#clock.now());
    throw error;
  }
}

/** The lease went with a damaged index, and that of the new one is free. */
const isReplaced = ({ code, details }: VaultgraphError): boolean =>
  code === 'STORE_CORRUPT' || (code === 'INDEX_CONFLICT' && !('holder' in details));

function conflictWith({ holder }: Lease): VaultgraphError {
  return new VaultgraphError('INDEX_CONFLICT', holder === undefined ? {} : { holder });
}

type Heartbeat = Pick<Lease, 'token' | 'heartbeats'>;

class HeartbeatMonitor {
  readonly #clock: Clock;
  readonly #maxGapMs: number;
  #last: Heartbeat | undefined;
  #observedAt = 0;
  #silentMs = 0;

  /** @param maxGapMs the most that counts between two observations: a process that slept missed what others did meanwhile */
  constructor(clock: Clock, maxGapMs: number) {
    this.#clock = clock;
    this.#maxGapMs = maxGapMs;
  }

  get silentMs(): number {
    return this.#silentMs;
  }

  observe({ token, heartbeats }: Heartbeat): void {
    const now = this.#clock.now();
    const isSame = this.#last?.token === token && this.#last.heartbeats === heartbeats;
    this.#silentMs = isSame ? this.#silentMs + Math.min(now - this.#observedAt, this.#maxGapMs) : 0;
    this.#last = { token, heartbeats };
    this.#observedAt = now;
  }
}

type LeaseUpdate = Pick<HolderUpdate, 'jobs' | 'answers'>;

class LeaseUpdates {
  readonly #write: (update: LeaseUpdate) => Promise<void>;
  readonly #onWritten: (error: VaultgraphError | undefined) => void;
  #jobs = new Map<string, KeptJob>();
  #answers: HolderUpdate['answers'] = [];
  #writing: Promise<void> | undefined;

  constructor(write: (update: LeaseUpdate) => Promise<void>, onWritten: (error: VaultgraphError | undefined) => void) {
    this.#write = write;
    this.#onWritten = onWritten;
  }

  /** Only the latest state of a job is written. */
  add({ jobs, answers }: LeaseUpdate): void {
    for (const entry of jobs) this.#jobs.set(entry.job.id, entry);
    this.#answers = [...this.#answers, ...answers];
  }

  discard(): void {
    this.#jobs = new Map();
    this.#answers = [];
  }

  /** Writes at least a heartbeat. Resolves once all that was added is written or discarded; never rejects. */
  flush(): Promise<void> {
    this.#writing ??= this.#writeAll();
    return this.#writing;
  }

  /** Resolves once no write is in progress. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    do {
      const update = { jobs: [...this.#jobs.values()], answers: this.#answers };
      this.discard();
      this.#onWritten(await errorOf(this.#write(update)));
    } while (this.#jobs.size + this.#answers.length > 0);
    // Directly after the condition, so that nothing is added to a call that no longer writes.
    this.#writing = undefined;
  }
}

/** All in milliseconds. */
interface PollTimes {
  /** Between two polls: usually, and for a while after another process asked for something. */
  readonly poll: number;
  readonly fastPoll: number;
  /** The longest time without a full check, even if no process wrote anything. */
  readonly recheck: number;
}

interface PollLoopParts {
  readonly store: Pick<SharedStore, 'mark'>;
  readonly clock: Clock;
  readonly times: PollTimes;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** The loop ends when this is false. */
  readonly isOn: () => boolean;
  /** The store can be read again. */
  readonly onBack: () => void;
  /** @param hasChanged whether any process wrote since the last poll. @returns whether other processes have open requests */
  readonly onPoll: (hasChanged: boolean) => Promise<boolean>;
}

/** A client that asked once usually asks again soon; an idle process should cost almost nothing. */
const FAST_FOR_MS = 10_000;

class PollLoop {
  readonly #parts: PollLoopParts;
  #isRunning = false;
  #mark: number | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #fastUntil = Number.NEGATIVE_INFINITY;
  #lastErrorCode: string | undefined;
  #isAway = false;

  constructor(parts: PollLoopParts) {
    this.#parts = parts;
  }

  /** Has no effect while the loop runs. */
  start(): void {
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    const { isOn, signal, clock, times } = this.#parts;
    this.#isRunning = true;
    while (isOn() && !signal.aborted) {
      this.#report(await errorOf(this.#poll()));
      await clock.sleep(clock.now() < this.#fastUntil ? times.fastPoll : times.poll, signal);
    }
    this.#isRunning = false;
  }

  async #poll(): Promise<void> {
    const { clock, times, onPoll } = this.#parts;
    const mark = await this.#readMark();
    const hasChanged = mark !== this.#mark;
    if (!hasChanged && clock.now() - this.#checkedAt < times.recheck) return;
    this.#checkedAt = clock.now();
    if (await onPoll(hasChanged)) this.#fastUntil = clock.now() + FAST_FOR_MS;
    // Last, so that a change whose check failed is checked again.
    this.#mark = mark;
  }

  async #readMark(): Promise<number> {
    const wasAway = this.#isAway;
    this.#isAway = true;
    const mark = await this.#parts.store.mark(NEVER);
    this.#isAway = false;
    if (wasAway) this.#parts.onBack();
    return mark;
  }

  /** Repeated errors are logged once. */
  #report(error: Awaited<ReturnType<typeof errorOf>>): void {
    const { log, signal } = this.#parts;
    if (error !== undefined && error.code !== this.#lastErrorCode && !signal.aborted)
      log('warn', 'lease_look_failed', { code: error.code, error_id: error.errorId });
    this.#lastErrorCode = error?.code;
  }
}
