import{createRequire}from'node:module';const require=createRequire(import.meta.url);
import {
  ByteReader,
  ByteWriter,
  ListCursor,
  ListWriter,
  SegmentPacker,
  compareBytes,
  noteTitle,
  resolveLink,
  titleProperty
} from "./chunk-MMSFLNP5.js";
import {
  hasEnded,
  ownIdentity
} from "./chunk-KOKIPM3J.js";
import {
  FNV_PRIME,
  FNV_START
} from "./chunk-XGCGB3CQ.js";
import {
  PARSER_RULES,
  displayOf,
  distinctTags,
  foldName,
  nameKeyOf,
  partitionPoint,
  splitLink,
  tagsFrom
} from "./chunk-NVDSTPDZ.js";
import {
  noteName
} from "./chunk-E4QZ4GQG.js";
import {
  VaultgraphError
} from "./chunk-UW6KSJLZ.js";

// src/providers/sqlite/database/checksum.ts
import { crc32 } from "node:zlib";
var DamagedRow = class extends Error {
};
var ROW_CHECKSUM = "row_checksum";
var [OF_NULL, OF_NUMBER, OF_TEXT, OF_BLOB] = [65537, 65538, 65539, 65540];
var MAX_FOLDED = 64;
var float = new Float64Array(1);
var halves = new Int32Array(float.buffer);
function rowChecksum(...values) {
  return checksumOf(values, values.length);
}
function edgesChecksum(path, targets) {
  return targets.reduce((sum, target) => sum + rowChecksum(target), rowChecksum(path));
}
function isIntact(row2) {
  return row2.at(-1) === checksumOf(row2, row2.length - 1);
}
function checksumOf(values, count) {
  let sum = FNV_START;
  for (let at = 0; at < count; at++) {
    const value = values[at];
    if (typeof value === "string") sum = addText(sum, value);
    else if (typeof value === "number") sum = addNumber(sum, value);
    else if (value === null) sum = Math.imul(sum ^ OF_NULL, FNV_PRIME);
    else sum = Math.imul(Math.imul(sum ^ OF_BLOB, FNV_PRIME) ^ crc32(value), FNV_PRIME);
  }
  return sum | 0;
}
function addText(start, text) {
  if (text.length > MAX_FOLDED) return Math.imul(Math.imul(start ^ OF_TEXT, FNV_PRIME) ^ crc32(text), FNV_PRIME);
  let sum = start;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), FNV_PRIME);
  return Math.imul(sum ^ OF_TEXT, FNV_PRIME);
}
function addNumber(start, value) {
  float[0] = value;
  const low = Math.imul(start ^ halves[0], FNV_PRIME);
  return Math.imul(Math.imul(low ^ halves[1], FNV_PRIME) ^ OF_NUMBER, FNV_PRIME);
}

// src/providers/sqlite/database/tables.ts
var TABLES = [
  {
    name: "state",
    columns: `
      revision INTEGER NOT NULL
      graph_revision INTEGER NOT NULL -- the last revision that changed a node or an edge
      nodes_revision INTEGER NOT NULL -- the last revision that changed a node
      scanned_at TEXT
      rules INTEGER -- the parser rules of all indexed notes; null without notes, 0 if unknown`
  },
  {
    // Row ids are never reused: the cached graph of a reader refers to them.
    name: "files",
    columns: `
      id INTEGER PRIMARY KEY AUTOINCREMENT
      path TEXT NOT NULL UNIQUE
      name_key TEXT NOT NULL -- the folded file name with its extension
      kind TEXT NOT NULL
      size INTEGER NOT NULL
      modified REAL NOT NULL
      created REAL
      evicted INTEGER NOT NULL
      conflict_copy INTEGER NOT NULL
      hash TEXT -- null until the content is indexed
      title TEXT -- null if it is the file name
      edges_revision INTEGER NOT NULL -- the last revision that changed the targets of its links
      date TEXT -- of a note, in local time; null if it is the time of the file
      dated_by TEXT -- property or name
      edges INTEGER NOT NULL -- a checksum of the path and the targets of its links`,
    added: ["0"],
    // An attachment has no hash either; the second index counts what is not indexed without reading all files.
    indexes: { files_by_name: "files (name_key)", unread_files: "files (kind) WHERE hash IS NULL" }
  },
  {
    name: "contents",
    columns: `
      file INTEGER PRIMARY KEY
      encoding TEXT -- null for utf-8
      body_offset INTEGER NOT NULL
      properties TEXT NOT NULL -- JSON, as are the next four; property names as ids
      notices TEXT NOT NULL
      headings TEXT NOT NULL -- rows of text, level, line, offset and, unless it is 1, column
      blocks TEXT NOT NULL -- rows of id, first line, last line
      tag_places TEXT NOT NULL -- rows of tag, line, column, offset: one list for the properties, one for the body`
  },
  {
    // The path of a link as written, with a stem that it shares with every file that it can point to.
    name: "link_names",
    columns: `
      id INTEGER PRIMARY KEY
      path TEXT NOT NULL
      stem INTEGER NOT NULL`,
    indexes: { link_names_by_stem: "link_names (stem)" }
  },
  {
    name: "links",
    columns: `
      source INTEGER NOT NULL
      ordinal INTEGER NOT NULL
      kind TEXT -- null for a wikilink
      name INTEGER NOT NULL
      subpath TEXT NOT NULL
      link TEXT -- null if it is the path of the name and the subpath
      display TEXT -- null if the link has no text of its own
      property TEXT
      line INTEGER NOT NULL
      "column" INTEGER NOT NULL
      "offset" INTEGER NOT NULL
      "end" INTEGER NOT NULL
      target INTEGER
      match TEXT -- null if it is exact or there is no target`,
    key: "source, ordinal",
    indexes: { links_by_name: "links (name)", unresolved_links: "links (name, source) WHERE target IS NULL" }
  },
  {
    name: "tag_names",
    columns: `
      id INTEGER PRIMARY KEY
      tag TEXT NOT NULL UNIQUE
      key TEXT NOT NULL`,
    indexes: { tag_names_by_key: "tag_names (key)" }
  },
  {
    name: "tags",
    columns: `
      tag INTEGER NOT NULL
      file INTEGER NOT NULL`,
    key: "tag, file"
  },
  {
    // Aliases and titles.
    name: "names",
    columns: `
      file INTEGER NOT NULL
      kind TEXT NOT NULL
      ordinal INTEGER NOT NULL
      name TEXT NOT NULL
      key TEXT NOT NULL`,
    key: "file, kind, ordinal",
    indexes: { names_by_key: "names (key)" }
  },
  {
    name: "property_names",
    columns: `
      id INTEGER PRIMARY KEY
      name TEXT NOT NULL UNIQUE
      key TEXT NOT NULL`,
    indexes: { property_names_by_key: "property_names (key)" }
  },
  {
    // Flattened for filters: a list by item, a map by dotted name. A filter reads the rows of one name.
    name: "property_values",
    columns: `
      name INTEGER NOT NULL
      file INTEGER NOT NULL
      ordinal INTEGER NOT NULL
      type TEXT -- null for text and numbers
      value ANY`,
    key: "name, file, ordinal"
  },
  {
    // Of notes with tasks: a line for each, with its mark and its due date.
    name: "tasks",
    columns: `
      file INTEGER PRIMARY KEY
      tasks TEXT NOT NULL`
  },
  {
    name: "quarantine",
    columns: `
      path TEXT NOT NULL
      phase TEXT NOT NULL
      code TEXT NOT NULL
      reason TEXT NOT NULL
      line INTEGER
      "column" INTEGER
      hash TEXT
      attempts INTEGER NOT NULL
      first TEXT NOT NULL
      last TEXT NOT NULL`,
    key: "path, phase"
  },
  {
    // Ids of generations and vectors are never reused: the caches of a reader refer to them.
    name: "generations",
    columns: `
      id INTEGER PRIMARY KEY AUTOINCREMENT
      role TEXT NOT NULL
      state TEXT NOT NULL -- dropped: it is no longer listed, and its rows are being deleted
      fingerprint TEXT NOT NULL -- JSON, the sample vectors in base64
      dims INTEGER NOT NULL
      revision INTEGER NOT NULL -- grows with every change of its vectors
      removed INTEGER NOT NULL -- the number of notes that were removed from it
      middle BLOB -- the centroid of its vectors; null while they are too few to need codes
      created TEXT NOT NULL
      activated TEXT`
  },
  {
    name: "vectors",
    columns: `
      id INTEGER PRIMARY KEY AUTOINCREMENT
      generation INTEGER NOT NULL
      hash TEXT -- of the text; null for the mean of the chunks of a note
      embedding BLOB NOT NULL -- 32-bit floats of unit length`,
    unique: "generation, hash"
  },
  {
    // Only chunks of the indexed content.
    name: "chunks",
    columns: `
      generation INTEGER NOT NULL
      file INTEGER NOT NULL
      ordinal INTEGER NOT NULL
      from_line INTEGER NOT NULL
      to_line INTEGER NOT NULL
      vector INTEGER NOT NULL
      code BLOB -- the sign of each dimension relative to the centroid, and a byte for the projection on it`,
    key: "generation, file, ordinal"
  },
  {
    name: "embedded",
    columns: `
      generation INTEGER NOT NULL
      file INTEGER NOT NULL
      revision INTEGER NOT NULL -- the revision of the generation that last changed this row
      hash TEXT -- of the content of its chunks; null since the content changed
      chunks INTEGER NOT NULL
      failed INTEGER NOT NULL
      centroid INTEGER -- the vector that is the mean of its chunks; null without chunks
      code BLOB -- of the centroid`,
    key: "generation, file",
    indexes: { embedded_by_revision: "embedded (generation, revision)" }
  },
  {
    // Kept when a note changes, so that a repeated failure of the same text is counted; only those of embedded notes are shown.
    name: "failed_chunks",
    columns: `
      generation INTEGER NOT NULL
      file INTEGER NOT NULL
      ordinal INTEGER NOT NULL
      from_line INTEGER NOT NULL
      to_line INTEGER NOT NULL
      hash TEXT NOT NULL
      code TEXT NOT NULL
      reason TEXT NOT NULL
      attempts INTEGER NOT NULL
      first TEXT NOT NULL
      last TEXT NOT NULL`,
    key: "generation, file, ordinal"
  },
  {
    // Answers of models. Ids grow and are never reused: the lowest is the oldest.
    name: "answers",
    columns: `
      id INTEGER PRIMARY KEY AUTOINCREMENT
      key TEXT NOT NULL UNIQUE
      bytes INTEGER NOT NULL
      answer TEXT NOT NULL`,
    // Sums the sizes without reading the answers.
    indexes: { answers_by_age: "answers (id, bytes)" }
  },
  {
    // One row: the process that may write the index.
    name: "lease",
    columns: `
      token INTEGER NOT NULL -- grows each time the lease is taken
      beats INTEGER NOT NULL -- grows with each heartbeat
      holder TEXT -- JSON; null while the lease is free
      beat_at TEXT -- shown to users only
      report TEXT -- JSON: the last report of the holder`
  },
  {
    name: "jobs",
    columns: `
      ordinal INTEGER PRIMARY KEY AUTOINCREMENT
      id TEXT NOT NULL UNIQUE
      kind TEXT NOT NULL
      has_ended INTEGER NOT NULL
      token INTEGER NOT NULL -- of the lease under which it was last saved
      saved_at TEXT NOT NULL
      job TEXT NOT NULL -- JSON, as is the next
      request TEXT NOT NULL`,
    indexes: { jobs_by_kind: "jobs (kind, ordinal)" }
  },
  {
    // Requests of other processes to the holder of the lease.
    name: "requests",
    columns: `
      id INTEGER PRIMARY KEY AUTOINCREMENT
      request TEXT NOT NULL -- JSON
      answer TEXT -- JSON; null until it is answered`,
    indexes: { open_requests: "requests (id) WHERE answer IS NULL" }
  }
];
var TEXT_TABLES = [
  {
    // The words of a run of notes, in consecutive rows of the next table. A segment is never changed, only merged with others.
    name: "text_segments",
    columns: `
      id INTEGER PRIMARY KEY AUTOINCREMENT
      first_row INTEGER NOT NULL
      row_count INTEGER NOT NULL
      first_doc INTEGER NOT NULL -- the numbers of its notes
      last_doc INTEGER NOT NULL
      note_count INTEGER NOT NULL
      notes BLOB NOT NULL -- the number, the file and the number of words of each note
      directory BLOB NOT NULL -- the first word of each row`
  },
  {
    name: "text_rows",
    columns: `
      id INTEGER PRIMARY KEY AUTOINCREMENT
      data BLOB NOT NULL`
  },
  {
    // The present number of each note.
    name: "text_notes",
    columns: `
      file INTEGER PRIMARY KEY
      doc INTEGER NOT NULL`
  },
  {
    // Notes that were indexed again or removed, until their segment is merged.
    name: "text_dead",
    columns: `
      id INTEGER PRIMARY KEY AUTOINCREMENT
      doc INTEGER NOT NULL`
  }
];
var NAME_CHANGES = {
  // Of the last sets of changes that added, removed or renamed notes, so that a list of all names need not be read again.
  name: "name_changes",
  columns: `
    id INTEGER PRIMARY KEY AUTOINCREMENT
    paths TEXT -- JSON: the notes with other names than before; null if they are too many`
};
var ATTACHMENT_TEXTS = {
  // Of attachments whose text is indexed: to extract it again would take long.
  name: "attachment_texts",
  columns: `
    file INTEGER PRIMARY KEY
    text TEXT NOT NULL
    fault TEXT -- why there is no text; null if there is`
};
var TERM_VECTORS = {
  // By which notes are compared. Only they are read then, and not the notes.
  name: "term_vectors",
  columns: `
    file INTEGER PRIMARY KEY
    terms BLOB NOT NULL`
};
var LATER_TABLES = [NAME_CHANGES, ATTACHMENT_TEXTS, TERM_VECTORS];
var TABLE_NAMES = [...TABLES, ...TEXT_TABLES, ...LATER_TABLES].map(({ name }) => name);
var CREATE_TEXT_TABLES = TEXT_TABLES.map((table) => `${created(table)}
`).join("");
var CREATE_NAME_CHANGES = `${created(NAME_CHANGES)}
`;
var CREATE_ATTACHMENT_TEXTS = `${created(ATTACHMENT_TEXTS)}
`;
var CREATE_TERM_VECTORS = `${created(TERM_VECTORS)}
`;
var CHECKSUMS = `${TABLES.map(rebuilt).join("")}
UPDATE files SET edges = ${ROW_CHECKSUM}(path) +
  ifnull((SELECT sum(${ROW_CHECKSUM}(target)) FROM links WHERE source = files.id AND target IS NOT NULL), 0);
`;
function rebuilt(table) {
  const { name, columns, indexes = {}, added = [] } = table;
  return `
${Object.keys(indexes).map((index) => `DROP INDEX ${index};
`).join("")}ALTER TABLE ${name} RENAME TO old_${name};
${created(table)}
INSERT INTO ${name} (${columnNames(table).join(", ")}) SELECT ${["*", ...added].join(", ")} FROM old_${name};
${columns.includes("AUTOINCREMENT") ? keepSequence(name) : ""}DROP TABLE old_${name};
${Object.entries(indexes).map(([index, on]) => `CREATE INDEX ${index} ON ${on};
`).join("")}`;
}
function created(table) {
  const { name, key, unique } = table;
  const checksum = `checksum INTEGER NOT NULL AS (${ROW_CHECKSUM}(${columnNames(table).join(", ")})) STORED`;
  const constraints = [key && `PRIMARY KEY (${key})`, unique && `UNIQUE (${unique})`].filter(
    (text) => text !== void 0
  );
  return `CREATE TABLE ${name} (
  ${[...definitionsOf(table), checksum, ...constraints].join(",\n  ")}
) STRICT${key === void 0 ? "" : ", WITHOUT ROWID"};`;
}
function definitionsOf({ columns }) {
  return columns.split("\n").flatMap((line) => line.replace(/--.*/, "").trim() || []);
}
function columnNames(table) {
  return definitionsOf(table).map((definition) => definition.split(" ")[0] ?? "");
}
function keepSequence(name) {
  return `DELETE FROM sqlite_sequence WHERE name = '${name}';
UPDATE sqlite_sequence SET name = '${name}' WHERE name = 'old_${name}';
`;
}

