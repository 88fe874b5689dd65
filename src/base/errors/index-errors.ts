// Errors about the index: its database file, its jobs and how current it is.
import { commandLine } from '../command-line.ts';
import { type Action, DOCTOR, entry, plural, quoted, SEARCH_TEXT, waitForJob } from './error-entry.ts';

interface StoreDetails {
  sqlite_code?: string;
  /** The SQLSTATE of a database server. */
  sqlstate?: string;
  /** The config key of a database server that the error is about. */
  config_key?: string;
  op: string;
}

/** The process that writes the index. */
interface HolderDetails {
  pid: number;
  client: string;
  /** ISO. */
  since: string;
  heartbeat_age_ms: number;
}

const waitHint = (jobId: string): string => `Wait with reindex, job_id ${jobId} and wait_ms, then try again.`;

/** What the files hold that are in the state folder, by the operation on them. */
const STATE_FILES: Readonly<Record<string, string>> = { feed: 'the list of changes', history: 'the kept history' };

/** How a hint about an unusable file ends. */
const orElsewhere = (op: string): string =>
  op in STATE_FILES
    ? `. What does not need ${STATE_FILES[op]} works meanwhile.`
    : ', or to store the index elsewhere with --data-dir.';

/** SQLite's codes of a write that failed, but not because the disk is full. */
const REFUSED_WRITES: readonly (string | undefined)[] = ['SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHMSIZE'];

const fullHint = (op: string, sqliteCode: string | undefined): string => {
  const room = `Free some disk space${op in STATE_FILES ? '' : ', or store the index elsewhere with --data-dir'}.`;
  if (!REFUSED_WRITES.includes(sqliteCode)) return room;
  return `A quota or a limit of file sizes may be reached, or the disk may be failing. ${room}`;
};

const storeMessage = (op: string, cause: string): string => `StoreProvider failed: ${op}: ${cause}`;

/** Why an index in a folder that cannot be written is of no use. */
const UNREADABLE = {
  missing: 'There is no index in it yet.',
  outdated: 'Its index is of an older version, and is upgraded once by a server that can write it.',
};

const REBUILD: Action = {
  kind: 'command',
  command: commandLine('doctor --rebuild-index'),
  run_by: 'user',
  why: 'moves the damaged index aside and builds a new one; the notes are not touched',
};

const REBUILD_TABLES: Action = {
  ...REBUILD,
  why: 'empties the tables and builds the index again; the notes are not touched',
};

/** Why a damaged file stays: the config names one that is of another program, nothing beside it shows that it was an index, or its folder cannot be written. */
type Kept = 'foreign' | 'unsure' | 'unwritable';

const KEPT_HINTS: Readonly<Record<Kept, (command: string) => string>> = {
  foreign: () =>
    'No process moves that file. Ask the user to name another file in `providers.store.path`, or to leave it out.',
  unsure: (command) =>
    `That file may not be the index, so no server replaces it by itself. If no other program uses it, end the servers and run ${command}, which keeps it and builds a new index; the notes are not affected.`,
  unwritable: (command) =>
    `The notes are not affected. The folder of the index cannot be written: ask the user to make it writable and then to run ${command}, or to store the index elsewhere with --data-dir.`,
};

function damagedText(op: string, file: string, isOnServer: boolean, kept?: Kept): string {
  if (kept === 'foreign') return `${file} is not an index of vaultgraph`;
  if (op === 'replaced') return `another file was put in place of ${file} while servers use it`;
  return isOnServer ? `${file} is damaged` : `${file} is damaged or not a database`;
}

interface Damage extends StoreDetails {
  file: string;
  /** When a server rebuilds it by itself, or `now`; absent for a command. */
  rebuild?: string;
  kept?: Kept;
}

