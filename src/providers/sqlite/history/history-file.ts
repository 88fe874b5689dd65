// The file of the kept history: its tables.
import type { KeptFile } from '../database/kept-file.ts';

/** `VGhi`. */
const HISTORY_ID = 0x56476869;
const VERSION = 1;

/**
 * A version is the text of a note from a time on, until another one replaces it or the note is gone; null for the newest. So a row that
 * is lost makes a gap, and never the time of another text longer. `sum` is the checksum of the row; a text is checked by its hash.
 */
const SCHEMA = `
CREATE TABLE meta (known_since INTEGER NOT NULL, forgotten INTEGER NOT NULL, seen_at INTEGER NOT NULL, pruned_at INTEGER NOT NULL, unkept INTEGER);
CREATE TABLE texts (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, packed BLOB NOT NULL);
CREATE TABLE versions (path TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER, gone INTEGER NOT NULL, hash TEXT NOT NULL,
  sum INTEGER NOT NULL, PRIMARY KEY (path, since)) WITHOUT ROWID;
CREATE INDEX versions_by_hash ON versions (hash);
CREATE INDEX versions_by_since ON versions (since);
CREATE INDEX versions_by_until ON versions (until) WHERE until IS NOT NULL;
CREATE INDEX newest_versions ON versions (path, hash) WHERE until IS NULL;
PRAGMA application_id = ${HISTORY_ID};
PRAGMA user_version = ${VERSION};
`;

/** The file of the history, as `openKeptWriter` and `openKeptReader` take it. */
export const HISTORY_FILE: KeptFile = {
  op: 'history',
  id: HISTORY_ID,
  version: VERSION,
  make: (connection) => {
    connection.exec(SCHEMA);
    connection.prepare('INSERT INTO meta VALUES (?, 0, 0, 0, NULL)').run(Date.now());
  },
};
