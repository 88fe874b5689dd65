// Turns an index file into one of an older version, by removing what later versions added.
import Database from 'better-sqlite3';
import { SCHEMA_STEPS } from '../../src/providers/sqlite/database/schema.ts';

/** This version had notes and vectors, and no tables for other processes. */
export const OLDER_VERSION = 2;

/** Removes the tables, indexes and columns that no step up to that version creates. */
export function asOlderVersion(file: string): void {
  const older = new Database(':memory:');
  for (const step of SCHEMA_STEPS.slice(0, OLDER_VERSION)) older.exec(step);
  const database = new Database(file);
  const known = new Set(objectsIn(older).map(({ name }) => name));
  const later = objectsIn(database).filter(({ name }) => !known.has(name));
  for (const { type, name } of later.toSorted((left) => (left.type === 'index' ? -1 : 1))) {
    database.exec(`DROP ${type} IF EXISTS ${name}`);
  }
  for (const { type, name } of objectsIn(older)) {
    if (type !== 'table' || name.startsWith('texts')) continue;
    const columns = new Set(columnsOf(older, name));
    for (const column of columnsOf(database, name)) {
      if (!columns.has(column)) database.exec(`ALTER TABLE ${name} DROP COLUMN ${column}`);
    }
  }
  database.pragma(`user_version = ${OLDER_VERSION}`);
  database.close();
  older.close();
}

function objectsIn(database: Database.Database): { readonly type: string; readonly name: string }[] {
  const sql = `SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'`;
  return database.prepare(sql).all() as { type: string; name: string }[];
}

function columnsOf(database: Database.Database, table: string): string[] {
  return (database.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
}