/** The tables of a database server are emptied; a damaged file is kept. */
function damagedHint({ op, file, rebuild, config_key, kept }: Damage): string {
  if (config_key === undefined && op in STATE_FILES)
    return `The notes are not affected. If the file is damaged, the next recorded change moves it to ${file}.damaged and begins a new one. If the disk refuses to read it, ask the user to check the disk.`;
  const command = `\`${commandLine('doctor --rebuild-index')}\``;
  if (kept !== undefined) return KEPT_HINTS[kept](command);
  const isFile = config_key === undefined;
  if (rebuild === 'now')
    return `The notes are not affected. The server that keeps the index ${
      isFile ? 'moves the damaged file aside and builds a new one' : 'empties the tables and builds the index again'
    } by itself; \`status\` shows how far it is. Try again in a moment. If that does not help, end the servers and run ${command}.`;
  if (rebuild !== undefined)
    return `The notes are not affected. A damaged index was ${isFile ? 'replaced' : 'built again'} less than an hour ago, so the disk or the memory${
      isFile
        ? ' may be faulty. A server looks at the file again with the next calls, and uses it if the disk only refused to read it'
        : ' of the database server may be faulty, or a trigger or rule changes what is written (doctor names it)'
    }; the next time is ${rebuild}. To rebuild it now, end the servers and run ${command}.`;
  return isFile
    ? `The notes are not affected. Run ${command} to move the damaged index aside and build a new one; a server does so by itself when it starts.`
    : `The notes are not affected. Run ${command} to empty the tables and build the index again; a server that leads does so by itself, at most once an hour.`;
}

function unusableHint(code: string): string {
  if (code === 'EMFILE') return 'Ask the user to raise the limit of open files (ulimit -n)';
  if (code === 'ENFILE') return 'The system has too many open files: ask the user to end some programs';
  if (/^(?:SQLITE_IOERR|SQLITE_PROTOCOL|EIO$|ESTALE$|EUCLEAN$)/.test(code))
    return 'The disk or its file system refuses to work: ask the user to check it';
  return 'Ask the user to make that folder usable';
}

