// The index of the reference pipeline, with the simplest schema that can answer: rows, contentless full text, and links as typed arrays.
import Database from 'better-sqlite3';
import type { ReferenceNote } from './reference-parser.ts';

export interface ReferenceFile {
  readonly path: string;
  readonly size: number;
  readonly modified: number;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, path TEXT UNIQUE, size INTEGER, modified REAL, properties TEXT);
  CREATE TABLE IF NOT EXISTS heading (note INTEGER, text TEXT);
  CREATE TABLE IF NOT EXISTS tag (note INTEGER, tag TEXT);
  CREATE TABLE IF NOT EXISTS link (source INTEGER, target INTEGER, written TEXT, line INTEGER);
  CREATE VIRTUAL TABLE IF NOT EXISTS text USING fts5(
    title, body, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');
`;

/** With the default of 1 MiB, half of the time is spent on merging. */
const TEXT_BUFFER_BYTES = 4 * 2 ** 20;

export interface ReferenceStore {
  /** Size and time stamp of each known path. */
  known(): Map<string, ReferenceFile>;
  begin(): void;
  addFiles(files: readonly ReferenceFile[]): void;
  addNotes(notes: readonly ReferenceNote[]): void;
  /** Resolves each link to its target, by path or by name, and commits the transaction. */
  resolveAndCommit(): void;
  /** The outgoing links of each note, as offsets and targets. */
  graph(): { readonly offsets: Int32Array; readonly targets: Int32Array };
  search(word: string): unknown[];
  close(): void;
}

export function openReferenceStore(file: string): ReferenceStore {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.exec(SCHEMA);
  database.exec(`INSERT INTO text (text, rank) VALUES ('hashsize', ${TEXT_BUFFER_BYTES})`);
  const ids = new Map<string, number>();
  return {
    known: () => {
      const rows = database.prepare<[], ReferenceFile>('SELECT path, size, modified FROM note').all();
      return new Map(rows.map((row) => [row.path, row]));
    },
    begin: () => void database.exec('BEGIN IMMEDIATE'),
    addFiles: (files) => addFiles(database, files, ids),
    addNotes: (notes) => addNotes(database, notes, ids),
    resolveAndCommit: () => {
      resolveLinks(database, ids);
      database.exec('COMMIT');
    },
    graph: () => buildGraph(database),
    search: (word) =>
      database
        .prepare(
          'SELECT path, bm25(text) AS score FROM text JOIN note ON id = text.rowid WHERE text MATCH ? ORDER BY score LIMIT 10',
        )
        .all(word),
    close: () => void database.close(),
  };
}

function addFiles(database: Database.Database, files: readonly ReferenceFile[], ids: Map<string, number>): void {
  const add = database.prepare('INSERT INTO note (path, size, modified) VALUES (?, ?, ?)');
  for (const { path, size, modified } of files) ids.set(path, Number(add.run(path, size, modified).lastInsertRowid));
}

function addNotes(
  database: Database.Database,
  notes: readonly ReferenceNote[],
  ids: ReadonlyMap<string, number>,
): void {
  const setProperties = database.prepare('UPDATE note SET properties = ? WHERE id = ?');
  const addHeading = database.prepare('INSERT INTO heading VALUES (?, ?)');
  const addTag = database.prepare('INSERT INTO tag VALUES (?, ?)');
  const addLink = database.prepare('INSERT INTO link VALUES (?, NULL, ?, ?)');
  const addText = database.prepare('INSERT INTO text (rowid, title, body) VALUES (?, ?, ?)');
  for (const note of notes) {
    const id = ids.get(note.path);
    setProperties.run(note.properties, id);
    for (const heading of note.headings) addHeading.run(id, heading);
    for (const tag of note.tags) addTag.run(id, tag);
    for (const link of note.links) addLink.run(id, link.target, link.line);
    addText.run(id, nameOf(note.path), note.body);
  }
}

function resolveLinks(database: Database.Database, ids: ReadonlyMap<string, number>): void {
  const byName = new Map([...ids].map(([path, id]) => [nameOf(path), id]));
  const links = database.prepare<[], { rowid: number; written: string }>('SELECT rowid, written FROM link').all();
  const resolve = database.prepare('UPDATE link SET target = ? WHERE rowid = ?');
  for (const { rowid, written } of links) {
    const target = byName.get(nameOf(written));
    if (target !== undefined) resolve.run(target, rowid);
  }
}

function nameOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (name.endsWith('.md') ? name.slice(0, -'.md'.length) : name).toLowerCase();
}

function buildGraph(database: Database.Database): { offsets: Int32Array; targets: Int32Array } {
  const order = 'SELECT source, target FROM link WHERE target IS NOT NULL ORDER BY source';
  const links = database.prepare(order).raw().all() as [number, number][];
  const notes = database.prepare('SELECT max(id) FROM note').pluck().get() as number;
  const offsets = new Int32Array(notes + 2);
  for (const [source] of links) offsets[source + 1] = (offsets[source + 1] ?? 0) + 1;
  for (let note = 1; note < offsets.length; note++) offsets[note] = (offsets[note] ?? 0) + (offsets[note - 1] ?? 0);
  return { offsets, targets: Int32Array.from(links, ([, target]) => target) };
}
