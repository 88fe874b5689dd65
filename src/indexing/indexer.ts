// Keeps the store true to the vault with whoever else does: does the work where this process leads, has it done where it follows. Knows no disk, database or wire.
import { VaultgraphError } from '../base/errors.ts';
import { untilAborted } from '../compute/until-aborted.ts';
import type { Indexer, IndexJob, IndexRequest, IndexState } from '../contracts/indexer.ts';
import type { SharedRequest } from '../contracts/lease.ts';
import type { StoreProgress } from '../contracts/store.ts';
import { createIndexWork, type IndexWorkParts } from './index-work.ts';
import { createJobKeeper } from './job-keeper.ts';
import { createJobList } from './job-list.ts';
import { createLeadership, type LeadershipParts } from './leadership.ts';
import { createOtherJobs } from './other-jobs.ts';
import type { Pull, PulledFor } from './pull-slot.ts';
import { askedOfHolder, createRequestDesk } from './requests.ts';
import { resumable } from './resumable.ts';
import { errorOf } from './settled.ts';
import { createStoreTally } from './store-tally.ts';
import { createVaultWatch, type WatchTimes } from './watch-vault.ts';

export interface IndexerParts
  extends Omit<IndexWorkParts, 'jobs' | 'tally' | 'begin' | 'lead' | 'leads' | 'isQuiet'>,
    Pick<LeadershipParts, 'clock' | 'times' | 'onTakeover'> {
  /** What this process is, for others to read. */
  readonly client?: () => string;
  readonly watchTimes?: Partial<WatchTimes>;
  /**
   * What must be over before the vault is read for the first time; a failure of it ends no job. Gives the paths that were changed on
   * purpose and that the index may not know: what is gone from there is not missing.
   */
  readonly begin?: (signal: AbortSignal) => Promise<readonly string[]>;
}

export interface OpenIndexer extends Indexer {
  /** Reads what other processes do now, so that `state` and `jobs` tell of it. */
  look(): Promise<void>;
  /**
   * From now on leads whenever nobody else does, and follows the vault then, begun with a scan; else follows who leads. Without it a
   * job makes this process lead if nobody else does, and that is all.
   */
  attend(): void;
  /** Fetches the model of a provider as a job, each once at a time; behind that of the embedding provider it embeds. */
  startPull(pull: Pull, by: PulledFor): IndexJob;
  /** Ends every job so that it can be begun again, waits for that, and lets others lead. */
  close(): Promise<void>;
}

const NEVER = new AbortController().signal;

