// Checks a whole index: SQLite's own check with what it leaves out, then the checksum of every row and of every note's edges.
import type { NotePath } from '../../../base/note.ts';
import { edgesChecksum, isIntact, type SqlValue } from './checksum.ts';
import type { Engine } from './connection.ts';
import { openReader } from './open-database.ts';
import { createRows, type Rows } from './rows.ts';
import { COUNTING_TABLES, PARTIAL_INDEXES, TABLE_NAMES } from './schema.ts';

const MAX_FAULTS = 100;

/** Does what `faultsIn` does on a read-only connection, because closing a writer may checkpoint the log. */
export function faultsInFile(engine: Engine, file: string): string[] {
  const connection = openReader(engine, file);
  try {
    const rows = createRows(connection);
    return connection.transaction(() => faultsIn(rows))();
  } finally {
    connection.close();
  }
}

/** @returns what is wrong, in words; empty if the index is sound */
export function faultsIn(rows: Rows): string[] {
  const faults = rows.column<string>(`PRAGMA integrity_check(${MAX_FAULTS})`).filter((line) => line !== 'ok');
  const damagedRows = TABLE_NAMES.flatMap((table) => {
    const count = damagedIn(rows, table);
    return count === 0 ? [] : `${count} damaged rows in the table ${table}`;
  });
  const edges = damagedEdges(rows);
  return [
    ...faults,
    ...PARTIAL_INDEXES.filter((index) => !hasAsManyEntries(rows, index)).map(({ name }) => `wrong entries in ${name}`),
    ...COUNTING_TABLES.filter((table) => !isCounted(rows, table)).map((table) => `ids of ${table} are used again`),
    ...damagedRows,
    ...(edges === 0 ? [] : [`the links of ${edges} notes are not those that were written`]),
  ];
}

/** SQLite finds what such an index lacks, and not what it has too many of. */
function hasAsManyEntries(rows: Rows, { name, table, where }: (typeof PARTIAL_INDEXES)[number]): boolean {
  const entries = rows.value<number>(`SELECT count(*) FROM ${table} INDEXED BY ${name} WHERE ${where}`);
  // Without a condition of the statement, which would have SQLite read the index here, too.
  const counted = rows.value<number>(`SELECT count(iif(${where}, 1, NULL)) FROM ${table}`);
  return entries === counted;
}

function isCounted(rows: Rows, table: string): boolean {
  const last = 'ifnull((SELECT seq FROM sqlite_sequence WHERE name = ?), 0)';
  return rows.value<number>(`SELECT ifnull(max(rowid), 0) <= ${last} FROM ${table}`, table) === 1;
}

function damagedIn(rows: Rows, table: string): number {
  let count = 0;
  for (const row of rows.each<SqlValue[]>(`SELECT * FROM ${table}`)) if (!isIntact(row)) count += 1;
  return count;
}

function damagedEdges(rows: Rows): number {
  let count = 0;
  const sql = `SELECT path, edges, (SELECT json_group_array(target) FROM links WHERE source = files.id AND target IS NOT NULL)
    FROM files`;
  for (const [path, edges, targets] of rows.each<[NotePath, number, string]>(sql)) {
    if (edgesChecksum(path, JSON.parse(targets) as number[]) !== edges) count += 1;
  }
  return count;
}