export const INDEX_ERRORS = {
  /** `advice`: what to do, if neither a server, a module nor the folder is at fault. */
  STORE_UNAVAILABLE: entry<StoreDetails & { module?: string; reason: string; advice?: string }>({
    category: 'store',
    retry: 'U',
    http: 503,
    message: ({ op, reason }) => storeMessage(op, reason),
    hint: ({ op, module, config_key, sqlite_code = '', advice }) => {
      if (advice !== undefined) return advice;
      if (config_key !== undefined) return `Ask the user to check that server and \`${config_key}\` in the config.`;
      return module === undefined
        ? `${unusableHint(sqlite_code)}${orElsewhere(op)}`
        : `Ask the user to run \`${commandLine('doctor')}\`, which says what is missing and how to fix it.`;
    },
    actions: ({ module }) => (module === undefined ? [] : [DOCTOR]),
  }),
  STORE_BUSY: entry<
    StoreDetails & {
      waited_ms: number;
      /** The database server that is busy. */
      server?: string;
      /** The machine whose server writes notes. */
      writer?: string;
      /** Whose limit of connections is reached; absent for the server's. */
      limited?: 'role' | 'database';
      /** The store began, and reached its time limit. */
      unfinished?: true;
    }
  >({
    category: 'store',
    retry: 'D',
    http: 503,
    retryAfterMs: 1_000,
    message: ({ waited_ms, ...cause }) => storeMessage(cause.op, `${busyCause(cause)} (waited ${waited_ms} ms)`),
    hint: busyHint,
  }),
  STORE_CORRUPT: entry<Damage>({
    category: 'store',
    retry: 'U',
    http: 500,
    message: ({ op, file, config_key, kept }) =>
      storeMessage(op, damagedText(op, file, config_key !== undefined, kept)),
    hint: damagedHint,
    actions: ({ op, config_key, kept }) =>
      kept === 'foreign' || kept === 'unwritable' || (config_key === undefined && op in STATE_FILES)
        ? []
        : [config_key === undefined ? REBUILD : REBUILD_TABLES],
  }),
  STORE_FULL: entry<StoreDetails & { file: string; free_bytes?: number }>({
    category: 'store',
    retry: 'U',
    http: 507,
    message: ({ op, file, sqlite_code }) =>
      storeMessage(
        op,
        REFUSED_WRITES.includes(sqlite_code) ? `the disk refuses to write ${file}` : `no space left for ${file}`,
      ),
    hint: ({ op, config_key, sqlstate, sqlite_code }) =>
      config_key === undefined
        ? fullHint(op, sqlite_code)
        : sqlstate === '53400'
          ? 'Ask the user to raise the limit of that server, such as `temp_file_limit`, that its log names.'
          : 'Ask the user to free disk space on that server.',
  }),
  STORE_READONLY: entry<
    StoreDetails & { file: string /** Absent if it can be read. */; index?: 'missing' | 'outdated' }
  >({
    category: 'store',
    retry: 'U',
    http: 500,
    message: ({ op, file }) => storeMessage(op, `${file} is not writable`),
    hint: ({ op, index, config_key, sqlstate }) => {
      if (sqlstate === '25006')
        return 'Reads from the index still work, and changes of notes are found once it can be written. Ask the user to look at the database: it is a standby, or `default_transaction_read_only` is on.';
      if (config_key !== undefined)
        return `Another server can update the index, and reads that need no missing right still work. To update it from here, give the user of \`providers.store\` the right to write to the schema: \`${commandLine('doctor')}\` says which is missing.`;
      if (op in STATE_FILES) return `Ask the user to make that file and its folder writable${orElsewhere(op)}`;
      return `Make the index folder writable, or store the index elsewhere with --data-dir. ${
        index === undefined ? 'Reads from the index still work.' : UNREADABLE[index]
      }`;
    },
  }),
  STORE_SCHEMA_TOO_NEW: entry<{ found: number; supported: number; config_key?: string }>({
    category: 'store',
    retry: 'U',
    http: 409,
    message: ({ found, supported }) =>
      `StoreProvider failed: the index has schema ${found}, this version of vaultgraph supports up to ${supported}`,
    hint: ({ config_key }) =>
      config_key === undefined
        ? `Upgrade vaultgraph, or give this version its own index with --data-dir. To keep the index as a file and build another, end the servers and run \`${commandLine('doctor --rebuild-index')}\`.`
        : `Upgrade vaultgraph, or give this version its own index with \`${config_key}\`.`,
  }),
  STORE_MIGRATION_FAILED: entry<{ from: number; to: number; step: number; backup: string }>({
    category: 'store',
    retry: 'U',
    http: 500,
    message: ({ from, to, step }) =>
      `StoreProvider failed: migration from schema ${from} to ${to} failed at step ${step} and was rolled back`,
    hint: ({ backup }) =>
      `A copy of the index from before the migration is in ${backup}. Please report this with the error id.`,
  }),
  STORE_ERROR: entry<StoreDetails>({
    category: 'store',
    retry: 'N',
    http: 500,
    message: ({ op, sqlite_code, sqlstate }) => storeMessage(op, sqlite_code ?? sqlstate ?? 'unknown error'),
    hint: ({ sqlstate }) =>
      sqlstate === undefined
        ? 'Please report this with the error id.'
        : `The database refused a statement. Ask the user to run \`${commandLine('doctor')}\`, which names triggers, rules, constraints and columns that are not of vaultgraph. If it finds none, please report this with the error id.`,
    actions: ({ sqlstate }) => (sqlstate === undefined ? [] : [DOCTOR]),
  }),
  INDEX_EMPTY: entry<{
    capability: string;
    /** The one note that is missing from an index that has others, and why. */
    note?: string;
    reason?: string;
    /** Obsidian's settings exclude the note. */
    excluded?: true;
  }>({
    category: 'index',
    retry: 'U',
    http: 404,
    message: ({ capability, note, reason, excluded }) =>
      excluded
        ? `${note} is an excluded file in Obsidian's settings, whose text goes to no embedding model`
        : note === undefined
          ? `the index for ${capability} is empty and no job is building it`
          : `${note} is not in the index for ${capability}${reason === undefined ? '' : ` (${reason})`} and no job is adding it`,
    hint: ({ note, excluded }) =>
      excluded
        ? 'find_related compares its words instead.'
        : `Call reindex to ${note === undefined ? 'build it' : 'add it'}.`,
    actions: ({ note, excluded }) =>
      excluded && note !== undefined
        ? [{ kind: 'tool_call', tool: 'find_related', arguments: { note }, why: 'compares words' }]
        : [{ kind: 'tool_call', tool: 'reindex', arguments: {}, why: 'builds the index' }],
  }),
  INDEX_BUILDING: entry<{ job_id: string; done: number; total: number; note?: string }>({
    category: 'index',
    retry: 'D',
    http: 503,
    retryAfterMs: 2_000,
    message: ({ done, total, note }) => {
      const progress = total === 0 ? 'the notes are being listed' : `${done} of ${plural(total, 'note')}`;
      return `${note === undefined ? 'the first index' : `the index for ${note}`} is being built: ${progress}`;
    },
    hint: ({ job_id }) => waitHint(job_id),
    actions: ({ job_id }) => [waitForJob(job_id, 'waits for the first index')],
  }),
  INDEX_STALE: entry<{
    pending: number;
    /** ISO: when the last complete scan ended, and when the oldest change that is not indexed yet was noticed. */
    as_of?: string;
    oldest_change?: string;
    /** The error code that kept the index from catching up, unless it ran out of time. */
    cause?: string;
  }>({
    category: 'index',
    retry: 'D',
    http: 409,
    retryAfterMs: 2_000,
    message: ({ pending, as_of, cause }) => {
      const why = cause === undefined ? 'did not catch up with the vault in time' : `could not catch up: [${cause}]`;
      const state = as_of === undefined ? '' : `; it is as of ${as_of}`;
      return `require_fresh was set, and the index ${why}${state}${pending === 0 ? '' : `, ${plural(pending, 'changed note')} pending`}`;
    },
    hint: () => 'Try again later, or without require_fresh to use the index as it is; status shows why it is behind.',
    actions: () => [{ kind: 'tool_call', tool: 'status', arguments: {}, why: 'shows how current the index is' }],
  }),
  INDEX_CONFLICT: entry<{ job_id?: string; running?: string; holder?: HolderDetails }>({
    category: 'index',
    retry: 'D',
    http: 409,
    retryAfterMs: 2_000,
    message: ({ running, holder }) => {
      if (holder === undefined) return `another index job is running${running === undefined ? '' : `: ${running}`}`;
      const { pid, client, heartbeat_age_ms: age } = holder;
      return `another process writes the index of this vault: ${quoted(client)}, pid ${pid}, last heartbeat ${age} ms ago`;
    },
    hint: ({ job_id, holder }) => {
      if (holder === undefined)
        return job_id === undefined
          ? 'Try again when it has ended; status shows it.'
          : `Follow it with reindex and job_id ${job_id}, or cancel it first.`;
      const follow = job_id === undefined ? '' : ` Follow its job with reindex and job_id ${job_id}.`;
      return `That process keeps the index up to date; you can read and write notes meanwhile.${follow}`;
    },
  }),
  INDEX_JOB_FAILED: entry<{
    job_id: string;
    phase: string;
    /** The error code of the cause, with its message and hint. */
    cause: string;
    reason: string;
    advice: string;
  }>({
    category: 'index',
    retry: 'U',
    http: 500,
    message: ({ job_id, phase, cause, reason }) => `index job ${job_id} failed while ${phase}: [${cause}] ${reason}`,
    hint: ({ advice }) => `Notes indexed so far are kept; the next run continues from there. ${advice}`,
  }),
  EMBEDDER_MISMATCH: entry<{
    /** What made the active vectors, and the current provider. */
    index: Readonly<Record<string, string | number | null>>;
    provider: Readonly<Record<string, string | number | null>>;
    differs: readonly string[];
    /** The job that is making new vectors, if one is running. */
    job_id?: string;
    done?: number;
    total?: number;
  }>({
    category: 'index',
    retry: 'U',
    http: 409,
    message: ({ differs, job_id, done = 0, total = 0 }) =>
      `the vectors in the index were made by a different model (they differ in ${differs.join(', ') || 'an unknown part'})${
        job_id === undefined ? '' : `; new vectors are being made: ${done} of ${plural(total, 'note')}`
      }`,
    hint: ({ job_id }) =>
      `${
        job_id === undefined
          ? 'Configure the model that made the index again, or call reindex to make new vectors; the old ones are kept until then.'
          : waitHint(job_id)
      } search_text works meanwhile.`,
    actions: ({ job_id }) => [
      job_id === undefined
        ? { kind: 'tool_call', tool: 'reindex', arguments: {}, why: 'makes vectors with the current model' }
        : waitForJob(job_id, 'waits for the new vectors'),
      SEARCH_TEXT,
    ],
  }),
};

