// Folds the records of the feed into one entry per file, so that each says what a period did to it.
import { isSameContent } from '../../base/content-hash.ts';
import type { NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { FeedRecord, LineChange, SectionChange } from '../../contracts/feed.ts';

export type ChangeKind = FeedRecord['kind'] | 'restored' | 'created_and_deleted';

export interface FoldedChange {
  readonly kind: ChangeKind;
  readonly path: NotePath;
  /** Where it was before the period, if it was elsewhere. */
  readonly from?: NotePath;
  /** In their order. */
  readonly records: readonly FeedRecord[];
  readonly lines?: LineChange;
}

interface Entry {
  readonly records: FeedRecord[];
  /** Before the period; undefined if it was not there. */
  readonly was: NotePath | undefined;
  path: NotePath;
  isGone: boolean;
}

/**
 * @param records ascending
 * @param taken the old paths of moves at which there is a file now
 * @returns those with the newest record first
 */
export async function foldChanges(
  records: readonly FeedRecord[],
  taken: ReadonlySet<string> = new Set(),
): Promise<FoldedChange[]> {
  const folding = new Folding(records[0]?.seq ?? 0, stayerFinder(records, taken));
  for (const record of records) {
    await letOthersRun();
    folding.add(record);
  }
  const all: FoldedChange[] = [];
  for (const entry of folding.entries) {
    await letOthersRun();
    all.push(folded(entry), ...folding.halvesOf(entry).map(folded));
  }
  return all.sort((one, other) => lastOf(other) - lastOf(one));
}

/** Whether the file that is at an old path now came there before the record. */
function stayerFinder(records: readonly FeedRecord[], taken: ReadonlySet<string>): StayerFinder {
  const arrivals = new Map(records.flatMap(({ kind, path, seq }) => (kind === 'edited' ? [] : [[path, seq]])));
  return (path, seq) => taken.has(path) && (arrivals.get(path) ?? 0) < seq;
}

type StayerFinder = (path: NotePath, seq: number) => boolean;

class Folding {
  readonly entries = new Set<Entry>();
  /** What is at each path, or was there last and is gone. */
  readonly #byPath = new Map<string, Entry>();
  /** The entry of each deletion, by its number. */
  readonly #deletions = new Map<number, Entry>();
  /** The numbers of moves to paths at which readers may know a file from before the period. */
  readonly #mayBeKnown = new Set<number>();
  readonly #begin: number;
  readonly #hasStayer: StayerFinder;

  /** @param begin the number of the first record */
  constructor(begin: number, hasStayer: StayerFinder) {
    this.#begin = begin;
    this.#hasStayer = hasStayer;
  }

  add(record: FeedRecord): void {
    const { kind, path, from, replaces } = record;
    const isMove = kind === 'moved' && from !== undefined;
    const isNew = kind === 'created' && replaces === undefined;
    const entry = isMove
      ? this.#takeFrom(record, from)
      : (this.#at(record) ?? newEntry(path, isNew ? undefined : path));
    if (isMove && replaces !== undefined) this.#makeWay(entry, record, replaces);
    entry.path = path;
    entry.isGone = kind === 'deleted';
    this.#byPath.set(path, entry);
    this.#give(entry, [record]);
  }

  /**
   * A reader who knows from before the period that there is a file at the new path of a move knows it at both paths, so has to hear
   * what became of it from the second one on, too.
   */
  halvesOf({ records, path, isGone }: Entry): Entry[] {
    return records.flatMap((move, at) => {
      if (!this.#mayBeKnown.has(move.seq) || move.path === path) return [];
      const next = records.findIndex(({ kind }, then) => then > at && kind === 'moved');
      return next < 0 ? [] : [{ records: records.slice(next), was: move.path, path, isGone }];
    });
  }

  #give(entry: Entry, records: readonly FeedRecord[]): void {
    this.entries.add(entry);
    entry.records.push(...records);
    for (const { kind, seq } of records) if (kind === 'deleted') this.#deletions.set(seq, entry);
  }

  /** One that is back at its path may have had a successor there. */
  #at({ path, replaces = -1 }: FeedRecord): Entry | undefined {
    const gone = this.#deletions.get(replaces);
    return gone?.isGone === true && gone.path === path ? gone : this.#byPath.get(path);
  }

  /** The entry of a file that has moved. What was done to other files at its old path stays there. */
  #takeFrom(record: FeedRecord, from: NotePath): Entry {
    const { replaces = Number.POSITIVE_INFINITY } = record;
    const gone = this.#deletions.get(replaces);
    if (gone !== undefined) {
      this.#partAfter(gone, replaces, from);
      if (this.#byPath.get(from) === gone) this.#byPath.delete(from);
      return gone;
    }
    const last = this.#byPath.get(from);
    const isTold = replaces < this.#begin;
    const isOther = isTold && this.#hasStayer(from, record.seq);
    // Readers know only the other one, which came to the path after this one was gone from there.
    if (last === undefined) return newEntry(from, isOther ? undefined : from);
    if (isOther || (isTold && isOfAnother(last.records, record))) return newEntry(from, from);
    this.#byPath.delete(from);
    return last;
  }

  /** Another file came to the path before the one that was gone from there was recognized elsewhere. */
  #partAfter(gone: Entry, seq: number, from: NotePath): void {
    const later = gone.records.splice(gone.records.findIndex((record) => record.seq === seq) + 1);
    if (later.length === 0) return;
    const successor: Entry = { records: [], was: undefined, path: gone.path, isGone: gone.isGone };
    this.#give(successor, later);
    if (this.#byPath.get(gone.path) === gone) this.#byPath.set(gone.path, successor);
    gone.path = from;
  }

  /** What was seen at the new path before the file was recognized there is of the file, since it was created there. */
  #makeWay(entry: Entry, { path, seq: move }: FeedRecord, replaces: number): void {
    const there = this.#byPath.get(path);
    if (there === undefined || replaces < this.#begin) this.#mayBeKnown.add(move);
    if (there === undefined || there === entry) return;
    const half = there.records.findIndex(({ seq }) => seq === replaces);
    // It arrived after its deletion was recorded, and was read too early to be recognized; or readers know it from before the period.
    const isLate = half < 0 && !there.isGone;
    if (half < 0 && !isLate) return;
    const first = isLate ? there.records.findLastIndex(({ kind }) => kind === 'created') : half;
    const later = there.records.splice(Math.max(first, 0));
    this.#give(entry, first < 0 ? later : later.slice(1));
    there.isGone = true;
    if (there.records.length === 0) this.entries.delete(there);
  }
}

const newEntry = (path: NotePath, was: NotePath | undefined): Entry => ({ records: [], was, path, isGone: false });

/** Where the period begins between the halves of a move: whether what was done at the old path was not done to the file that moved. */
function isOfAnother(records: readonly FeedRecord[], { before }: FeedRecord): boolean {
  const isSame = isSameContent(records.at(-1)?.after ?? null, before);
  return isSame === undefined ? records[0]?.kind === 'created' : !isSame;
}

const lastOf = ({ records }: FoldedChange): number => Math.max(...records.map(({ seq }) => seq));

/** A move is where its first half was noticed: what was done to the file since came after it. */
const placeOf = ({ kind, seq, replaces }: FeedRecord): number => (kind === 'moved' ? (replaces ?? seq) : seq);

function folded({ records, was, path, isGone }: Entry): FoldedChange {
  const replaced = new Set(records.map(({ replaces }) => replaces));
  const current = records.filter(({ seq }) => !replaced.has(seq)).sort((one, other) => placeOf(one) - placeOf(other));
  const lines = sumOfLines(current);
  return {
    kind: isGone ? goneKind(was) : kindOf(current, was, path),
    path,
    records: current,
    ...(was !== undefined && was !== path && { from: was }),
    ...(!isGone && lines && { lines }),
  };
}

const goneKind = (was: NotePath | undefined): ChangeKind => (was === undefined ? 'created_and_deleted' : 'deleted');

/** @param was the path before the period; undefined for a file that was not there */
function kindOf(records: readonly FeedRecord[], was: NotePath | undefined, path: NotePath): ChangeKind {
  const [first, last] = [records[0], records.at(-1)] as [FeedRecord, FeedRecord];
  if (was === undefined) return 'created';
  if (was !== path) return 'moved';
  const isBack = records.length > 1 || first.kind === 'created';
  return isBack && isSameContent(first.before, last.after) === true ? 'restored' : 'edited';
}

/** The lines of all edits together; absent if those of one of them are unknown. */
function sumOfLines(records: readonly FeedRecord[]): LineChange | undefined {
  const edits = records.filter(({ before, after }) => before !== null && after !== null && before !== after);
  const sections = new Map<string, SectionChange>();
  let [added, removed, sectionCount] = [0, 0, 0];
  for (const { lines } of edits) {
    if (lines === undefined) return undefined;
    added += lines.added;
    removed += lines.removed;
    sectionCount = Math.max(sectionCount, lines.sectionCount);
    for (const { heading, ...counts } of lines.sections) {
      const sum = sections.get(heading) ?? { heading, added: 0, removed: 0 };
      sections.set(heading, { heading, added: sum.added + counts.added, removed: sum.removed + counts.removed });
    }
  }
  if (edits.length === 0) return undefined;
  return { added, removed, sections: [...sections.values()], sectionCount: Math.max(sectionCount, sections.size) };
}
