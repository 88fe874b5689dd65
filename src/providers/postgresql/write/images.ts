// Reads from the copy what a set of changes has made of the rows it is about: the form in which PostgreSQL keeps them.

import { createHash } from 'node:crypto';
import { packKept } from '../../../base/kept-json.ts';
import type { EmbeddedNote } from '../../../contracts/vectors.ts';
import { splitWords } from '../../../postings/one-note-words.ts';
import type { Rows } from '../../sqlite/database/rows.ts';
import type { FileRow } from '../../sqlite/read/note-rows.ts';
import type { UnpackedChanges } from '../../sqlite/write/unpack-changes.ts';
import { fileChecksum, generationChecksum, type ListedGeneration } from '../checked-values.ts';
import { packContent } from './note-content.ts';

type Listed = Pick<
  FileRow,
  'path' | 'kind' | 'size' | 'modified' | 'created' | 'evicted' | 'conflict_copy' | 'hash'
> & {
  readonly excluded: number;
};

export interface FileImage extends Listed {
  readonly key: string;
  /** The path came, or came again. */
  readonly reborn: boolean;
  /** Where its content is among all contents, from 1, and its length; 0 without a new one. */
  readonly at: number;
  readonly bytes: number;
  readonly checksum: number;
}

export interface FileImages {
  readonly files: readonly FileImage[];
  readonly gone: readonly string[];
  readonly contents: Buffer;
}

const LISTED = 'IN (SELECT value FROM json_each(?))';

/** After the changes were applied. */
export function fileImages(rows: Rows, changes: UnpackedChanges): FileImages {
  const { contents, places } = packedContents(changes);
  const removed = new Set<string>(changes.removed);
  const paths = new Set<string>([...removed, ...places.keys()]);
  for (const { path } of [...changes.added, ...changes.touched]) paths.add(path);
  const sql = `SELECT path, kind, size, modified, created, evicted, conflict_copy, hash,
    id IN (SELECT file FROM excluded_files) AS excluded FROM files WHERE path ${LISTED}`;
  const living = rows.all<Listed>(sql, JSON.stringify([...paths]));
  for (const { path } of living) paths.delete(path);
  const files = living.map((row) => {
    const place = places.get(row.path) ?? { at: 0, bytes: 0 };
    return { key: keyOf(row.path), ...row, reborn: removed.has(row.path), ...place, checksum: fileChecksum(row) };
  });
  return { files, gone: [...paths].map(keyOf), contents };
}

function packedContents({ indexed, words }: UnpackedChanges) {
  const parts = words === undefined ? [] : splitWords(words);
  const places = new Map<string, { readonly at: number; readonly bytes: number }>();
  let at = 1;
  const packed = indexed.map((note, ordinal) => {
    const bytes = packContent(note.path, { ...note, words: parts[ordinal] ?? NO_WORDS });
    places.set(note.path, { at, bytes: bytes.length });
    at += bytes.length;
    return bytes;
  });
  return { contents: Buffer.concat(packed), places };
}

const NO_WORDS = Object.freeze({
  lengths: new Int32Array(1),
  directory: new Uint8Array(0),
  rows: new Uint8Array(0),
  ends: new Int32Array(0),
  vectors: new Uint8Array(0),
  vectorEnds: new Int32Array(1),
});

export interface QuarantineImage {
  readonly key: string;
  readonly path: string;
  readonly phase: string;
  /** The row, by `packKept`. */
  readonly entry: string;
}

/** The paths whose rows of the quarantine a set of changes may change. */
export function quarantinePaths({ indexed, removed, quarantined, released }: UnpackedChanges): string[] {
  const paths = [...indexed, ...quarantined].map(({ path }) => path as string);
  return [...new Set<string>([...paths, ...removed, ...released])];
}

export function quarantineImages(rows: Rows, paths: readonly string[]): QuarantineImage[] {
  const sql = `SELECT * FROM quarantine WHERE path ${LISTED}`;
  const entries = rows.checked<{ path: string; phase: string; checksum: number }>(sql, JSON.stringify(paths));
  return entries.map(({ checksum: _, ...row }) => ({
    key: keyOf(row.path),
    path: row.path,
    phase: row.phase,
    entry: packKept(row, `${row.path}\n${row.phase}`),
  }));
}

export interface FailureImage {
  readonly ordinal: number;
  readonly attempts: number;
  readonly first: string;
  readonly last: string;
}

export interface EmbeddedImage {
  readonly key: string;
  readonly path: string;
  readonly hash: string;
  readonly hashes: readonly string[];
  /** The chunks, and how often each of those that failed did, by `packKept`. */
  readonly chunks: string;
}

/** Lists the images of notes that were embedded as they are now. */
export function embeddedImages(rows: Rows, generation: number, notes: readonly EmbeddedNote[]): EmbeddedImage[] {
  return notes.flatMap(({ path, hash, chunks }) => {
    const sql = `SELECT files.id FROM files JOIN embedded ON file = files.id AND embedded.hash = files.hash
      WHERE path = ? AND files.hash = ? AND generation = ?`;
    const file = rows.value<number>(sql, path, hash, generation);
    if (file === undefined) return [];
    const failed = 'SELECT ordinal, attempts, first, last FROM failed_chunks WHERE generation = ? AND file = ?';
    const failures = rows.all<FailureImage>(failed, generation, file);
    const hashes = chunks.flatMap((chunk) => (chunk.failure === undefined ? [chunk.hash] : []));
    return [
      {
        key: keyOf(path),
        path,
        hash,
        hashes,
        chunks: packKept({ chunks, failures }, aboutChunks(generation, path, hash)),
      },
    ];
  });
}

/** What the chunks of a row belong to. */
export const aboutChunks = (generation: number, path: string, hash: string | null): string =>
  `${generation}\n${hash}\n${path}`;

export interface GenerationImage extends ListedGeneration {
  readonly checksum: number;
}

export function generationImages(rows: Rows): GenerationImage[] {
  const sql = `SELECT id, role, state, fingerprint, dims, middle, created, activated FROM generations WHERE state <> 'dropped'`;
  const generations = rows.all<Omit<GenerationImage, 'checksum'>>(sql);
  return generations.map((one) => ({ ...one, checksum: generationChecksum(one) }));
}

/** Makes a UUID: 128 bits in hexadecimal digits. */
export const keyOf = (path: string): string => createHash('sha256').update(path).digest('hex').slice(0, 32);