// src/providers/sqlite/database/schema.ts
var APPLICATION_ID = 1447522408;
var FIRST = `
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
var VECTORS = `
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
var ANSWERS = `
CREATE TABLE answers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  bytes INTEGER NOT NULL,
  answer TEXT NOT NULL
) STRICT;
CREATE INDEX answers_by_age ON answers (id, bytes);
`;
var SHARING = `
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
var RULES = `
ALTER TABLE state ADD COLUMN rules INTEGER;
UPDATE state SET rules = 0 WHERE EXISTS (SELECT 1 FROM contents);
`;
var UNREAD = `
CREATE INDEX unread_files ON files (kind) WHERE hash IS NULL;
`;
var DATES = `
ALTER TABLE files ADD COLUMN date TEXT;
ALTER TABLE files ADD COLUMN dated_by TEXT;
`;
var TASKS = `
CREATE TABLE tasks (
  file INTEGER PRIMARY KEY,
  tasks TEXT NOT NULL
) STRICT;
`;
var TEXTS = `
DROP TABLE texts;
CREATE VIRTUAL TABLE texts USING fts5 (
  title, aliases, headings, tags, properties, body,
  content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'"
);
INSERT INTO texts (texts, rank) VALUES ('hashsize', 4194304);
INSERT INTO texts (texts, rank) VALUES ('automerge', 8);
UPDATE state SET rules = 0 WHERE EXISTS (SELECT 1 FROM contents);
`;
var POSTINGS = `
DROP TABLE texts;
${CREATE_TEXT_TABLES}UPDATE state SET rules = 0, scanned_at = NULL WHERE EXISTS (SELECT 1 FROM contents);
`;
var VECTORS_OF_TERMS = `
${CREATE_TERM_VECTORS}UPDATE state SET rules = 0, scanned_at = NULL WHERE EXISTS (SELECT 1 FROM contents);
`;
var SCHEMA_STEPS = [
  ...[FIRST, VECTORS, SHARING, ANSWERS, RULES, UNREAD, DATES, TASKS, CHECKSUMS, TEXTS, POSTINGS, CREATE_NAME_CHANGES],
  ...[CREATE_ATTACHMENT_TEXTS, VECTORS_OF_TERMS]
];

// src/providers/sqlite/database/store-errors.ts
import { homedir } from "node:os";
import { sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
var MAX_WAIT_MS = 2e3;
var FIRST_PAUSE_MS = 25;
var MAX_PAUSE_MS = 200;
async function retryWhileBusy(attempt, work, maxWaitMs = MAX_WAIT_MS) {
  const start = performance.now();
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    attempt.checkCancelled();
    try {
      return work();
    } catch (thrown) {
      const waited = Math.round(performance.now() - start);
      if (!isBusy(thrown) || waited + pause > maxWaitMs) throw toStoreError(thrown, attempt, waited);
    }
    await sleep(pause);
  }
}
var FULL = /* @__PURE__ */ new Set(["SQLITE_FULL", "SQLITE_IOERR_WRITE", "ENOSPC", "EDQUOT", "EFBIG"]);
var DAMAGED = /* @__PURE__ */ new Set(["SQLITE_NOTADB", "SQLITE_IOERR_SHORT_READ", "SQLITE_IOERR_CORRUPTFS"]);
var READONLY = /* @__PURE__ */ new Set(["SQLITE_PERM", "SQLITE_AUTH", "EROFS", "EACCES", "EPERM"]);
var UNOPENED = /* @__PURE__ */ new Set(["ENOENT", "ENOTDIR", "EISDIR", "EEXIST", "ELOOP", "ENAMETOOLONG"]);
var MISSING_OBJECT = /^no such (table|column|index)|^vtable constructor failed/;
function toStoreError(thrown, { op, file }, waitedMs = 0) {
  if (thrown instanceof SyntaxError || thrown instanceof DamagedRow)
    return corruptError({ op, file }, "SQLITE_CORRUPT", thrown);
  const code = codeOf(thrown);
  if (code === void 0 || thrown instanceof VaultgraphError) return thrown;
  const cause = { cause: thrown };
  const details = { op, sqlite_code: code };
  const path = displayPath(file);
  if (isBusy(thrown)) return new VaultgraphError("STORE_BUSY", { ...details, waited_ms: waitedMs }, cause);
  if (FULL.has(code)) return new VaultgraphError("STORE_FULL", { ...details, file: path }, cause);
  if (isDamage(code, thrown)) return corruptError({ op, file }, code, thrown);
  if (READONLY.has(code) || code.startsWith("SQLITE_READONLY"))
    return new VaultgraphError("STORE_READONLY", { ...details, file: path }, cause);
  if (!UNOPENED.has(code) && !code.startsWith("SQLITE_CANTOPEN"))
    return new VaultgraphError("STORE_ERROR", details, cause);
  return new VaultgraphError("STORE_UNAVAILABLE", { ...details, reason: `${path} cannot be opened (${code})` }, cause);
}
function isDamage(code, thrown) {
  if (DAMAGED.has(code) || code.startsWith("SQLITE_CORRUPT")) return true;
  return code === "SQLITE_ERROR" && thrown instanceof Error && MISSING_OBJECT.test(thrown.message);
}
function corruptError({ op, file }, code, cause) {
  return new VaultgraphError("STORE_CORRUPT", { op, sqlite_code: code, file: displayPath(file) }, { cause });
}
function displayPath(file) {
  const home = homedir() + sep;
  return file.startsWith(home) ? `~${sep}${file.slice(home.length)}` : file;
}
function isBusy(thrown) {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(thrown) ?? "");
}
function codeOf(thrown) {
  if (!(thrown instanceof Error) || !("code" in thrown) || typeof thrown.code !== "string") return void 0;
  return thrown.name === "SqliteError" || "errno" in thrown ? thrown.code : void 0;
}

// src/providers/sqlite/database/open-database.ts
import * as modules from "node:module";
var requireModule = modules.createRequire(import.meta.url);
var ENGINE_MODULE = "better-sqlite3";
function loadEngine() {
  try {
    const engine = requireModule(ENGINE_MODULE);
    new engine(":memory:").close();
    return engine;
  } catch (thrown) {
    throw moduleError(ENGINE_MODULE, thrown);
  }
}
function moduleError(module, cause) {
  const reason = `the module ${module} does not load`;
  return new VaultgraphError("STORE_UNAVAILABLE", { op: "load", module, reason }, { cause });
}
var CACHE_KIB = 16384;
var MAX_LOG_BYTES = 8 * 1024 * 1024;
var CHECKPOINT_PAGES = 4e3;
function openReader(engine, file) {
  const connection = new engine(file, { readonly: true, fileMustExist: true, timeout: 0 });
  connection.pragma(`cache_size = -${CACHE_KIB}`);
  return connection;
}
function openWriter(engine, file) {
  const connection = new engine(file, { fileMustExist: true, timeout: 0 });
  addChecksumFunction(connection);
  connection.pragma("synchronous = NORMAL");
  connection.pragma(`cache_size = -${CACHE_KIB}`);
  connection.pragma(`journal_size_limit = ${MAX_LOG_BYTES}`);
  connection.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  return connection;
}
function addChecksumFunction(connection) {
  connection.function(ROW_CHECKSUM, { deterministic: true, varargs: true }, rowChecksum);
}
function refuseNewer(found, { length: supported }) {
  if (found > supported) throw new VaultgraphError("STORE_SCHEMA_TOO_NEW", { found, supported });
}
function versionOf(connection) {
  return connection.pragma("user_version", { simple: true });
}

// src/providers/sqlite/database/rows.ts
var MAX_STATEMENTS = 300;
function createRows(connection) {
  const objects = createStatements(connection, (statement) => statement);
  const firstColumns = createStatements(connection, (statement) => statement.pluck());
  const arrays = createStatements(connection, (statement) => statement.raw());
  const checked = (sql, ...values) => {
    const found = objects(sql).all(...values);
    for (const row2 of found) if (!isIntact(Object.values(row2))) throw new DamagedRow(sql);
    return found;
  };
  const verify = (table, [sql, ...values]) => void checked(`SELECT * FROM ${table} WHERE ${sql}`, ...values);
  return Object.freeze({
    all: (sql, ...values) => objects(sql).all(...values),
    checked,
    verify,
    update: (table, [set, ...values], where) => {
      const [sql, ...keys] = where;
      verify(table, where);
      objects(`UPDATE ${table} SET ${set} WHERE ${sql}`).run(...values, ...keys);
    },
    first: (sql, ...values) => objects(sql).get(...values),
    column: (sql, ...values) => firstColumns(sql).all(...values),
    value: (sql, ...values) => firstColumns(sql).get(...values),
    tuples: (sql, ...values) => arrays(sql).all(...values),
    each: (sql, ...values) => arrays(sql).iterate(...values),
    run: (sql, ...values) => Number(objects(sql).run(...values).lastInsertRowid)
  });
}
function createStatements(connection, configure) {
  const statements = /* @__PURE__ */ new Map();
  return (sql) => {
    const known = statements.get(sql);
    if (known !== void 0) return known;
    const [oldest] = statements.keys();
    if (statements.size >= MAX_STATEMENTS && oldest !== void 0) statements.delete(oldest);
    const prepared = configure(connection.prepare(sql));
    statements.set(sql, prepared);
    return prepared;
  };
}

// src/providers/sqlite/database/check-index.ts
var MAX_FAULTS = 100;
function faultsInFile(engine, file) {
  const connection = openReader(engine, file);
  try {
    const rows = createRows(connection);
    return connection.transaction(() => faultsIn(rows))();
  } finally {
    connection.close();
  }
}
function faultsIn(rows) {
  const found = rows.column(`PRAGMA integrity_check(${MAX_FAULTS})`).filter((line) => line !== "ok");
  const damagedRows = TABLE_NAMES.flatMap((table) => {
    const count = damagedIn(rows, table);
    return count === 0 ? [] : `${count} damaged rows in the table ${table}`;
  });
  const edges = damagedEdges(rows);
  return [
    ...found,
    ...damagedRows,
    ...edges === 0 ? [] : [`the links of ${edges} notes are not those that were written`]
  ];
}
function damagedIn(rows, table) {
  let count = 0;
  for (const row2 of rows.each(`SELECT * FROM ${table}`)) if (!isIntact(row2)) count += 1;
  return count;
}
function damagedEdges(rows) {
  let count = 0;
  const sql = `SELECT path, edges, (SELECT json_group_array(target) FROM links WHERE source = files.id AND target IS NOT NULL)
    FROM files`;
  for (const [path, edges, targets] of rows.each(sql)) {
    if (edgesChecksum(path, JSON.parse(targets)) !== edges) count += 1;
  }
  return count;
}

// src/contracts/fingerprint.ts
import { isDeepStrictEqual } from "node:util";
var SAME_MODEL = 0.999;
function fingerprintDifferences(one, other) {
  const plain = ["provider", "model", "dims", "queryPrefix", "documentPrefix", "truncation", "chunker"];
  const differing = plain.filter((part) => one[part] !== other[part]);
  if (!isSameDigest(one, other)) differing.push("digest");
  if (other.rates !== void 0 && !isDeepStrictEqual(one.rates, other.rates)) differing.push("rates");
  return differing;
}
function isSameDigest(one, other) {
  if (one.digest !== null || other.digest !== null) return one.digest === other.digest;
  if (one.samples.length === 0 || one.samples.length !== other.samples.length) return false;
  return one.samples.every((sample, at) => dotProduct(sample, other.samples[at]) >= SAME_MODEL);
}
function dotProduct(one, other) {
  if (other === void 0 || one.length !== other.length) return Number.NaN;
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += one[at] * other[at];
  return sum;
}

// src/providers/sqlite/database/cache.ts
function memoize(compute, known = /* @__PURE__ */ new Map()) {
  return (key) => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}
function createRevisionCache(rows, maxEntries) {
  const entries = /* @__PURE__ */ new Map();
  let revision;
  return () => {
    const current = rows.value("SELECT revision FROM state");
    if (current !== revision || entries.size >= maxEntries) entries.clear();
    revision = current;
    return entries;
  };
}

// src/providers/sqlite/vectors/vector-codes.ts
function unitVector(vector, dims) {
  if (vector.length !== dims) throw new VaultgraphError("INTERNAL", { kind: "vector_length" });
  const length = lengthOf(vector);
  if (!Number.isFinite(length)) throw new VaultgraphError("INTERNAL", { kind: "vector_not_finite" });
  if (length === 0) throw new VaultgraphError("INTERNAL", { kind: "vector_zero" });
  return vector.map((component) => component / length);
}
function lengthOf(vector) {
  let sum = 0;
  for (const component of vector) sum += component * component;
  return Math.sqrt(sum);
}
function meanDirection(vectors) {
  const sums = new Float64Array(vectors[0].length);
  for (const vector of vectors) for (const [at, component] of vector.entries()) sums[at] = (sums[at] ?? 0) + component;
  const sum = Float32Array.from(sums);
  return lengthOf(sum) < 1e-6 ? vectors[0] : unitVector(sum, sum.length);
}
function bytesOf(vector) {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}
function vectorFrom(bytes) {
  return new Float32Array(Uint8Array.from(bytes).buffer);
}
var MAX_COMPARED_FLOATS = 24e5;
function signBytes(dims) {
  return Math.ceil(dims / 32) * 4;
}
function centroidOf(vectors, dims) {
  const sums = new Float64Array(dims);
  for (const vector of vectors) for (let at = 0; at < dims; at++) sums[at] = (sums[at] ?? 0) + (vector[at] ?? 0);
  return Float32Array.from(sums, (sum) => sum / vectors.length);
}
function signsOf(vector, centroid) {
  const signs = new Uint8Array(signBytes(vector.length));
  for (let at = 0; at < vector.length; at++) {
    if ((vector[at] ?? 0) > (centroid[at] ?? 0)) signs[at >> 3] = (signs[at >> 3] ?? 0) | 1 << (at & 7);
  }
  return signs;
}
function codeOf2(vector, centroid) {
  const signs = signsOf(vector, centroid);
  const code = new Uint8Array(signs.length + 1);
  code.set(signs);
  code[signs.length] = Math.round((dotProduct(vector, centroid) + 1) * HALF_BYTE);
  return code;
}
var HALF_BYTE = 127.5;

// src/providers/sqlite/vectors/generations.ts
function generationState(rows, generation) {
  const sql = `SELECT dims, revision, removed, middle AS centroid FROM generations WHERE id = ? AND state <> 'dropped'`;
  const row2 = rows.first(sql, generation);
  return row2 && { ...row2, centroid: row2.centroid && vectorFrom(row2.centroid) };
}
function existingGeneration(rows, generation) {
  const found = generationState(rows, generation);
  if (found === void 0) throw new VaultgraphError("INTERNAL", { kind: "no_such_generation" });
  return found;
}
function createGenerationList(rows) {
  const totals = createRevisionCache(rows, Number.POSITIVE_INFINITY);
  const known = /* @__PURE__ */ new Map();
  const countsOf = (generation, revision) => {
    const last = known.get(generation);
    const counts = last?.revision === revision ? last.counts : countChunks(rows, generation);
    known.set(generation, { revision, counts });
    return counts;
  };
  return () => {
    const found = rows.checked(`SELECT * FROM generations WHERE state <> 'dropped' ORDER BY id DESC`);
    if (found.length === 0) return [];
    const total = memoize(() => countNotes(rows), totals())("notes");
    return found.map(({ id, role, state, activated, fingerprint, revision }) => {
      const counts = countsOf(id, revision);
      const row2 = { id, role, state, activatedAt: activated, fingerprint: unpackFingerprint(fingerprint) };
      return { ...row2, ...counts, pending: total - counts.embedded, total };
    });
  };
}
function countNotes(rows) {
  return rows.value(`SELECT count(*) FROM files WHERE kind = 'note' AND hash IS NOT NULL`) ?? 0;
}
function countChunks(rows, generation) {
  const sql = `SELECT count(*) AS embedded, ifnull(sum(chunks), 0) AS chunks, ifnull(sum(failed), 0) AS failedChunks
    FROM embedded WHERE generation = ? AND hash IS NOT NULL`;
  return rows.first(sql, generation) ?? { embedded: 0, chunks: 0, failedChunks: 0 };
}
function openGeneration(rows, role, fingerprint, now) {
  const generations = createGenerationList(rows);
  const same = generations().filter(
    (known) => known.role === role && fingerprintDifferences(known.fingerprint, fingerprint).length === 0
  );
  const found = same.find(({ state }) => state === "active") ?? same[0];
  if (found !== void 0) return found;
  const sql = `INSERT INTO generations (role, state, fingerprint, dims, revision, removed, created)
    VALUES (?, 'building', ?, ?, 0, 0, ?)`;
  const id = rows.run(sql, role, packFingerprint(fingerprint), fingerprint.dims, now);
  const created2 = generations().find((generation) => generation.id === id);
  if (created2 === void 0) throw new VaultgraphError("INTERNAL", { kind: "no_such_generation" });
  return created2;
}
function activate(rows, generation, now) {
  existingGeneration(rows, generation);
  const [role, state] = rows.tuples("SELECT role, state FROM generations WHERE id = ?", generation)[0] ?? [];
  if (role === void 0 || state === "active") return;
  const others = "role = ? AND id <> ? AND state = ?";
  rows.update("generations", [`state = 'dropped'`], [others, role, generation, "previous"]);
  rows.update("generations", [`state = 'previous'`], [others, role, generation, "active"]);
  rows.update("generations", [`state = 'active', activated = ?`, now], ["id = ?", generation]);
}
function dropUnfinished(rows, kept) {
  const unfinished = `state = 'building' AND id NOT IN (SELECT value FROM json_each(?))`;
  rows.update("generations", [`state = 'dropped'`], [unfinished, JSON.stringify(kept)]);
}
function packFingerprint(fingerprint) {
  const samples = fingerprint.samples.map((sample) => Buffer.from(bytesOf(sample)).toString("base64"));
  return JSON.stringify({ ...fingerprint, samples });
}
function unpackFingerprint(packed) {
  const { samples, ...rest } = JSON.parse(packed);
  return { ...rest, samples: samples.map((sample) => vectorFrom(Buffer.from(sample, "base64"))) };
}

// src/providers/sqlite/vectors/apply-vectors.ts
function applyVectors(rows, generation, { vectors, notes }, now, checkCancelled) {
  const { dims, revision: before, centroid } = existingGeneration(rows, generation);
  for (const { hash, vector } of vectors) insertVector(rows, generation, hash, unitVector(vector, dims));
  const context = {
    rows,
    generation,
    revision: before + 1,
    now,
    centroid: centroid ?? computeCentroid(rows, generation, dims)
  };
  for (const note of notes) {
    checkCancelled();
    writeNote(context, note);
  }
  rows.update("generations", ["revision = ?", context.revision], ["id = ?", generation]);
}
function insertVector(rows, generation, hash, vector) {
  const sql = "INSERT INTO vectors (generation, hash, embedding) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
  rows.run(sql, generation, hash, bytesOf(vector));
}
function writeNote(context, { path, hash, chunks }) {
  const { rows, generation } = context;
  const stored = chunks.map((chunk) => chunk.failure === void 0 ? storedVector(context, chunk) : void 0);
  const file = rows.value("SELECT id FROM files WHERE path = ? AND hash = ?", path, hash);
  if (file === void 0) return;
  rows.run("DELETE FROM chunks WHERE generation = ? AND file = ?", generation, file);
  for (const [ordinal, vector] of stored.entries()) {
    if (vector !== void 0) writeChunk(context, file, ordinal, chunks[ordinal], vector);
  }
  const failed = writeFailures(context, file, chunks);
  const [first, ...others] = stored.filter((vector) => vector !== void 0);
  const mean = first === void 0 ? void 0 : meanVector(context, [first, ...others]);
  rows.run(
    `INSERT OR REPLACE INTO embedded (generation, file, revision, hash, chunks, failed, centroid, code)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[generation, file, context.revision, hash, chunks.length - failed, failed],
    ...[mean?.id ?? null, mean === void 0 ? null : codeFor(context, mean)]
  );
}
function storedVector({ rows, generation }, { hash }) {
  const sql = "SELECT id, embedding FROM vectors WHERE generation = ? AND hash = ?";
  const found = rows.first(sql, generation, hash);
  if (found === void 0) throw new VaultgraphError("INTERNAL", { kind: "chunk_without_vector" });
  return { id: found.id, embedding: vectorFrom(found.embedding) };
}
function writeChunk(context, file, ordinal, { lines }, vector) {
  context.rows.run(
    "INSERT INTO chunks (generation, file, ordinal, from_line, to_line, vector, code) VALUES (?, ?, ?, ?, ?, ?, ?)",
    ...[context.generation, file, ordinal, ...lines, vector.id, codeFor(context, vector)]
  );
}
function codeFor({ centroid }, { embedding }) {
  return centroid && codeOf2(embedding, centroid);
}
function meanVector({ rows, generation }, vectors) {
  const [first, ...others] = vectors;
  if (others.every(({ id }) => id === first.id)) return first;
  const embedding = meanDirection([first.embedding, ...others.map((other) => other.embedding)]);
  const sql = "INSERT INTO vectors (generation, hash, embedding) VALUES (?, NULL, ?)";
  return { id: rows.run(sql, generation, bytesOf(embedding)), embedding };
}
function writeFailures({ rows, generation, now }, file, chunks) {
  const known = "generation = ? AND file = ?";
  const sql = `SELECT hash, attempts, first FROM failed_chunks WHERE ${known}`;
  const before = new Map(
    rows.tuples(sql, generation, file).map(([hash, ...earlier]) => [hash, earlier])
  );
  rows.run(`DELETE FROM failed_chunks WHERE ${known}`, generation, file);
  const failed = [...chunks.entries()].filter(([, { failure }]) => failure !== void 0);
  for (const [ordinal, { hash, lines, failure }] of failed) {
    const [attempts, first] = before.get(hash) ?? [0, now];
    rows.run(
      `INSERT INTO failed_chunks (generation, file, ordinal, from_line, to_line, hash, code, reason, attempts, first, last)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[generation, file, ordinal, ...lines, hash],
      ...[failure?.code ?? "", failure?.reason ?? "", attempts + 1, first, now]
    );
  }
  return failed.length;
}
function computeCentroid(rows, generation, dims) {
  const count = rows.value("SELECT count(*) FROM vectors WHERE generation = ?", generation) ?? 0;
  if (count * dims <= MAX_COMPARED_FLOATS) return null;
  const vectors = vectorsOf(rows, generation);
  const centroid = centroidOf([...vectors.values()], dims);
  writeCentroid(rows, generation, centroid, vectors);
  return centroid;
}
function vectorsOf(rows, generation) {
  const sql = "SELECT id, embedding FROM vectors WHERE generation = ?";
  return new Map(
    rows.tuples(sql, generation).map(([id, embedding]) => [id, vectorFrom(embedding)])
  );
}
function writeCentroid(rows, generation, centroid, vectors = vectorsOf(rows, generation)) {
  rows.update("generations", ["middle = ?", bytesOf(centroid)], ["id = ?", generation]);
  const codes = new Map([...vectors].map(([id, vector]) => [id, codeOf2(vector, centroid)]));
  writeCodes(rows, generation, codes);
}
function writeCodes(rows, generation, codes) {
  const chunks = "SELECT file, ordinal, vector FROM chunks WHERE generation = ?";
  for (const [file, ordinal, vector] of rows.tuples(chunks, generation)) {
    const key = ["generation = ? AND file = ? AND ordinal = ?", generation, file, ordinal];
    rows.update("chunks", ["code = ?", codes.get(vector) ?? null], key);
  }
  const embedded = "SELECT file, centroid FROM embedded WHERE generation = ? AND centroid IS NOT NULL";
  for (const [file, centroid] of rows.tuples(embedded, generation)) {
    const key = ["generation = ? AND file = ?", generation, file];
    rows.update("embedded", ["code = ?", codes.get(centroid) ?? null], key);
  }
}

// src/providers/sqlite/vectors/delete-vectors.ts
var TABLES_BY_NOTE = ["chunks", "embedded", "failed_chunks"];
function deleteOutdatedChunks(rows, file) {
  for (const generation of generationsOf(rows, file)) deleteOutdatedIn(rows, generation, file);
}
function deleteOutdatedIn(rows, generation, file) {
  rows.run("DELETE FROM chunks WHERE generation = ? AND file = ?", generation, file);
  rows.update("generations", ["revision = revision + 1"], ["id = ?", generation]);
  const set = `hash = NULL, chunks = 0, failed = 0, centroid = NULL, code = NULL,
    revision = (SELECT revision FROM generations WHERE id = generation)`;
  rows.update("embedded", [set], ["generation = ? AND file = ?", generation, file]);
}
function deleteChunks(rows, file) {
  for (const generation of generationsOf(rows, file)) {
    for (const table of TABLES_BY_NOTE)
      rows.run(`DELETE FROM ${table} WHERE generation = ? AND file = ?`, generation, file);
    rows.update("generations", ["revision = revision + 1, removed = removed + 1"], ["id = ?", generation]);
  }
}
function generationsOf(rows, file) {
  const sql = "SELECT generation FROM embedded WHERE generation IN (SELECT id FROM generations) AND file = ?";
  return rows.column(sql, file);
}
var MAX_VECTORS = 2e3;
function deleteDropped(rows) {
  const dropped = rows.value(`SELECT id FROM generations WHERE state = 'dropped' LIMIT 1`);
  if (dropped === void 0) return false;
  const vectors = rows.column("SELECT id FROM vectors WHERE generation = ? LIMIT ?", dropped, MAX_VECTORS);
  if (vectors.length > 0) {
    deleteVectors(rows, vectors);
    return true;
  }
  for (const table of TABLES_BY_NOTE) rows.run(`DELETE FROM ${table} WHERE generation = ?`, dropped);
  rows.run("DELETE FROM generations WHERE id = ?", dropped);
  return true;
}
function deleteUnused(rows) {
  const sql = `SELECT id FROM vectors
    WHERE id NOT IN (SELECT vector FROM chunks) AND id NOT IN (SELECT centroid FROM embedded WHERE centroid IS NOT NULL) LIMIT ?`;
  const unused = rows.column(sql, MAX_VECTORS);
  deleteVectors(rows, unused);
  return unused.length === MAX_VECTORS;
}
function deleteVectors(rows, ids) {
  rows.run("DELETE FROM vectors WHERE id IN (SELECT value FROM json_each(?))", JSON.stringify(ids));
}

// src/providers/sqlite/sharing/packed-jobs.ts
var MAX_JOBS_PER_KIND = 20;
var MAX_REQUESTS = 500;
function unpackError({ code, details, ...more }) {
  return new VaultgraphError(code, details, more);
}
function unpackReport(text) {
  const { lastError, ...report } = JSON.parse(text);
  return { ...report, ...lastError && { lastError: unpackError(lastError) } };
}

// src/providers/sqlite/sharing/jobs-and-requests.ts
function saveJobs(rows, jobs, token, now) {
  for (const { id, kind, hasEnded: hasEnded2, job, request } of jobs) {
    rows.verify("jobs", ["id = ?", id]);
    const sql = `INSERT INTO jobs (id, kind, has_ended, token, saved_at, job, request) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET has_ended = excluded.has_ended, token = excluded.token, saved_at = excluded.saved_at, job = excluded.job`;
    rows.run(sql, id, kind, Number(hasEnded2), token, now, job, request);
    rows.run(
      `DELETE FROM jobs WHERE kind = ? AND ordinal <=
        (SELECT ordinal FROM jobs WHERE kind = ? ORDER BY ordinal DESC LIMIT 1 OFFSET ?)`,
      kind,
      kind,
      MAX_JOBS_PER_KIND
    );
  }
}
function addRequest(rows, request) {
  const id = rows.run("INSERT INTO requests (request) VALUES (?)", request);
  rows.run("DELETE FROM requests WHERE id <= ?", id - MAX_REQUESTS);
  return id;
}
function answerRequest(rows, id, answer) {
  rows.update("requests", ["answer = ?", answer], ["id = ?", id]);
}

// src/providers/sqlite/sharing/lease.ts
function readLease(rows, token) {
  return toLease(leaseRow(rows), token);
}
function toLease(row2, token) {
  const holder = holderIn(row2);
  return {
    ...{ token: row2.token, heartbeats: row2.beats, isMine: holder !== void 0 && token === row2.token },
    ...holder && { holder: toHolder(holder, row2) },
    isDead: holder !== void 0 && hasEnded(holder.life),
    ...row2.report === null ? {} : { report: unpackReport(row2.report) }
  };
}
function checkLease(rows, token, now) {
  const row2 = leaseRow(rows);
  const holder = holderIn(row2);
  if (token === null && holder === void 0) return;
  if (token !== row2.token || holder === void 0) throw leaseConflict(holder && toHolder(holder, row2));
  rows.update("lease", ["beats = beats + 1, beat_at = ?", now], ["TRUE"]);
}
function leaseConflict(holder) {
  return new VaultgraphError("INDEX_CONFLICT", holder === void 0 ? {} : { holder });
}
function leaseRow(rows) {
  const [row2] = rows.checked("SELECT * FROM lease");
  if (row2 === void 0) throw new VaultgraphError("INTERNAL", { kind: "no_lease" });
  return row2;
}
function holderIn({ holder }) {
  return holder === null ? void 0 : JSON.parse(holder);
}
function toHolder({ pid, client, since }, { beat_at: heartbeatAt, report }) {
  const age = heartbeatAt === null ? 0 : Math.max(0, Date.now() - Date.parse(heartbeatAt));
  return { pid, client: report === null ? client : unpackReport(report).client, since, heartbeat_age_ms: age };
}
function canTake({ token, heartbeats, holder, isMine, isDead }, { stalled }) {
  const isStalled = stalled?.token === token && stalled.heartbeats === heartbeats;
  return holder === void 0 || isMine || isDead || isStalled;
}
var holderRow = (client, now) => ({
  ...{ pid: process.pid, client, since: now, life: ownIdentity() }
});
function takeLease(rows, request, ownToken, now) {
  const lease = readLease(rows, ownToken);
  if (!canTake(lease, request)) return null;
  const { token } = lease;
  const { client, jobs } = request;
  const row2 = holderRow(client, now);
  const set = "token = ?, beats = beats + 1, holder = ?, beat_at = ?, report = NULL";
  rows.update("lease", [set, token + 1, JSON.stringify(row2), now], ["TRUE"]);
  saveJobs(rows, jobs, token + 1, now);
  return token + 1;
}
function updateHolder(rows, { report, jobs, answers }, token, now) {
  checkLease(rows, token, now);
  rows.update("lease", ["report = ?", report], ["TRUE"]);
  saveJobs(rows, jobs, token ?? 0, now);
  for (const { id, answer } of answers) answerRequest(rows, id, answer);
}
function releaseLease(rows, token) {
  const { isMine } = readLease(rows, token);
  if (isMine) rows.update("lease", ["holder = NULL, report = NULL"], ["TRUE"]);
  return isMine;
}

// src/postings/merge-segments.ts
var FIRST2 = new Uint8Array(0);
function mergeSegments(segments, packer) {
  let inputs = segments.map(({ segment, ordinals }) => ({
    cursor: segment.cursorFrom(FIRST2),
    ordinals
  }));
  const list = new ListWriter();
  for (; ; ) {
    if (inputs.some(({ cursor }) => !cursor.isOpen)) inputs = inputs.filter(({ cursor }) => cursor.isOpen);
    const [first] = inputs;
    if (first === void 0) return;
    const least = leastWord(inputs, first.cursor);
    list.clear();
    for (const { cursor, ordinals } of inputs) {
      if (cursor === least || compareWordsOf(cursor, least) === 0) copyNotes(cursor.list(), ordinals, list);
    }
    if (list.count > 0) packer.add(least.word.bytes, least.word.length, list);
    advance(inputs, least);
  }
}
function leastWord(inputs, first) {
  let least = first;
  for (const { cursor } of inputs) if (compareWordsOf(cursor, least) < 0) least = cursor;
  return least;
}
function advance(inputs, least) {
  for (const { cursor } of inputs) if (cursor !== least && compareWordsOf(cursor, least) === 0) cursor.next();
  least.next();
}
function compareWordsOf({ word: one }, { word: other }) {
  return compareBytes(one.bytes, one.length, other.bytes, 0, other.length);
}
function copyNotes(from, ordinals, to) {
  const cursor = new ListCursor(from);
  let places;
  while (cursor.next()) {
    places ??= from.places();
    const start = places.at;
    places.skip(cursor.occurrences);
    const ordinal = ordinals[cursor.ordinal];
    if (ordinal === -1) continue;
    to.addNote(ordinal, cursor.fields, cursor.counts);
    to.places.copy(places.data, start, places.at);
  }
}

// src/postings/segment.ts
var Segment = class {
  #readRow;
  /** The first word of each row with words, one after the other, where it ends, and the number of the row. */
  #firsts;
  #ends;
  #rows;
  constructor(directory, readRow) {
    const { firsts, ends, rows } = readDirectory(directory);
    this.#firsts = firsts;
    this.#ends = ends;
    this.#rows = rows;
    this.#readRow = readRow;
  }
  find(word) {
    const row2 = this.#rows[this.#rowWith(word)];
    if (row2 === void 0) return void 0;
    const reader = new ByteReader(this.#readRow(row2));
    return seekWord(reader, word) ? listAt(reader, row2, this.#readRow) : void 0;
  }
  /** A cursor on the first word that is not before the given one. */
  cursorFrom(word) {
    const cursor = new WordCursor(this.#rows, this.#rowWith(word), this.#readRow);
    cursor.next();
    while (cursor.isOpen && cursor.isBefore(word)) cursor.next();
    return cursor;
  }
  /** The last row whose first word is not after the given one, or the first row. */
  #rowWith(word) {
    const row2 = partitionPoint(this.#ends.length, (at) => {
      const from = at === 0 ? 0 : this.#ends[at - 1];
      return compareBytes(word, word.length, this.#firsts, from, this.#ends[at]) >= 0;
    });
    return Math.max(row2 - 1, 0);
  }
};
function seekWord(reader, word) {
  const { data } = reader;
  let common = 0;
  while (reader.at < data.length) {
    const shared = reader.number();
    const rest = reader.number();
    const from = reader.at;
    reader.at += rest;
    if (shared < common) return false;
    if (shared === common) {
      while (common < word.length && common - shared < rest && data[from + common - shared] === word[common])
        common += 1;
      const isWhole = common - shared === rest;
      if (isWhole && common === word.length) return true;
      if (!isWhole && (common === word.length || data[from + common - shared] > word[common]))
        return false;
    }
    skipList(reader);
  }
  return false;
}
function skipList(reader) {
  reader.number();
  const notes = reader.number();
  const places = reader.number();
  reader.at += notes + Math.max(places - 1, 0);
}
function listAt(reader, row2, readRow) {
  const { data } = reader;
  const count = reader.number();
  const notes = reader.number();
  const hasPlaces = reader.number() > 0;
  const from = reader.at;
  const to = from + notes;
  const places = () => hasPlaces ? new ByteReader(data, to) : new ByteReader(readRow(row2 + 1));
  return { count, data, from, to, places };
}
function readDirectory(directory) {
  const reader = new ByteReader(directory);
  const firsts = new ByteWriter();
  const [ends, rows] = [[], []];
  let last = 0;
  let row2 = 0;
  while (reader.at < directory.length) {
    rows.push(row2);
    row2 += 1 + reader.number();
    const shared = reader.number();
    const rest = reader.number();
    const from = firsts.length;
    firsts.copy(firsts.bytes, last, last + shared);
    firsts.copy(directory, reader.at, reader.at + rest);
    reader.at += rest;
    last = from;
    ends.push(firsts.length);
  }
  return { firsts: firsts.view().slice(), ends: Int32Array.from(ends), rows: Int32Array.from(rows) };
}
var NO_ROW = new Uint8Array(0);
var WordCursor = class {
  /** False after the last word. */
  isOpen = true;
  word = new ByteWriter();
  #rows;
  #readRow;
  #next;
  #reader = new ByteReader(NO_ROW);
  #list = 0;
  constructor(rows, first, readRow) {
    this.#rows = rows;
    this.#next = first;
    this.#readRow = readRow;
  }
  next() {
    if (this.#reader.at >= this.#reader.data.length && !this.#openRow()) return;
    const reader = this.#reader;
    this.word.length = reader.number();
    const rest = reader.number();
    this.word.copy(reader.data, reader.at, reader.at + rest);
    reader.at += rest;
    this.#list = reader.at;
    skipList(reader);
  }
  isBefore(word) {
    return compareBytes(this.word.bytes, this.word.length, word, 0, word.length) < 0;
  }
  startsWith(start) {
    const { bytes, length } = this.word;
    return length >= start.length && compareBytes(bytes, start.length, start, 0, start.length) === 0;
  }
  /** The number of notes with the present word. */
  count() {
    return new ByteReader(this.#reader.data, this.#list).number();
  }
  /** The postings of the present word; valid also after `next`. */
  list() {
    return listAt(new ByteReader(this.#reader.data, this.#list), this.#rows[this.#next - 1], this.#readRow);
  }
  #openRow() {
    this.isOpen = this.#next < this.#rows.length;
    if (this.isOpen) this.#reader = new ByteReader(this.#readRow(this.#rows[this.#next++]));
    return this.isOpen;
  }
};

// src/providers/sqlite/texts/segment-rows.ts
function loadSegment(rows, id, readRow) {
  const { firstRow, directory, notes } = storedNotes(rows, id);
  return { id, ...notes, segment: new Segment(directory, (at) => readRow(firstRow + at)) };
}
function storedNotes(rows, id) {
  const [row2] = rows.checked("SELECT * FROM text_segments WHERE id = ?", id);
  if (row2 === void 0) throw new DamagedRow(`segment ${id}`);
  const { first_row: firstRow, row_count: rowCount, directory } = row2;
  return { firstRow, rowCount, directory, notes: unpackNotes(row2.notes) };
}
function segmentRow(rows, id) {
  const [row2] = rows.tuples(
    "SELECT * FROM text_rows WHERE id = ?",
    id
  );
  if (row2 === void 0 || !isIntact(row2)) throw new DamagedRow(`row ${id} of the text index`);
  const [, data] = row2;
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
function unpackNotes(packed) {
  const reader = new ByteReader(packed);
  const count = reader.number();
  const [docs, files, lengths] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
  let doc = 0;
  for (let at = 0; at < count; at++) {
    doc += reader.number();
    docs[at] = doc;
    files[at] = reader.number();
    lengths[at] = reader.number();
  }
  return { docs, files, lengths };
}
function packNotes({ docs, files, lengths }) {
  const packed = new ByteWriter();
  packed.number(docs.length);
  let last = 0;
  for (const [at, doc] of docs.entries()) {
    packed.number(doc - last);
    packed.number(files[at]);
    packed.number(lengths[at]);
    last = doc;
  }
  return packed.view();
}
var SegmentWriter = class {
  #rows;
  #first;
  #next;
  constructor(rows) {
    this.#rows = rows;
    const last = rows.value(`SELECT seq FROM sqlite_sequence WHERE name = 'text_rows'`) ?? 0;
    this.#first = last + 1;
    this.#next = this.#first;
  }
  row(data) {
    this.#rows.run("INSERT INTO text_rows (id, data) VALUES (?, ?)", this.#next++, data);
  }
  /** @param notes at least one */
  end(notes, directory) {
    const { docs } = notes;
    this.#rows.run(
      `INSERT INTO text_segments (first_row, row_count, first_doc, last_doc, note_count, notes, directory)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      ...[this.#first, this.#next - this.#first, docs[0], docs.at(-1), docs.length],
      ...[packNotes(notes), directory]
    );
  }
};

// src/providers/sqlite/texts/merge-texts.ts
var MERGED = 8;
var MAX_NOTES = 2048;
var MIN_SHARE = 0.25;
var MAX_MERGED = 16;
function mergeSmall(rows) {
  for (let size = 1; size * MERGED <= MAX_NOTES; size *= MERGED) {
    const segments = sizes(rows);
    const newest = segments.slice(segments.findLastIndex(({ notes }) => notes >= size * MERGED) + 1);
    const isDue = newest.filter(({ notes }) => notes >= size).length >= MERGED;
    if (isDue && noteCount(newest) <= MAX_NOTES) merge(rows, newest);
  }
}
function mergeAll(rows) {
  let newest = worthMerging(sizes(rows));
  while (newest.length > 1) {
    for (let at = 0; at < newest.length; at += MAX_MERGED) merge(rows, newest.slice(at, at + MAX_MERGED));
    const first = newest[0]?.firstDoc ?? 0;
    newest = sizes(rows).filter(({ firstDoc }) => firstDoc >= first);
  }
  const dead = deadDocs(rows);
  for (const one of sizes(rows)) {
    const count = dead.filter((doc) => doc >= one.firstDoc && doc <= one.lastDoc).length;
    if (count * 2 > one.notes) merge(rows, [one]);
  }
}
function worthMerging(segments) {
  const isTooLarge = ({ notes }, at) => {
    return at < segments.length - 1 && noteCount(segments.slice(at + 1)) < notes * MIN_SHARE;
  };
  return segments.slice(segments.findLastIndex(isTooLarge) + 1);
}
function sizes(rows) {
  return rows.all(
    "SELECT id, note_count AS notes, first_doc AS firstDoc, last_doc AS lastDoc FROM text_segments ORDER BY first_doc"
  );
}
function deadDocs(rows) {
  return rows.checked("SELECT * FROM text_dead").map(({ doc }) => doc);
}
function noteCount(segments) {
  return segments.reduce((sum, { notes }) => sum + notes, 0);
}
function merge(rows, segments) {
  const [first, last] = [segments[0], segments.at(-1)];
  if (first === void 0 || last === void 0) return;
  const stored = segments.map(({ id }) => loadSegment(rows, id, (row2) => segmentRow(rows, row2)));
  const { toMerge, ...notes } = livingNotes(stored, new Set(deadDocs(rows)));
  if (notes.docs.length > 0) {
    const writer = new SegmentWriter(rows);
    const packer = new SegmentPacker((row2) => writer.row(row2));
    mergeSegments(toMerge, packer);
    writer.end(notes, packer.finish());
  }
  rows.run("DELETE FROM text_dead WHERE doc BETWEEN ? AND ?", first.firstDoc, last.lastDoc);
  for (const { id } of segments) deleteSegment(rows, id);
}
function livingNotes(stored, dead) {
  const [docs, files, lengths] = [[], [], []];
  const toMerge = stored.map((one) => {
    const ordinals = Int32Array.from(one.docs, (doc, at) => {
      if (dead.has(doc)) return -1;
      files.push(one.files[at]);
      lengths.push(one.lengths[at]);
      return docs.push(doc) - 1;
    });
    return { segment: one.segment, ordinals };
  });
  return { toMerge, docs: Int32Array.from(docs), files: Int32Array.from(files), lengths: Int32Array.from(lengths) };
}
function deleteSegment(rows, id) {
  const own = "SELECT first_row FROM text_segments WHERE id = ?";
  const next = "SELECT first_row + row_count FROM text_segments WHERE id = ?";
  rows.run(`DELETE FROM text_rows WHERE id >= (${own}) AND id < (${next})`, id, id);
  rows.run("DELETE FROM text_segments WHERE id = ?", id);
}

// src/providers/sqlite/texts/write-words.ts
function writeWords(rows, words, files) {
  if ((words?.lengths.length ?? 0) !== files.length)
    throw new VaultgraphError("INTERNAL", { kind: "words_of_other_notes" });
  if (words === void 0 || files.length === 0) return;
  const { lengths, directory, rows: data, ends, vectors, vectorEnds } = words;
  const first = (rows.value("SELECT max(last_doc) FROM text_segments") ?? 0) + 1;
  const docs = Int32Array.from(files, (_, at) => first + at);
  const writer = new SegmentWriter(rows);
  let from = 0;
  for (const end of ends) {
    writer.row(data.subarray(from, end));
    from = end;
  }
  writer.end({ docs, files: Int32Array.from(files), lengths }, directory);
  for (const [at, file] of files.entries()) {
    rows.run("INSERT INTO text_notes (file, doc) VALUES (?, ?)", file, docs[at]);
    const vector = vectors.subarray(vectorEnds[at - 1] ?? 0, vectorEnds[at]);
    if (vector.length > 0) rows.run("INSERT INTO term_vectors (file, terms) VALUES (?, ?)", file, vector);
  }
}
function deleteWords(rows, file) {
  const [note] = rows.checked("SELECT * FROM text_notes WHERE file = ?", file);
  if (note === void 0) return;
  rows.run("DELETE FROM text_notes WHERE file = ?", file);
  rows.run("DELETE FROM term_vectors WHERE file = ?", file);
  rows.run("INSERT INTO text_dead (doc) VALUES (?)", note.doc);
}

// src/markdown/frontmatter/note-date.ts
var DATE_PROPERTIES = [
  "date",
  "day",
  "created",
  "created at",
  "date created",
  "creation date",
  "published"
];
var KEYS = DATE_PROPERTIES.map(keyOf);
function noteDate(path, properties) {
  const date = propertyDate(properties);
  return date === void 0 ? nameDate(path) : { date, by: "property" };
}
function keyOf(name) {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}
function propertyDate(properties) {
  const dates = /* @__PURE__ */ new Map();
  for (const [name, value] of Object.entries(properties)) {
    const key2 = keyOf(name);
    const date = KEYS.includes(key2) && !dates.has(key2) ? valueDate(value) : void 0;
    if (date !== void 0) dates.set(key2, date);
  }
  const key = KEYS.find((one) => dates.has(one));
  return key === void 0 ? void 0 : dates.get(key);
}
var DAY = String.raw`(?=\d{4}[-/._]|(?:19|20)\d{6})(\d{4})([-/._]?)(\d{2})\2(\d{2})`;
var CJK_DAY = /(?<!\d)(\d{4})[年년] ?(\d{1,2})[月월] ?(\d{1,2})[日일]/u;
var VALUE = new RegExp(
  String.raw`^${DAY}(?:(?:T|\s+)(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$`
);
var LINKED = /^\[\[(?:[^[\]|#]*\/)?([^[\]|#/]+)(?:[|#][^[\]]*)?\]\]$/;
var SECONDS = /^\d{10}$/;
var MILLISECONDS = /^\d{13}$/;
function valueDate(value) {
  if (typeof value !== "string" && typeof value !== "number") return void 0;
  const text = String(value).trim();
  if (MILLISECONDS.test(text)) return localDate(Number(text));
  if (SECONDS.test(text)) return localDate(Number(text) * 1e3);
  const plain = LINKED.exec(text)?.[1] ?? text;
  const found = VALUE.exec(plain);
  if (found === null) return cjkDate(plain);
  const [, year, , month, day, hours, minutes, seconds, zone] = found;
  const date = dateFromDigits([year, month, day], [hours, minutes, seconds]);
  return date === void 0 || zone === void 0 ? date : toLocalZone(date, zone);
}
function toLocalZone(date, zone) {
  const offset = zone.replace(/^([+-]\d{2})(\d{2})$/, "$1:$2");
  const time = date.includes("T") ? date : `${date}T00:00`;
  const ms = Date.parse(`${time}${offset}`);
  return Number.isNaN(ms) ? void 0 : localDate(ms);
}
var NOT_IN_WORD = "(?<![0-9A-Za-z])";
var NAME_DATE = new RegExp(
  String.raw`${NOT_IN_WORD}${DAY}(?:[ T_-]*(\d{2})[.h-]?(\d{2})(?:[.-]?(\d{2}))?)?(?!\d)`,
  "g"
);
var NAME_DAY = new RegExp(String.raw`${NOT_IN_WORD}${DAY}(?!\d)`, "g");
var FOLDERS = /(?:^|\/)(\d{4})\/(\d{1,2})\/(\d{1,2})$/;
var WEEK = /^(\d{4})-?W(\d{2})$/i;
var MONTH = /^(\d{4})-(\d{2})$/;
function nameDate(path) {
  const whole = path.replace(/\.[^./]*$/, "");
  const name = whole.slice(whole.lastIndexOf("/") + 1);
  const date = dateIn(name) ?? periodDate(name) ?? folderDate(whole);
  return date === void 0 ? void 0 : { date, by: "name" };
}
function dateIn(name) {
  if (!/\d{4}/.test(name)) return void 0;
  for (const [, year, , month, day, ...time] of name.matchAll(NAME_DATE)) {
    const date = dateFromDigits([year, month, day], time);
    if (date !== void 0) return date;
  }
  for (const [, year, , month, day] of name.matchAll(NAME_DAY)) {
    const date = dateFromDigits([year, month, day], []);
    if (date !== void 0) return date;
  }
  return cjkDate(name);
}
function cjkDate(text) {
  const [, year, month, day] = CJK_DAY.exec(text) ?? [];
  return day === void 0 ? void 0 : dateFromDigits([year, month?.padStart(2, "0"), day.padStart(2, "0")], []);
}
function periodDate(name) {
  const [, year, month] = MONTH.exec(name) ?? [];
  if (month !== void 0) return dateFromDigits([year, month, "01"], []);
  const [, weekYear, week] = WEEK.exec(name) ?? [];
  return week === void 0 ? void 0 : weekStart(Number(weekYear), Number(week));
}
function folderDate(whole) {
  const [, year, month, day] = FOLDERS.exec(whole) ?? [];
  return day === void 0 ? void 0 : dateFromDigits([year, month?.padStart(2, "0"), day.padStart(2, "0")], []);
}
function weekStart(year, week) {
  const fourth = new Date(Date.UTC(year, 0, 4));
  const monday = new Date(Date.UTC(year, 0, 4 - (fourth.getUTCDay() + 6) % 7 + 7 * (week - 1)));
  const thursday = new Date(monday.getTime() + 3 * 864e5);
  if (week < 1 || thursday.getUTCFullYear() !== year) return void 0;
  return monday.toISOString().slice(0, 10);
}
function dateFromDigits([year, month, day], [hours, minutes, seconds]) {
  const at = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (Number(year) < 1e3 || at.getUTCMonth() !== Number(month) - 1 || Number(day) === 0) return void 0;
  if (Number(hours ?? 0) > 23 || Number(minutes ?? 0) > 59 || Number(seconds ?? 0) > 59) return void 0;
  return withoutZeroTime(`${year}-${month}-${day}T${hours ?? "00"}:${minutes ?? "00"}:${seconds ?? "00"}`);
}
function localDate(ms) {
  const at = new Date(ms);
  const year = at.getFullYear();
  if (Number.isNaN(year) || year < 1e3) return "";
  if (year > 9999) return "~";
  const rest = at.getMilliseconds() === 0 ? "" : `.${String(at.getMilliseconds()).padStart(3, "0")}`;
  return withoutZeroTime(
    `${localDay(at)}T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}:${twoDigits(at.getSeconds())}${rest}`
  );
}
function localDay(at) {
  return `${String(at.getFullYear()).padStart(4, "0")}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`;
}
function twoDigits(value) {
  return String(value).padStart(2, "0");
}
function withoutZeroTime(date) {
  return date.replace(/(?:T00:00:00|:00)$/, "");
}

// src/providers/sqlite/write/packed-note.ts
function packHeadings(headings) {
  const rows = headings.map(({ text, level, line, offset, column }) => {
    return column === 1 ? [text, level, line, offset] : [text, level, line, offset, column];
  });
  return JSON.stringify(rows);
}
function packBlocks(blocks) {
  return JSON.stringify(blocks.map(({ id, line, endLine }) => [id, line, endLine]));
}
var NO_TAGS = "[[],[]]";
function packTags(tags) {
  if (tags.length === 0) return NO_TAGS;
  return JSON.stringify([rowsOf(tags, "properties"), rowsOf(tags, "body")]);
}
function rowsOf(tags, origin) {
  return tagsFrom(tags, origin).map(({ tag, line, column, offset }) => [tag, line, column, offset]);
}
function unpackTags(packed) {
  const [properties, body] = JSON.parse(packed);
  return [...tagsOf(properties, "properties"), ...tagsOf(body, "body")];
}
function tagsOf(rows, from) {
  return rows.map(([tag, line, column, offset]) => ({ tag, from, line, column, offset }));
}
function packProperties(properties, idOf) {
  return JSON.stringify(Object.entries(properties).flatMap(([name, value]) => [idOf(name), value]));
}
function unpackProperties(packed, nameOf) {
  const list = JSON.parse(packed);
  const ids = list.filter((_, index) => index % 2 === 0);
  return Object.fromEntries(ids.map((id, index) => [nameOf(id), list[index * 2 + 1]]));
}
function packTasks(tasks) {
  return tasks.map(packTask).join("\n");
}
function packTask({ line, mark, due }) {
  if (due !== void 0) return `${line}:${mark}:${due}`;
  return mark === " " ? String(line) : `${line}:${mark}`;
}
function flatValues(properties) {
  return Object.entries(properties).flatMap(([name, value]) => flatten(name, value));
}
function flatten(name, value) {
  if (value === null || typeof value !== "object") return [scalar(name, value)];
  if (Array.isArray(value)) {
    return value.length === 0 ? [row(name, "list")] : value.flatMap((item) => flatten(name, item));
  }
  const below = Object.entries(value);
  return [row(name, "map"), ...below.flatMap(([key, inner]) => flatten(`${name}.${key}`, inner))];
}
function scalar(name, value) {
  if (typeof value === "string") return { name, type: null, value: foldName(value) };
  if (typeof value === "number") return { name, type: null, value };
  if (typeof value === "boolean") return { name, type: "boolean", value: Number(value) };
  return row(name, "null");
}
function row(name, type) {
  return { name, type, value: null };
}

// src/providers/sqlite/write/content-rows.ts
function deleteContent(rows, file, linkNames) {
  const sql = "SELECT * FROM contents WHERE file = ?";
  const [content] = rows.checked(sql, file);
  if (content === void 0) return;
  deleteProperties(rows, file, content.properties);
  deleteTags(rows, file, content.tag_places);
  for (const name of rows.column("SELECT name FROM links WHERE source = ?", file)) linkNames.add(name);
  rows.run("DELETE FROM links WHERE source = ?", file);
  rows.run("DELETE FROM tasks WHERE file = ?", file);
  rows.run("DELETE FROM names WHERE file = ?", file);
  rows.run("DELETE FROM contents WHERE file = ?", file);
  rows.run("DELETE FROM attachment_texts WHERE file = ?", file);
  deleteWords(rows, file);
}
function deleteProperties(rows, file, packed) {
  const properties = unpackProperties(packed, (id) => propertyName(rows, id));
  const names = new Set(flatValues(properties).map(({ name }) => name));
  const sql = "DELETE FROM property_values WHERE name = (SELECT id FROM property_names WHERE name = ?) AND file = ?";
  for (const name of names) rows.run(sql, name, file);
}
function deleteTags(rows, file, packed) {
  const sql = "DELETE FROM tags WHERE tag = (SELECT id FROM tag_names WHERE tag = ?) AND file = ?";
  for (const tag of distinctTags(unpackTags(packed))) rows.run(sql, tag, file);
}
function propertyName(rows, id) {
  const [row2] = rows.checked("SELECT * FROM property_names WHERE id = ?", id);
  if (row2 === void 0) throw new DamagedRow("a property has no name");
  return row2.name;
}
function writeContent(rows, file, note, names) {
  const { parsed, path, hash, sizeBytes, modifiedMs, createdMs = null, encoding } = note;
  const ownTitle = titleProperty(parsed.properties);
  const title = ownTitle ?? noteName(path);
  const dated = note.attachment === void 0 ? noteDate(path, parsed.properties) : void 0;
  const set = "hash = ?, size = ?, modified = ?, created = ifnull(?, created), title = ?, date = ?, dated_by = ?";
  const otherTitle = title === noteName(path) ? null : title;
  const values = [hash, sizeBytes, modifiedMs, createdMs, otherTitle, dated?.date ?? null, dated?.by ?? null];
  rows.update("files", [set, ...values], ["id = ?", file]);
  rows.run(
    `INSERT INTO contents (file, encoding, body_offset, properties, notices, headings, blocks, tag_places)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[
      file,
      encoding === "utf-8" ? null : encoding,
      parsed.bodyOffset,
      packProperties(parsed.properties, names.property),
      JSON.stringify(parsed.notices)
    ],
    ...[packHeadings(parsed.headings), packBlocks(parsed.blocks), packTags(parsed.tags)]
  );
  writeNames(rows, file, "alias", parsed.aliases);
  writeNames(rows, file, "title", otherTitles(ownTitle, note));
  for (const tag of distinctTags(parsed.tags))
    rows.run("INSERT INTO tags (tag, file) VALUES (?, ?)", names.tag(tag), file);
  writeProperties(rows, file, parsed.properties, names);
  writeTasks(rows, file, parsed);
  if (note.attachment !== void 0) writeText(rows, file, note.attachment);
}
function writeText(rows, file, content) {
  const { text, fault = null } = content;
  rows.run("INSERT INTO attachment_texts (file, text, fault) VALUES (?, ?, ?)", file, text, fault);
}
function otherTitles(ownTitle, { path, parsed }) {
  const heading = parsed.headings.find(({ level }) => level === 1)?.text;
  const byKey = new Map([heading, ownTitle].map((title) => [foldName(title ?? ""), title ?? ""]));
  byKey.delete("");
  byKey.delete(foldName(noteName(path)));
  return [...byKey.values()];
}
function writeNames(rows, file, kind, names) {
  const sql = "INSERT INTO names (file, kind, ordinal, name, key) VALUES (?, ?, ?, ?, ?)";
  for (const [ordinal, name] of names.entries()) rows.run(sql, file, kind, ordinal, name, foldName(name));
}
function writeProperties(rows, file, properties, names) {
  const sql = "INSERT INTO property_values (name, file, ordinal, type, value) VALUES (?, ?, ?, ?, ?)";
  for (const [ordinal, { name, type, value }] of flatValues(properties).entries()) {
    rows.run(sql, names.property(name), file, ordinal, type, value);
  }
}
function writeTasks(rows, file, { tasks }) {
  if (tasks.length > 0) rows.run("INSERT INTO tasks (file, tasks) VALUES (?, ?)", file, packTasks(tasks));
}

// src/providers/sqlite/write/link-resolution.ts
var NOWHERE = { target: null, match: null };
function resolve({ kind, link }, source, candidatesFor) {
  if (kind !== "canvas") return resolveLink(link, source, candidatesFor);
  const path = candidatesFor(nameKeyOf(link)).find((candidate) => candidate === link);
  return path === void 0 ? { path: null } : { path, match: "exact" };
}
function stemOf(path) {
  const stem = nameKeyOf(path).replace(/(\.md)+$/, "").replaceAll("\u03C2", "\u03C3");
  let number = 0;
  for (let i = 0; i < stem.length; i++) number = Math.imul(number, 31) + stem.charCodeAt(i) | 0;
  return number;
}
function partsOf({ kind, link }) {
  return kind === "canvas" ? { path: link, subpath: "" } : splitLink(link);
}
var MAX_LOOKUPS = 1e3;
function createLinkResolution(rows) {
  const ids = /* @__PURE__ */ new Map();
  const byName = /* @__PURE__ */ new Map();
  let lookups = 0;
  const remember = (nameKey, id, path) => {
    ids.set(path, id);
    const known = byName.get(nameKey);
    if (known === void 0) byName.set(nameKey, [path]);
    else known.push(path);
  };
  const lookUp = (nameKey) => {
    if (lookups > MAX_LOOKUPS) return;
    const all = ++lookups > MAX_LOOKUPS;
    if (all) byName.clear();
    const sql = `SELECT name_key, id, path FROM files ${all ? "" : "WHERE name_key = ?"}`;
    for (const row2 of rows.tuples(sql, ...all ? [] : [nameKey])) remember(...row2);
  };
  const candidatesFor = (nameKey) => {
    if (!byName.has(nameKey)) lookUp(nameKey);
    return byName.get(nameKey) ?? [];
  };
  return (link, source) => {
    const found = resolve(link, source, candidatesFor);
    if (found.path === null) return NOWHERE;
    const target = ids.get(found.path) ?? fileIdOf(rows, found.path);
    return target === void 0 ? NOWHERE : { target, match: found.match };
  };
}
function fileIdOf(rows, path) {
  return rows.value("SELECT id FROM files WHERE path = ?", path);
}

// src/providers/sqlite/write/file-rows.ts
function writeFiles(rows, { removed, found, touched }) {
  const stems = /* @__PURE__ */ new Set();
  const linkNames = /* @__PURE__ */ new Set();
  const nodes = /* @__PURE__ */ new Set();
  for (const path of removed) {
    const file = deleteFile(rows, path, linkNames);
    if (file === void 0) continue;
    stems.add(stemOf(path));
    if (file.kind !== "attachment") nodes.add(path);
  }
  for (const entry of found) {
    if (!addFile(rows, entry)) continue;
    stems.add(stemOf(entry.path));
    if (entry.kind !== "attachment") nodes.add(entry.path);
  }
  for (const { path, sizeBytes, modifiedMs, createdMs = null } of touched) {
    const set = "size = ?, modified = ?, created = ifnull(?, created)";
    rows.update("files", [set, sizeBytes, modifiedMs, createdMs], ["path = ?", path]);
  }
  return { stems, nodes, linkNames };
}
function deleteFile(rows, path, linkNames) {
  const file = rows.first("SELECT id, kind FROM files WHERE path = ?", path);
  rows.run("DELETE FROM quarantine WHERE path = ?", path);
  if (file === void 0) return void 0;
  deleteContent(rows, file.id, linkNames);
  deleteChunks(rows, file.id);
  rows.run("DELETE FROM files WHERE id = ?", file.id);
  return file;
}
function addFile(rows, entry) {
  const { path, kind, sizeBytes, modifiedMs, createdMs = null } = entry;
  const flags = [Number(entry.evicted), Number(entry.conflictCopy)];
  const known = rows.value("SELECT id FROM files WHERE path = ?", path);
  if (known !== void 0) {
    const set = `evicted = ?, conflict_copy = ?, created = ifnull(?, created),
      size = iif(hash IS NULL, ?, size), modified = iif(hash IS NULL, ?, modified)`;
    rows.update("files", [set, ...flags, createdMs, sizeBytes, modifiedMs], ["id = ?", known]);
    return false;
  }
  const dated = kind === "attachment" ? void 0 : nameDate(path);
  rows.run(
    `INSERT INTO files (path, name_key, kind, size, modified, created, evicted, conflict_copy, date, dated_by,
       edges_revision, edges) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)`,
    ...[
      path,
      nameKeyOf(path),
      kind,
      sizeBytes,
      modifiedMs,
      createdMs,
      ...flags,
      dated?.date ?? null,
      dated?.by ?? null,
      edgesChecksum(path, [])
    ]
  );
  return true;
}

// src/providers/sqlite/write/link-writes.ts
function writeLinks(rows, source, links, resolve2, names) {
  const targets = [];
  for (const [ordinal, link] of links.entries()) {
    const found = resolve2(link, source.path);
    if (found.target !== null) targets.push(found.target);
    writeLink(rows, [source.id, ordinal], link, found, names);
  }
  return targets;
}
function writeLink(rows, key, link, { target, match }, names) {
  const { path, subpath } = partsOf(link);
  rows.run(
    `INSERT INTO links (source, ordinal, kind, name, subpath, link, display, property,
       line, "column", "offset", "end", target, match) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[...key, nullIf("wikilink", link.kind), names.linkName(path), subpath],
    ...[nullIf(path + subpath, link.link), nullIf(displayOf(link.link), link.display), link.key ?? null],
    ...[link.line, link.column, link.offset, link.end, target, nullIf("exact", match)]
  );
}
function nullIf(usual, value) {
  return value === usual ? null : value;
}
function deleteUnusedNames(rows, names) {
  const sql = "DELETE FROM link_names WHERE id = ? AND NOT EXISTS (SELECT 1 FROM links WHERE name = link_names.id)";
  for (const name of names) rows.run(sql, name);
}
function resolveAgain(rows, stems, resolve2, revision) {
  const changed = /* @__PURE__ */ new Map();
  for (const stem of stems) {
    for (const link of linksByStem(rows, stem)) {
      const { target, match } = resolve2(link, link.path);
      if (target === link.target && match === link.match) continue;
      const key = ["source = ? AND ordinal = ?", link.source, link.ordinal];
      rows.update("links", ["target = ?, match = ?", target, nullIf("exact", match)], key);
      if (target !== link.target) changed.set(link.source, link.path);
    }
  }
  for (const [id, path] of changed) writeEdges(rows, { id, path }, targetsOf(rows, id), revision);
  return changed.size > 0;
}
function linksByStem(rows, stem) {
  const sql = `SELECT source, ordinal, files.path AS path, ifnull(links.kind, 'wikilink') AS kind,
      ifnull(link, link_names.path || subpath) AS link, target, iif(target IS NULL, NULL, ifnull(match, 'exact')) AS match
    FROM link_names JOIN links ON links.name = link_names.id JOIN files ON files.id = links.source
    WHERE link_names.id = ?`;
  const names = rows.column("SELECT id FROM link_names WHERE stem = ?", stem);
  return names.flatMap((name) => rows.all(sql, name));
}
function targetsOf(rows, source) {
  return rows.column("SELECT target FROM links WHERE source = ? AND target IS NOT NULL", source);
}
function writeEdgesRevision(rows, source, [before, after], revision) {
  if (before.sort().join() === after.sort().join()) return false;
  writeEdges(rows, source, after, revision);
  return true;
}
function writeEdges(rows, { id, path }, targets, revision) {
  rows.update("files", ["edges_revision = ?, edges = ?", revision, edgesChecksum(path, targets)], ["id = ?", id]);
}

// src/providers/sqlite/write/name-changes.ts
var MAX_CHANGES = 100;
var MAX_PATHS = 1e3;
function isRenamed(rows, { id, hash, title }, { path, parsed }) {
  const sql = `SELECT name FROM names WHERE file = ? AND kind = 'alias' ORDER BY ordinal`;
  const aliases = hash === null ? [] : rows.column(sql, id);
  const before = [title ?? noteName(path), ...aliases];
  const after = [noteTitle(path, parsed.properties), ...parsed.aliases];
  return before.length !== after.length || before.some((name, at) => name !== after[at]);
}
function recordNames(rows, changed) {
  if (changed.size === 0) return;
  const paths = changed.size > MAX_PATHS ? null : JSON.stringify([...changed]);
  const last = rows.run("INSERT INTO name_changes (paths) VALUES (?)", paths);
  rows.run("DELETE FROM name_changes WHERE id <= ?", last - MAX_CHANGES);
}
function recordAllNames(rows) {
  rows.run("INSERT INTO name_changes (paths) VALUES (NULL)");
}

// src/providers/sqlite/write/name-ids.ts
function createNameIds(rows) {
  return {
    linkName: memoize((path) => {
      const stem = stemOf(path);
      const known = rows.value("SELECT id FROM link_names WHERE stem = ? AND path = ?", stem, path);
      return known ?? rows.run("INSERT INTO link_names (path, stem) VALUES (?, ?)", path, stem);
    }),
    tag: memoize((tag) => {
      const known = rows.value("SELECT id FROM tag_names WHERE tag = ?", tag);
      return known ?? rows.run("INSERT INTO tag_names (tag, key) VALUES (?, ?)", tag, foldName(tag));
    }),
    property: memoize((name) => {
      const known = rows.value("SELECT id FROM property_names WHERE name = ?", name);
      return known ?? rows.run("INSERT INTO property_names (name, key) VALUES (?, ?)", name, foldName(name));
    })
  };
}

// src/providers/sqlite/write/apply-changes.ts
var DERIVED = [
  "files",
  "contents",
  "link_names",
  "links",
  "tag_names",
  "tags",
  "names",
  "property_names",
  "property_values",
  "tasks",
  "quarantine",
  "generations",
  "vectors",
  "chunks",
  "embedded",
  "failed_chunks",
  "answers",
  "text_segments",
  "text_rows",
  "text_notes",
  "text_dead",
  "name_changes",
  "attachment_texts",
  "term_vectors"
];
var ChangeWriter = class {
  #rows;
  #lookups;
  constructor(rows) {
    this.#rows = rows;
  }
  /**
   * Runs in a transaction of the caller.
   * @param checkCancelled throws once the caller has cancelled; called between notes
   * @param to the new revision, by default the next one
   * @returns the new revision
   */
  apply(changes, now, checkCancelled, to) {
    const rows = this.#rows;
    const before = revisionOf(rows);
    const revision = to ?? before + 1;
    const known = this.#lookups?.revision === before ? this.#lookups : void 0;
    const moved = writeFiles(rows, changes);
    const resolve2 = known !== void 0 && moved.stems.size === 0 ? known.resolve : createLinkResolution(rows);
    const lookups = { revision, resolve: resolve2, names: known?.names ?? createNameIds(rows) };
    const unusedNames = new Set(moved.linkNames);
    const written = writeNotes(rows, changes, lookups, unusedNames, checkCancelled);
    const edges = resolveAgain(rows, moved.stems, resolve2, revision) || written.edges;
    deleteUnusedNames(rows, unusedNames);
    recordNames(rows, /* @__PURE__ */ new Set([...moved.nodes, ...written.renamed]));
    writeQuarantine(rows, changes, now);
    writeRevisions(rows, revision, { edges, nodes: moved.nodes.size > 0 });
    this.#lookups = unusedNames.size === 0 ? lookups : void 0;
    return revision;
  }
  /** @param rules by which all notes were read */
  completeScan(at, rules = PARSER_RULES) {
    this.#rows.update("state", ["scanned_at = ?, rules = ?", at, rules], ["TRUE"]);
    mergeAll(this.#rows);
  }
  /** Deletes all derived data. @param to the new revision; by default it keeps growing */
  reset(to) {
    const rows = this.#rows;
    for (const table of DERIVED) rows.run(`DELETE FROM ${table}`);
    rows.update("state", ["scanned_at = NULL, rules = NULL"], ["TRUE"]);
    recordAllNames(rows);
    writeRevisions(rows, to ?? revisionOf(rows) + 1, { edges: true, nodes: true });
  }
};
function writeNotes(rows, { indexed, words }, { revision, resolve: resolve2, names }, unusedNames, checkCancelled) {
  let edges = false;
  const renamed = /* @__PURE__ */ new Set();
  const files = [];
  for (const note of indexed) {
    checkCancelled();
    const file = knownFile(rows, note);
    const { id, hash } = file;
    const source = { id, path: note.path };
    const before = targetsOf(rows, source.id);
    if (isRenamed(rows, file, note)) renamed.add(note.path);
    if (hash !== null && hash !== note.hash) deleteOutdatedChunks(rows, source.id);
    deleteContent(rows, source.id, unusedNames);
    writeContent(rows, source.id, note, names);
    files.push(source.id);
    const after = writeLinks(rows, source, note.parsed.links, resolve2, names);
    edges = writeEdgesRevision(rows, source, [before, after], revision) || edges;
  }
  writeWords(rows, words, files);
  mergeSmall(rows);
  return { edges, renamed };
}
function revisionOf(rows) {
  return rows.value("SELECT revision FROM state") ?? 0;
}
function writeRevisions(rows, revision, changed) {
  rows.update("state", ["revision = ?, rules = ifnull(rules, ?)", revision, PARSER_RULES], ["TRUE"]);
  if (changed.edges || changed.nodes) rows.update("state", ["graph_revision = ?", revision], ["TRUE"]);
  if (changed.nodes) rows.update("state", ["nodes_revision = ?", revision], ["TRUE"]);
}
function knownFile(rows, { path }) {
  const found = rows.first("SELECT id, hash, title FROM files WHERE path = ?", path);
  if (found === void 0) throw new VaultgraphError("INTERNAL", { kind: "unlisted_note" });
  return found;
}
function writeQuarantine(rows, { quarantined, indexed, released }, now) {
  const failed = new Set(quarantined.filter(({ phase }) => phase === "parse").map(({ path }) => path));
  for (const { path } of indexed) {
    if (!failed.has(path)) rows.run(`DELETE FROM quarantine WHERE path = ? AND phase = 'parse'`, path);
  }
  for (const path of released) {
    rows.run(`DELETE FROM quarantine WHERE path = ? AND phase IN ('list', 'read')`, path);
  }
  for (const row2 of quarantined) quarantine(rows, row2, now);
}
function quarantine(rows, { path, phase, code, reason, line, column, hash }, now) {
  rows.verify("quarantine", ["path = ? AND phase = ?", path, phase]);
  rows.run(
    `INSERT INTO quarantine (path, phase, code, reason, line, "column", hash, attempts, first, last)
     VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?)
     ON CONFLICT (path, phase) DO UPDATE SET code = excluded.code, reason = excluded.reason, line = excluded.line,
       "column" = excluded."column", hash = excluded.hash, attempts = attempts + 1, last = excluded.last`,
    ...[path, phase, code, reason, line ?? null, column ?? null, hash ?? null, now, now]
  );
}

// src/contracts/store.ts
var MAX_KEPT_ANSWER_LENGTH = 256 * 1024;
var MAX_KEPT_ANSWERS = 5e3;
var MAX_KEPT_BYTES = 16 * 1024 * 1024;

export {
  APPLICATION_ID,
  SCHEMA_STEPS,
  retryWhileBusy,
  toStoreError,
  displayPath,
  loadEngine,
  openReader,
  openWriter,
  addChecksumFunction,
  refuseNewer,
  versionOf,
  createRows,
  faultsInFile,
  mergeSegments,
  Segment,
  vectorFrom,
  openGeneration,
  activate,
  dropUnfinished,
  applyVectors,
  writeCentroid,
  deleteOutdatedIn,
  deleteDropped,
  deleteUnused,
  MAX_KEPT_ANSWER_LENGTH,
  MAX_KEPT_ANSWERS,
  MAX_KEPT_BYTES,
  MAX_JOBS_PER_KIND,
  MAX_REQUESTS,
  addRequest,
  toLease,
  checkLease,
  leaseConflict,
  canTake,
  holderRow,
  takeLease,
  updateHolder,
  releaseLease,
  ChangeWriter,
  revisionOf
};
