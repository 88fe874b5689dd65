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
  path: NotePath;
  /** What was done to the file after a move that is listed apart. */
  later?: Entry;
}

interface Folding {
  readonly entries: Set<Entry>;
  readonly byPath: Map<string, Entry>;
  /** The entry of each deletion, by its number. */
  readonly deletions: Map<number, Entry>;
  /** The number of the first record. */
  readonly begin: number;
}

/** @param records ascending. @returns those with the newest record first */
export async function foldChanges(records: readonly FeedRecord[]): Promise<FoldedChange[]> {
  const entries = new Set<Entry>();
  const folding: Folding = { entries, byPath: new Map(), deletions: new Map(), begin: records[0]?.seq ?? 0 };
  for (const record of records) {
    await letOthersRun();
    const entry = entryOf(record, folding);
    give(entry, [record], folding);
    entry.path = record.path;
    entries.add(entry);
    folding.byPath.set(record.path, entry);
  }
  const all: FoldedChange[] = [];
  for (const entry of entries) {
    await letOthersRun();
    all.push(folded(entry));
  }
  return all.sort((one, other) => lastOf(other) - lastOf(one));
}

function give(entry: Entry, records: readonly FeedRecord[], { deletions }: Folding): void {
  entry.records.push(...records);
  for (const { kind, seq } of records) if (kind === 'deleted') deletions.set(seq, entry);
}

function entryOf(record: FeedRecord, folding: Folding): Entry {
  const { entries, byPath, begin } = folding;
  const there = byPath.get(record.path);
  if (record.kind !== 'moved' || record.from === undefined) return there ?? { records: [], path: record.path };
  const former = takeFormer(record, record.from, folding);
  const source = isHalfTold(former, begin) ? partedFrom(former, record) : former;
  if (there === undefined || there === source) return source;
  // Created at its new path before it was removed from the old one: both are of one move.
  const isSame = there.records.some(({ seq }) => seq === record.replaces);
  // Gone before it was there, and then read too early to be recognized.
  const isLate = !isSame && isOfGone(record, source) && there.records.at(-1)?.kind !== 'deleted';
  if (isSame || isLate) entries.delete(there);
  if (!isSame) return source;
  const records = there.records.filter(({ seq }) => seq > (record.replaces ?? 0));
  give(source, records, folding);
  return source;
}

/** What was done to the file of a move before. What was done to others at its old path stays there. */
function takeFormer(record: FeedRecord, from: NotePath, folding: Folding): Entry {
  const { entries, byPath, deletions, begin } = folding;
  const last = byPath.get(from);
  const gone = deletions.get(record.replaces ?? -1);
  // Another file may have been moved to the path since this one was gone from there.
  const former = gone !== undefined && entries.has(gone) ? gone : (last ?? { records: [], path: record.path });
  const successor = successorOf(record, former, begin);
  if (successor !== undefined) {
    entries.add(successor);
    give(successor, successor.records.splice(0), folding);
  }
  if (former !== last && last !== undefined) return former;
  if (successor === undefined) byPath.delete(from);
  else byPath.set(from, successor);
  return former;
}

/** Whether a half of its move was listed before the period: who knows the file at both paths has to hear what becomes of each. */
const isHalfTold = ({ records }: Entry, begin: number): boolean =>
  records.some(({ kind, replaces }) => kind === 'moved' && replaces !== undefined && replaces < begin);

/** Begins an entry with this move, whose first half then belongs to no other. */
function partedFrom(former: Entry, { path, replaces }: FeedRecord): Entry {
  const half = former.records.findIndex(({ seq }) => seq === replaces);
  if (half >= 0) former.records.splice(half, 1);
  former.later = { records: [], path };
  return former.later;
}

/** Another file that came to the path before the one that was gone from there was recognized elsewhere; undefined without one. */
function successorOf(record: FeedRecord, { records }: Entry, begin: number): Entry | undefined {
  const { replaces, from } = record;
  if (replaces === undefined || from === undefined) return undefined;
  const gone = records.findIndex(({ seq, kind }) => seq === replaces && kind === 'deleted');
  const isGone = gone >= 0 || (replaces < begin && isOfAnother(records, record));
  if (!isGone || gone === records.length - 1) return undefined;
  return { records: records.splice(gone + 1), path: from };
}

/** Where the period begins between the halves of a move: whether what was done at the old path was not done to the file that moved. */
function isOfAnother(records: readonly FeedRecord[], { before }: FeedRecord): boolean {
  const isSame = isSameContent(records.at(-1)?.after ?? null, before);
  return isSame === undefined ? records[0]?.kind === 'created' : !isSame;
}

/** Whether its first half is that the file was gone. */
const isOfGone = ({ replaces }: FeedRecord, { records }: Entry): boolean =>
  replaces !== undefined && (records.length === 0 || records.some(({ seq }) => seq === replaces));

function wholeOf({ records, path, later }: Entry): Entry {
  const whole: Entry = { records: [...records], path };
  for (let next = later; next !== undefined; next = next.later) {
    whole.records.push(...next.records);
    whole.path = next.path;
  }
  return whole;
}

const lastOf = ({ records }: FoldedChange): number => Math.max(...records.map(({ seq }) => seq));

/** A move is where its first half was noticed: what was done to the file since came after it. */
const placeOf = ({ kind, seq, replaces }: FeedRecord): number => (kind === 'moved' ? (replaces ?? seq) : seq);

function folded(entry: Entry): FoldedChange {
  const { records, path } = wholeOf(entry);
  const replaced = new Set(records.map(({ replaces }) => replaces));
  const current = records.filter(({ seq }) => !replaced.has(seq)).sort((one, other) => placeOf(one) - placeOf(other));
  const [first, last] = [current[0], current.at(-1)] as [FeedRecord, FeedRecord];
  const was = first.kind === 'created' && first.replaces === undefined ? undefined : (first.from ?? first.path);
  const kind = kindOf(current, was, path);
  const lines = sumOfLines(current);
  const isElsewhere = was !== undefined && was !== path;
  return {
    kind,
    path,
    records: current,
    ...(isElsewhere && { from: was }),
    ...(last.kind !== 'deleted' && lines && { lines }),
  };
}

/** @param was the path before the period; undefined for a file that was not there */
function kindOf(records: readonly FeedRecord[], was: NotePath | undefined, path: NotePath): ChangeKind {
  const [first, last] = [records[0], records.at(-1)] as [FeedRecord, FeedRecord];
  if (was === undefined) return last.kind === 'deleted' ? 'created_and_deleted' : 'created';
  if (last.kind === 'deleted') return 'deleted';
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
