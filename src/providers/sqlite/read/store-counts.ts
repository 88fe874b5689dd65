// Counts the contents of the index, and lists its files and the files in quarantine.
import { type ErrorCode, VaultgraphError } from '../../../base/errors.ts';
import { type NotePath, parserRules } from '../../../base/note.ts';
import type { FileState, QuarantineEntry } from '../../../contracts/change-set.ts';
import type { Page } from '../../../contracts/note-filter.ts';
import type { Store, StoreCounts, StoreProgress } from '../../../contracts/store.ts';
import { readAndFinish, readInSlices, type Slice, type Source } from '../database/read-in-slices.ts';
import type { Rows } from '../database/rows.ts';
import { EXCLUDED, hasExcluded } from './note-conditions.ts';

/** Files read in a slice: some milliseconds. */
const STATES_PER_SLICE = 500;

interface StateColumns {
  readonly revision: number;
  readonly scanned_at: string | null;
}

/** A file that cannot be read is not pending: another scan would not index it. It is in quarantine. */
const UNREADABLE = "SELECT path FROM quarantine WHERE phase <> 'parse'";

/** Files with content are all files minus the unread ones, for which there is an index. */
const WITH_CONTENT =
  '(SELECT count(*) FROM files) - (SELECT count(*) FROM files INDEXED BY unread_files WHERE hash IS NULL)';

const UNREAD = `(SELECT count(*) FROM files INDEXED BY unread_files
  WHERE hash IS NULL AND kind <> 'attachment' AND path NOT IN (${UNREADABLE}))`;

const QUARANTINED = '(SELECT count(*) FROM quarantine)';

const PROGRESS = `SELECT revision, scanned_at AS scannedAt, ${WITH_CONTENT} AS indexed, ${UNREAD} AS pending,
  ${QUARANTINED} AS quarantined FROM state`;

/** Each takes milliseconds in a large index. */
const COUNTS: Readonly<Record<Counted, string>> = {
  files: '(SELECT count(*) FROM files)',
  notes: "(SELECT count(*) FROM files WHERE kind <> 'attachment')",
  indexed: WITH_CONTENT,
  pending: UNREAD,
  links: '(SELECT count(*) FROM links)',
  unresolved: '(SELECT count(*) FROM links WHERE target IS NULL)',
  embeds: "(SELECT count(*) FROM links WHERE kind = 'embed')",
  tags: '(SELECT count(DISTINCT key) FROM tag_names WHERE id IN (SELECT tag FROM tags))',
  aliases: "(SELECT count(*) FROM names WHERE kind = 'alias')",
  quarantined: QUARANTINED,
};

type StateOfCounts = Pick<StoreCounts, 'revision' | 'scannedAt'>;
type Counted = Exclude<keyof StoreCounts, keyof StateOfCounts>;
type Count = readonly [name: Counted, count: number];

const COUNTED = Object.keys(COUNTS) as readonly Counted[];
/** Counted together, in slices: one note may have a million links. */
const OF_LINKS = ['links', 'unresolved', 'embeds'] as const satisfies readonly Counted[];
const AT_ONCE = COUNTED.filter((name) => !OF_LINKS.some((other) => other === name));
const LINKS_PER_SLICE = 10_000;

type LinkKey = readonly [source: number, ordinal: number];
/** How many of `AT_ONCE` are counted, and the last link that is. */
type Place = readonly [counted: number, ...LinkKey];

function stateOf(rows: Rows): StateOfCounts {
  const [state] = rows.checked<StateColumns>('SELECT * FROM state');
  if (state === undefined) throw new VaultgraphError('INTERNAL', { kind: 'no_state' });
  return { revision: state.revision, scannedAt: state.scanned_at };
}

/** Counts again only after this or another process has changed the index. */
export function createProgress(rows: Rows): () => StoreProgress {
  let progress: StoreProgress | undefined;
  return () => {
    const state = stateOf(rows);
    if (progress?.revision !== state.revision) progress = rows.first<StoreProgress>(PROGRESS);
    return { ...(progress as StoreProgress), ...state };
  };
}

/** The same; one number at a time, so that other calls run in between. */
export function createCounts({ rows, read }: Source): Store['counts'] {
  const countAt = ([at, ...link]: Place = [0, -1, -1]): Slice<Count, Place> => {
    const name = AT_ONCE[at];
    return name === undefined ? countLinks(rows, link) : { items: [countOf(rows, name)], next: [at + 1, ...link] };
  };
  let lastCounts: StoreCounts | undefined;
  return async (signal) => {
    const state = await read('counts', signal, () => stateOf(rows));
    if (lastCounts?.revision === state.revision) return { ...lastCounts, ...state };
    return readAndFinish({ rows, read, op: 'counts', signal }, countAt, (items, isOfOneRevision) => {
      const counts = withState(rows, items);
      if (isOfOneRevision) lastCounts = counts;
      return counts;
    });
  };
}

