// Measures how many bytes of an index each of its parts takes.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';

/** Tables, with their indexes, by the beginnings of their names. */
const PARTS = {
  disk_words: ['text_'],
  disk_terms: ['term_vectors'],
  disk_links: ['links', 'link_names', 'unresolved_links'],
  disk_properties: ['property_'],
} as const;

export type IndexBytes = Record<keyof typeof PARTS | 'disk_checksums', number>;

/** In megabytes. The checksums are in the tables of all parts. */
export function indexBytes(dataFolder: string): IndexBytes {
  return inIndex(dataFolder, (database) => {
    const parts = Object.entries(PARTS).map(([part, names]) => [part, bytesOf(database, names) / 1e6]);
    return { ...Object.fromEntries(parts), disk_checksums: checksumBytes(database) / 1e6 };
  });
}

/** Reads the index of the only vault of a data folder. */
export function inIndex<T>(dataFolder: string, read: (database: BetterSqlite3.Database) => T): T {
  const [file] = globSync('*/index.db', { cwd: dataFolder });
  assert.ok(file, `${dataFolder} has no index`);
  const database = new BetterSqlite3(join(dataFolder, file), { readonly: true });
  try {
    return read(database);
  } finally {
    database.close();
  }
}

function bytesOf(database: BetterSqlite3.Database, names: readonly string[]): number {
  const size = database.prepare('SELECT ifnull(sum(pgsize), 0) FROM dbstat WHERE name GLOB ?').pluck();
  return names.reduce((sum, name) => sum + Number(size.get(`${name}*`)), 0);
}

/** Of each value and the byte that says how long it is. */
function checksumBytes(database: BetterSqlite3.Database): number {
  const withChecksum = `SELECT m.name FROM sqlite_schema AS m, pragma_table_xinfo(m.name) AS c WHERE m.type = 'table' AND c.name = 'checksum'`;
  const tables = database.prepare(withChecksum).pluck().all() as string[];
  const bytes = 'sum(1 + iif(checksum BETWEEN -2147483648 AND 2147483647, 4, 6))';
  return tables.reduce((sum, table) => {
    return sum + Number(database.prepare(`SELECT ifnull(${bytes}, 0) FROM ${table}`).pluck().get());
  }, 0);
}
