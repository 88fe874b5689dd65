// Lists the migration steps of the index from one schema version to the next.
import {
  CHECKSUMS,
  CREATE_ATTACHMENT_TEXTS,
  CREATE_NAME_CHANGES,
  CREATE_TERM_VECTORS,
  CREATE_TEXT_TABLES,
} from './tables.ts';

/** `VGph`: marks a database file as ours, so that a foreign one is never touched. */
export const APPLICATION_ID = 0x56477068;

/** Step `n` leads from version `n` to `n + 1`; a released step is never changed again. */
export type SchemaSteps = readonly string[];

/** The names of the tables, indexes and triggers that the steps create and do not drop. */
export function namesIn(steps: SchemaSteps): ReadonlySet<string> {
  const statement = /^(CREATE|DROP) (?:UNIQUE |VIRTUAL )?(?:TABLE|INDEX|TRIGGER) (\w+)/gm;
  const names = new Set<string>();
  for (const [, verb, name = ''] of steps.join('\n').matchAll(statement)) {
    if (verb === 'CREATE') names.add(name);
    else names.delete(name);
  }
  return names;
}

const FIRST = `
CREATE TABLE state (
  revision INTEGER NOT NULL,
  graph_revision INTEGER NOT NULL,
  nodes_revision INTEGER NOT NULL,
  scanned_at TEXT
) STRICT;
INSERT INTO state VALUES (0, 0, 0, NULL);

CREATE TABLE files (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path TEXT NOT NULL UNIQUE,
  name_key TEXT NOT NULL,
  kind TEXT NOT NULL,
  size INTEGER NOT NULL,
  modified REAL NOT NULL,
  created REAL,
  evicted INTEGER NOT NULL,
  conflict_copy INTEGER NOT NULL,
  hash TEXT,
  title TEXT,
  edges_revision INTEGER NOT NULL
) STRICT;
CREATE INDEX files_by_name ON files (name_key);

CREATE TABLE contents (
  file INTEGER PRIMARY KEY,
  encoding TEXT,
  body_offset INTEGER NOT NULL,
  properties TEXT NOT NULL,
  notices TEXT NOT NULL,
  headings TEXT NOT NULL,
  blocks TEXT NOT NULL,
  tag_places TEXT NOT NULL
) STRICT;

CREATE TABLE link_names (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  stem INTEGER NOT NULL
) STRICT;
CREATE INDEX link_names_by_stem ON link_names (stem);

CREATE TABLE links (
  source INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  kind TEXT,
  name INTEGER NOT NULL,
  subpath TEXT NOT NULL,
  link TEXT,
  display TEXT,
  property TEXT,
  line INTEGER NOT NULL,
  "column" INTEGER NOT NULL,
  "offset" INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  target INTEGER,
  match TEXT,
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

CREATE TABLE property_values (
  name INTEGER NOT NULL,
  file INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  type TEXT,
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
INSERT INTO texts (texts, rank) VALUES ('hashsize', 4194304);
INSERT INTO texts (texts, rank) VALUES ('automerge', 8);
`;

const VECTORS = `
CREATE TABLE generations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  role TEXT NOT NULL,
  state TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  dims INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  removed INTEGER NOT NULL,
  middle BLOB,
  created TEXT NOT NULL,
  activated TEXT
) STRICT;

CREATE TABLE vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  generation INTEGER NOT NULL,
  hash TEXT,
  embedding BLOB NOT NULL,
  UNIQUE (generation, hash)
) STRICT;

CREATE TABLE chunks (
  generation INTEGER NOT NULL,
  file INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  from_line INTEGER NOT NULL,
  to_line INTEGER NOT NULL,
  vector INTEGER NOT NULL,
  code BLOB,
  PRIMARY KEY (generation, file, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE embedded (
  generation INTEGER NOT NULL,
  file INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  hash TEXT,
  chunks INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  centroid INTEGER,
  code BLOB,
  PRIMARY KEY (generation, file)
) STRICT, WITHOUT ROWID;
CREATE INDEX embedded_by_revision ON embedded (generation, revision);

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
CREATE TABLE answers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  bytes INTEGER NOT NULL,
  answer TEXT NOT NULL
) STRICT;
CREATE INDEX answers_by_age ON answers (id, bytes);
`;

