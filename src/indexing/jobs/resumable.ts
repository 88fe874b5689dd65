// Which of the jobs that are kept were cut off before they were done, and wait for somebody to begin them again. Pure.
import type { KeptJob } from '../../contracts/lease.ts';

export interface Resumable {
  /** A scan of the whole vault. */
  readonly scan?: KeptJob;
  /** Readings of single notes, the oldest first. */
  readonly notes: readonly KeptJob[];
  readonly embed?: KeptJob;
}

/** More of them than a person asked for are not waited for by anybody. */
const MAX_NOTES = 5;

/** @param kept the newest first. What a later job did as well is over */
export function resumable(kept: readonly KeptJob[]): Resumable {
  const cutOff = (kind: string): readonly KeptJob[] => {
    const ofKind = kept.filter(({ job }) => job.kind === kind);
    const done = ofKind.findIndex(({ job }) => job.state === 'succeeded');
    const since = done === -1 ? ofKind : ofKind.slice(0, done);
    return since.filter(({ job }) => job.state === 'interrupted');
  };
  const [scan] = [...cutOff('rebuild'), ...cutOff('catch_up')];
  const [embed] = cutOff('embed');
  const notes = cutOff('notes').slice(0, MAX_NOTES).toReversed();
  return { ...(scan && { scan }), notes, ...(embed && { embed }) };
}
