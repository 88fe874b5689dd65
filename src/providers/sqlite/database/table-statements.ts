// Makes the SQL that creates a table of the index, or rebuilds an earlier one as it.
import { ROW_CHECKSUM } from './checksum.ts';

export interface Table {
  readonly name: string;
  /** One column per line; what follows `--` is not stored in the file. */
  readonly columns: string;
  /** The primary key of a table without row ids. */
  readonly key?: string;
  readonly unique?: string;
  /** What an index is on, by its name. */
  readonly indexes?: Readonly<Record<string, string>>;
  /** The values of the last columns, which the earlier table does not have. Its other columns are in the same order. */
  readonly added?: readonly string[];
}

/** Rebuilds the table with checksums, and keeps its rows. */
export function rebuilt(table: Table): string {
  const { name, columns, indexes = {}, added = [] } = table;
  return `
${Object.keys(indexes)
  .map((index) => `DROP INDEX ${index};\n`)
  .join('')}ALTER TABLE ${name} RENAME TO old_${name};
${created(table)}
INSERT INTO ${name} (${columnNames(table).join(', ')}) SELECT ${['*', ...added].join(', ')} FROM old_${name};
${columns.includes('AUTOINCREMENT') ? keepSequence(name) : ''}DROP TABLE old_${name};
${Object.entries(indexes)
  .map(([index, on]) => `CREATE INDEX ${index} ON ${on};\n`)
  .join('')}`;
}

/** Creates the table. */
export function created(table: Table): string {
  const { name, key, unique } = table;
  const checksum = `checksum INTEGER NOT NULL AS (${ROW_CHECKSUM}(${columnNames(table).join(', ')})) STORED`;
  const constraints = [key && `PRIMARY KEY (${key})`, unique && `UNIQUE (${unique})`].filter(
    (text) => text !== undefined,
  );
  return `CREATE TABLE ${name} (
  ${[...definitionsOf(table), checksum, ...constraints].join(',\n  ')}
) STRICT${key === undefined ? '' : ', WITHOUT ROWID'};`;
}

function definitionsOf({ columns }: Table): string[] {
  return columns.split('\n').flatMap((line) => line.replace(/--.*/, '').trim() || []);
}

function columnNames(table: Table): string[] {
  return definitionsOf(table).map((definition) => definition.split(' ')[0] ?? '');
}

/** The next id must not be one that was used and deleted. */
function keepSequence(name: string): string {
  return `DELETE FROM sqlite_sequence WHERE name = '${name}';
UPDATE sqlite_sequence SET name = '${name}' WHERE name = 'old_${name}';
`;
}
