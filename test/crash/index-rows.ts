// Reads all rows of an index in a canonical form, so that two indexes of one vault can be compared.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { ListCursor, readPlaces } from '../../src/postings/posting-list.ts';
import type { Segment } from '../../src/postings/segment.ts';
import { createRows } from '../../src/providers/sqlite/database/rows.ts';
import { loadSegment, segmentRow } from '../../src/providers/sqlite/texts/segment-rows.ts';

/** By table, each row as one line, sorted. */
export type IndexRows = Readonly<Record<string, readonly string[]>>;

type Value = string | number | null | Buffer;
type Row = Record<string, Value>;

interface View {
  /** Returns the rows with row ids replaced by what they refer to. */
  readonly sql: string;
  /** For values that SQL alone cannot convert. */
  readonly map?: (row: Row, database: Database.Database) => unknown;
}

const PATH = (id: string): string => `(SELECT path FROM files WHERE id = ${id})`;
const GENERATION = (id: string): string =>
  `(SELECT role || ' ' || state || ' ' || fingerprint FROM generations WHERE id = ${id})`;
/** A generation that is being deleted is not used. */
const SERVED = `(SELECT id FROM generations WHERE state <> 'dropped')`;
const VECTOR = (id: string): string => `(SELECT hex(embedding) FROM vectors WHERE id = ${id})`;

/**
 * Leaves out what does not follow from the vault: revisions, times, row ids, attempts, and when a note was created, which the
 * index keeps as first seen although an editor that saves by renaming makes a new file each time.
 */
const VIEWS: Readonly<Record<string, View>> = {
  state: { sql: 'SELECT scanned_at IS NOT NULL AS scanned, rules FROM state' },
  files: {
    sql: 'SELECT path, name_key, kind, size, modified, evicted, conflict_copy, hash, title, date, dated_by FROM files',
  },
  contents: {
    sql: `SELECT ${PATH('file')} AS path, encoding, body_offset, properties, notices, headings, blocks, tag_places FROM contents`,
    map: (row, database) => ({ ...row, properties: withNames(String(row.properties), database) }),
  },
  link_names: { sql: 'SELECT path, stem FROM link_names' },
  links: {
    sql: `SELECT ${PATH('source')} AS source, ordinal, kind, (SELECT path FROM link_names WHERE id = links.name) AS name, subpath,
      link, display, property, line, "column", "offset", "end", ${PATH('target')} AS target, match FROM links`,
  },
  tags: {
    sql: `SELECT (SELECT tag FROM tag_names WHERE id = tags.tag) AS tag, (SELECT key FROM tag_names WHERE id = tags.tag) AS key,
      ${PATH('file')} AS path FROM tags`,
  },
  names: { sql: `SELECT ${PATH('file')} AS path, kind, ordinal, name, key FROM names` },
  property_values: {
    sql: `SELECT (SELECT name || '/' || key FROM property_names WHERE id = property_values.name) AS name, ${PATH('file')} AS path,
      ordinal, type, value FROM property_values`,
  },
  tasks: { sql: `SELECT ${PATH('file')} AS path, tasks FROM tasks` },
  term_vectors: { sql: `SELECT ${PATH('file')} AS path, terms FROM term_vectors` },
  attachment_texts: { sql: `SELECT ${PATH('file')} AS path, text, fault FROM attachment_texts` },
  excluded_files: { sql: `SELECT ${PATH('file')} AS path FROM excluded_files` },
  quarantine: { sql: 'SELECT path, phase, code, reason, line, "column", hash FROM quarantine' },
  generations: {
    sql: `SELECT role, state, fingerprint, dims, middle IS NULL AS plain FROM generations WHERE state <> 'dropped'`,
  },
  chunks: {
    sql: `SELECT ${GENERATION('generation')} AS generation, ${PATH('file')} AS path, ordinal, from_line, to_line,
      ${VECTOR('vector')} AS vector, (SELECT hash FROM vectors WHERE id = vector) AS hash
      FROM chunks WHERE generation IN ${SERVED}`,
  },
  embedded: {
    sql: `SELECT ${GENERATION('generation')} AS generation, ${PATH('file')} AS path, hash, chunks, failed,
      ${VECTOR('centroid')} AS centroid FROM embedded WHERE generation IN ${SERVED}`,
  },
  failed_chunks: {
    sql: `SELECT ${GENERATION('generation')} AS generation, ${PATH('file')} AS path, ordinal, from_line, to_line, hash, code, reason
      FROM failed_chunks WHERE generation IN ${SERVED}
      AND (generation, file) IN (SELECT generation, file FROM embedded)`,
  },
};

