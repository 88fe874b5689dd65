// Opens an index file to be copied to another store.
import { existsSync } from 'node:fs';
import type { ErrorCode } from '../../../base/errors.ts';
import { type NotePath, PARSER_RULES } from '../../../base/note.ts';
import type { StoredIndex } from '../../../contracts/stored-index.ts';
import type { EmbeddedChunk, EmbeddedNote, VectorChanges } from '../../../contracts/vectors.ts';
import { isUnpublished, loadEngine, openCheckedReader, versionOf } from '../database/open-database.ts';
import { createRows, type Rows } from '../database/rows.ts';
import { SCHEMA_STEPS } from '../database/schema.ts';
import { countsNow } from '../read/store-counts.ts';
import { createGenerationList } from '../vectors/generations.ts';
import { vectorFrom } from '../vectors/vector-codes.ts';
import { storedChanges } from './stored-changes.ts';

const OTHER_VERSION = 'it is of another version of vaultgraph';

/**
 * @param isWhole whether nothing is missing, beside what is checked here
 * @returns the reason if it cannot be copied, because it is missing, of another version or not complete @throws STORE_*
 */
export function openStoredIndex(file: string, isWhole: (rows: Rows) => boolean = () => true): StoredIndex | string {
  if (!existsSync(file)) return 'there is no such index on this machine';
  if (isUnpublished(file)) return OTHER_VERSION;
  const connection = openCheckedReader(loadEngine(), file);
  const refuse = (reason: string): string => {
    connection.close();
    return reason;
  };
  if (versionOf(connection) !== SCHEMA_STEPS.length) return refuse(OTHER_VERSION);
  // One moment for all that is read.
  connection.exec('BEGIN');
  const rows = createRows(connection);
  const counts = countsNow(rows);
  const rules = rows.value<number | null>('SELECT rules FROM state');
  if (counts.scannedAt === null || counts.pending > 0 || rules !== PARSER_RULES || !isWhole(rows))
    return refuse('it is not complete');
  const generations = createGenerationList(rows)().toReversed();
  return {
    counts,
    changes: () => storedChanges(rows),
    generations: generations.map(({ id, ...one }) => ({ ...one, changes: () => storedVectors(rows, id) })),
    close: () => void connection.close(),
  };
}

const SLICE = 100;

interface Embedded {
  readonly file: number;
  readonly path: NotePath;
  readonly hash: string;
}

interface Failed {
  readonly ordinal: number;
  readonly from_line: number;
  readonly to_line: number;
  readonly hash: string;
  readonly code: ErrorCode;
  readonly reason: string;
}

type Vector = VectorChanges['vectors'][number];

function* storedVectors(rows: Rows, generation: number): Iterable<VectorChanges> {
  const sql = `SELECT file, path, files.hash FROM embedded JOIN files ON files.id = file
    WHERE generation = ? AND embedded.hash = files.hash ORDER BY path`;
  const notes = rows.all<Embedded>(sql, generation);
  for (let from = 0; from < notes.length; from += SLICE) {
    const vectors: Vector[] = [];
    const part = notes.slice(from, from + SLICE).map((note) => embeddedNote(rows, generation, note, vectors));
    yield { vectors, notes: part };
  }
}

/** @param vectors gets those of the note */
function embeddedNote(rows: Rows, generation: number, { file, path, hash }: Embedded, vectors: Vector[]): EmbeddedNote {
  const chunks: EmbeddedChunk[] = [];
  const sql = 'SELECT ordinal, from_line, to_line, vector FROM chunks WHERE generation = ? AND file = ?';
  for (const [ordinal, from, to, id] of rows.tuples<[number, number, number, number]>(sql, generation, file)) {
    const [found] = rows.checked<{ hash: string; embedding: Uint8Array }>('SELECT * FROM vectors WHERE id = ?', id);
    if (found === undefined) continue;
    vectors.push({ hash: found.hash, vector: vectorFrom(found.embedding) });
    chunks[ordinal] = { hash: found.hash, lines: [from, to] };
  }
  const failed = 'SELECT * FROM failed_chunks WHERE generation = ? AND file = ?';
  for (const row of rows.checked<Failed>(failed, generation, file)) {
    const { ordinal, from_line: from, to_line: to, code, reason } = row;
    chunks[ordinal] ??= { hash: row.hash, lines: [from, to], failure: { code, reason } };
  }
  return { path, hash, chunks: chunks.filter((chunk) => chunk !== undefined) };
}
