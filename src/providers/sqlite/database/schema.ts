// Defines the tables of the index as migration steps from one schema version to the next.

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
  title TEXT, -- null where it is the name
  edges_revision INTEGER NOT NULL -- the last one that changed where its links lead
) STRICT;
CREATE INDEX files_by_name ON files (name_key);

CREATE TABLE contents (
  file INTEGER PRIMARY KEY,
  encoding TEXT, -- null where it is utf-8
  body_offset INTEGER NOT NULL,
  properties TEXT NOT NULL, -- JSON, as are the next four; names by number
  notices TEXT NOT NULL,
  headings TEXT NOT NULL, -- rows of text, level, line, offset and, unless it is 1, column
  blocks TEXT NOT NULL, -- rows of id, line, end line
  tag_places TEXT NOT NULL -- rows of tag, line, column, offset: a list of those in properties, one of those in the body
) STRICT;

-- One row per link path as written, with the stem that every file it may mean has too.
CREATE TABLE link_names (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  stem INTEGER NOT NULL
) STRICT;
CREATE INDEX link_names_by_stem ON link_names (stem);

CREATE TABLE links (
  source INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  kind TEXT, -- null where it is wikilink
  name INTEGER NOT NULL,
  subpath TEXT NOT NULL,
  link TEXT, -- null where it is the name's path and the subpath
  display TEXT, -- null where it is what a link without one shows
  property TEXT,
  line INTEGER NOT NULL,
  "column" INTEGER NOT NULL,
  "offset" INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  target INTEGER,
  match TEXT, -- null where it is exact, and where there is no target
  PRIMARY KEY (source, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX links_by_name ON links (name);
CREATE INDEX unresolved_links ON links (name, source) WHERE target IS NULL;

CREATE TABLE tag_names (
  id INTEGER PRIMARY KEY,
  tag TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL
) STRICT;
CREATE INDEX tag_names_by_key ON tag_names (key);

CREATE TABLE tags (
  tag INTEGER NOT NULL,
  file INTEGER NOT NULL,
  PRIMARY KEY (tag, file)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE property_names (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL
) STRICT;
CREATE INDEX property_names_by_key ON property_names (key);

-- Properties flattened for filters: lists by item, maps by dotted name. They lie by name: a filter reads one stretch.
CREATE TABLE property_values (
  name INTEGER NOT NULL,
  file INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  type TEXT, -- null where the value itself tells: text and numbers
  value ANY,
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
-- With the usual 1 MiB of memory half of a first index goes into merging what was just written.
INSERT INTO texts (texts, rank) VALUES ('hashsize', 4194304);
-- Merging eight pieces at a time instead of four writes a third less.
INSERT INTO texts (texts, rank) VALUES ('automerge', 8);
`;

const VECTORS = `
-- Row ids are never used twice, nor are those of vectors: what a reader keeps in memory goes by them.
CREATE TABLE generations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  role TEXT NOT NULL,
  state TEXT NOT NULL, -- or 'dropped': nobody is told of it any more, and its rows are being deleted
  fingerprint TEXT NOT NULL, -- JSON, the sample vectors in base64
  dims INTEGER NOT NULL,
  revision INTEGER NOT NULL, -- grows with every change of what it holds
  removed INTEGER NOT NULL, -- how many notes were taken out of it
  middle BLOB, -- what codes are taken around; null while it holds too few vectors to need them
  created TEXT NOT NULL,
  activated TEXT
) STRICT;

CREATE TABLE vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  generation INTEGER NOT NULL,
  hash TEXT, -- of the text; null for the mean of a note's chunks
  embedding BLOB NOT NULL, -- 32-bit floats, of unit length
  UNIQUE (generation, hash)
) STRICT;

-- Chunks of the content that is indexed, and of no other.
CREATE TABLE chunks (
  generation INTEGER NOT NULL,
  file INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  from_line INTEGER NOT NULL,
  to_line INTEGER NOT NULL,
  vector INTEGER NOT NULL,
  code BLOB, -- one bit a dimension, on which side of the middle it lies, and a byte: how far along it
  PRIMARY KEY (generation, file, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE embedded (
  generation INTEGER NOT NULL,
  file INTEGER NOT NULL,
  revision INTEGER NOT NULL, -- the generation's last one that changed this row
  hash TEXT, -- of the content its chunks were cut from; null since that changed
  chunks INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  centroid INTEGER, -- the vector that is the mean of its chunks; null where there are none
  code BLOB, -- of the centroid
  PRIMARY KEY (generation, file)
) STRICT, WITHOUT ROWID;
CREATE INDEX embedded_by_revision ON embedded (generation, revision);

-- They outlive a change of their note, so that the same text failing again is counted; only those of embedded notes are told.
CREATE TABLE failed_chunks (
  generation INTEGER NOT NULL,
  file INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  from_line INTEGER NOT NULL,
  to_line INTEGER NOT NULL,
  hash TEXT NOT NULL,
  code TEXT NOT NULL,
  reason TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  first TEXT NOT NULL,
  last TEXT NOT NULL,
  PRIMARY KEY (generation, file, ordinal)
) STRICT, WITHOUT ROWID;
`;

const ANSWERS = `
-- What models answered. Numbers are never used twice and grow: the smallest is the oldest.
CREATE TABLE answers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  bytes INTEGER NOT NULL,
  answer TEXT NOT NULL
) STRICT;
-- What is kept in all is counted without reading the answers.
CREATE INDEX answers_by_age ON answers (id, bytes);
`;

const SHARING = `
-- One row: who may write the index.
CREATE TABLE lease (
  token INTEGER NOT NULL, -- grows with every taking
  beats INTEGER NOT NULL, -- grows with every sign of life
  holder TEXT, -- JSON; null while it is free
  beat_at TEXT, -- only shown
  report TEXT -- JSON: what the holder told last
) STRICT;
INSERT INTO lease VALUES (0, 0, NULL, NULL, NULL);

CREATE TABLE jobs (
  ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  has_ended INTEGER NOT NULL,
  token INTEGER NOT NULL, -- of the lease under which it was told last
  told TEXT NOT NULL,
  job TEXT NOT NULL, -- JSON, as is the next
  request TEXT NOT NULL
) STRICT;
CREATE INDEX jobs_by_kind ON jobs (kind, ordinal);

-- What those who may not write ask of the one who may.
CREATE TABLE requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  request TEXT NOT NULL, -- JSON
  answer TEXT -- JSON; null while there is none
) STRICT;
CREATE INDEX open_requests ON requests (id) WHERE answer IS NULL;
`;

const RULES = `
ALTER TABLE state ADD COLUMN rules INTEGER; -- by which every note was read that is indexed; null while none is, 0 where nobody knows
UPDATE state SET rules = 0 WHERE EXISTS (SELECT 1 FROM contents);
`;

const UNREAD = `
-- What is not indexed, attachments among it: a change of one note need not count all notes to tell.
CREATE INDEX unread_files ON files (kind) WHERE hash IS NULL;
`;

const DATES = `
-- The day a note is of, in local time and the form in which dates sort as texts; null where it is that of its file.
ALTER TABLE files ADD COLUMN date TEXT;
ALTER TABLE files ADD COLUMN dated_by TEXT; -- property or name
`;

const TASKS = `
-- Of notes that have any: a line each, with its mark and the day it is due.
CREATE TABLE tasks (
  file INTEGER PRIMARY KEY,
  tasks TEXT NOT NULL
) STRICT;
`;

export const SCHEMA_STEPS: SchemaSteps = [FIRST, VECTORS, SHARING, ANSWERS, RULES, UNREAD, DATES, TASKS];
