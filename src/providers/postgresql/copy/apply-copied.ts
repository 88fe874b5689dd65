// Applies rows from PostgreSQL to the copy of the index, with the rules by which the index itself is written.
import type { FileKind, NotePath } from '../../../base/note.ts';
import { type IndexedNote, NO_CHANGES } from '../../../contracts/change-set.ts';
import type { FileEntry } from '../../../contracts/vault.ts';
import type { EmbeddedNote } from '../../../contracts/vectors.ts';
import { joinWords } from '../../../postings/one-note-words.ts';
import type { SqlValue } from '../../sqlite/database/checksum.ts';
import type { Rows } from '../../sqlite/database/rows.ts';
import { applyVectors, deleteOutdatedIn, writeCentroid } from '../../sqlite/vectors/apply-vectors.ts';
import { vectorFrom } from '../../sqlite/vectors/vector-codes.ts';
import { type UnpackedChanges, unpackChanges } from '../../sqlite/write/unpack-changes.ts';
import { valueIn } from '../checked-values.ts';
import { aboutChunks, type FailureImage, type GenerationImage } from '../write/images.ts';
import { type NoteContent, unpackContent } from '../write/note-content.ts';
import type { Position } from './position.ts';
import type { EmbeddedRow, FileRow, Head, QuarantineRow } from './read-changes.ts';

/** The change set that adds the files without what they hold. */
export function listingOf(files: readonly FileRow[]): UnpackedChanges {
  return { ...unpackChanges(NO_CHANGES), added: files.filter(({ gone }) => !gone).map(foundEntry) };
}

/** The change set that brings the copy from the position to what the rows say. */
export function changeSetOf(files: readonly FileRow[], from: Position): UnpackedChanges {
  const living = files.filter(({ gone }) => !gone);
  const contents = living.flatMap((row) =>
    row.content === null ? [] : [{ row, ...unpackContent(row.path, row.content) }],
  );
  const textless = living.filter(({ content }) => content === null);
  const left = files.filter(({ gone, born }) => gone || born > Math.max(from.listed, from.files));
  return {
    removed: left.map(({ path }) => path as NotePath),
    added: living.map(foundEntry),
    touched: textless.map(({ path, size, modified, created }) => ({
      path: path as NotePath,
      sizeBytes: size,
      modifiedMs: modified,
      ...(created === null ? {} : { createdMs: created }),
    })),
    sightings: [],
    indexed: contents.map(indexedNote),
    words: contents.length === 0 ? undefined : joinWords(contents.map(({ words }) => words)),
    quarantined: [],
    released: [],
  };
}

function foundEntry({ path, kind, size, modified, created, evicted, conflict_copy, excluded }: FileRow): FileEntry {
  return {
    path: path as NotePath,
    kind: kind as FileKind,
    sizeBytes: size,
    modifiedMs: modified,
    evicted,
    conflictCopy: conflict_copy,
    ...(excluded && { excluded }),
    ...(created === null ? {} : { createdMs: created }),
  };
}

function indexedNote({ row, encoding, parsed, attachment }: NoteContent & { readonly row: FileRow }): IndexedNote {
  const { path, hash, size, modified, created } = row;
  return {
    path: path as NotePath,
    hash: hash ?? '',
    sizeBytes: size,
    modifiedMs: modified,
    encoding,
    parsed,
    ...(created === null ? {} : { createdMs: created }),
    ...(attachment && { attachment }),
  };
}

/** @throws DamagedOriginal */
export const quarantineIn = (path: string, phase: string, entry: string): Readonly<Record<string, SqlValue>> =>
  valueIn(entry, `${path}\n${phase}`, 'an entry of the quarantine');

const COLUMNS = ['path', 'phase', 'code', 'reason', 'line', 'column', 'hash', 'attempts', 'first', 'last'];

export function copyQuarantine(rows: Rows, copied: readonly QuarantineRow[]): void {
  const names = COLUMNS.map((name) => `"${name}"`).join(', ');
  for (const { path, phase, entry } of copied) {
    rows.run('DELETE FROM quarantine WHERE path = ? AND phase = ?', path, phase);
    if (entry === null) continue;
    const row = quarantineIn(path, phase, entry);
    const values = COLUMNS.map((name) => row[name] ?? null);
    rows.run(`INSERT INTO quarantine (${names}) VALUES (${COLUMNS.map(() => '?').join(', ')})`, ...values);
  }
}

/** Ids are the same everywhere, and none is used twice. Generations that are gone are dropped. */
export function copyGenerations(rows: Rows, copied: readonly GenerationImage[], { last_generation: last }: Head): void {
  const centroids = new Map(rows.tuples<[number, Uint8Array | null]>('SELECT id, middle FROM generations'));
  for (const one of copied) copyGeneration(rows, one, centroids.get(one.id));
  const gone = 'id NOT IN (SELECT value FROM json_each(?))';
  rows.update('generations', [`state = 'dropped'`], [gone, JSON.stringify(copied.map(({ id }) => id))]);
  rows.run(`INSERT INTO sqlite_sequence (name, seq) SELECT 'generations', 0
    WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'generations')`);
  rows.run(`UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'generations'`, last);
}

