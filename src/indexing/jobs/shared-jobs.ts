// The jobs of this process and those that others do, as one list.
import { VaultgraphError } from '../../base/errors.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { IndexJob } from '../../contracts/indexer.ts';
import type { SharedStore } from '../../contracts/lease.ts';
import type { Leadership } from '../leadership/leadership.ts';
import type { JobList } from './job-list.ts';
import type { OtherJobs } from './other-jobs.ts';
import { askedOfHolder } from './requests.ts';

export interface SharedJobsParts {
  readonly store: SharedStore;
  readonly own: JobList;
  readonly others: OtherJobs;
  readonly leadership: Pick<Leadership, 'leads' | 'follows' | 'isAttending'>;
  /** The scan that a server begins with before it knows who leads. */
  readonly isFirst: (id: string) => boolean;
  /** Reads all that other processes wrote. */
  readonly seeAll: (signal: AbortSignal) => Promise<void>;
  readonly onCancelled: () => void;
  readonly closing: AbortSignal;
}

export interface SharedJobs {
  /** Newest first. */
  all(): readonly IndexJob[];
  /** @throws JOB_NOT_FOUND */
  cancel(id: string, signal: AbortSignal): Promise<IndexJob>;
  /** @throws JOB_NOT_FOUND */
  ended(id: string, signal: AbortSignal): Promise<IndexJob>;
}

export function createSharedJobs(parts: SharedJobsParts): SharedJobs {
  const { store, own, others, leadership, closing } = parts;

  async function cancel(id: string, signal: AbortSignal): Promise<IndexJob> {
    const mine = own.known(id);
    if (mine !== undefined && !mine.hasEnded()) {
      mine.cancel();
      parts.onCancelled();
      return mine.snapshot();
    }
    const job = await found(id, signal);
    if (job.endedAt !== undefined || leadership.leads()) return job;
    return untilAborted(askedOfHolder({ kind: 'cancel', jobId: id }, store, signal), closing);
  }

  /** As the store has it, or as it ended here. */
  async function found(id: string, signal: AbortSignal): Promise<IndexJob> {
    await others.look(signal);
    const job = all().find((one) => one.id === id);
    if (job === undefined) throw new VaultgraphError('JOB_NOT_FOUND', { id, recent: all().map((one) => one.id) });
    return job;
  }

  /** A job that another process goes on with is as that one tells. */
  function all(): readonly IndexJob[] {
    const mine = own.snapshots().filter((job) => !leadership.isAttending() || !isNeverBegun(job));
    // What this process leads it knows better than the store did when it was last asked.
    const kept = others.kept().flatMap(({ job }) => (leadership.leads() && job.endedAt === undefined ? [] : [job]));
    const follows = leadership.follows();
    const [truer, other] = follows ? [kept, mine] : [mine, kept];
    const rest = other.filter((job) => !truer.some(({ id }) => id === job.id));
    return follows ? [...rest, ...truer] : [...truer, ...rest];
  }

  async function ended(id: string, signal: AbortSignal): Promise<IndexJob> {
    const mine = own.known(id);
    if (mine === undefined || (mine.hasEnded() && leadership.follows())) return endedElsewhere(id, signal);
    const job = await untilAborted(mine.ended, signal);
    const other = parts.isFirst(id) && job.error?.code === 'INDEX_CONFLICT' ? others.running() : undefined;
    return other === undefined ? job : ended(other.id, signal);
  }

  /** One that is no longer kept, so many followed it, ended: what was last told of it is all there is. */
  async function endedElsewhere(id: string, signal: AbortSignal): Promise<IndexJob> {
    let job: IndexJob | undefined = await found(id, signal);
    for (let last = job; job?.endedAt === undefined; last = job) {
      await untilAborted(others.changed(), signal, closing);
      await others.look(signal);
      job = all().find((one) => one.id === id);
      if (job === undefined) return last;
    }
    await parts.seeAll(signal);
    return job;
  }

  return { all, cancel, ended };
}

/** It found another process leading before it did anything. */
export function isNeverBegun({ phase, error }: IndexJob): boolean {
  return phase === 'waiting' && error?.code === 'INDEX_CONFLICT';
}
