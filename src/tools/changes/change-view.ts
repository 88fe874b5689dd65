// Shows one folded change: what, when it was noticed, in which sections, and by whom.
import { isSameContent } from '../../base/content-hash.ts';
import type { FeedRecord } from '../../contracts/feed.ts';
import type { ToolChanges } from './changed-by.ts';
import type { FoldedChange } from './fold-changes.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** No note is older than the file systems that can keep its time. */
const EARLIEST_MS = Date.UTC(1980, 0, 2);
const MAX_BY = 5;

export function changeView(
  change: FoldedChange,
  tools: ToolChanges | undefined,
  excluded: ReadonlySet<string>,
): object {
  const { kind, path, from, records, lines } = change;
  const [first, last] = [records[0], records.at(-1)] as [FeedRecord, FeedRecord];
  const by = tools?.byOf(records) ?? [];
  return {
    change: kind,
    path,
    ...(from !== undefined && { from }),
    title: last.title,
    ...(last.fileKind !== 'note' && { kind: last.fileKind }),
    noticed: iso(last.at),
    ...(last.at - first.at >= MINUTE_MS && { first_noticed: iso(first.at) }),
    ...fileTime(last),
    ...(records.length > 1 && { changes: records.length }),
    ...linesView(change),
    ...(lines === undefined && isEdit(change) && { lines: 'unknown' }),
    ...(isUncompared(change) && { content: 'not compared' }),
    ...linkedFrom(last, excluded),
    ...(tools && { by: by.slice(0, MAX_BY) }),
    ...(by.length > MAX_BY && { more_by: by.length - MAX_BY }),
  };
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** Where it says more than the time of notice; the time of a file from 1970 or the future says nothing. */
function fileTime({ modifiedMs, at }: FeedRecord): object {
  if (modifiedMs === undefined || Math.abs(at - modifiedMs) < MINUTE_MS) return {};
  const isPlausible = modifiedMs >= EARLIEST_MS && modifiedMs <= at + DAY_MS;
  return isPlausible ? { file_modified: iso(modifiedMs) } : { file_modified: 'implausible' };
}

function linesView({ lines, kind }: FoldedChange): object {
  if (lines === undefined || kind === 'created') return {};
  const { added, removed, sections, sectionCount } = lines;
  const more = sectionCount - sections.length;
  return { added, removed, sections, ...(more > 0 && { more_sections: more }) };
}

/** Whether its content is another one than before, of which the lines are not known. */
function isEdit({ kind, records }: FoldedChange): boolean {
  return (
    (kind === 'edited' || kind === 'moved') &&
    records.some(({ before, after, fileKind }) => fileKind !== 'attachment' && before !== null && before !== after)
  );
}

/** For an attachment that could not be read then or now, another size or time is all that is known. */
const isUncompared = ({ kind, records }: FoldedChange): boolean =>
  kind === 'edited' &&
  records.some((one) => one.fileKind === 'attachment' && isSameContent(one.before, one.after) === undefined);

function linkedFrom({ kind, linkedFrom: linkers }: FeedRecord, excluded: ReadonlySet<string>): object {
  if (kind !== 'deleted') return {};
  if (linkers === undefined) return { linked_from: 'unknown' };
  const paths = linkers.paths.filter((path) => !excluded.has(path));
  return { linked_from: paths, links_from_notes: linkers.count - (linkers.paths.length - paths.length) };
}
