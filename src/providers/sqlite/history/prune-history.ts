// Keeps the history within its age and its size.
import type { HistorySettings } from '../../../contracts/feed.ts';
import { bytesIn } from '../database/kept-file.ts';
import type { Rows } from '../database/rows.ts';
import type { Version } from './versions.ts';

const DAY_MS = 24 * 60 * 60_000;
/** A clock that is so much later than at the last write may be wrong: the next look, a day later by the same clock, believes it. */
const MAX_GAP_MS = 30 * DAY_MS;
/** Versions at a time. */
const BATCH = 64;

type Limits = Pick<HistorySettings, 'days' | 'bytes'>;

/** A text ages from the moment on at which it was replaced: the newest text of a note stays. */
export function pruneByAge(history: Rows, { days }: Limits, now: number): void {
  const { seen_at = 0, pruned_at = 0 } =
    history.first<{ seen_at: number; pruned_at: number }>('SELECT seen_at, pruned_at FROM meta') ?? {};
  if (Math.abs(now - pruned_at) < DAY_MS) return;
  if (seen_at === 0 || now - seen_at <= MAX_GAP_MS) forgetUntil(history, now - days * DAY_MS);
  history.run('UPDATE meta SET pruned_at = ?', now);
}

function forgetUntil(history: Rows, time: number): void {
  forget(history, history.all<Version>('SELECT * FROM versions WHERE until < ? ORDER BY until', time));
}

/** The texts that were replaced first go first; only without any others the newest texts of notes, those that are unchanged for longest. */
export function pruneBySize(history: Rows, { bytes }: Limits): void {
  while (bytesIn(history) > bytes) {
    const replaced = history.all<Version>(
      'SELECT * FROM versions WHERE until IS NOT NULL ORDER BY until LIMIT ?',
      BATCH,
    );
    const rows =
      replaced.length > 0 ? replaced : history.all<Version>('SELECT * FROM versions ORDER BY since LIMIT ?', BATCH);
    if (rows.length === 0) return;
    forget(history, rows);
  }
}

function forget(history: Rows, versions: readonly Version[]): void {
  for (const { path, since, until, hash } of versions) {
    history.run('DELETE FROM versions WHERE path = ? AND since = ?', path, since);
    if (history.value('SELECT 1 FROM versions WHERE hash = ? LIMIT 1', hash) === undefined)
      history.run('DELETE FROM texts WHERE hash = ?', hash);
    history.run('UPDATE meta SET forgotten = max(forgotten, ?)', until ?? since);
  }
}