/** @param knownMiddle undefined if the generation is new here */
function copyGeneration(rows: Rows, one: GenerationImage, knownMiddle: Uint8Array | null | undefined): void {
  const { id, role, state, fingerprint, dims, middle, created, activated } = one;
  if (knownMiddle === undefined) {
    const sql = `INSERT INTO generations (id, role, state, fingerprint, dims, revision, removed, middle, created, activated)
      VALUES (?, ?, ?, ?, ?, 0, 0, ?, ?, ?)`;
    rows.run(sql, id, role, state, fingerprint, dims, middle, created, activated);
    return;
  }
  rows.update('generations', ['state = ?, activated = ?', state, activated], ['id = ?', id]);
  if (middle === null || (knownMiddle !== null && Buffer.from(knownMiddle).equals(middle))) return;
  writeCentroid(rows, id, vectorFrom(middle));
  rows.update('generations', ['revision = revision + 1'], ['id = ?', id]);
}

export interface CopiedVector {
  readonly hash: string;
  readonly embedding: Buffer;
}

interface Chunks {
  readonly chunks: EmbeddedNote['chunks'];
  readonly failures: readonly FailureImage[];
}

/** The hashes of the texts whose vectors the copy lacks, by generation. */
export function missingVectors(rows: Rows, embedded: readonly EmbeddedRow[]): Map<number, string[]> {
  const needed = Map.groupBy(
    embedded.filter(({ hash }) => hash !== null),
    ({ generation }) => generation,
  );
  return new Map(
    [...needed].map(([generation, all]) => [generation, lacking(rows, generation, all.flatMap(hashesOf))]),
  );
}

/** The hashes of the texts that have a vector. */
export const hashesOf = (row: EmbeddedRow): string[] =>
  chunksIn(row).chunks.flatMap(({ hash, failure }) => (failure === undefined ? [hash] : []));

const chunksIn = ({ generation, path, hash, chunks }: EmbeddedRow): Chunks =>
  valueIn<Chunks>(chunks, aboutChunks(generation, path, hash), 'the passages of a note');

/** Those of the hashes without a vector in the generation. */
export function lacking(rows: Rows, generation: number, hashes: readonly string[]): string[] {
  const sql = 'SELECT hash FROM vectors WHERE generation = ? AND hash IN (SELECT value FROM json_each(?))';
  const present = new Set(rows.column<string>(sql, generation, JSON.stringify(hashes)));
  return [...new Set(hashes)].filter((hash) => !present.has(hash));
}

/** @param vectors those that the copy lacks, by generation */
export function copyEmbedded(
  rows: Rows,
  embedded: readonly EmbeddedRow[],
  vectors: ReadonlyMap<number, readonly CopiedVector[]>,
  now: string,
): void {
  const existing = new Set(rows.column<number>(`SELECT id FROM generations WHERE state <> 'dropped'`));
  for (const [generation, all] of Map.groupBy(embedded, (row) => row.generation)) {
    if (!existing.has(generation)) continue;
    const outdated = all.filter(({ hash }) => hash === null);
    for (const { path } of outdated) outdate(rows, generation, path);
    const current = all.filter(({ hash }) => hash !== null);
    const added = vectors.get(generation) ?? [];
    if (current.length > 0) copyNotes(rows, generation, current, added, now);
  }
}

function outdate(rows: Rows, generation: number, path: string): void {
  const file = rows.value<number>('SELECT id FROM files WHERE path = ?', path);
  if (file !== undefined) deleteOutdatedIn(rows, generation, file);
}

function copyNotes(
  rows: Rows,
  generation: number,
  embedded: readonly EmbeddedRow[],
  added: readonly CopiedVector[],
  now: string,
): void {
  const vectors = added.map(({ hash, embedding }) => ({ hash, vector: vectorFrom(embedding) }));
  const unpacked = embedded.map((row) => ({ path: row.path, hash: row.hash ?? '', ...chunksIn(row) }));
  const notes = unpacked.map(({ path, hash, chunks }) => ({ path: path as NotePath, hash, chunks }));
  applyVectors(rows, generation, { vectors, notes }, now, () => undefined);
  for (const { path, failures } of unpacked) copyFailures(rows, generation, path, failures);
}

/** How often a text failed, and since when, is as the leader counted. */
function copyFailures(rows: Rows, generation: number, path: string, failures: readonly FailureImage[]): void {
  const file = rows.value<number>('SELECT id FROM files WHERE path = ?', path);
  if (file === undefined) return;
  for (const { ordinal, attempts, first, last } of failures) {
    const key = ['generation = ? AND file = ? AND ordinal = ?', generation, file, ordinal] as const;
    rows.update('failed_chunks', ['attempts = ?, first = ?, last = ?', attempts, first, last], key);
  }
}
