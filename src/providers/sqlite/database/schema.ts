// Defines the tables of the index, whose rows carry a checksum of their other columns, and the steps from one schema version to the next.
import { ROW_CHECKSUM } from './checksum.ts';

/** `VGin`: marks a database file as ours, so that a foreign one is never touched. */
export const APPLICATION_ID = 0x5647696e;
/** The marks of the builds before the first release. */
export const UNPUBLISHED_IDS: readonly number[] = [0x56477068, 0x56476462, 0x56476978, 0x56476964];

interface Table {
  readonly name: string;
  /** One column per line; what follows `--` is not stored in the file. */
  readonly columns: string;
  /** The primary key of a table without row ids. */
  readonly key?: string;
  readonly unique?: string;
  /** What an index is on, by its name. */
  readonly indexes?: Readonly<Record<string, string>>;
}

const TABLES: readonly Table[] = [
  {
    name: 'state',
    columns: `
      revision INTEGER NOT NULL
      graph_revision INTEGER NOT NULL -- the last revision that changed a node or an edge
      nodes_revision INTEGER NOT NULL -- the last revision that changed a node
      scanned_at TEXT
      rules INTEGER -- the parser rules of all indexed notes; null without notes, 0 if unknown`,
  },
  {
    // Row ids are never reused: the cached graph of a reader refers to them.
    name: 'files',
    columns: `
      id INTEGER PRIMARY KEY AUTOINCREMENT
      path TEXT NOT NULL UNIQUE
      name_key TEXT NOT NULL -- the folded file name with its extension
      kind TEXT NOT NULL
      size INTEGER NOT NULL
      modified REAL NOT NULL
      created REAL
      changed REAL -- as listed before the content was read; 0 if it had just changed, null if another machine has read it
      evicted INTEGER NOT NULL
      conflict_copy INTEGER NOT NULL
      hash TEXT -- null until the content is indexed
      title TEXT -- null if it is the file name
      edges_revision INTEGER NOT NULL -- the last revision that changed the targets of its links
      date TEXT -- of a note, in local time; null if it is the time of the file
      dated_by TEXT -- property or name
      edges INTEGER NOT NULL -- a checksum of the path and the targets of its links`,
    // An attachment has no hash either; the second index counts what is not indexed without reading all files.
    indexes: { files_by_name: 'files (name_key)', unread_files: 'files (kind) WHERE hash IS NULL' },
  },
  {
    name: 'contents',
    columns: `
      file INTEGER PRIMARY KEY
      encoding TEXT -- null for utf-8
      body_offset INTEGER NOT NULL
      properties TEXT NOT NULL -- JSON, as are the next four; names as ids, and the inline fields last
      notices TEXT NOT NULL
      headings TEXT NOT NULL -- rows of text, level, line, offset and, unless it is 1, column
      blocks TEXT NOT NULL -- rows of id, first line, last line
      tag_places TEXT NOT NULL -- rows of tag, line, column, offset: one list for the properties, one for the body`,
  },
  {
    // The path of a link as written, with a stem that it shares with every file that it can point to.
    name: 'link_names',
    columns: `
      id INTEGER PRIMARY KEY
      path TEXT NOT NULL
      stem INTEGER NOT NULL`,
    indexes: { link_names_by_stem: 'link_names (stem)' },
  },
  {
    name: 'links',
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
    key: 'source, ordinal',
    indexes: {
      links_by_name: 'links (name)',
      unresolved_links: 'links (name, source) WHERE target IS NULL',
      links_to_parts: "links (target, subpath) WHERE subpath <> '' AND target IS NOT NULL",
    },
  },
  {
    name: 'tag_names',
    columns: `
      id INTEGER PRIMARY KEY
      tag TEXT NOT NULL UNIQUE
      key TEXT NOT NULL`,
    indexes: { tag_names_by_key: 'tag_names (key)' },
  },
  {
    name: 'tags',
    columns: `
      tag INTEGER NOT NULL
      file INTEGER NOT NULL`,
    key: 'tag, file',
  },
  {
    // Aliases and titles, and addresses of notes of other systems.
    name: 'names',
    columns: `
      file INTEGER NOT NULL
      kind TEXT NOT NULL
      ordinal INTEGER NOT NULL
      name TEXT NOT NULL
      key TEXT NOT NULL`,
    key: 'file, kind, ordinal',
    indexes: { names_by_key: 'names (key)' },
  },
  {
    name: 'property_names',
    columns: `
      id INTEGER PRIMARY KEY
      name TEXT NOT NULL UNIQUE
      key TEXT NOT NULL`,
    indexes: { property_names_by_key: 'property_names (key)' },
  },
  {
    // Flattened for filters: a list by item, a map by dotted name. A filter reads the rows of one name.
    name: 'property_values',
    columns: `
      name INTEGER NOT NULL
      file INTEGER NOT NULL
      ordinal INTEGER NOT NULL -- negative for inline fields
      type TEXT -- null for text and numbers
      value ANY`,
    key: 'name, file, ordinal',
  },
  {
    // A line for each task of a note, with its mark and its due date.
    name: 'tasks',
    columns: `
      file INTEGER PRIMARY KEY
      tasks TEXT NOT NULL`,
  },
  {
    name: 'quarantine',
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
    key: 'path, phase',
  },
  {
    // Ids of generations and vectors are never reused: the caches of a reader refer to them.
    name: 'generations',
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
      activated TEXT`,
  },
  {
    name: 'vectors',
    columns: `
      id INTEGER PRIMARY KEY AUTOINCREMENT
      generation INTEGER NOT NULL
      hash TEXT -- of the text; null for the mean of the chunks of a note
      embedding BLOB NOT NULL -- 32-bit floats of unit length`,
    unique: 'generation, hash',
  },
  {
    // Only chunks of the indexed content.
    name: 'chunks',
    columns: `
      generation INTEGER NOT NULL
      file INTEGER NOT NULL
      ordinal INTEGER NOT NULL
      from_line INTEGER NOT NULL
      to_line INTEGER NOT NULL
      vector INTEGER NOT NULL
      code BLOB -- the sign of each dimension relative to the centroid, and a byte for the projection on it`,
    key: 'generation, file, ordinal',
  },
  {
    name: 'embedded',
    columns: `
      generation INTEGER NOT NULL
      file INTEGER NOT NULL
      revision INTEGER NOT NULL -- the revision of the generation that last changed this row
      hash TEXT -- of the content of its chunks; null since the content changed
      chunks INTEGER NOT NULL
      failed INTEGER NOT NULL
      centroid INTEGER -- the vector that is the mean of its chunks; null without chunks
      code BLOB -- of the centroid`,
    key: 'generation, file',
    indexes: { embedded_by_revision: 'embedded (generation, revision)' },
  },
  {
    // Kept when a note changes, so that a repeated failure of the same text is counted; only those of embedded notes are shown.
    name: 'failed_chunks',
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
    key: 'generation, file, ordinal',
  },
  {
    // Answers of models. Ids grow and are never reused: the lowest is the oldest.
    name: 'answers',
    columns: `
      id INTEGER PRIMARY KEY AUTOINCREMENT
      key TEXT NOT NULL UNIQUE
      bytes INTEGER NOT NULL
      answer TEXT NOT NULL`,
    // Sums the sizes without reading the answers.
    indexes: { answers_by_age: 'answers (id, bytes)' },
  },
  {
    // One row: the process that may write the index.
    name: 'lease',
    columns: `
      token INTEGER NOT NULL -- grows each time the lease is taken
      beats INTEGER NOT NULL -- grows with each heartbeat
      holder TEXT -- JSON; null while the lease is free
      beat_at TEXT -- shown to users only
      report TEXT -- JSON: the last report of the holder`,
  },
  {
    name: 'jobs',
    columns: `
      ordinal INTEGER PRIMARY KEY AUTOINCREMENT
      id TEXT NOT NULL UNIQUE
      kind TEXT NOT NULL
      has_ended INTEGER NOT NULL
      token INTEGER NOT NULL -- of the lease under which it was last saved
      saved_at TEXT NOT NULL
      job TEXT NOT NULL -- JSON, as is the next
      request TEXT NOT NULL`,
    indexes: { jobs_by_kind: 'jobs (kind, ordinal)' },
  },
  {
    // Requests of other processes to the holder of the lease.
    name: 'requests',
    columns: `
      id INTEGER PRIMARY KEY AUTOINCREMENT
      request TEXT NOT NULL -- JSON
      answer TEXT -- JSON; null until it is answered`,
    indexes: { open_requests: 'requests (id) WHERE answer IS NULL' },
  },
  {
    // The text index. The numbers of its notes grow and are never reused; a note that is indexed again has a new one. A segment is the
    // words of a run of notes, in consecutive rows of the next table; it is never changed, only merged with others.
    name: 'text_segments',
    columns: `
      id INTEGER PRIMARY KEY AUTOINCREMENT
      first_row INTEGER NOT NULL
      row_count INTEGER NOT NULL
      first_doc INTEGER NOT NULL -- the numbers of its notes
      last_doc INTEGER NOT NULL
      note_count INTEGER NOT NULL
      notes BLOB NOT NULL -- the number, the file and the number of words of each note
      directory BLOB NOT NULL -- the first word of each row`,
  },
  {
    name: 'text_rows',
    columns: `
      id INTEGER PRIMARY KEY AUTOINCREMENT
      data BLOB NOT NULL`,
  },
  {
    // The present number of each note.
    name: 'text_notes',
    columns: `
      file INTEGER PRIMARY KEY
      doc INTEGER NOT NULL`,
  },
  {
    // Notes that were indexed again or removed, until their segment is merged.
    name: 'text_dead',
    columns: `
      id INTEGER PRIMARY KEY AUTOINCREMENT
      doc INTEGER NOT NULL`,
  },
  {
    // The last sets of changes that added, removed or renamed notes, so that a list of all names need not be read again.
    name: 'name_changes',
    columns: `
      id INTEGER PRIMARY KEY AUTOINCREMENT
      paths TEXT -- JSON: the notes with other names than before; null if they are too many`,
  },
  {
    // The attachments whose text is indexed: to extract it again would take long.
    name: 'attachment_texts',
    columns: `
      file INTEGER PRIMARY KEY
      text TEXT NOT NULL
      fault TEXT -- why there is no text; null if there is`,
  },
  {
    // By which notes are compared. Only they are read then, and not the notes.
    name: 'term_vectors',
    columns: `
      file INTEGER PRIMARY KEY
      terms BLOB NOT NULL`,
  },
  {
    // The files that Obsidian's settings exclude from lists and searches: few or none.
    name: 'excluded_files',
    columns: `
      file INTEGER PRIMARY KEY`,
  },
];

export const TABLE_NAMES: readonly string[] = TABLES.map(({ name }) => name);

/** The tables that never use a row id twice. */
export const COUNTING_TABLES = TABLES.filter(({ columns }) => columns.includes(' AUTOINCREMENT')).map(
  ({ name }) => name,
);

/** The indexes of some rows of a table only, and of which. */
export const PARTIAL_INDEXES = TABLES.flatMap(({ name: table, indexes = {} }) =>
  Object.entries(indexes).flatMap(([name, on]) => {
    const [, where] = on.split(' WHERE ');
    return where === undefined ? [] : { name, table, where };
  }),
);

/** Step `n` leads from version `n` to `n + 1`; a released step is never changed again. */
export type SchemaSteps = readonly string[];

export const SCHEMA_STEPS: SchemaSteps = [
  `${TABLES.map(created).join('')}INSERT INTO state VALUES (0, 0, 0, NULL, NULL);
INSERT INTO lease VALUES (0, 0, NULL, NULL, NULL);
`,
];

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

function created(table: Table): string {
  const { name, columns, key, unique } = table;
  const definitions = columns.split('\n').flatMap((line) => line.replace(/--.*/, '').trim() || []);
  const values = definitions.map((definition) => definition.split(' ')[0]);
  const checksum = `checksum INTEGER NOT NULL AS (${ROW_CHECKSUM}(${values.join(', ')})) STORED`;
  const constraints = [key && `PRIMARY KEY (${key})`, unique && `UNIQUE (${unique})`].filter(
    (text) => text !== undefined,
  );
  return `CREATE TABLE ${name} (
  ${[...definitions, checksum, ...constraints].join(',\n  ')}
) STRICT${key === undefined ? '' : ', WITHOUT ROWID'};
${Object.entries(indexesOf(table))
  .map(([index, on]) => `CREATE INDEX ${index} ON ${on};\n`)
  .join('')}`;
}

/**
 * An intact page of another table, or one without rows, may take the place of a page on a damaged disk. SQLite's own check finds it
 * only by an index that has an entry for every row.
 */
function indexesOf({ name, columns, key, unique, indexes = {} }: Table): Readonly<Record<string, string>> {
  const isWhole = unique !== undefined || / UNIQUE\b/.test(columns);
  if (isWhole || Object.values(indexes).some((on) => !on.includes(' WHERE '))) return indexes;
  // An entry has the key, too. Without one, an entry needs the checksum: the ids of many tables are the same numbers.
  return { ...indexes, [`every_row_of_${name}`]: `${name} (${key?.split(', ').at(-1) ?? 'checksum'})` };
}
