// Makes a change of the index: first in the copy, by its rules, then in PostgreSQL, and commits it there before it commits the copy.
import { VaultgraphError } from '../../../base/errors.ts';
import type { VectorChanges } from '../../../contracts/vectors.ts';
import type { Rows } from '../../sqlite/database/rows.ts';
import { applyVectors } from '../../sqlite/vectors/apply-vectors.ts';
import { activate, dropUnfinished, openGeneration } from '../../sqlite/vectors/generations.ts';
import { vectorFrom } from '../../sqlite/vectors/vector-codes.ts';
import { revisionOf } from '../../sqlite/write/apply-changes.ts';
import { hasOnlySightings, type UnpackedChanges, unpackChanges } from '../../sqlite/write/unpack-changes.ts';
import type { WriterJob } from '../../sqlite/write/writer-messages.ts';
import type { Database, Run } from '../connection/database.ts';
import { type CopiedVector, lacking } from '../copy/apply-copied.ts';
import { isWhole, livingIn, type Position, readPosition, wholeAt, writePosition } from '../copy/position.ts';
import { readVectors } from '../copy/read-changes.ts';
import { type FeedKeeping, keepFeed, type SendFeed } from '../feed/keep-feed.ts';
import { embeddedImages, fileImages, generationImages, quarantineImages, quarantinePaths } from './images.ts';
import type { LocalCopy } from './local-copy.ts';
import {
  beginSet,
  deleteDropped,
  endScan,
  OutdatedCopy,
  outdateChunks,
  sendEmbedded,
  sendFiles,
  sendGenerations,
  sendQuarantine,
  sendReset,
  sendVectors,
  sweepUnused,
} from './send-changes.ts';

type IndexOp = 'apply' | 'completeScan' | 'reset' | 'openGeneration' | 'applyVectors' | 'activate' | 'sweepVectors';
export type IndexJob = Extract<WriterJob, { readonly op: IndexOp }>;

export interface Writing {
  readonly copy: LocalCopy;
  readonly database: Database;
  readonly token: number | null;
  readonly now: string;
  readonly signal: AbortSignal;
  readonly checkCancelled: () => void;
  /** Absent if no feed of changes is kept. */
  readonly feed?: Pick<FeedKeeping, 'engine' | 'settings'>;
}

/** What a change does to PostgreSQL, and its result. */
interface Sending {
  readonly result?: unknown;
  /** @param seq the number of the set of changes */
  readonly send: (run: Run, seq: number) => Promise<void>;
  /** A reset begins a new epoch. */
  readonly isReset?: true;
}

/** @throws OutdatedCopy if the copy has to catch up first */
export async function writeIndex(packedJob: IndexJob, writing: Writing): Promise<unknown> {
  const job = unpacked(packedJob);
  if (job.op === 'apply' && hasOnlySightings(job.changes)) return writeSightings(job.changes, writing);
  const { copy, database, token, signal, checkCancelled } = writing;
  const added = job.op === 'applyVectors' ? await vectorsOfNotes(job, writing) : [];
  const result = await copy.transaction(job.op, checkCancelled, async () => {
    const position = readPosition(copy.rows);
    if (!isWhole(position)) throw new OutdatedCopy();
    const sendFeed = await feedOf(job, writing, position);
    const sending = changeCopy(job, writing, added);
    const set = { ...originalOf(position), token, ...stateOf(copy.rows) };
    const seq = set.seq + 1;
    await database.transaction(job.op, signal, async (run) => {
      await beginSet(run, set);
      await sending.send(run, seq);
      await sendFeed?.(run);
    });
    writePosition(copy.rows, wholeAt({ ...set, seq, epoch: set.epoch + (sending.isReset ? 1 : 0) }));
    return sending.result;
  });
  await afterwards(job, writing);
  return result;
}

/** The times of changes are those of the files on this machine, so they are only in its copy. */
async function writeSightings(changes: UnpackedChanges, { copy, now, checkCancelled }: Writing): Promise<unknown> {
  const write = () => ({ revision: copy.changes.apply(changes, now, checkCancelled) });
  return copy.transaction('apply', checkCancelled, write);
}

const stateOf = (rows: Rows) => ({
  revision: revisionOf(rows),
  rules: rows.value<number | null>('SELECT rules FROM state') ?? null,
  living: livingIn(rows),
});

const originalOf = ({ identity, history, epoch, target }: Position) => ({ identity, history, epoch, seq: target });

/** What the files of a set of changes hold is unpacked once, for the feed and for the index. */
type UnpackedJob = Exclude<IndexJob, { op: 'apply' }> | { readonly op: 'apply'; readonly changes: UnpackedChanges };

const unpacked = (job: IndexJob): UnpackedJob =>
  job.op === 'apply' ? { op: job.op, changes: unpackChanges(job.changes) } : job;

/** Before the index is changed, which still knows who links to what is removed. */
async function feedOf(job: UnpackedJob, writing: Writing, position: Position): Promise<SendFeed | undefined> {
  const { feed, database, copy, signal } = writing;
  if (feed === undefined || (job.op !== 'apply' && job.op !== 'completeScan')) return undefined;
  const keeping = { ...feed, database, index: copy.rows, position, signal };
  return keepFeed(keeping, job.op === 'apply' ? job.changes : undefined);
}

