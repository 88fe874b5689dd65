// Keeps the store true to the vault with whoever else does: does the work where this process leads, has it done where it follows.
import { setTimeout as sleep } from 'node:timers/promises';
import { VaultgraphError } from '../base/errors.ts';
import { untilAborted } from '../base/until-aborted.ts';
import type { Indexer, IndexJob, IndexRequest, IndexState } from '../contracts/indexer.ts';
import type { KeptJob, SharedRequest } from '../contracts/lease.ts';
import { followedState, ownState } from './index-state.ts';
import { createIndexWork, type IndexWorkParts } from './jobs/index-work.ts';
import { createJobKeeper } from './jobs/job-keeper.ts';
import { createJobList } from './jobs/job-list.ts';
import type { JobRecord } from './jobs/job-record.ts';
import { createOtherJobs } from './jobs/other-jobs.ts';
import type { Pull, PulledFor } from './jobs/pull-slot.ts';
import { askedOfHolder, createRequestDesk } from './jobs/requests.ts';
import { resumable } from './jobs/resumable.ts';
import { createSharedJobs, isNeverBegun } from './jobs/shared-jobs.ts';
import { createStoreTally } from './jobs/store-tally.ts';
import { createLeadership, type LeadershipParts } from './leadership/leadership.ts';
import { errorOf } from './result.ts';
import { createVaultWatch, type WatchTimes } from './watch/watch-vault.ts';

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
/** How long a scan at the start may have the vault for itself. */
const SCAN_FIRST_MS = 1_000;

/** Does nothing but count until a job is started. */
export function createIndexer(parts: IndexerParts): OpenIndexer {
  const { store, log, client = () => 'vaultgraph' } = parts;
  const closing = new AbortController();
  const tally = createStoreTally(store);
  const keeper = createJobKeeper((jobs) => leadership.tell(jobs));
  const jobs = createJobList(keeper.follow);
  const others = createOtherJobs(store, tally.count);
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
      void leadership.tell(keeper.live());
      void errorOf(desk.look(NEVER));
      if (isServing) void errorOf(serve());
    },
    onLost(error) {
      void watch.stop();
      void work.interrupt(error);
    },
    onLook: async (isSign) => {
      if (leadership.leads()) {
        if (JSON.stringify(watch.state()) !== toldOfWatch) void leadership.tell([]);
        return isSign && desk.look(NEVER);
      }
      // Of a first index every step counts: whoever waits for it is told by this that it is there.
      if (isSign) await others.look(NEVER);
      else await (state().complete ? tally.countNowAndThen() : tally.count());
      if (isServing && !isBegun && leadership.follows()) void errorOf(beginAsFollower());
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
    ...{ vault: parts.vault, log, refresh: work.hinted, scan },
    ...(parts.watchTimes && { times: parts.watchTimes }),
  });
  const desk = createRequestDesk(store, performFor, (answers) => void leadership.tell([], answers));

  const shared = createSharedJobs({
    ...{ store, own: jobs, others, leadership, seeAll, closing: closing.signal },
    isFirst: (id) => id === first,
    onCancelled: work.dropCancelled,
  });

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
    await others.look(NEVER);
    const { scan, notes, embed } = resumable(others.kept());
    if (embed !== undefined) work.resumeEmbedding(embed.job);
    if (scan === undefined && work.state().running === undefined) work.start({ kind: 'catch_up' });
    void watchBehindScan();
    const isGoingOn = scan?.job.id === work.state().running?.id;
    await beginAgain(isGoingOn || scan === undefined ? notes : [scan, ...notes]);
  }

  async function beginAgain(kept: readonly KeptJob[]): Promise<void> {
    for (const { request, job } of kept) {
      await work.idle();
      if (!leadership.leads()) return;
      work.startAgain(request, job);
    }
  }

  /** What could not be done while the vault was away is done once a look at the whole of it succeeds. */
  async function scan(): Promise<IndexJob> {
    const wasAway = work.state().lastError?.code === 'VAULT_UNAVAILABLE';
    const job = await work.catchUp(closing.signal);
    if (wasAway && job.state === 'succeeded') void errorOf(resume());
    return job;
  }

  async function resume(): Promise<void> {
    await others.look(NEVER);
    const { scan: cutOff, notes } = resumable(others.kept());
    await beginAgain(cutOff === undefined ? notes : [cutOff, ...notes]);
  }

  /** The first scan and the opening of the watch both walk the vault: at once they would hold each other up. */
  async function watchBehindScan(): Promise<void> {
    await Promise.race([work.idle(), sleep(SCAN_FIRST_MS, undefined, { ref: false })]);
    if (leadership.leads() && !closing.signal.aborted) watch.start();
  }

  /** What was written here and cut off is told to whoever leads. */
  async function beginAsFollower(): Promise<void> {
    isBegun = true;
    const paths = await begin();
    if (paths.length > 0) await refresh(paths, closing.signal);
  }

  async function start(request: IndexRequest): Promise<IndexJob> {
    if (leadership.isAttending() && leadership.follows() && request.kind !== 'pull') throw conflict();
    const { id } = work.start(request);
    const job = jobs.find(id);
    if (leadership.leads() || leadership.isAttending()) await stored(job);
    return job.snapshot();
  }

  /** Resolves once every process can find the job. If another process leads, this one's job is about to end. */
  async function stored(job: JobRecord): Promise<void> {
    const error = await errorOf(leadership.lead());
    if (error === undefined) await keeper.write(job);
  }

  async function byWhoeverLeads(
    own: () => Promise<IndexJob>,
    request: SharedRequest,
    signal: AbortSignal,
  ): Promise<IndexJob> {
    closing.signal.throwIfAborted();
    const isOthers = leadership.isAttending() && leadership.follows();
    const error = isOthers ? conflict() : await errorOf(untilAborted(lead(), signal));
    signal.throwIfAborted();
    if (error === undefined) {
      const job = await own();
      if (job.error?.code !== 'INDEX_CONFLICT') return job;
    } else if (error.code !== 'INDEX_CONFLICT') throw error;
    // Should the one who leads end meanwhile, this process does it itself.
    leadership.attend();
    const job = await untilAborted(askedOfHolder(request, store, signal), closing.signal);
    await seeAll(signal);
    return job;
  }

  /** What another process wrote stands in the answers from here on; now it does so in `state` too. */
  async function seeAll(signal: AbortSignal): Promise<void> {
    await Promise.all([leadership.look(), others.look(signal)]);
  }

  const refresh: Indexer['refresh'] = (paths, signal) =>
    byWhoeverLeads(() => work.refresh(paths, signal), { kind: 'refresh', paths }, signal);

  function performFor(request: SharedRequest): Promise<IndexJob> {
    if (request.kind === 'refresh') return work.refresh(request.paths, closing.signal);
    return request.kind === 'catch_up' ? work.catchUp(closing.signal) : shared.cancel(request.jobId, closing.signal);
  }

  function state(): IndexState {
    const counts = tally.counts();
    if (leadership.follows())
      return followedState(leadership.seen() ?? {}, counts, { running: others.running(), embedJob: others.embedJob() });
    return ownState(leadership.leads() ? 'leader' : 'follower', counts, watch.state(), work.state());
  }

  return Object.freeze({
    ...{ state, start, refresh, cancel: shared.cancel, ended: shared.ended, jobs: shared.all },
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
