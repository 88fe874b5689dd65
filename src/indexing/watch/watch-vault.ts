// Follows the vault: what it hints at is looked at once it settles, one look at a time; where hints fail the whole is polled.
import { VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { IndexJob, WatchState } from '../../contracts/indexer.ts';
import type { Vault } from '../../contracts/vault.ts';
import { type Settled, settled } from '../result.ts';
import { createBackoff } from './backoff.ts';
import { type Batch, createChangeQueue } from './change-queue.ts';
import { createHintSource } from './hint-source.ts';

export interface WatchParts {
  readonly vault: Pick<Vault, 'watch'>;
  /**
   * Has these paths looked at, behind the job under way, and gives the job that did it. A hint is no order: it may not remove more
   * than the mass-delete guard lets it, and a path that is nowhere is no failure.
   */
  readonly refresh: (paths: readonly string[], signal: AbortSignal) => Promise<IndexJob>;
  /** A scan of the whole, begun no sooner than it is asked for. */
  readonly scan: () => Promise<IndexJob>;
  readonly log: Log;
  readonly times?: Partial<WatchTimes>;
}

/** In milliseconds. */
export interface WatchTimes {
  /** Without a hint for this long a change counts as complete; but none waits longer than `longestSettle`. */
  readonly settle: number;
  readonly longestSettle: number;
  /** From the begin of the first watch to the scan that finds what happened before it. */
  readonly catchGap: number;
  /** Between two scans while nobody hints, and beside hints. */
  readonly poll: number;
  readonly sweep: number;
  /** From hints to a scan: a watcher may lose one event while it hands over others. */
  readonly resweep: number;
  /** Or as many times as long as a scan, if that is longer: looking for what nobody hints at must be no load. `pollPauses` for `resweep`, too. */
  readonly pollPauses: number;
  readonly sweepPauses: number;
  /** What failed is tried again after this, then after twice as long, up to the longest: a look, and opening the watch. */
  readonly retry: number;
  readonly longestRetry: number;
  readonly rewatch: number;
  readonly longestRewatch: number;
}

const TIMES: WatchTimes = {
  ...{ settle: 50, longestSettle: 400, catchGap: 1_000, poll: 5_000, sweep: 300_000, resweep: 10_000 },
  ...{ pollPauses: 100, sweepPauses: 1_000 },
  ...{ retry: 1_000, longestRetry: 30_000, rewatch: 1_000, longestRewatch: 300_000 },
};
/** More paths are found cheaper by a scan, and so many at once may also be a sign that some were lost. */
const MAX_PATHS = 1_000;
const MAX_PAUSE_MS = 3_600_000;

export interface VaultWatch {
  /** Without effect while it runs. */
  start(): void;
  /** Never rejects; a job under way goes on without it. */
  stop(): Promise<void>;
  state(): WatchState;
}

const OFF: WatchState = Object.freeze({ mode: 'off', pending: 0 });

export function createVaultWatch(parts: WatchParts): VaultWatch {
  let run: Run | undefined;
  return Object.freeze({
    start() {
      run ??= follow(parts, { ...TIMES, ...parts.times });
    },
    async stop() {
      const ending = run;
      run = undefined;
      await ending?.end();
    },
    state: () => run?.state() ?? OFF,
  });
}

interface Run {
  state(): WatchState;
  end(): Promise<void>;
}

function follow({ vault, refresh, scan, log }: WatchParts, times: WatchTimes): Run {
  const stopping = new AbortController();
  const { signal } = stopping;
  const queue = createChangeQueue();
  const looks = createBackoff(times.retry, times.longestRetry);
  let scanAt = Number.NEGATIVE_INFINITY;
  let scanMs = Number.POSITIVE_INFINITY;
  let lastScanAt: string | undefined;
  let lastFault: string | undefined;
  let deafSince: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let turning: Promise<void> | undefined;

  const source = createHintSource({
    ...{ vault, log, rewatch: times.rewatch, longestRewatch: times.longestRewatch },
    onHints({ paths, folders }) {
      queue.add([...paths, ...folders], now());
      if (folders.length > 0) queue.addWhole(now());
      plan();
    },
    onDeaf() {
      deafSince ??= now();
    },
    onLost() {
      deafSince = undefined;
      queue.addWhole(now());
      plan();
    },
    onEnded() {
      deafSince = undefined;
      scanAt = Math.min(scanAt, now());
      looks.succeeded();
      plan();
    },
  });

  function plan(): void {
    clearTimeout(timer);
    if (turning !== undefined || signal.aborted) return;
    const dueAt = Math.max(looks.againAt(), Math.min(scanAt, settledAt()));
    timer = setTimeout(begin, Math.max(0, dueAt - now()));
    timer.unref();
  }

  function settledAt(): number {
    const waiting = queue.waitingSince();
    if (waiting === undefined) return Number.POSITIVE_INFINITY;
    return Math.min(waiting.first + times.longestSettle, waiting.last + times.settle);
  }

  function begin(): void {
    turning = turn().finally(() => {
      turning = undefined;
      plan();
    });
  }

  async function turn(): Promise<void> {
    if (settledAt() <= now()) return look(queue.take());
    if (scanAt > now()) return;
    if (!source.isOpen() && source.openAgainAt() <= now()) await source.open(signal);
    const isFirst = scanAt === Number.NEGATIVE_INFINITY;
    // Somebody else scans at the start; what happened between that and the watch is looked for a little later.
    if (isFirst) scanAt = now() + times.catchGap;
    else await look();
  }

  /** Hinted paths are read whatever they look like; a scan, also one in place of very many hints, reads what looks different. */
  async function look(batch?: Batch): Promise<void> {
    const isScan = batch === undefined || batch.whole || batch.paths.length > MAX_PATHS;
    const job = async (): Promise<IndexJob> => (isScan ? scan() : refresh(batch.paths, signal));
    const outcome = await settled(untilAborted(job(), signal));
    if (signal.aborted) return;
    const fault = faultOf(outcome);
    if (fault !== undefined) return failed(fault);
    queue.done();
    looks.succeeded();
    if (isScan && 'value' in outcome) scanned(outcome.value);
    else scanAt = Math.min(scanAt, now() + Math.max(times.resweep, scanMs * times.pollPauses));
    if (lastFault !== undefined) {
      // What was away is back: the watch may be, too.
      source.openSoon();
      if (!source.isOpen()) scanAt = now();
    }
    lastFault = undefined;
  }

  function scanned({ startedAt, endedAt = startedAt }: IndexJob): void {
    // The shortest one found little or nothing new.
    scanMs = Math.min(scanMs, Date.parse(endedAt) - Date.parse(startedAt));
    const pauseMs = source.isOpen()
      ? Math.max(times.sweep, scanMs * times.sweepPauses)
      : Math.max(times.poll, scanMs * times.pollPauses);
    lastScanAt = endedAt;
    scanAt = now() + Math.min(pauseMs, MAX_PAUSE_MS);
  }

  function failed(fault: string): void {
    queue.putBack();
    looks.failed(now());
    if (fault !== lastFault) log('warn', 'watch_look_failed', { code: fault });
    lastFault = fault;
  }

  function state(): WatchState {
    const reason = source.isOpen() ? undefined : source.reason();
    const oldest = queue.oldest() ?? deafSince;
    return {
      mode: source.isOpen() ? 'events' : reason === undefined ? 'off' : 'polling',
      ...(reason !== undefined && { reason }),
      // What cannot be heard of counts as one.
      pending: Math.max(queue.pending(), deafSince === undefined ? 0 : 1),
      ...(oldest !== undefined && { oldestAt: new Date(Date.now() - (now() - oldest)).toISOString() }),
      ...(lastScanAt !== undefined && { lastScanAt }),
    };
  }

  begin();
  return {
    state,
    async end() {
      stopping.abort(new VaultgraphError('SHUTTING_DOWN', {}));
      clearTimeout(timer);
      await Promise.all([source.close(), turning]);
    },
  };
}

const now = (): number => performance.now();

/** The code of what kept a look from being one. */
function faultOf(outcome: Settled<IndexJob>): string | undefined {
  if ('error' in outcome) return outcome.error.code;
  const { state, error } = outcome.value;
  return state === 'succeeded' ? undefined : (error?.code ?? state);
}