function countLinks(rows: Rows, after: LinkKey): Slice<Count, Place> {
  const end =
    'SELECT source, ordinal FROM links WHERE (source, ordinal) > (?, ?) ORDER BY source, ordinal LIMIT 1 OFFSET ?';
  const [last] = rows.tuples<LinkKey>(end, ...after, LINKS_PER_SLICE - 1);
  const sums = `SELECT count(*), count(*) - count(target), count(iif(kind = 'embed', 1, NULL)) FROM links
    WHERE (source, ordinal) > (?, ?) AND (source, ordinal) <= (?, ?)`;
  const [counts = []] = rows.tuples<readonly number[]>(sums, ...after, ...(last ?? [Number.MAX_SAFE_INTEGER, 0]));
  return { items: OF_LINKS.map((name, at) => [name, counts[at] ?? 0]), next: last && [AT_ONCE.length, ...last] };
}

/** The same at once. */
export const countsNow = (rows: Rows): StoreCounts =>
  withState(
    rows,
    COUNTED.map((name) => countOf(rows, name)),
  );

const countOf = (rows: Rows, name: Counted): Count => [name, rows.value<number>(`SELECT ${COUNTS[name]}`) ?? 0];

function withState(rows: Rows, counts: readonly Count[]): StoreCounts {
  const sums = new Map<Counted, number>();
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
  return { ...stateOf(rows), ...(Object.fromEntries(sums) as Record<Counted, number>) };
}

/** A note that was indexed by other parser rules counts as not indexed; an attachment has an empty hash then. */
export function fileStates({ rows, read }: Source, signal: AbortSignal): Promise<readonly FileState[]> {
  const after = (path: NotePath | undefined) => statesAfter(rows, path);
  return readInSlices({ rows, read, op: 'fileStates', signal }, after);
}

type StateRow = Omit<FileState, 'evicted' | 'changedMs' | 'createdMs'> & {
  readonly evicted: number;
  readonly changedMs: number | null;
  readonly createdMs: number | null;
};

/** The states of the next files after a path. */
function statesAfter(rows: Rows, after: NotePath | undefined): Slice<FileState, NotePath> {
  const sql = `SELECT path, kind, size AS sizeBytes, modified AS modifiedMs, changed AS changedMs, created AS createdMs, evicted,
    iif((SELECT rules FROM state) IS ?, hash, iif(kind = 'attachment' AND hash IS NOT NULL, '', NULL)) AS hash
    FROM files WHERE path > ? ORDER BY path LIMIT ?`;
  const read = rows.all<StateRow>(sql, parserRules(), after ?? '', STATES_PER_SLICE);
  const entries = withExcluded(
    rows,
    // Each field by its name: the rest of an object takes half the time of the query.
    read.map(({ path, kind, sizeBytes, modifiedMs, changedMs, createdMs, hash, evicted }) => {
      const state = { path, kind, sizeBytes, modifiedMs, hash, ...(evicted === 1 && { evicted: true as const }) };
      if (changedMs === null) return state;
      return createdMs === null ? { ...state, changedMs } : { ...state, changedMs, createdMs };
    }),
  );
  return { items: entries, next: entries.length < STATES_PER_SLICE ? undefined : entries.at(-1)?.path };
}

function withExcluded(rows: Rows, states: readonly FileState[]): readonly FileState[] {
  if (!hasExcluded(rows)) return states;
  const listed = JSON.stringify(states.map(({ path }) => path));
  const sql = `SELECT path FROM files WHERE path IN (SELECT value FROM json_each(?)) AND id IN ${EXCLUDED}`;
  const excluded = new Set(rows.column<string>(sql, listed));
  return states.map((state) => (excluded.has(state.path) ? { ...state, excluded: true } : state));
}

interface QuarantineColumns {
  readonly path: string;
  readonly phase: QuarantineEntry['phase'];
  readonly code: ErrorCode;
  readonly reason: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly hash: string | null;
  readonly attempts: number;
  readonly first: string;
  readonly last: string;
  readonly checksum: number;
}

/** Ascending by path, then phase. */
export function quarantineEntries(rows: Rows, { limit, offset }: Page): QuarantineEntry[] {
  return rows
    .checked<QuarantineColumns>('SELECT * FROM quarantine ORDER BY path, phase LIMIT ? OFFSET ?', limit, offset)
    .map(({ line, column, hash, checksum: _checksum, ...entry }) => ({
      ...entry,
      ...(line === null ? {} : { line }),
      ...(column === null ? {} : { column }),
      ...(hash === null ? {} : { hash }),
    }));
}
