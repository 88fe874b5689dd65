// Has paths read that somebody has just written, behind whatever job is under way.
import { untilAborted } from '../../base/until-aborted.ts';
import type { Indexer, IndexJob } from '../../contracts/indexer.ts';

export interface RefreshParts {
  /** The end of the job under way; undefined where there is none. */
  readonly running: () => Promise<unknown> | undefined;
  /** Begins a job over the paths while no other one runs, and gives its end. */
  readonly start: (paths: readonly string[]) => Promise<IndexJob>;
}

interface Gathering {
  readonly paths: Set<string>;
  readonly job: Promise<IndexJob>;
}

/** Paths that come while one job is waited for are read by one job together. */
export function createRefresh({ running, start }: RefreshParts): Indexer['refresh'] {
  let gathering: Gathering | undefined;

  async function behindOthers(paths: ReadonlySet<string>): Promise<IndexJob> {
    for (let job = running(); job !== undefined; job = running()) await job;
    gathering = undefined;
    return start([...paths]);
  }

  function gather(): Gathering {
    const paths = new Set<string>();
    return { paths, job: Promise.resolve().then(() => behindOthers(paths)) };
  }

  return (asked, signal) => {
    gathering ??= gather();
    for (const path of asked) gathering.paths.add(path);
    return untilAborted(gathering.job, signal);
  };
}
