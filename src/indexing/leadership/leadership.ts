// Decides whether this process writes the index: takes the lease, shows that it lives, and sees when another one does not.
import type { Clock } from '../../base/clock.ts';
import { VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { HolderReport, KeptJob, Lease, SharedStore, Told } from '../../contracts/lease.ts';
import { errorOf } from '../result.ts';
import { SYSTEM_CLOCK } from './clock.ts';
import { createStillness } from './heartbeat-monitor.ts';
import { createLookLoop, type LookTimes } from './poll-loop.ts';

/** All in milliseconds. */
export interface LeaseTimes extends LookTimes {
  readonly heartbeat: number;
  /** How long a holder may show no sign of life before its lease is taken over. */
  readonly takeover: number;
}

const TIMES: LeaseTimes = { look: 400, quickLook: 100, relook: 1_000, heartbeat: 3_000, takeover: 15_000 };
/** Whoever lost the lease to a store that cannot be written tries less and less often. */
const MAX_PAUSE_MS = 60_000;
const LAST_WORD_MS = 1_000;
const NEVER = new AbortController().signal;

export interface LeadershipParts {
  readonly store: SharedStore;
  readonly log: Log;
  readonly clock?: Clock;
  readonly times?: Partial<LeaseTimes>;
  readonly client: () => string;
  readonly report: () => Omit<HolderReport, 'client'>;
  /** The jobs that a lease taken now begins with. */
  readonly firstJobs: () => readonly KeptJob[];
  readonly onLead: () => void;
  /** Whatever goes on must end: none of it can be written any more. */
  readonly onLost: (error: VaultgraphError) => void;
  /** @param isSign whether anybody wrote anything since. @returns whether others ask for something */
  readonly onLook: (isSign: boolean) => Promise<boolean>;
  readonly onTakeover?: () => void;
}

export interface Leadership {
  leads(): boolean;
  /** Whether it is known that this process leads, or that another one does. */
  isDecided(): boolean;
  /** Whether another process is known to lead. */
  follows(): boolean;
  isAttending(): boolean;
  /** As of the last look. */
  seen(): Lease | undefined;
  /** @throws INDEX_CONFLICT where another process holds the lease; the store's errors */
  lead(): Promise<void>;
  /** Takes the lease as soon as nobody else has it, again and again, until closed. */
  attend(): void;
  /** Looks at the lease now. */
  look(): Promise<void>;
  /** Resolves once it is written, or the attempt failed and cost the lease. Without effect where this process does not lead. */
  tell(jobs: readonly KeptJob[], answers?: Told['answers']): Promise<void>;
  /** Says the last that is to be told and frees the lease. */
  close(): Promise<void>;
}

export function createLeadership(parts: LeadershipParts): Leadership {
  const { store, log, clock = SYSTEM_CLOCK } = parts;
  const times = { ...TIMES, ...parts.times };
  const closing = new AbortController();
  const stillness = createStillness(clock, times.relook * 2);
  let seen: Lease | undefined;
  let leads = false;
  let isDecided = false;
  let isAttending = false;
  let pauseMs = times.heartbeat;
  let takeAgainAt = Number.NEGATIVE_INFINITY;
  let taking: Promise<void> | undefined;
  let telling: Promise<void> | undefined;
  let jobs = new Map<string, KeptJob>();
  let answers: Told['answers'] = [];

  const keepLooking = createLookLoop({
    ...{ store, clock, times, log, onLook, signal: closing.signal },
    isOn: () => leads || isAttending,
  });

  async function look(): Promise<void> {
    seen = await store.lease(NEVER);
    stillness.saw(seen);
  }

  async function take(): Promise<void> {
    const before = seen;
    const still = before !== undefined && stillness.lastedMs() >= times.takeover ? { still: before } : {};
    seen = await store.takeLease({ client: parts.client(), ...still, jobs: parts.firstJobs() }, closing.signal);
    stillness.saw(seen);
    isDecided = true;
    if (!seen.isMine) throw conflictWith(seen);
    leads = true;
    const isTakeover = before?.holder !== undefined && !before.isMine;
    log(isTakeover ? 'warn' : 'info', 'lease_taken', {
      token: seen.token,
      ...(isTakeover && { pid: before.holder?.pid }),
    });
    if (isTakeover) parts.onTakeover?.();
    parts.onLead();
    void beat(seen.token);
    keepLooking();
  }

  async function lead(): Promise<void> {
    closing.signal.throwIfAborted();
    if (leads) return;
    taking ??= takeOrWatch().finally(() => {
      taking = undefined;
    });
    await taking;
  }

  /** Who does not attend cannot wait for ever: a holder that shows no life is watched for as long as it takes to know. */
  async function takeOrWatch(): Promise<void> {
    for (;;) {
      const error = await errorOf(take());
      if (error === undefined) return;
      if (isAttending || error.code !== 'INDEX_CONFLICT' || !(await standsStill())) throw error;
    }
  }

  /** A sign of life each few seconds ends the watching at once; the time of day only decides whether it is worth while. */
  async function standsStill(): Promise<boolean> {
    if ((seen?.holder?.heartbeat_age_ms ?? 0) < times.heartbeat * 2) return false;
    while (stillness.lastedMs() < times.takeover) {
      const { token, beats } = seen ?? {};
      await new Promise((resolve) => setTimeout(resolve, times.relook));
      closing.signal.throwIfAborted();
      await look();
      if (seen?.token !== token || seen?.beats !== beats) return false;
    }
    return true;
  }

  async function beat(token: number): Promise<void> {
    const isOn = (): boolean => leads && seen?.token === token && !closing.signal.aborted;
    while (isOn()) {
      await clock.sleep(times.heartbeat, closing.signal);
      if (isOn()) await flush();
    }
  }

  /** What comes meanwhile is written by the same call. */
  function flush(): Promise<void> {
    telling ??= tellAll();
    return telling;
  }

  async function tellAll(): Promise<void> {
    do {
      const told = { report: { ...parts.report(), client: parts.client() }, jobs: [...jobs.values()], answers };
      jobs = new Map();
      answers = [];
      const error = await errorOf(store.tell(told, NEVER));
      if (error !== undefined) lose(error);
      else pauseMs = times.heartbeat;
    } while (leads && jobs.size + answers.length > 0);
    // In the same step as the condition, so that nothing is added to a call that writes no more.
    telling = undefined;
  }

  function lose(error: VaultgraphError): void {
    if (!leads) return;
    leads = false;
    jobs = new Map();
    answers = [];
    takeAgainAt = clock.now() + pauseMs;
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    log('warn', 'lease_lost', { code: error.code, error_id: error.errorId });
    parts.onLost(error);
  }

  async function onLook(isSign: boolean): Promise<boolean> {
    await look();
    if (leads && seen?.isMine === false) lose(conflictWith(seen));
    if (isAttending && !leads) await takeIfDue();
    return parts.onLook(isSign);
  }

  async function takeIfDue(): Promise<void> {
    const isFree = seen?.holder === undefined || seen.isDead || seen.isMine;
    const isDue = isFree ? clock.now() >= takeAgainAt : stillness.lastedMs() >= times.takeover;
    if (!isDue) {
      isDecided ||= !isFree;
      return;
    }
    const error = await errorOf(lead());
    if (error === undefined || error.code === 'INDEX_CONFLICT') return;
    takeAgainAt = clock.now() + pauseMs;
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    throw error;
  }

  async function release(): Promise<void> {
    leads = false;
    await errorOf(store.releaseLease(AbortSignal.timeout(LAST_WORD_MS)));
  }

  return Object.freeze({
    leads: () => leads,
    isDecided: () => isDecided,
    follows: () => !leads && seen?.holder !== undefined && !seen.isMine && !seen.isDead,
    isAttending: () => isAttending,
    seen: () => seen,
    look,
    lead,
    attend() {
      isAttending = true;
      keepLooking();
    },
    async tell(more, moreAnswers = []) {
      if (!leads) return;
      for (const kept of more) jobs.set(kept.job.id, kept);
      answers = [...answers, ...moreAnswers];
      await flush();
    },
    async close() {
      closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
      await errorOf(taking ?? Promise.resolve());
      await telling;
      if (leads) await release();
    },
  } satisfies Leadership);
}

function conflictWith({ holder }: Lease): VaultgraphError {
  return new VaultgraphError('INDEX_CONFLICT', holder === undefined ? {} : { holder });
}