/** Does nothing but count until a job is started. */
export function createIndexer(parts: IndexerParts): OpenIndexer {
  const { store, log, client = () => 'vaultgraph' } = parts;
  const closing = new AbortController();
  const tally = createStoreTally(store);
  const keeper = createJobKeeper((jobs) => leadership.tell(jobs));
  const jobs = createJobList(keeper.follow);
  const others = createOtherJobs(store);
  let isServing = false;
  let isBegun = false;
  let beginning: Promise<readonly string[]> | undefined;
  /** The scan that a server begins with before it knows who leads. */
  let first: string | undefined;
  let toldOfWatch = '';

  const leadership = createLeadership({
    ...parts,
    client,
    firstJobs: keeper.live,
    report: () => {
      const { freshness, lastError } = work.state();
      const watching = watch.state();
      toldOfWatch = JSON.stringify(watching);
      return { freshness, watching, ...(lastError && { lastError }) };
    },
    onLead() {
      leadership.tell(keeper.live());
      void errorOf(desk.look(NEVER));
      if (isServing) void errorOf(serve());
    },
    onLost(error) {
      void watch.stop();
      void work.interrupt(error);
    },
    onLook: async (isSign) => {
      if (leadership.leads()) {
        if (JSON.stringify(watch.state()) !== toldOfWatch) leadership.tell([]);
        return isSign && desk.look(NEVER);
      }
      if (isSign) await others.look(NEVER);
      // Of a first index every step counts: whoever waits for it is told by this that it is there.
      await (state().complete ? tally.countNowAndThen() : tally.count());
      if (isServing && !isBegun && follows()) void errorOf(beginAsFollower());
      return false;
    },
  });

  const begin = (): Promise<readonly string[]> => {
    beginning ??= parts.begin?.(closing.signal) ?? Promise.resolve([]);
    return beginning;
  };
  const work = createIndexWork({
    ...parts,
    ...{ jobs, tally, begin, lead, leads: leadership.leads },
    // That another process leads is no failure of a server's start.
    isQuiet: isNeverBegun,
  });
  const watch = createVaultWatch({
    ...{ vault: parts.vault, log, refresh: work.hinted, scan: () => work.catchUp(closing.signal) },
    ...(parts.watchTimes && { times: parts.watchTimes }),
  });
  const desk = createRequestDesk(store, performFor, (answers) => leadership.tell([], answers));

  /** Whether another process is known to lead. */
  function follows(): boolean {
    const seen = leadership.seen();
    return !leadership.leads() && seen?.holder !== undefined && !seen.isMine && !seen.isDead;
  }

  async function lead(): Promise<void> {
    const error = await errorOf(leadership.lead());
    if (error === undefined) return;
    if (error.code === 'INDEX_CONFLICT') await others.look(NEVER);
    throw error.code === 'INDEX_CONFLICT' ? conflict() : error;
  }

  function conflict(): VaultgraphError {
    const { holder } = leadership.seen() ?? {};
    const running = others.running();
    const job = running && { job_id: running.id, running: running.kind };
    return new VaultgraphError('INDEX_CONFLICT', { ...(holder && { holder }), ...job });
  }

  /** What is asked for here goes on as the jobs that the one before could not end. */
  async function serve(): Promise<void> {
    watch.start();
    await others.look(NEVER);
    const { scan, notes, embed } = resumable(others.kept());
    if (embed !== undefined) work.resumeEmbedding(embed.job);
    if (scan === undefined && work.state().running === undefined) work.start({ kind: 'catch_up' });
    const isGoingOn = scan?.job.id === work.state().running?.id;
    for (const { request, job } of isGoingOn || scan === undefined ? notes : [scan, ...notes]) {
      await work.idle();
      if (!leadership.leads()) return;
      work.startAgain(request, job);
    }
  }

  /** What was written here and cut off is told to whoever leads. */
  async function beginAsFollower(): Promise<void> {
    isBegun = true;
    const paths = await begin();
    if (paths.length > 0) await refresh(paths, closing.signal);
  }

  function start(request: IndexRequest): IndexJob {
    if (leadership.isAttending() && follows() && request.kind !== 'pull') throw conflict();
    return work.start(request);
  }

  async function byWhoeverLeads(
    own: () => Promise<IndexJob>,
    request: SharedRequest,
    signal: AbortSignal,
  ): Promise<IndexJob> {
    closing.signal.throwIfAborted();
    const isOthers = leadership.isAttending() && follows();
    const error = isOthers ? conflict() : await errorOf(untilAborted(lead(), [signal]));
    signal.throwIfAborted();
    if (error === undefined) {
      const job = await own();
      if (job.error?.code !== 'INDEX_CONFLICT') return job;
    } else if (error.code !== 'INDEX_CONFLICT') throw error;
    // Should the one who leads end meanwhile, this process does it itself.
    leadership.attend();
    const job = await untilAborted(askedOfHolder(request, store, signal), [closing.signal]);
    await seeAll(signal);
    return job;
  }

  /** What another process wrote stands in the answers from here on; now it does so in `state` too. */
  async function seeAll(signal: AbortSignal): Promise<void> {
    await Promise.all([leadership.look(), others.look(signal), tally.count()]);
  }

  const refresh: Indexer['refresh'] = (paths, signal) =>
    byWhoeverLeads(() => work.refresh(paths, signal), { kind: 'refresh', paths }, signal);

  function performFor(request: SharedRequest): Promise<IndexJob> {
    if (request.kind === 'refresh') return work.refresh(request.paths, closing.signal);
    return request.kind === 'catch_up' ? work.catchUp(closing.signal) : cancel(request.jobId, closing.signal);
  }

  async function cancel(id: string, signal: AbortSignal): Promise<IndexJob> {
    const own = jobs.known(id);
    if (own !== undefined && !own.hasEnded()) {
      own.cancel();
      work.dropCancelled();
      return own.snapshot();
    }
    const job = await found(id, signal);
    if (job.endedAt !== undefined || leadership.leads()) return job;
    return untilAborted(askedOfHolder({ kind: 'cancel', jobId: id }, store, signal), [closing.signal]);
  }

  /** As the store has it, or as it ended here. @throws JOB_NOT_FOUND */
  async function found(id: string, signal: AbortSignal): Promise<IndexJob> {
    await others.look(signal);
    const job = all().find((one) => one.id === id);
    if (job === undefined) throw new VaultgraphError('JOB_NOT_FOUND', { id, recent: all().map((one) => one.id) });
    return job;
  }

  /** A job that another process goes on with is as that one tells. */
  function all(): readonly IndexJob[] {
    const own = jobs.snapshots().filter((job) => !leadership.isAttending() || !isNeverBegun(job));
    // What this process leads it knows better than the store did when it was last asked.
    const kept = others.kept().flatMap(({ job }) => (leadership.leads() && job.endedAt === undefined ? [] : [job]));
    const [truer, other] = follows() ? [kept, own] : [own, kept];
    const isNew = (job: IndexJob): boolean => !truer.some(({ id }) => id === job.id);
    const rest = other.filter(isNew);
    return follows() ? [...rest, ...truer] : [...truer, ...rest];
  }

  async function ended(id: string, signal: AbortSignal): Promise<IndexJob> {
    const own = jobs.known(id);
    if (own !== undefined && (!own.hasEnded() || !follows())) {
      const job = await untilAborted(own.ended, [signal]);
      const other = id === first && job.error?.code === 'INDEX_CONFLICT' ? others.running() : undefined;
      return other === undefined ? job : ended(other.id, signal);
    }
    for (;;) {
      const job = await found(id, signal);
      if (job.endedAt !== undefined) {
        await seeAll(signal);
        return job;
      }
      await untilAborted(others.changed(), [signal, closing.signal]);
    }
  }

  function state(): IndexState {
    const counts = countsOf(tally.counts());
    if (!follows())
      return { role: leadership.leads() ? 'leader' : 'follower', watching: watch.state(), ...counts, ...work.state() };
    const { holder, report } = leadership.seen() ?? {};
    const [running, embedJob] = [others.running(), others.embedJob()];
    return {
      ...{ role: 'follower' as const, ...(holder && { holder }) },
      ...{ watching: report?.watching ?? { mode: 'off', pending: 0 }, freshness: report?.freshness ?? 'unknown' },
      ...counts,
      ...(running && { running }),
      ...(embedJob && { embedJob }),
      ...(report?.lastError && { lastError: report.lastError }),
    };
  }

  return Object.freeze({
    ...{ state, start, refresh, cancel, ended, jobs: all },
    startPull: work.startPull,
    providerAnswered: work.providerAnswered,
    catchUp: (signal: AbortSignal) => byWhoeverLeads(() => work.catchUp(signal), { kind: 'catch_up' }, signal),
    look: async () => {
      await seeAll(NEVER);
    },
    attend() {
      isServing = true;
      const { scan } = resumable(others.kept());
      const job = scan === undefined ? work.start({ kind: 'catch_up' }) : work.startAgain(scan.request, scan.job);
      first = job.id;
      leadership.attend();
    },
    async close() {
      closing.abort(new VaultgraphError('SHUTTING_DOWN', {}));
      await Promise.all([watch.stop(), work.close()]);
      await leadership.close();
    },
  } satisfies OpenIndexer);
}

/** It found another process leading before it did anything. */
function isNeverBegun({ phase, error }: IndexJob): boolean {
  return phase === 'waiting' && error?.code === 'INDEX_CONFLICT';
}

function countsOf(counts: StoreProgress | undefined) {
  const { indexed = 0, pending = 0, quarantined = 0, scannedAt: asOf = null } = counts ?? {};
  return { complete: asOf !== null, asOf, total: indexed + pending, indexed, pending, quarantined };
}