const TEXT_TABLES = ['text_segments', 'text_rows', 'text_notes', 'text_dead'];
/** Compared through the tables that refer to them; a spelling that no note uses any more appears in no answer. */
const SEEN_FROM_ELSEWHERE: readonly string[] = ['tag_names', 'property_names', 'vectors', ...TEXT_TABLES];

/** State shared between processes, requests to models, the history of names, and what a copy is of: none of them follows from the notes alone. */
const NOT_DERIVED: readonly string[] = ['lease', 'jobs', 'requests', 'answers', 'readers', 'name_changes', 'replica'];

/** @param vectors whether to include generations and their contents */
export function indexRows(file: string, { vectors = true }: { readonly vectors?: boolean } = {}): IndexRows {
  assert.ok(existsSync(file), `there is no ${file}`);
  const database = new Database(file, { fileMustExist: true });
  try {
    assert.equal(database.pragma('quick_check', { simple: true }), 'ok', 'the quick check of the index');
    assertAllTablesKnown(database);
    const left = vectors ? [] : ['generations', 'chunks', 'embedded', 'failed_chunks'];
    const views = Object.entries(VIEWS).filter(([table]) => !left.includes(table));
    const rows = views.map(([table, view]): [string, string[]] => [table, rowsOf(database, view)]);
    return { ...Object.fromEntries(rows), texts: textRows(database) };
  } finally {
    database.close();
  }
}

/** Fails with the first rows that differ, table by table. */
export function assertSameRows(actual: IndexRows, expected: IndexRows, what: string): void {
  const faults = Object.keys(expected).flatMap((table) => {
    const [here, there] = [new Set(actual[table]), new Set(expected[table])];
    const more = [...here].filter((row) => !there.has(row)).map((row) => `+ ${table} ${row.slice(0, 500)}`);
    const less = [...there].filter((row) => !here.has(row)).map((row) => `- ${table} ${row.slice(0, 500)}`);
    const counts = (actual[table]?.length ?? 0) === expected[table]?.length ? [] : [`${table}: other count of rows`];
    return [...more.slice(0, 3), ...less.slice(0, 3), ...counts];
  });
  assert.deepEqual(faults, [], what);
}

function assertAllTablesKnown(database: Database.Database): void {
  const sql = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`;
  const known = new Set([...Object.keys(VIEWS), ...SEEN_FROM_ELSEWHERE, ...NOT_DERIVED]);
  const unknown = (database.prepare(sql).pluck().all() as string[]).filter((name) => !known.has(name));
  assert.deepEqual(unknown, [], 'tables without a rule for comparing');
}

function rowsOf(database: Database.Database, { sql, map }: View): string[] {
  const rows = database.prepare(sql).all() as Row[];
  return rows.map((row) => JSON.stringify(map === undefined ? row : map(row, database))).sort();
}

/** Properties are stored as a list of number, value, number, value, and inline fields as rows that begin with a number, in one last item. */
function withNames(packed: string, database: Database.Database): unknown[] {
  const name = database.prepare('SELECT name FROM property_names WHERE id = ?').pluck();
  return (JSON.parse(packed) as unknown[]).map((part, at) => {
    if (at % 2 !== 0) return part;
    return Array.isArray(part) ? part.map(([id, ...rest]) => [name.get(id), ...rest]) : name.get(part);
  });
}

/** For each note a hash of every word with its places, because the text itself is not stored. */
function textRows(database: Database.Database): string[] {
  const rows = createRows(database);
  const path = database.prepare('SELECT path FROM files JOIN text_notes ON file = id WHERE doc = ?').pluck();
  const digests = new Map<string, ReturnType<typeof createHash>>();
  for (const { id } of rows.all<{ id: number }>('SELECT id FROM text_segments')) {
    const { docs, segment } = loadSegment(rows, id, (row) => segmentRow(rows, row));
    const paths = Array.from(docs, (doc) => path.get(doc) as string | undefined);
    for (const [note, word] of wordsIn(segment)) {
      const of = paths[note];
      if (of === undefined) continue;
      if (!digests.has(of)) digests.set(of, createHash('sha256'));
      digests.get(of)?.update(`${word}\n`);
    }
  }
  return [...digests].map(([of, digest]) => `${of} ${digest.digest('hex')}`).sort();
}

/** Each word in its order, with the number of each note that has it and its places there. */
function* wordsIn(segment: Segment): Generator<readonly [note: number, word: string]> {
  for (const cursor = segment.cursorFrom(Buffer.alloc(0)); cursor.isOpen; cursor.next()) {
    const word = Buffer.from(cursor.word.view()).toString('utf8');
    const list = cursor.list();
    const reader = list.places();
    for (const notes = new ListCursor(list); notes.next(); ) {
      const places = new Int32Array(notes.occurrences);
      readPlaces(notes, reader, places);
      yield [notes.ordinal, `${word} ${places.join(' ')}`];
    }
  }
}
