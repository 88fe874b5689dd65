// The tables of the index, as the steps that lead from one version of them to the next. Knows no query.

/** `VGph`: marks a database file as ours, so that a foreign one is never touched. */
export const APPLICATION_ID = 0x56477068;

/** Step `n` leads from version `n` to `n + 1`; a released step is never changed again. */
export type SchemaSteps = readonly string[];

const FIRST = `
CREATE TABLE state (
  revision INTEGER NOT NULL,
  graph_revision INTEGER NOT NULL, -- the last one that changed a node or an edge
  nodes_revision INTEGER NOT NULL, -- the last one that changed a node
  scanned_at TEXT
) STRICT;
INSERT INTO state VALUES (0, 0, 0, NULL);

-- Row ids are never used twice: a reader's cached graph goes by them.
CREATE TABLE files (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path TEXT NOT NULL UNIQUE,
  name_key TEXT NOT NULL, -- the folded file name, extension included
  kind TEXT NOT NULL,
  size INTEGER NOT NULL,
  modified REAL NOT NULL,
  created REAL,
  evicted INTEGER NOT NULL,
  conflict_copy INTEGER NOT NULL,
  hash TEXT, -- null while the content is not indexed
  title TEXT NOT NULL
) STRICT;
CREATE INDEX files_by_name ON files (name_key);
CREATE INDEX files_by_modified ON files (modified);

CREATE TABLE contents (
  file INTEGER PRIMARY KEY,
  encoding TEXT NOT NULL,
  body_offset INTEGER NOT NULL,
  properties TEXT NOT NULL, -- JSON, as are the next three
  notices TEXT NOT NULL,
  headings TEXT NOT NULL, -- rows of text, level, line, column, offset
  blocks TEXT NOT NULL -- rows of id, line, end line
) STRICT;

-- One row per link path as written, with the stem key that every file it may mean has too.
CREATE TABLE link_names (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  stem_key TEXT NOT NULL
) STRICT;
CREATE INDEX link_names_by_stem ON link_names (stem_key);

CREATE TABLE links (
  source INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name INTEGER NOT NULL,
  subpath TEXT NOT NULL,
  link TEXT, -- null where it is the name's path and the subpath
  display TEXT, -- null where it is the link
  property TEXT,
  line INTEGER NOT NULL,
  "column" INTEGER NOT NULL,
  "offset" INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  target INTEGER,
  match TEXT,
  PRIMARY KEY (source, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX links_by_target ON links (target) WHERE target IS NOT NULL;
CREATE INDEX links_by_name ON links (name);
CREATE INDEX unresolved_links ON links (name, source) WHERE target IS NULL;

-- All resolved targets of a note with their counts, packed; revision is the last that changed them.
CREATE TABLE edges (
  source INTEGER PRIMARY KEY,
  revision INTEGER NOT NULL,
  targets BLOB NOT NULL
) STRICT;
CREATE INDEX edges_by_revision ON edges (revision);

CREATE TABLE tags (
  file INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  tag TEXT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (file, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_by_key ON tags (key, file);

-- Names beside the file's own: aliases and titles.
CREATE TABLE names (
  file INTEGER NOT NULL,
  kind TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (file, kind, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX names_by_key ON names (key);

-- Properties flattened for filters: lists by item, maps by dotted name.
CREATE TABLE property_values (
  file INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  number REAL,
  text TEXT,
  PRIMARY KEY (name, file, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE quarantine (
  path TEXT NOT NULL,
  phase TEXT NOT NULL,
  code TEXT NOT NULL,
  reason TEXT NOT NULL,
  line INTEGER,
  "column" INTEGER,
  hash TEXT,
  attempts INTEGER NOT NULL,
  first TEXT NOT NULL,
  last TEXT NOT NULL,
  PRIMARY KEY (path, phase)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE texts USING fts5 (
  title, aliases, headings, tags, body,
  content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
`;

export const SCHEMA_STEPS: SchemaSteps = [FIRST];
