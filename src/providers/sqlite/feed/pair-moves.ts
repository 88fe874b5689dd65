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
  /** When it was found gone or there; absent if that does not count. */
  readonly at?: number;
}

interface Likeness {
  /** A note that shares fewer lines with others is another note. */
  readonly minLines: number;
  readonly minPart: number;
  /** How far apart both halves of the move may be noticed. */
  readonly maxApartMs: number;
}

/** The first that is near enough in time counts. Notes of one template share its lines, and one may be made soon after another is deleted. */
const OF_ANOTHER_NAME: readonly Likeness[] = [
  { minLines: 3, minPart: 0.6, maxApartMs: 300 },
  { minLines: 8, minPart: 0.6, maxApartMs: 30_000 },
];
const OF_ONE_NAME: readonly Likeness[] = [{ minLines: 3, minPart: 0.4, maxApartMs: Number.POSITIVE_INFINITY }];
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
  const byContent = createContentIndex(gone, left);
  // A file that is back at its path has not come from elsewhere.
  for (const same of [pathOf, nameOf, undefined])
    for (const now of arrived)
      if (!pairs.has(now.path) && (same !== undefined || isTelling(now))) pair(now, byContent(now, same));
  const rest = arrived.filter(({ path }) => !pairs.has(path));
  const find = createLineIndex([...left]);
  for (const now of rest) pair(now, find(now, left));
  return pairs;
}

/** Finds the first that is left with the same content; those that are not left are passed over once, as thousands may be empty. */
function createContentIndex<Gone extends Placed>(gone: readonly Gone[], left: ReadonlySet<Gone>) {
  const lists = new Map<string, Gone[]>();
  for (const before of gone.toReversed())
    for (const key of contentKeys(before).flatMap((content) => [content, ...named(content, before)])) {
      const list = lists.get(key);
      if (list === undefined) lists.set(key, [before]);
      else list.push(before);
    }
  return (now: Placed, same: ((file: Placed) => string) | undefined): Gone | undefined => {
    for (const content of contentKeys(now)) {
      const list = lists.get(same === undefined ? content : `${content}\0${same(now)}`) ?? [];
      while (list.length > 0 && !left.has(list.at(-1) as Gone)) list.pop();
      const pair = list.findLast((before) => left.has(before) && isSameContent(before.hash, now.hash) !== false);
      if (pair !== undefined) return pair;
    }
    return undefined;
  };
}

/** An attachment whose content is not known on either side is known by its size and time. */
function contentKeys({ kind, hash, size, modified }: Placed): readonly string[] {
  const place = `${kind} ${size} ${modified}`;
  if (hash === null) return [place];
  return kind === 'attachment' ? [hash, place] : [hash];
}

/** Not the name of any file, also for one in the vault's root. */
const pathOf = ({ path }: Placed): string => `/${path}`;
const nameOf = ({ path }: Placed): string => path.slice(path.lastIndexOf('/') + 1);
const named = (content: string, file: Placed): string[] => [pathOf, nameOf].map((of) => `${content}\0${of(file)}`);

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
    const lines = distinctLines(now);
    for (const line of lines) {
      const holding = holders.get(line) ?? [];
      if (holding.length > MAX_NOTES_OF_LINE) continue;
      for (const before of holding) if (left.has(before)) shared.set(before, (shared.get(before) ?? 0) + 1);
    }
    const best = [...shared].sort(([, one], [, other]) => other - one)[0];
    return best !== undefined && isSameNote(best[0], now, best[1], lines.size) ? best[0] : undefined;
  };
}

function isSameNote(before: Placed, now: Placed, shared: number, ownLines: number): boolean {
  const most = Math.max(distinctLines(before).size, ownLines);
  const apart = before.at === undefined || now.at === undefined ? 0 : Math.abs(before.at - now.at);
  const likeness = nameOf(before) === nameOf(now) ? OF_ONE_NAME : OF_ANOTHER_NAME;
  const enough = likeness.find(({ maxApartMs }) => apart <= maxApartMs);
  if (enough === undefined || before.kind !== now.kind) return false;
  return shared >= enough.minLines && shared >= most * enough.minPart;
}

function distinctLines({ lines, kind }: Placed): Set<number> {
  const distinct = new Set(kind === 'note' ? lines : []);
  distinct.delete(EMPTY_LINE);
  return distinct;
}
