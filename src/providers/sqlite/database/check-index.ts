// Checks a whole index: SQLite's own check, then the checksum of every row and of every note's edges.
import type { NotePath } from '../../../base/note.ts';
import { edgesChecksum, isIntact, type SqlValue } from './checksum.ts';
import type { Engine } from './connection.ts';
import { openReader } from './open-database.ts';
import { createRows, type Rows } from './rows.ts';
import { TABLE_NAMES } from './schema.ts';

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
    ...damagedRows,
    ...(edges === 0 ? [] : [`the links of ${edges} notes are not those that were written`]),
  ];
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
