// Gathers requests that wait for the running job, and serves them with one job.
import { untilAborted } from '../../base/until-aborted.ts';
import type { Indexer, IndexJob } from '../../contracts/indexer.ts';

export interface RefreshParts {
  /** The end of the running job; undefined if none runs. */
  readonly running: () => Promise<unknown> | undefined;
  /** Starts a job over the paths while no other one runs; resolves with its end. */
  readonly start: (paths: readonly string[]) => Promise<IndexJob>;
}

/** Waits for the running job, then reads all paths that were asked for meanwhile with one job. */
export function createRefresh({ running, start }: RefreshParts): Indexer['refresh'] {
  let gathering: { readonly paths: Set<string>; readonly job: Promise<IndexJob> } | undefined;

  async function afterOthers(paths: ReadonlySet<string>): Promise<IndexJob> {
    // Not in the same step as the first request: those of this step come along.
    await undefined;
    for (let job = running(); job !== undefined; job = running()) await job;
    gathering = undefined;
    return start([...paths]);
  }

  return (requested, signal) => {
    if (gathering === undefined) {
      const paths = new Set<string>();
      gathering = { paths, job: afterOthers(paths) };
    }
    for (const path of requested) gathering.paths.add(path);
    return untilAborted(gathering.job, signal);
  };
}
