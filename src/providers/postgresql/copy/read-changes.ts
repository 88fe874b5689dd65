// Reads from PostgreSQL what the copy of the index lacks, a limited part at a time, all of it as of one moment.
import { DamagedOriginal, fileChecksum, generationChecksum, unsealBytes } from '../checked-values.ts';
import type { Database, Run } from '../connection/database.ts';
import { emptied } from '../connection/failures.ts';
import type { GenerationImage } from '../write/images.ts';
import { isListing, type Position, wholeAt } from './position.ts';

export interface Head {
  readonly identity: string;
  readonly history: string;
  /** The last set of changes that the history of the copy has in common with the present one; null if it has none. */
  readonly shared: number | null;
  readonly epoch: number;
  readonly seq: number;
  readonly revision: number;
  readonly horizon: number;
  readonly files_seq: number;
  readonly rest_seq: number;
  readonly swept_seq: number;
  readonly last_generation: number;
  readonly rules: number | null;
  readonly scanned_at: string | null;
  /** How many files there are. */
  readonly living: number;
}

export interface FileRow {
  readonly path: string;
  readonly seq: number;
  readonly born: number;
  readonly gone: boolean;
  readonly kind: string;
  readonly size: number;
  readonly modified: number;
  readonly created: number | null;
  readonly evicted: boolean;
  readonly conflict_copy: boolean;
  readonly excluded: boolean;
  readonly hash: string | null;
  readonly checksum: number | null;
  readonly content_seq: number | null;
  /** Only if it has changed. */
  readonly content: Buffer | null;
}

export interface EmbeddedRow {
  readonly generation: number;
  readonly path: string;
  readonly seq: number;
  readonly hash: string | null;
  readonly chunks: string;
}

export interface QuarantineRow {
  readonly path: string;
  readonly phase: string;
  readonly entry: string | null;
}

export interface Rest {
  readonly generations: readonly GenerationImage[];
  readonly quarantine: readonly QuarantineRow[];
  readonly embedded: readonly EmbeddedRow[];
}

/** A part of what is missing. */
export interface Changes {
  readonly head: Head;
  /** Where the copy begins: at nothing if it is of another original, or too far behind. */
  readonly from: Position;
  readonly files: readonly FileRow[];
  /** Undefined until all files are there. */
  readonly rest: Rest | undefined;
  /** Where the copy is after these changes. */
  readonly to: Position;
}

const HEAD = `SELECT identity, history, CASE WHEN history = $1 THEN seq ELSE (
    SELECT next.since FROM $schema.histories own JOIN $schema.histories next ON next.ordinal > own.ordinal
    WHERE own.id = $1 ORDER BY next.ordinal LIMIT 1) END AS shared, epoch, seq, revision, horizon, files_seq, rest_seq, swept_seq, last_generation, rules, scanned_at, living FROM $schema.head`;

const MAX_LISTED = 5_000;
const MAX_FILES = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_EMBEDDED = 200;

/** Whole sets of changes, at least one. */
const LISTING = `SELECT path, seq, born, gone, kind, size, modified, created, evicted, conflict_copy, excluded, hash, checksum, content_seq, NULL AS content
  FROM $schema.files WHERE seq > $1 AND seq <= (
    SELECT max(seq) FROM (SELECT seq FROM $schema.files WHERE seq > $1 ORDER BY seq LIMIT ${MAX_LISTED}) part)`;

/** Whole sets of changes, at least one: so many that their contents stay below a size. */
const FILES = `WITH next AS (
    SELECT seq, sum(coalesce(octet_length(content), 0) + 200) OVER (ORDER BY seq) AS total
    FROM (SELECT seq, content FROM $schema.files WHERE seq > $1 ORDER BY seq LIMIT ${MAX_FILES}) part),
  last AS (SELECT coalesce(max(seq) FILTER (WHERE total <= ${MAX_BYTES}), min(seq)) AS seq FROM next)
  SELECT path, files.seq, born, gone, kind, size, modified, created, evicted, conflict_copy, excluded, hash, checksum, content_seq,
    CASE WHEN content_seq > $1 THEN content END AS content
  FROM $schema.files, last WHERE files.seq > $1 AND files.seq <= last.seq`;

const EMBEDDED = `SELECT generation, path, seq, hash, chunks FROM $schema.embedded WHERE seq > $1 AND seq <= (
    SELECT max(seq) FROM (SELECT seq FROM $schema.embedded WHERE seq > $1 ORDER BY seq LIMIT ${MAX_EMBEDDED}) part)`;

const MODE = 'ISOLATION LEVEL REPEATABLE READ READ ONLY';

export function readChanges(database: Database, position: Position, signal: AbortSignal): Promise<Changes> {
  return database.transaction('copy', signal, (run) => readFrom(run, database, position), MODE);
}

async function readFrom(run: Run, { settings }: Database, position: Position): Promise<Changes> {
  // Both are sent at once: most servers are a few changes behind.
  const [[head], read] = await Promise.all([
    run<Head>(HEAD, [position.history]),
    position.files === 0 ? undefined : run<FileRow>(FILES, [position.files]),
  ]);
  if (head === undefined) throw emptied({ op: 'copy', settings });
  const from = isUsable(position, head) ? position : { ...wholeAt(head), listed: 0, files: 0, rest: 0 };
  if (from.files === 0 && from.listed < head.files_seq) return readListing(run, head, from);
  const files = from === position ? read : undefined;
  return readRest(run, head, from, files ?? (await run<FileRow>(FILES, [from.files])));
}