const SHARING = `
CREATE TABLE lease (
  token INTEGER NOT NULL,
  beats INTEGER NOT NULL,
  holder TEXT,
  beat_at TEXT,
  report TEXT
) STRICT;
INSERT INTO lease VALUES (0, 0, NULL, NULL, NULL);

CREATE TABLE jobs (
  ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  has_ended INTEGER NOT NULL,
  token INTEGER NOT NULL,
  told TEXT NOT NULL,
  job TEXT NOT NULL,
  request TEXT NOT NULL
) STRICT;
CREATE INDEX jobs_by_kind ON jobs (kind, ordinal);

CREATE TABLE requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  request TEXT NOT NULL,
  answer TEXT
) STRICT;
CREATE INDEX open_requests ON requests (id) WHERE answer IS NULL;
`;

const RULES = `
ALTER TABLE state ADD COLUMN rules INTEGER;
UPDATE state SET rules = 0 WHERE EXISTS (SELECT 1 FROM contents);
`;

const UNREAD = `
CREATE INDEX unread_files ON files (kind) WHERE hash IS NULL;
`;

const DATES = `
ALTER TABLE files ADD COLUMN date TEXT;
ALTER TABLE files ADD COLUMN dated_by TEXT;
`;

const TASKS = `
CREATE TABLE tasks (
  file INTEGER PRIMARY KEY,
  tasks TEXT NOT NULL
) STRICT;
`;

/** Words are folded before they are stored, so FTS5 only finds them. All notes are read again. */
const TEXTS = `
DROP TABLE texts;
CREATE VIRTUAL TABLE texts USING fts5 (
  title, aliases, headings, tags, properties, body,
  content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'"
);
INSERT INTO texts (texts, rank) VALUES ('hashsize', 4194304);
INSERT INTO texts (texts, rank) VALUES ('automerge', 8);
UPDATE state SET rules = 0 WHERE EXISTS (SELECT 1 FROM contents);
`;

/** The text index has tables of its own instead of FTS5. All notes are read again; until then answers say how many are searched. */
const POSTINGS = `
DROP TABLE texts;
${CREATE_TEXT_TABLES}UPDATE state SET rules = 0, scanned_at = NULL WHERE EXISTS (SELECT 1 FROM contents);
`;

/** The terms of notes are stored. All notes are read again. */
const VECTORS_OF_TERMS = `
${CREATE_TERM_VECTORS}UPDATE state SET rules = 0, scanned_at = NULL WHERE EXISTS (SELECT 1 FROM contents);
`;

/** Tasks are stored with the days on which they are scheduled and start. All notes are read again. */
const DAYS_OF_TASKS = `
UPDATE state SET rules = 0, scanned_at = NULL WHERE EXISTS (SELECT 1 FROM contents);
`;

/** Cards of canvases have the part that they show. All notes are read again. */
const PARTS_OF_LINKS = `
CREATE INDEX links_to_parts ON links (target, subpath) WHERE subpath <> '' AND target IS NOT NULL;
UPDATE state SET rules = 0, scanned_at = NULL WHERE EXISTS (SELECT 1 FROM contents);
`;

/** The tables as they are now are in `tables.ts`. */
export const SCHEMA_STEPS: SchemaSteps = [
  ...[FIRST, VECTORS, SHARING, ANSWERS, RULES, UNREAD, DATES, TASKS, CHECKSUMS, TEXTS, POSTINGS, CREATE_NAME_CHANGES],
  ...[CREATE_ATTACHMENT_TEXTS, VECTORS_OF_TERMS, DAYS_OF_TASKS, PARTS_OF_LINKS],
];