type Busy = Pick<StoreDetails, 'op' | 'sqlstate' | 'config_key'> & {
  server?: string;
  writer?: string;
  limited?: 'role' | 'database';
  unfinished?: true;
};

/** By SQLSTATE, why a database server is busy. */
const BUSY_SERVER: Readonly<Record<string, string>> = {
  '55P03':
    'Another session of the database locks a table or row of the index, as VACUUM FULL, a restore or an open transaction does. Try again when it has ended; `pg_stat_activity` shows the sessions.',
  '53300':
    'All connections of the server, or of the pool before it, are in use, or that pool gets none to its server. Try again in a moment; `providers.store.pool` sets how many this server uses.',
  '57014':
    'A statement did not finish within `providers.store.timeout`, or an administrator cancelled it: the server is slow or overloaded. Try again in a moment.',
  '53200': 'The database server has too little memory at the moment. Try again in a moment; its log says more.',
  '25P03': 'This machine stopped in the middle of a transaction, as on standby. Try again.',
};

/** The server has connections left, but not for this role or database. */
const limitHint = (limited: 'role' | 'database'): string =>
  `All connections that the ${limited} may have are in use, or it may have none: \`ALTER ${limited.toUpperCase()} … CONNECTION LIMIT\` sets how many. A server uses \`providers.store.pool\` and two more. Try again when some are free.`;

