// Keeps the feed of changes in step with the index: what a set of changes and the end of a scan do to it, whichever database has its tables.
import type { Rows } from '../database/rows.ts';
import type { UnpackedChanges } from '../write/unpack-changes.ts';
import { metaOf } from './feed-file.ts';
import { reconcile, settleAll } from './reconcile.ts';
import { recordChanges } from './record-changes.ts';

export interface Keeping {
  readonly feed: Rows;
  readonly index: Rows;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Names the state of the index with that revision. */
  readonly stepAt: (revision: number) => string;
}

/** Before the index is changed. @param revision of the index with these changes */
export function keepSet(keeping: Keeping, changes: UnpackedChanges, revision: number): void {
  const { feed, index, now, stepAt } = keeping;
  const { known_since, step, doubt } = metaOf(feed);
  const isInStep = step === stepAt(revision - 1);
  let isSilent = known_since === null;
  // A new feed beside a complete index.
  if (isSilent && isComplete(index)) {
    begin(keeping);
    isSilent = false;
  }
  recordChanges({ feed, index, now, isSilent }, changes);
  writeStep(keeping, revision, known_since !== null && (doubt === 1 || !isInStep));
}

/** Once the index was compared with the whole vault. @param revision of the index */
export function keepScan(keeping: Keeping, revision: number): void {
  const { feed, stepAt } = keeping;
  const { known_since, step, doubt } = metaOf(feed);
  if (known_since === null) begin(keeping);
  else {
    const rows = { ...keeping, isSilent: false };
    if (doubt === 1 || step !== stepAt(revision)) reconcile(rows);
    settleAll(rows);
  }
  writeStep(keeping, revision, false);
}

/** Whether the feed has to be compared with the whole index when that changes, or at the end of a scan. */
export function isWholeNeeded(
  { known_since, step, doubt }: Pick<ReturnType<typeof metaOf>, 'known_since' | 'step' | 'doubt'>,
  { index, stepAt }: Omit<Keeping, 'feed' | 'now'>,
  scanned?: number,
): boolean {
  if (scanned === undefined) return known_since === null && isComplete(index);
  return known_since === null || doubt === 1 || step !== stepAt(scanned);
}

/** What is there now is no change. */
function begin({ feed, index, now }: Keeping): void {
  reconcile({ feed, index, now, isSilent: true });
  feed.run('UPDATE files SET is_new = 0 WHERE is_new');
  feed.run('UPDATE meta SET known_since = ?', now);
}

function writeStep({ feed, now, stepAt }: Keeping, revision: number, isDoubtful: boolean): void {
  const set = 'UPDATE meta SET step = ?, revision = ?, doubt = ?, seen_at = ?';
  feed.run(set, stepAt(revision), revision, Number(isDoubtful), now);
}

const isComplete = (index: Rows): boolean => index.value<string | null>('SELECT scanned_at FROM state') !== null;