function changeCopy(job: UnpackedJob, writing: Writing, added: readonly CopiedVector[]): Sending {
  const { copy, now } = writing;
  const { rows, changes } = copy;
  switch (job.op) {
    case 'apply':
      return applyToCopy(job.changes, writing);
    case 'completeScan':
      changes.completeScan(job.at);
      return { send: (run, seq) => endScan(run, job.at, seq) };
    case 'reset':
      changes.reset();
      return { send: sendReset, isReset: true };
    case 'openGeneration': {
      const result = openGeneration(rows, job.role, job.fingerprint, now);
      return { result, send: sendingGenerations(rows) };
    }
    case 'applyVectors':
      return applyVectorsToCopy(job, writing, added);
    case 'activate':
      activate(rows, job.generation, now);
      return { send: sendingGenerations(rows) };
    case 'sweepVectors':
      dropUnfinished(rows, job.kept);
      return { send: sendingGenerations(rows) };
  }
}

function sendingGenerations(rows: Rows): Sending['send'] {
  const images = generationImages(rows);
  return (run, seq) => sendGenerations(run, images, seq);
}

function applyToCopy(changeSet: UnpackedChanges, { copy, now, checkCancelled }: Writing): Sending {
  const { rows } = copy;
  const paths = quarantinePaths(changeSet);
  const before = quarantineImages(rows, paths).map(({ key }) => key);
  // Before the change: one that removes the last note with chunks leaves none here, but its row in PostgreSQL.
  const hasChunks = rows.value<number>('SELECT 1 FROM embedded LIMIT 1') === 1;
  const revision = copy.changes.apply(changeSet, now, checkCancelled);
  const files = fileImages(rows, changeSet);
  const quarantined = quarantineImages(rows, paths);
  const send = async (run: Run, seq: number): Promise<void> => {
    await sendFiles(run, files, seq);
    await sendQuarantine(run, before, quarantined, seq);
    if (hasChunks) await outdateChunks(run, files, seq);
  };
  return { result: { revision }, send };
}

type VectorJob = Extract<IndexJob, { readonly op: 'applyVectors' }>;

/** The vectors of texts that an earlier call has sent, or another server, and that the copy lacks. */
async function vectorsOfNotes(
  { generation, changes }: VectorJob,
  { copy, database, signal }: Writing,
): Promise<readonly CopiedVector[]> {
  const newHashes = new Set(changes.vectors.map(({ hash }) => hash));
  const chunks = changes.notes.flatMap((note) => note.chunks);
  const needed = chunks.filter(({ hash, failure }) => failure === undefined && !newHashes.has(hash));
  const hashes = lacking(
    copy.rows,
    generation,
    needed.map(({ hash }) => hash),
  );
  return readVectors(database, generation, hashes, signal);
}

function applyVectorsToCopy(
  { generation, changes }: VectorJob,
  { copy, now, checkCancelled }: Writing,
  added: readonly CopiedVector[],
): Sending {
  const { rows } = copy;
  const hadMiddle = hasMiddle(rows, generation);
  const vectors = added.map(({ hash, embedding }) => ({ hash, vector: vectorFrom(embedding) }));
  const all: VectorChanges = { ...changes, vectors: [...changes.vectors, ...vectors] };
  applyVectors(rows, generation, all, now, checkCancelled);
  const embedded = embeddedImages(rows, generation, changes.notes);
  const generations = hadMiddle === hasMiddle(rows, generation) ? undefined : sendingGenerations(rows);
  const send = async (run: Run, seq: number): Promise<void> => {
    await sendVectors(run, generation, changes.vectors);
    await sendEmbedded(run, generation, embedded, seq);
    await generations?.(run, seq);
  };
  return { send };
}

const hasMiddle = (rows: Rows, generation: number): boolean =>
  rows.value<number>('SELECT 1 FROM generations WHERE id = ? AND middle IS NOT NULL', generation) === 1;

/** Deletes what the change has left, in the copy and in PostgreSQL, in parts. */
async function afterwards(
  { op }: UnpackedJob,
  { copy, database, signal, checkCancelled, token }: Writing,
): Promise<void> {
  if (op === 'completeScan') copy.checkpoint();
  if (op !== 'activate' && op !== 'sweepVectors') return;
  await copy.deleteUnused(op, checkCancelled, op === 'sweepVectors');
  const inSet = async (work: (run: Run, seq: number) => Promise<boolean>): Promise<boolean> =>
    copy.transaction(op, checkCancelled, async () => {
      const position = originalOf(readPosition(copy.rows));
      const seq = position.seq + 1;
      const more = await database.transaction(op, signal, async (run) => {
        await beginSet(run, { ...position, token, ...stateOf(copy.rows) });
        return work(run, seq);
      });
      writePosition(copy.rows, wholeAt({ ...position, seq }));
      return more;
    });
  while (await inSet((run) => deleteDropped(run))) checkCancelled();
  if (op !== 'sweepVectors') return;
  await inSet(async (run, seq) => {
    await sweepUnused(run, seq);
    return false;
  });
}

/** @throws INTERNAL: these jobs are of the index on SQLite itself */
export const noSuchJob = (op: string): VaultgraphError => new VaultgraphError('INTERNAL', { kind: `no job ${op}` });