function busyHint({ op, server, writer, limited, unfinished, sqlstate = '', config_key }: Busy): string {
  if (writer !== undefined)
    return 'One server at a time writes notes of this vault, on any machine. Try again in a moment.';
  if (unfinished && config_key !== undefined)
    return `The database server, or a connection pool before it, did not answer in time: it is slow or has no free connection, or the network fails. Try again in a moment, or ask the user to run \`${commandLine('doctor')}\`.`;
  if (unfinished) return 'The disk or the machine is slow, or other programs keep it busy. Try again in a moment.';
  if (limited !== undefined) return limitHint(limited);
  if (server === undefined)
    return `Another program, such as another vaultgraph or a backup, has locked ${STATE_FILES[op] ?? 'the same index'}. Try again in a moment.`;
  return (
    BUSY_SERVER[sqlstate] ??
    'The server did not finish in time, or all connections are in use. Try again in a moment; `providers.store.timeout` and `providers.store.pool` set how long and how many.'
  );
}

function busyCause({ op, server, writer, limited, unfinished, sqlstate }: Busy): string {
  if (writer !== undefined) return `a server on ${quoted(writer)} writes notes`;
  if (unfinished) return 'it did not finish in time';
  if (sqlstate === '55P03') return `another session of the PostgreSQL server at ${server} holds a lock`;
  if (limited !== undefined) return `the PostgreSQL server at ${server} has no connection left for this ${limited}`;
  return server === undefined
    ? `another process has locked ${STATE_FILES[op] ?? 'the index'}`
    : `the PostgreSQL server at ${server} is busy`;
}
