// Turns an index file into one of an older version, by removing what later versions added.
import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { addChecksumFunction } from '../../src/providers/sqlite/database/open-database.ts';
import { SCHEMA_STEPS } from '../../src/providers/sqlite/database/schema.ts';

/** This version had notes and vectors, and no tables for other processes. */
export const OLDER_VERSION = 2;

/** Rebuilds each table as that version has it, and removes what later steps create. */
export function asOlderVersion(file: string): void {
  const older = new Database(':memory:');
  for (const step of SCHEMA_STEPS.slice(0, OLDER_VERSION)) older.exec(step);
  const database = new Database(file);
  addChecksumFunction(database);
  for (const { type, name } of objectsIn(database)) {
    if (type !== 'table') database.exec(`DROP ${type} IF EXISTS ${name}`);
  }
  const known = objectsIn(older).filter(({ name }) => !name.startsWith('texts'));
  // Its shadow tables come with it.
  database.exec(objectsIn(older).find(({ name }) => name === 'texts')?.sql ?? '');
  for (const { type, name, sql } of known) {
    if (type === 'table') rebuild(database, name, sql, columnsOf(older, name).join(', '));
  }
  for (const { type, sql } of known) if (type === 'index') database.exec(sql);
  const kept = new Set(objectsIn(older).map(({ name }) => name));
  for (const { name } of objectsIn(database)) if (!kept.has(name)) database.exec(`DROP TABLE ${name}`);
  database.pragma(`user_version = ${OLDER_VERSION}`);
  database.close();
  older.close();
  // The checksum is of the file as it was.
  rmSync(`${file}.seal`, { force: true });
}

function rebuild(database: Database.Database, table: string, sql: string, columns: string): void {
  database.exec(`ALTER TABLE ${table} RENAME TO newer; ${sql};
    INSERT INTO ${table} (${columns}) SELECT ${columns} FROM newer; DROP TABLE newer`);
}

function objectsIn(
  database: Database.Database,
): { readonly type: string; readonly name: string; readonly sql: string }[] {
  const sql = `SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'`;
  return database.prepare(sql).all() as { type: string; name: string; sql: string }[];
}

function columnsOf(database: Database.Database, table: string): string[] {
  return (database.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => `"${name}"`);
}