async function readListing(run: Run, head: Head, from: Position): Promise<Changes> {
  const files = await run<FileRow>(LISTING, [from.listed]);
  // After a reset there is none with the number of the last set.
  const listed = files.length === 0 ? head.files_seq : lastOf(files, from.listed);
  return { head, from, files, rest: undefined, to: { ...from, history: head.history, target: head.seq, listed } };
}

const lastOf = (rows: readonly { readonly seq: number }[], from: number): number =>
  rows.reduce((most, { seq }) => Math.max(most, seq), from);

const isUsable = ({ identity, epoch, since, target }: Position, head: Head): boolean =>
  identity === head.identity && epoch === head.epoch && since >= head.horizon && target <= (head.shared ?? -1);

async function readRest(run: Run, head: Head, from: Position, files: readonly FileRow[]): Promise<Changes> {
  const last = lastOf(files, from.files);
  // After a reset there is none with the number of the last set.
  const hasFiles = files.length === 0 || last >= head.files_seq;
  const moved = { ...from, history: head.history, target: head.seq, files: hasFiles ? head.seq : last };
  if (!hasFiles) return { head, from, files, rest: undefined, to: moved };
  if (from.rest >= head.rest_seq) return { head, from, files, rest: undefined, to: wholeAt(head) };
  const [generations, quarantine, embedded] = await Promise.all([
    run<GenerationImage>(
      'SELECT id, role, state, fingerprint, dims, middle, created, activated, checksum FROM $schema.generations',
    ),
    run<QuarantineRow>('SELECT path, phase, entry FROM $schema.quarantine WHERE seq > $1', [from.rest]),
    run<EmbeddedRow>(EMBEDDED, [from.rest]),
  ]);
  const rest = { generations, quarantine, embedded };
  const lastRest = lastOf(embedded, from.rest);
  const isEnd = embedded.length < MAX_EMBEDDED;
  const to = isEnd ? wholeAt(head) : { ...moved, rest: lastRest };
  return { head, from, files, rest, to };
}

/** @throws DamagedOriginal if something is not as it was written; the contents are compared when they are unpacked */
export function checkChanges({ head, from, files, rest, to }: Changes): void {
  if (!isSoundHead(head)) throw new DamagedOriginal('the state of the index');
  const since = isListing(to) ? undefined : from.files;
  for (const file of files) if (!isSoundFile(file, head, since)) throw new DamagedOriginal('the row of a file');
  for (const { seq } of rest?.embedded ?? []) if (!(seq <= head.seq)) throw new DamagedOriginal('the row of passages');
  for (const one of rest?.generations ?? [])
    if (one.checksum !== generationChecksum(one)) throw new DamagedOriginal('the row of a generation of vectors');
}

function isSoundHead({ scanned_at, ...head }: Head): boolean {
  const { epoch, seq, revision, horizon, files_seq, rest_seq, swept_seq, last_generation, living } = head;
  const numbers = [epoch, seq, revision, horizon, files_seq, rest_seq, swept_seq, last_generation, living];
  const isOrdered = Math.max(horizon, files_seq, rest_seq, swept_seq) <= seq;
  return numbers.every((one) => one >= 0) && isOrdered && !Number.isNaN(Date.parse(scanned_at ?? '2000'));
}

/**
 * A file that is gone has no checksum, and one with a hash has a content.
 * @param since contents that are newer were read; undefined if none was
 */
function isSoundFile(file: FileRow, head: Head, since: number | undefined): boolean {
  const { seq, born, gone, hash, checksum, content_seq, content } = file;
  if (!(seq > 0 && seq <= head.seq && born <= seq && (content_seq ?? 0) <= seq)) return false;
  if (gone) return checksum === null && hash === null && content_seq === null;
  const lacksContent = since !== undefined && (content_seq ?? 0) > since && content === null;
  return checksum === fileChecksum(file) && !lacksContent && (hash === null || content_seq !== null);
}

/** The vectors of these texts, by hash; those of texts without one are left out. @throws DamagedOriginal */
export async function readVectors(
  database: Database,
  generation: number,
  hashes: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly hash: string; readonly embedding: Buffer }[]> {
  if (hashes.length === 0) return [];
  const sql = 'SELECT hash, embedding FROM $schema.vectors WHERE generation = $1 AND hash = ANY($2)';
  const rows = await database.query<{ hash: string; embedding: Buffer }>('copy', sql, [generation, hashes], signal);
  return rows.map(({ hash, embedding }) => ({ hash, embedding: unsealBytes(embedding, hash, 'a vector') }));
}

/** Like `readVectors`, for distinct texts that all have a vector. @throws DamagedOriginal */
export async function readAllVectors(
  database: Database,
  generation: number,
  hashes: readonly string[],
  signal: AbortSignal,
): ReturnType<typeof readVectors> {
  const vectors = await readVectors(database, generation, hashes, signal);
  if (vectors.length < hashes.length) throw new DamagedOriginal('the vector of a passage');
  return vectors;
}
