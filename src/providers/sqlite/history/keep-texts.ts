// Records in the history which text a note has from now on, or that it is gone. Each function runs in a transaction.
import { contentHash } from '../../../base/content-hash.ts';
import type { NotePath } from '../../../base/note.ts';
import type { NewestText, ReadText } from '../../../contracts/feed.ts';
import { DamagedRow } from '../database/checksum.ts';
import { bytesIn } from '../database/kept-file.ts';
import type { Rows } from '../database/rows.ts';
import { putText } from './packed-text.ts';
import { endOf, lastVersion, putVersion, type Version } from './versions.ts';

export interface HistoryMeta {
  readonly known_since: number;
  /** Nothing that was replaced before is kept. */
  readonly forgotten: number;
  /** When it was in step with the index last. */
  readonly seen_at: number;
  readonly pruned_at: number;
  readonly unkept: number | null;
}

export function metaOf(history: Rows): HistoryMeta {
  const meta = history.first<HistoryMeta>('SELECT * FROM meta');
  if (meta === undefined) throw new DamagedRow('the history has no head');
  return meta;
}

/** @param isInStep whether it has been compared with the index, and missed nothing since */
export function keepTexts(history: Rows, texts: readonly ReadText[], now: number, isInStep: boolean): void {
  for (const text of texts) keepText(history, text, now);
  if (isInStep) history.run('UPDATE meta SET seen_at = ?', now);
}

function keepText(history: Rows, { path, bytes, modifiedMs, isLate = false }: ReadText, now: number): void {
  const last = lastVersion(history, path);
  const open = last?.until === null ? last : undefined;
  if (isLate && open !== undefined) return;
  const hash = contentHash(bytes);
  if (open?.hash === hash) return;
  const noticed = open === undefined ? now : writtenAt(open, modifiedMs, now);
  const since = last === undefined ? noticed : Math.max(noticed, last.until ?? last.since + 1);
  if (open !== undefined) putVersion(history, { ...open, until: since });
  putText(history, hash, bytes);
  putVersion(history, { path, since, until: null, gone: 0, hash });
}

/**
 * An older copy does not know which texts followed its newest ones, nor when.
 * @param leftAt when the process left the history in step last
 * @returns whether it is such a copy
 */
export function endIfOlder(history: Rows, leftAt: number): boolean {
  const { seen_at } = metaOf(history);
  if (seen_at >= leftAt) return false;
  for (const path of history.column<NotePath>('SELECT path FROM versions WHERE until IS NULL'))
    endVersion(history, path, seen_at, 0);
  return true;
}

/** The time of the file, where it is between the text before and now: while no server ran, it says more. */
function writtenAt(before: Version, modifiedMs: number, now: number): number {
  const modified = Math.floor(modifiedMs);
  return modified > before.since && modified < now ? modified : now;
}

export function leavePaths(history: Rows, paths: readonly NotePath[], now: number, isInStep: boolean): void {
  for (const path of paths) endVersion(history, path, now, 1);
  if (isInStep) history.run('UPDATE meta SET seen_at = ?', now);
}

/** The share of the bytes that may be kept: the rest is for what changes. */
const FILL_SHARE = 0.9;
/** The share that is left of the bytes of a text, as a rule. */
const PACKED_SHARE = 0.5;

/**
 * What a note had between the last change that was kept and now is not known.
 * @param newest of all notes
 * @param touched notes that are kept or left since `newest` was read
 * @returns those to be kept late, as far as they fit
 */
export function compareNewest(
  history: Rows,
  { newest, touched }: { readonly newest: readonly NewestText[]; readonly touched: ReadonlySet<string> },
  maxBytes: number,
  now: number,
): NotePath[] {
  const { seen_at } = metaOf(history);
  const open = 'SELECT path, hash FROM versions WHERE until IS NULL';
  const hashes = new Map(history.all<{ path: NotePath; hash: string }>(open).map(({ path, hash }) => [path, hash]));
  const missing: NotePath[] = [];
  let [room, unkept] = [maxBytes * FILL_SHARE - bytesIn(history), 0];
  for (const { path, hash, sizeBytes } of newest) {
    const before = hashes.get(path);
    if (before === hash) hashes.delete(path);
    if (before === hash || touched.has(path)) continue;
    room -= sizeBytes * PACKED_SHARE;
    if (room > 0) missing.push(path);
    else unkept += 1;
  }
  const present = new Set(newest.map(({ path }) => path));
  for (const path of hashes.keys())
    if (!touched.has(path)) endVersion(history, path, seen_at, present.has(path) ? 0 : 1);
  history.run('UPDATE meta SET unkept = ?, seen_at = ?', unkept, now);
  return missing;
}

function endVersion(history: Rows, path: NotePath, at: number, gone: number): void {
  const last = lastVersion(history, path);
  if (last?.until === null) putVersion(history, { ...last, until: endOf(last, at), gone });
}
