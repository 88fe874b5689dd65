// Finds which files that are gone are now at another path: with the same content, or with mostly the same lines.
import { isSameContent } from '../../../base/content-hash.ts';
import { EMPTY_LINE } from '../../../markdown/excerpt/line-hashes.ts';

/** A file before or after a possible move. */
export interface Placed {
  readonly path: string;
  readonly kind: string;
  /** Null if its content is not known. */
  readonly hash: string | null;
  readonly size: number;
  readonly modified: number;
  /** Undefined if they are unknown. */
  readonly lines: Int32Array | undefined;
}

/** A note that shares fewer lines with others is another note. */
const MIN_SHARED_LINES = 3;
const MIN_SHARED_PART = 0.6;
/** With the same name, less says that it is the same note. */
const MIN_PART_OF_NAMESAKE = 0.4;
/** A line of so many notes says nothing of any. */
const MAX_NOTES_OF_LINE = 4;

/** @returns the file that is gone, by the path at which it is now; each at most once */
export function pairMoves<Gone extends Placed>(gone: readonly Gone[], arrived: readonly Placed[]): Map<string, Gone> {
  const pairs = new Map<string, Gone>();
  if (gone.length === 0 || arrived.length === 0) return pairs;
  const left = new Set(gone);
  const pair = (now: Placed, before: Gone | undefined): void => {
    if (before === undefined) return;
    left.delete(before);
    pairs.set(now.path, before);
  };
  const byContent = new Map<string, Gone[]>();
  for (const before of gone)
    for (const key of contentKeys(before)) {
      const list = byContent.get(key);
      if (list === undefined) byContent.set(key, [before]);
      else list.push(before);
    }
  for (const isSameName of [true, false])
    for (const now of arrived) {
      if (pairs.has(now.path)) continue;
      const same = contentKeys(now)
        .flatMap((key) => byContent.get(key) ?? [])
        .filter((before) => left.has(before) && isSameContent(before.hash, now.hash) !== false);
      pair(
        now,
        same.find((before) => (isSameName ? nameOf(before) === nameOf(now) : isTelling(now))),
      );
    }
  const rest = arrived.filter(({ path }) => !pairs.has(path));
  const find = createLineIndex([...left]);
  for (const now of rest) pair(now, find(now, left));
  return pairs;
}

/** An attachment whose content is not known on either side is known by its size and time. */
function contentKeys({ kind, hash, size, modified }: Placed): readonly string[] {
  const place = `${kind} ${size} ${modified}`;
  if (hash === null) return [place];
  return kind === 'attachment' ? [hash, place] : [hash];
}

const nameOf = ({ path }: Placed): string => path.slice(path.lastIndexOf('/') + 1);

/** Two empty notes with different names have nothing to do with each other. */
function isTelling({ hash, size, lines }: Placed): boolean {
  if (hash === null) return size > 0;
  return lines === undefined ? size > 0 : lines.some((line) => line !== EMPTY_LINE);
}

function createLineIndex<Gone extends Placed>(gone: readonly Gone[]) {
  const holders = new Map<number, Gone[]>();
  for (const before of gone)
    for (const line of distinctLines(before)) {
      const list = holders.get(line);
      if (list === undefined) holders.set(line, [before]);
      else list.push(before);
    }
  return (now: Placed, left: ReadonlySet<Gone>): Gone | undefined => {
    const shared = new Map<Gone, number>();
    const own = distinctLines(now);
    for (const line of own) {
      const found = holders.get(line) ?? [];
      if (found.length > MAX_NOTES_OF_LINE) continue;
      for (const before of found) if (left.has(before)) shared.set(before, (shared.get(before) ?? 0) + 1);
    }
    const best = [...shared].sort(([, one], [, other]) => other - one)[0];
    return best !== undefined && isSameNote(best[0], now, best[1], own.size) ? best[0] : undefined;
  };
}

function isSameNote(before: Placed, now: Placed, shared: number, ownLines: number): boolean {
  const most = Math.max(distinctLines(before).size, ownLines);
  const part = nameOf(before) === nameOf(now) ? MIN_PART_OF_NAMESAKE : MIN_SHARED_PART;
  return before.kind === now.kind && shared >= MIN_SHARED_LINES && shared >= most * part;
}

function distinctLines({ lines, kind }: Placed): Set<number> {
  const distinct = new Set(kind === 'note' ? lines : []);
  distinct.delete(EMPTY_LINE);
  return distinct;
}
