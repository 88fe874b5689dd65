// Brings the copy of the index on this machine to the state in PostgreSQL, in parts.
import type { CatchUp } from '../../sqlite/write/writer-messages.ts';
import { DamagedOriginal } from '../checked-values.ts';
import type { Database } from '../connection/database.ts';
import { emptied } from '../connection/failures.ts';
import { LACKS_FILES } from '../sharing/damage.ts';
import { isRestored, leaveHistory } from '../sharing/histories.ts';
import type { LocalCopy } from '../write/local-copy.ts';
import {
  type CopiedVector,
  changeSetOf,
  copyEmbedded,
  copyGenerations,
  copyQuarantine,
  listingOf,
  missingVectors,
} from './apply-copied.ts';
import {
  isListing,
  isSame,
  isWhole,
  livingIn,
  type Original,
  type Position,
  readPosition,
  writePosition,
} from './position.ts';
import { type Changes, checkChanges, readAllVectors, readChanges } from './read-changes.ts';

/** Then other jobs, such as a heartbeat, take their turn. */
const MAX_RUN_MS = 1_000;

export async function catchUp(
  copy: LocalCopy,
  database: Database,
  signal: AbortSignal,
  checkCancelled: () => void,
): Promise<CatchUp> {
  const until = performance.now() + MAX_RUN_MS;
  for (;;) {
    const { files, rest, total, isDone } = await copyPart(copy, database, signal, checkCancelled);
    if (isDone || performance.now() > until) return { isWhole: isDone, done: files + rest, total };
  }
}

async function copyPart(copy: LocalCopy, database: Database, signal: AbortSignal, checkCancelled: () => void) {
  const position = readPosition(copy.rows);
  const changes = await readPresent(database, position, signal);
  const isUsed = position.identity !== '' || position.files > 0;
  await unlessChangedMeanwhile(changes, database, signal, async () => {
    checkChanges(changes);
    const vectors = await vectorsFor(copy, database, changes, signal);
    await copy.transaction('copy', checkCancelled, () => {
      // Another process that shares the copy was faster.
      if (isSame(readPosition(copy.rows), position)) apply(copy, changes, vectors, isUsed);
    });
  });
  const { head, to, from } = changes;
  if (isWhole(to) && changes.rest !== undefined)
    await copy.deleteUnused('copy', checkCancelled, head.swept_seq > from.rest);
  return {
    files: to.files,
    rest: to.rest,
    total: head.seq * 2,
    isDone: isWhole(to) && isSame(readPosition(copy.rows), to),
  };
}

/** Ignores damage if the index has changed since the part was read: two reads may then not match. The next part reads again. */
async function unlessChangedMeanwhile(
  { head }: Changes,
  database: Database,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    if (!(thrown instanceof DamagedOriginal)) throw thrown;
    const sql = 'SELECT FROM $schema.head WHERE identity = $1 AND epoch = $2 AND seq = $3';
    thrown.epoch = head.epoch;
    const same = await database.query('copy', sql, [head.identity, head.epoch, head.seq], signal);
    if (same.length > 0) throw thrown;
  }
}

/** A copy that is ahead of its original is how a restore is noticed. */
async function readPresent(database: Database, position: Position, signal: AbortSignal): Promise<Changes> {
  const changes = await readChanges(database, position, signal);
  if (!isRestored({ ...position, seq: position.target }, changes.head)) return changes;
  await leaveHistory(database, position.history, signal);
  return readChanges(database, position, signal);
}

/** Runs with each heartbeat of a leader, so that a restore is noticed without any call. @throws DamagedOriginal */
export async function leaveIfRestored(copy: LocalCopy, database: Database, signal: AbortSignal): Promise<void> {
  const position = readPosition(copy.rows);
  const sql = `SELECT history, epoch, seq, ${LACKS_FILES} AS "lacksFiles" FROM $schema.head`;
  const [head] = await database.query<Beaten>('publish', sql, [], signal);
  if (head === undefined) throw emptied({ op: 'publish', settings: database.settings });
  if (isRestored({ ...position, seq: position.target }, head)) return leaveHistory(database, position.history, signal);
  if (head.lacksFiles) throw Object.assign(new DamagedOriginal('the number of files'), { epoch: head.epoch });
}

interface Beaten extends Pick<Original, 'history' | 'epoch' | 'seq'> {
  readonly lacksFiles: boolean;
}

async function vectorsFor(
  copy: LocalCopy,
  database: Database,
  { rest }: Changes,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, readonly CopiedVector[]>> {
  const missing = missingVectors(copy.rows, rest?.embedded ?? []);
  const readings = [...missing].map(async ([generation, hashes]) => {
    return [generation, await readAllVectors(database, generation, hashes, signal)] as const;
  });
  return new Map(await Promise.all(readings));
}

/** @param isUsed whether the copy may have something of another original */
function apply(
  { changes: writer, rows }: LocalCopy,
  { head, from, files, rest, to }: Changes,
  vectors: ReadonlyMap<number, readonly CopiedVector[]>,
  isUsed: boolean,
): void {
  const now = new Date().toISOString();
  if (isUsed && from.listed === 0 && from.rest === 0) writer.reset(head.revision);
  const set = isListing(to) ? listingOf(files) : changeSetOf(files, from);
  if (files.length > 0) writer.apply(set, now, () => undefined, head.revision);
  if (rest !== undefined) {
    copyQuarantine(rows, rest.quarantine);
    copyGenerations(rows, rest.generations, head);
    copyEmbedded(rows, rest.embedded, vectors, now);
  }
  if (isWhole(to)) copyState(rows, writer, head);
  if (isWhole(to) && livingIn(rows) !== head.living) throw new DamagedOriginal('the number of files');
  writePosition(rows, to);
}

/** The end of a scan of the leader is that of the copy too. */
function copyState(rows: LocalCopy['rows'], writer: LocalCopy['changes'], head: Changes['head']): void {
  const { revision, scanned_at: scannedAt, rules } = head;
  const state = rows.first<{ scanned_at: string | null; rules: number | null }>('SELECT scanned_at, rules FROM state');
  if (state?.scanned_at !== scannedAt || state.rules !== rules) writer.completeScan(scannedAt, rules);
  rows.update('state', ['revision = ?', revision], ['TRUE']);
}
