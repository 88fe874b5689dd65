// Keeps the feed within its age and its size.
import { bytesIn } from '../database/kept-file.ts';
import type { Rows } from '../database/rows.ts';
import { type FeedMeta, type FeedPlace, metaOf } from './feed-file.ts';

const DAY_MS = 24 * 60 * 60_000;
/** A clock that is so much later than at the last look may be wrong: the next look, a day later by the same clock, believes it. */
const MAX_GAP_MS = 30 * DAY_MS;
/** The share of the oldest records that is removed at a time. */
const SHARE = 0.1;

export type FeedLimits = Pick<FeedPlace, 'days' | 'bytes'>;

/** @returns the time before which records are too old; undefined if none is to be removed for its age now */
export function oldestKept({ seen_at, pruned_at }: FeedMeta, { days }: FeedLimits, now: number): number | undefined {
  const isDue = Math.abs(now - pruned_at) >= DAY_MS;
  const isClockTrusted = seen_at === 0 || now - seen_at <= MAX_GAP_MS;
  return isDue && isClockTrusted ? now - days * DAY_MS : undefined;
}

export function pruneFeed(feed: Rows, limits: FeedLimits, now: number): void {
  const oldest = oldestKept(metaOf(feed), limits, now);
  if (oldest !== undefined) {
    const last = feed.value<number | null>('SELECT max(seq) FROM changes WHERE at < ?', oldest);
    if (typeof last === 'number') forget(feed, last);
    feed.run('UPDATE meta SET pruned_at = ?', now);
  }
  while (bytesIn(feed) > limits.bytes) {
    const oldest = feed.value<number | null>('SELECT min(seq) FROM changes');
    const newest = feed.value<number | null>('SELECT max(seq) FROM changes');
    if (typeof oldest !== 'number' || typeof newest !== 'number') return;
    forget(feed, oldest + Math.floor((newest - oldest) * SHARE));
  }
}

/** In the order of the numbers, so that a cursor knows what is missing. */
function forget(feed: Rows, upTo: number): void {
  feed.run('DELETE FROM changes WHERE seq <= ?', upTo);
  feed.run('UPDATE meta SET forgotten = max(forgotten, ?)', upTo);
}
