// The one table of everything that can go wrong, and the one class that carries it.
import { randomBytes } from 'node:crypto';

export type Category =
  | 'input'
  | 'lookup'
  | 'conflict'
  | 'capability'
  | 'vault'
  | 'store'
  | 'index'
  | 'provider'
  | 'control'
  | 'internal';

/** N nobody can mend it · C the caller, by other arguments · D the same call later · D* later, once the user acted · U the user. */
export type Retry = 'N' | 'C' | 'D' | 'D*' | 'U';

/** A tool call, a config key or a command that leads on; never a destructive one. */
export type Action =
  | { readonly kind: 'tool_call'; readonly tool: string; readonly arguments: object; readonly why: string }
  | { readonly kind: 'config'; readonly key: string; readonly why: string }
  | { readonly kind: 'command'; readonly command: string; readonly run_by: 'user'; readonly why: string };

export interface ErrorEntry<Details> {
  readonly category: Category;
  readonly retry: Retry;
  readonly http: number;
  /** Milliseconds; present exactly where `retry` is D or D*. */
  readonly retryAfterMs?: number;
  readonly message: (details: Details) => string;
  readonly hint: (details: Details) => string;
  readonly actions?: (details: Details) => readonly Action[];
}

const entry = <Details>(given: ErrorEntry<Details>): ErrorEntry<Details> => Object.freeze(given);

/** What every failure of a provider tells. `level` is `item` where one input is at fault and the others would pass. */
export interface ProviderDetails {
  capability: 'embedding' | 'llm';
  /** The type in the YAML. */
  provider: string;
  /** Without credentials; absent where the provider works in this process. */
  endpoint?: string;
  model: string;
  attempts: number;
  elapsed_ms: number;
  level: 'item' | 'call';
}

interface StoreDetails {
  sqlite_code?: string;
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

interface IndexJobDetails {
  job_id: string;
  phase: string;
  /** The code of what made it fail, with its message and its hint. */
  cause: string;
  reason: string;
  advice: string;
}

const PROVIDER_NAMES = { embedding: 'EmbeddingProvider', llm: 'LLMProvider' } as const;

/** `EmbeddingProvider failed: <cause> by <endpoint> (model <model>) after 412 ms, 2 attempts`. */
function providerMessage(details: ProviderDetails, cause: string): string {
  const { capability, provider, endpoint = provider, model, elapsed_ms, attempts } = details;
  const times = `after ${elapsed_ms} ms, ${many(attempts, 'attempt')}`;
  return `${PROVIDER_NAMES[capability]} failed: ${cause} by ${endpoint} (model ${cut(model)}) ${times}`;
}

/** Full-text search needs no provider: whoever meets a failure may step down to it knowingly. */
const searchByWords = ({ capability }: ProviderDetails): readonly Action[] =>
  capability === 'llm'
    ? []
    : [
        {
          kind: 'tool_call',
          tool: 'search_text',
          arguments: {},
          why: 'finds notes by their words, without the provider',
        },
      ];

const wordsStillWork = ({ capability }: ProviderDetails): string =>
  capability === 'embedding' ? ' Meanwhile search_text works without it.' : '';

const many = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** Longer foreign text is cut in messages; details keep more of it. */
const MAX_FOREIGN_TEXT_LENGTH = 200;

/** Foreign text short enough for a message; a cut is marked. */
const cut = (text: string): string =>
  text.length <= MAX_FOREIGN_TEXT_LENGTH ? text : `${text.slice(0, MAX_FOREIGN_TEXT_LENGTH).toWellFormed()}…`;
const quoted = (text: string): string => JSON.stringify(cut(text));

const rebuild: Action = {
  kind: 'command',
  command: 'vaultgraph doctor --rebuild-index',
  run_by: 'user',
  why: 'moves the damaged index aside and builds a new one; the notes are not touched',
};

export interface InputIssue {
  /** Where in the arguments, `filter.tags.0`; empty for the arguments as a whole. */
  readonly path: string;
  readonly rule: string;
  readonly expected?: string;
  readonly received?: string;
  readonly did_you_mean?: string;
}

export interface ConfigFault {
  /** The config file, or the flag or variable the value came from. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly key?: string;
  readonly what: string;
  readonly allowed?: readonly string[];
  readonly did_you_mean?: string;
}

/** `file:line:column: what, allowed: …, did you mean …?`, on one line. */
function faultLine(fault: ConfigFault): string {
  const at = fault.line === undefined ? fault.file : `${fault.file}:${fault.line}:${fault.column ?? 1}`;
  const allowed = fault.allowed?.length ? `, allowed: ${fault.allowed.join(', ')}` : '';
  const nearest = fault.did_you_mean === undefined ? '' : `, did you mean \`${fault.did_you_mean}\`?`;
  return `${at}: ${fault.what}${allowed}${nearest}`;
}

export const ERRORS = Object.freeze({
  INVALID_INPUT: entry<{ tool: string; issues: readonly InputIssue[]; accepted: readonly string[] }>({
    category: 'input',
    retry: 'C',
    http: 400,
    message: ({ tool, issues }) =>
      `${tool}: ${issues.map(({ path, rule }) => (path === '' ? rule : `${path}: ${rule}`)).join('; ')}`,
    hint: ({ issues, accepted }) => {
      const nearest = issues.find((issue) => issue.did_you_mean !== undefined)?.did_you_mean;
      const meant = nearest === undefined ? '' : ` Did you mean \`${nearest}\`?`;
      return `Correct the arguments and call again; it takes ${listed(accepted) || 'no arguments'}.${meant}`;
    },
  }),
  INVALID_QUERY: entry<{ field: string; position: number; reason: string }>({
    category: 'input',
    retry: 'C',
    http: 400,
    message: ({ field, position, reason }) => `${field} has no reading: ${cut(reason)} at character ${position + 1}`,
    hint: () => 'Put words to be taken literally between double quotes; a query needs at least one word to look for.',
  }),
  LIMIT_EXCEEDED: entry<{ field: string; limit: number; actual: number }>({
    category: 'input',
    retry: 'C',
    http: 413,
    message: ({ field, limit, actual }) => `${field} is ${actual}, the limit is ${limit}`,
    hint: () => 'Ask for less at a time: page with cursor, or split the list over several calls.',
  }),
  PATH_NOT_ALLOWED: entry<{ path: string; rule: string }>({
    category: 'input',
    retry: 'C',
    http: 403,
    message: ({ path, rule }) => `path ${quoted(path)} is refused: ${rule}`,
    hint: () => 'Give a path relative to the vault, with `/` between folders, of a note that is not excluded.',
  }),
  NOTE_NOT_FOUND: entry<{ ref: string; suggestions: readonly string[]; unresolved_link: boolean }>({
    category: 'lookup',
    retry: 'C',
    http: 404,
    message: ({ ref, unresolved_link }) =>
      `no note is named ${quoted(ref)}${unresolved_link ? '; notes link to that name, but it does not exist yet' : ''}`,
    hint: ({ suggestions }) =>
      suggestions.length > 0
        ? `Near names: ${listed(suggestions)}.`
        : 'Look it up with list_notes or search_text; a path, a name, an alias or a title will do.',
  }),
  NOTE_AMBIGUOUS: entry<{ ref: string; ref_kind: string }>({
    category: 'lookup',
    retry: 'C',
    http: 409,
    message: ({ ref, ref_kind }) => `several notes have the ${ref_kind} ${quoted(ref)}`,
    hint: () => 'Call again with one of the choices.',
  }),
  NOTE_PART_NOT_FOUND: entry<{ path: string; part: string; outline: readonly string[] }>({
    category: 'lookup',
    retry: 'C',
    http: 404,
    message: ({ path, part }) => `${path} has no part ${quoted(part)}`,
    hint: ({ outline }) =>
      outline.length > 0
        ? `Its headings: ${outline.map(cut).join(' · ')}`
        : 'The note has no headings; read it whole or by `:from-to` lines.',
  }),
  NOTE_PART_AMBIGUOUS: entry<{ path: string; part: string }>({
    category: 'lookup',
    retry: 'C',
    http: 409,
    message: ({ path, part }) => `${path} has several parts ${quoted(part)}`,
    hint: () => 'Call again with one of the choices, or name the heading above it too: `#Above#Below`.',
  }),
  EDIT_TARGET_NOT_FOUND: entry<{
    path: string;
    target: string;
    count: 0;
    nearest?: { line: number; text: string };
    outline?: readonly string[];
  }>({
    category: 'lookup',
    retry: 'C',
    http: 404,
    message: ({ path, target }) => `${path} has no ${quoted(target)} to edit; nothing was written`,
    hint: ({ nearest, outline = [] }) => {
      if (nearest !== undefined) return `The nearest is line ${nearest.line}: ${quoted(nearest.text)}.`;
      return outline.length > 0
        ? `Its headings: ${outline.map(cut).join(' · ')}`
        : 'Read the note again and name the heading, the block or the text letter by letter.';
    },
  }),
  EDIT_TARGET_AMBIGUOUS: entry<{
    path: string;
    target: string;
    count: number;
    expected: number;
    /** The first of the lines it begins on, each once. */
    lines: readonly number[];
  }>({
    category: 'lookup',
    retry: 'C',
    http: 409,
    message: ({ path, target, count, expected, lines }) =>
      `${path} has ${quoted(target)} ${many(count, 'time')}, not ${expected} (line ${lines.join(', ')}); nothing was written`,
    hint: () =>
      'Say which by the line it begins on, name more of it (a longer text, `#Above#Below`), or give the count that is meant.',
  }),
  JOB_NOT_FOUND: entry<{ id: string; recent: readonly string[] }>({
    category: 'lookup',
    retry: 'C',
    http: 404,
    message: ({ id }) => `no job has the id ${quoted(id)}`,
    hint: ({ recent }) =>
      recent.length > 0 ? `Recent jobs: ${listed(recent)}.` : 'No job has run since the server started.',
  }),
  CHANGE_NOT_FOUND: entry<{ id: string; recent: readonly string[] }>({
    category: 'lookup',
    retry: 'C',
    http: 404,
    message: ({ id }) => `no change and no plan has the id ${quoted(id)}, or it is gone or undone`,
    hint: ({ recent }) => (recent.length > 0 ? `Recent: ${listed(recent)}.` : 'Nothing is kept that could be undone.'),
  }),
  VAULT_NOT_FOUND: entry<{ path: string }>({
    category: 'lookup',
    retry: 'C',
    http: 404,
    message: ({ path }) => `no folder at ${path}`,
    hint: () => 'Name the folder that holds the notes with --vault, or set vault.path in the config.',
  }),
  VAULT_AMBIGUOUS: entry<{ count: number }>({
    category: 'lookup',
    retry: 'C',
    http: 409,
    message: ({ count }) => `${count} vaults are known here, and none was named`,
    hint: () => 'Name one of them with --vault.',
  }),
  NOTE_EXISTS: entry<{ path: string; etag?: string }>({
    category: 'conflict',
    retry: 'C',
    http: 409,
    message: ({ path }) => `${path} exists already and was not touched`,
    hint: () => 'Edit that note with its etag, or choose another path.',
  }),
  WRITE_CONFLICT: entry<{
    path: string;
    if_match?: string;
    /** Absent where the file is gone. */
    current_etag?: string;
    /** From what was read to what is there, where what was read is still known. */
    diff?: string;
  }>({
    category: 'conflict',
    retry: 'C',
    http: 409,
    message: ({ path }) => `${path} is no longer what it was when it was read; nothing was written`,
    hint: () => 'Read it again, merge what changed, and call again with the new etag.',
  }),
  CONFIRMATION_REQUIRED: entry<{
    operation: string;
    affected: readonly string[];
    /** Whether a dry run shows the whole of it. */
    dry_run?: true;
  }>({
    category: 'conflict',
    retry: 'C',
    http: 428,
    message: ({ operation, affected }) => `${operation} touches ${affected.join(', ')} and was not confirmed`,
    hint: ({ dry_run }) =>
      dry_run
        ? 'See it whole with dry_run: true, then call again with its plan_id, with if_match, or with confirm: true if that is what the user wants.'
        : 'Call again with confirm: true if that is what the user wants.',
  }),
  LINK_INTEGRITY: entry<{
    /** How many links could not follow. */
    incoming: number;
    sample: readonly { path: string; line: number; reason: string }[];
  }>({
    category: 'conflict',
    retry: 'C',
    http: 409,
    message: ({ incoming, sample: [first] }) =>
      `${many(incoming, 'link')} could not follow; nothing was moved${
        first === undefined ? '' : ` (first ${first.path}:${first.line}: ${cut(first.reason)})`
      }`,
    hint: () => 'Mend those links first, or call again with allow_broken: true to move and leave them as they are.',
  }),
  MASS_DELETE_BLOCKED: entry<{ known: number; missing: number; ratio: number }>({
    category: 'conflict',
    retry: 'U',
    http: 409,
    message: ({ known, missing }) =>
      `${missing} of ${many(known, 'known note')} are gone at once; the index was kept as it is`,
    hint: () =>
      'If the vault is not mounted whole, mount it. If the notes were deleted on purpose, call reindex with confirm: true.',
  }),
  BATCH_FAILED: entry<{
    failed: readonly object[];
    by_code: Readonly<Record<string, number>>;
    why: string;
    advice: string;
  }>({
    category: 'conflict',
    retry: 'C',
    http: 207,
    message: ({ failed, why }) => `${why} (${failed.length} of ${many(failed.length, 'item')})`,
    hint: ({ advice }) => advice,
  }),
  CAPABILITY_NOT_CONFIGURED: entry<{
    tool: string;
    capability: string;
    config_key: string;
    alternatives: readonly string[];
  }>({
    category: 'capability',
    retry: 'U',
    http: 501,
    message: ({ tool, capability }) => `${tool} needs the capability ${capability}, which is not configured`,
    hint: ({ config_key, alternatives }) =>
      `The user can turn it on with ${config_key} in the config and a restart.${
        alternatives.length > 0 ? ` Without it: ${listed(alternatives)}.` : ''
      }`,
    actions: ({ config_key }) => [{ kind: 'config', key: config_key, why: 'adds the capability' }],
  }),
  READ_ONLY: entry<{ tool: string; config_key: string }>({
    category: 'capability',
    retry: 'U',
    http: 403,
    message: ({ tool }) => `${tool} writes, and the vault is opened read-only`,
    hint: ({ config_key }) => `The user can allow it with ${config_key}: read-write in the config and a restart.`,
    actions: ({ config_key }) => [{ kind: 'config', key: config_key, why: 'lets tools write into the vault' }],
  }),
  CONFIG_INVALID: entry<{ faults: readonly ConfigFault[] }>({
    category: 'capability',
    retry: 'U',
    http: 500,
    message: ({ faults }) => faults.map(faultLine).join('\n'),
    hint: () => 'Correct the config and start again; `vaultgraph config` shows every value with its origin.',
  }),
  CONFIG_MISSING: entry<{ key: string; looked_in: readonly string[] }>({
    category: 'capability',
    retry: 'U',
    http: 500,
    message: ({ key, looked_in }) => `${key} is set nowhere; looked in ${looked_in.join(', ')}`,
    hint: () =>
      'Name the vault with --vault DIR, $OBSIDIAN_VAULT_PATH, or `vault: { path: ~/Notes }` in the config file.',
  }),
  VAULT_UNAVAILABLE: entry<{ errno: string; last_seen?: string }>({
    category: 'vault',
    retry: 'D*',
    http: 503,
    retryAfterMs: 5_000,
    message: ({ errno }) => `the vault folder does not answer (${errno})`,
    hint: () => 'Check that the folder is mounted and readable. The index is kept; the next call tries again.',
  }),
  FILE_UNREADABLE: entry<{ path: string; errno: string }>({
    category: 'vault',
    retry: 'D*',
    http: 500,
    retryAfterMs: 5_000,
    message: ({ path, errno }) => `${path} cannot be read (${errno})`,
    hint: ({ errno }) => UNREADABLE_HINTS[errno] ?? 'Check the file and its permissions, then call again.',
  }),
  PROPERTIES_INVALID: entry<{ path: string; line: number; column: number; reason: string }>({
    category: 'vault',
    retry: 'U',
    http: 422,
    message: ({ path, line, column, reason }) =>
      `${path}:${line}:${column}: the front matter is no valid YAML: ${cut(reason)}`,
    hint: () => 'The note is indexed by its text, without properties. Mend the front matter in an editor.',
  }),
  CANVAS_INVALID: entry<{ path: string; reason: string }>({
    category: 'vault',
    retry: 'U',
    http: 422,
    message: ({ path, reason }) => `${path} is no valid canvas: ${cut(reason)}`,
    hint: () => 'The canvas is listed without links. Open it in Obsidian to mend it.',
  }),
  FILE_WRITE_FAILED: entry<{ path: string; errno: string; step: string; original_intact: boolean }>({
    category: 'vault',
    retry: 'U',
    http: 507,
    message: ({ path, errno, step }) => `${path} was not written: ${step} failed (${errno})`,
    hint: ({ errno, original_intact }) =>
      `${original_intact ? 'What was there is intact' : 'It may be half made, which the next write or the next start finishes or takes back'}; ${
        WRITE_ADVICE[errno] ?? 'ask the user to check the permissions of the file and its folder.'
      }`,
  }),
  STORE_UNAVAILABLE: entry<StoreDetails & { module?: string; reason: string }>({
    category: 'store',
    retry: 'U',
    http: 503,
    message: ({ op, reason }) => `StoreProvider failed: ${op}: ${cut(reason)}`,
    hint: () => 'Run `vaultgraph doctor`; it names the folder or module that is missing.',
    actions: () => [{ kind: 'command', command: 'vaultgraph doctor', run_by: 'user', why: 'names what is missing' }],
  }),
  STORE_BUSY: entry<StoreDetails & { waited_ms: number }>({
    category: 'store',
    retry: 'D',
    http: 503,
    retryAfterMs: 1_000,
    message: ({ op, waited_ms }) =>
      `StoreProvider failed: ${op}: the index is locked by another process, waited ${waited_ms} ms`,
    hint: () => 'Another vaultgraph is writing to the same index. Call again in a moment.',
  }),
  STORE_CORRUPT: entry<StoreDetails & { file: string }>({
    category: 'store',
    retry: 'U',
    http: 500,
    message: ({ op, file }) => `StoreProvider failed: ${op}: ${file} is damaged or no database`,
    hint: () =>
      'The notes are untouched. `vaultgraph doctor --rebuild-index` moves the damaged index aside and builds a new one; restart the server behind it.',
    actions: () => [rebuild],
  }),
  STORE_FULL: entry<StoreDetails & { file: string; free_bytes?: number }>({
    category: 'store',
    retry: 'U',
    http: 507,
    message: ({ op, file }) => `StoreProvider failed: ${op}: no space left for ${file}`,
    hint: () => 'Free some disk space, or place the index elsewhere with --data-dir.',
  }),
  STORE_READONLY: entry<StoreDetails & { file: string }>({
    category: 'store',
    retry: 'U',
    http: 500,
    message: ({ op, file }) => `StoreProvider failed: ${op}: ${file} cannot be written`,
    hint: () => 'Make the index folder writable, or place the index elsewhere with --data-dir. Reading goes on.',
  }),
  STORE_SCHEMA_TOO_NEW: entry<{ found: number; supported: number }>({
    category: 'store',
    retry: 'U',
    http: 409,
    message: ({ found, supported }) =>
      `StoreProvider failed: the index has schema ${found}, this version of vaultgraph knows up to ${supported}`,
    hint: () => 'Upgrade vaultgraph, or keep a separate index for this version with --data-dir.',
  }),
  STORE_MIGRATION_FAILED: entry<{ from: number; to: number; step: number; backup: string }>({
    category: 'store',
    retry: 'U',
    http: 500,
    message: ({ from, to, step }) =>
      `StoreProvider failed: migration from schema ${from} to ${to} failed at step ${step} and was rolled back`,
    hint: ({ backup }) => `The index before the migration is kept as ${backup}. Please report this with the error id.`,
  }),
  STORE_ERROR: entry<StoreDetails>({
    category: 'store',
    retry: 'N',
    http: 500,
    message: ({ op, sqlite_code }) => `StoreProvider failed: ${op}: ${sqlite_code ?? 'unknown'}`,
    hint: () => 'Please report this and quote the error id.',
  }),
  INDEX_EMPTY: entry<{
    capability: string;
    /** The one note that is missing, where the others are there, and what kept it out. */
    note?: string;
    reason?: string;
  }>({
    category: 'index',
    retry: 'U',
    http: 404,
    message: ({ capability, note, reason }) =>
      note === undefined
        ? `there is no index for ${capability} yet and none is being built`
        : `${cut(note)} is not in the index for ${capability}${reason === undefined ? '' : ` (${cut(reason)})`} and no job adds it`,
    hint: ({ note }) => `Call reindex to ${note === undefined ? 'build it' : 'add it'}.`,
    actions: () => [{ kind: 'tool_call', tool: 'reindex', arguments: {}, why: 'builds the index' }],
  }),
  INDEX_BUILDING: entry<{ job_id: string; done: number; total: number; note?: string }>({
    category: 'index',
    retry: 'D',
    http: 503,
    retryAfterMs: 2_000,
    message: ({ done, total, note }) =>
      `${note === undefined ? 'the first index' : `the index for ${cut(note)}`} is being built: ${done} of ${many(total, 'note')}`,
    hint: ({ job_id }) => `Wait for it: reindex with job_id ${job_id} and wait_ms, then call again.`,
    actions: ({ job_id }) => [
      { kind: 'tool_call', tool: 'reindex', arguments: { job_id, wait_ms: 20_000 }, why: 'waits for the first index' },
    ],
  }),
  INDEX_STALE: entry<{
    pending: number;
    /** ISO: when the last whole scan ended, and when the oldest change came to be known that the index lacks. */
    as_of?: string;
    oldest_change?: string;
    /** The code of what kept the index from catching up, where it was not time. */
    cause?: string;
  }>({
    category: 'index',
    retry: 'D',
    http: 409,
    retryAfterMs: 2_000,
    message: ({ pending, as_of, cause }) => {
      const why = cause === undefined ? 'did not catch up with the vault in time' : `could not catch up: [${cause}]`;
      const lacks = pending === 0 ? '' : `, ${many(pending, 'changed note')} pending`;
      return `a fresh answer was demanded and the index ${why}${as_of === undefined ? '' : `; it is as of ${as_of}`}${lacks}`;
    },
    hint: () =>
      'Call again a little later, or without require_fresh for an answer from the index as it is; status shows why it lags.',
    actions: () => [{ kind: 'tool_call', tool: 'status', arguments: {}, why: 'shows how the index follows the vault' }],
  }),
  INDEX_CONFLICT: entry<{ job_id?: string; running?: string; holder?: HolderDetails }>({
    category: 'index',
    retry: 'D',
    http: 409,
    retryAfterMs: 2_000,
    message: ({ running, holder }) => {
      if (holder === undefined) return `another index job is under way${running === undefined ? '' : `: ${running}`}`;
      const { pid, client, heartbeat_age_ms: age } = holder;
      return `another process writes the index of this vault: ${quoted(client)}, pid ${pid}, last heard of ${age} ms ago`;
    },
    hint: ({ job_id, holder }) => {
      if (holder === undefined)
        return `Follow it with reindex and job_id ${job_id ?? 'of that job'}, or cancel it first.`;
      const follow = job_id === undefined ? '' : ` Follow its job with reindex and job_id ${job_id}.`;
      return `It keeps the index up to date by itself; reading and writing notes goes on from here.${follow}`;
    },
  }),
  INDEX_JOB_FAILED: entry<IndexJobDetails>({
    category: 'index',
    retry: 'U',
    http: 500,
    message: ({ job_id, phase, cause, reason }) =>
      `index job ${job_id} failed while ${phase}: [${cause}] ${cut(reason)}`,
    hint: ({ advice }) =>
      `What was indexed before is kept, and the next run takes up where this one stopped. ${advice}`,
  }),
  EMBEDDER_MISMATCH: entry<{
    /** What the active vectors were made by, and what the provider is now. */
    index: Readonly<Record<string, string | number | null>>;
    provider: Readonly<Record<string, string | number | null>>;
    differs: readonly string[];
    /** The job that makes new vectors, where one runs. */
    job_id?: string;
    done?: number;
    total?: number;
  }>({
    category: 'index',
    retry: 'U',
    http: 409,
    message: ({ differs, job_id, done = 0, total = 0 }) =>
      `the indexed vectors are not of the model that answers now; they differ in ${differs.join(', ') || 'an unknown part'}${
        job_id === undefined ? '' : `; new ones are being made: ${done} of ${many(total, 'note')}`
      }`,
    hint: ({ job_id }) =>
      job_id === undefined
        ? 'Restore the model the index was made with, or call reindex to make new vectors; the old ones stay until then. search_text works meanwhile.'
        : `Wait for it: reindex with job_id ${job_id} and wait_ms, then call again. search_text works meanwhile.`,
    actions: ({ job_id }) => [
      job_id === undefined
        ? { kind: 'tool_call', tool: 'reindex', arguments: {}, why: 'makes vectors with the model that answers now' }
        : {
            kind: 'tool_call',
            tool: 'reindex',
            arguments: { job_id, wait_ms: 20_000 },
            why: 'waits for the new vectors',
          },
      { kind: 'tool_call', tool: 'search_text', arguments: {}, why: 'finds notes by their words, without vectors' },
    ],
  }),
  EGRESS_BLOCKED: entry<{ capability: 'embedding' | 'llm'; endpoint: string; host: string; model: string }>({
    category: 'capability',
    retry: 'U',
    http: 403,
    message: ({ model, endpoint, host }) =>
      `the model ${cut(model)} at ${endpoint} runs on ${quoted(host)}, off this machine; no text was sent`,
    hint: ({ capability }) =>
      `Choose a model that runs here, or let texts leave the machine with providers.${capability}.allow_remote: true and a restart.`,
    actions: ({ capability }) => [
      { kind: 'config', key: `providers.${capability}.allow_remote`, why: 'lets texts of notes leave the machine' },
    ],
  }),
  PROVIDER_UNAVAILABLE: entry<ProviderDetails & { cause_code: string }>({
    category: 'provider',
    retry: 'D*',
    http: 503,
    retryAfterMs: 5_000,
    message: (details) =>
      providerMessage(details, UNREACHED[details.cause_code] ?? `no connection (${details.cause_code})`),
    hint: (details) =>
      `Ask the user to start ${details.provider} there, or to check providers.${details.capability}.endpoint, then call again.${wordsStillWork(details)}`,
    actions: searchByWords,
  }),
  PROVIDER_TIMEOUT: entry<
    ProviderDetails & { phase: string; timeout_ms: number; clipped: boolean; cold_start: boolean }
  >({
    category: 'provider',
    retry: 'D',
    http: 504,
    retryAfterMs: 5_000,
    message: (details) =>
      providerMessage(
        details,
        `no answer within ${details.timeout_ms} ms${details.clipped ? ', all that the call had left,' : ''} (${PHASE_WORDS[details.phase] ?? details.phase}${details.cold_start ? ', the model was not loaded' : ''})`,
      ),
    hint: (details) => {
      if (details.cold_start)
        return `The model is being loaded in the background; call again in a while.${wordsStillWork(details)}`;
      if (details.clipped) return `The call had no more time left; ask for less at once.${wordsStillWork(details)}`;
      return `Check that it answers, shorten the input, or raise providers.${details.capability}.timeout.${wordsStillWork(details)}`;
    },
    actions: searchByWords,
  }),
  PROVIDER_BUSY: entry<ProviderDetails & { source: string }>({
    category: 'provider',
    retry: 'D',
    http: 503,
    retryAfterMs: 5_000,
    message: (details) => providerMessage(details, `busy (${quoted(details.source)}), refused`),
    hint: (details) => `Wait, then call again.${wordsStillWork(details)}`,
    actions: searchByWords,
  }),
  PROVIDER_RATE_LIMITED: entry<ProviderDetails & { source: string }>({
    category: 'provider',
    retry: 'D',
    http: 429,
    retryAfterMs: 10_000,
    message: (details) => providerMessage(details, `too many requests (${quoted(details.source)}), refused`),
    hint: (details) => `Wait as long as advised, then call again.${wordsStillWork(details)}`,
    actions: searchByWords,
  }),
  PROVIDER_AUTH_FAILED: entry<ProviderDetails & { status: number }>({
    category: 'provider',
    retry: 'U',
    http: 401,
    message: (details) => providerMessage(details, `HTTP ${details.status}, access refused`),
    hint: (details) =>
      `Ask the user to check the key: providers.${details.capability}.api_key or headers, and the environment variable it comes from.${wordsStillWork(details)}`,
    actions: searchByWords,
  }),
  PROVIDER_MODEL_MISSING: entry<
    ProviderDetails & { installed: readonly string[]; auto_pull: 'never' | 'failed' | 'once' }
  >({
    category: 'provider',
    retry: 'U',
    http: 424,
    message: (details) =>
      providerMessage(
        details,
        `model not found${details.auto_pull === 'failed' ? ' and pulling it failed,' : ','} answered`,
      ),
    hint: (details) =>
      `${details.provider === 'ollama' ? `The user can get it with \`ollama pull ${cut(details.model)}\`` : 'Ask the user to load it there'}, or name another model in providers.${details.capability}.model.${
        details.installed.length > 0 ? ` Installed: ${listed(details.installed.map(cut))}.` : ''
      }${wordsStillWork(details)}`,
    actions: (details) => [
      ...(details.provider === 'ollama'
        ? [
            {
              kind: 'command',
              command: `ollama pull ${details.model}`,
              run_by: 'user',
              why: 'downloads the model',
            } as const,
          ]
        : []),
      ...searchByWords(details),
    ],
  }),
  PROVIDER_MODEL_PULLING: entry<ProviderDetails & { job_id: string; percent: number }>({
    category: 'provider',
    retry: 'D',
    http: 503,
    retryAfterMs: 10_000,
    message: (details) => providerMessage(details, `the model is being pulled, ${details.percent} %,`),
    hint: (details) =>
      `Follow it with reindex and job_id ${details.job_id}, then call again.${wordsStillWork(details)}`,
    actions: (details) => [
      {
        kind: 'tool_call',
        tool: 'reindex',
        arguments: { job_id: details.job_id, wait_ms: 20_000 },
        why: 'waits for the model',
      },
      ...searchByWords(details),
    ],
  }),
  PROVIDER_MODEL_UNSUITABLE: entry<
    ProviderDetails & { reason: string; capabilities: readonly string[]; dims?: number }
  >({
    category: 'provider',
    retry: 'U',
    http: 422,
    message: (details) => providerMessage(details, `unsuitable model (${cut(details.reason)}), served`),
    hint: (details) =>
      `Ask the user to choose another model in providers.${details.capability}.model.${wordsStillWork(details)}`,
    actions: searchByWords,
  }),
  PROVIDER_INPUT_TOO_LONG: entry<ProviderDetails & { tokens?: number; limit?: number }>({
    category: 'provider',
    retry: 'C',
    http: 413,
    message: (details) => providerMessage(details, 'text longer than the context of the model, refused'),
    hint: ({ limit }) => `Shorten the text${limit === undefined ? '' : `; the model reads ${limit} tokens`}.`,
  }),
  PROVIDER_REJECTED_INPUT: entry<ProviderDetails & { status: number; said: string }>({
    category: 'provider',
    retry: 'N',
    http: 422,
    message: (details) => providerMessage(details, `HTTP ${details.status} ${quoted(details.said)}, input refused`),
    hint: (details) => `This input is refused as it is; other inputs may pass.${wordsStillWork(details)}`,
    actions: searchByWords,
  }),
  PROVIDER_BAD_RESPONSE: entry<ProviderDetails & { expected: string; received: string }>({
    category: 'provider',
    retry: 'N',
    http: 502,
    message: (details) =>
      providerMessage(
        details,
        `unusable answer (expected ${details.expected}, received ${cut(details.received)}), sent`,
      ),
    hint: (details) =>
      `Ask the user to run \`vaultgraph doctor\` and to look at what serves the model.${wordsStillWork(details)}`,
    actions: (details) => [
      { kind: 'command', command: 'vaultgraph doctor', run_by: 'user', why: 'shows what the provider answers' },
      ...searchByWords(details),
    ],
  }),
  PROVIDER_ERROR: entry<ProviderDetails & { status: number; said: string }>({
    category: 'provider',
    retry: 'D',
    http: 502,
    retryAfterMs: 5_000,
    message: (details) => providerMessage(details, `HTTP ${details.status} ${quoted(details.said)}, answered`),
    hint: (details) => `Call again; if it stays, look in the log of ${details.provider}.${wordsStillWork(details)}`,
    actions: searchByWords,
  }),
  PROVIDER_CIRCUIT_OPEN: entry<ProviderDetails & { last_code: string; last_cause: string; opened_at: string }>({
    category: 'provider',
    retry: 'D',
    http: 503,
    retryAfterMs: 15_000,
    message: (details) =>
      providerMessage(
        details,
        `not tried after repeated failures, the last [${details.last_code}] ${cut(details.last_cause)};`,
      ),
    hint: (details) => `It is tried again when the cool-down is over.${wordsStillWork(details)}`,
    actions: searchByWords,
  }),
  PROVIDER_ENDPOINT_UNSUPPORTED: entry<ProviderDetails & { path: string; status: number; version?: string }>({
    category: 'provider',
    retry: 'U',
    http: 424,
    message: (details) => providerMessage(details, `HTTP ${details.status} for ${details.path}, answered`),
    hint: (details) =>
      `What answers there is no ${details.provider} server, an old one, or sends elsewhere: check the path in providers.${details.capability}.endpoint.${wordsStillWork(details)}`,
    actions: searchByWords,
  }),
  OVERLOADED: entry<{ queued: number; limit: number }>({
    category: 'control',
    retry: 'D',
    http: 429,
    retryAfterMs: 2_000,
    message: ({ queued, limit }) => `${queued} calls wait for the provider already, the limit is ${limit}`,
    hint: () => 'Call again when some of them have ended.',
  }),
  DEADLINE_EXCEEDED: entry<{ budget_ms: number; phase: string; committed: 'none' | 'partial' | 'all' }>({
    category: 'control',
    retry: 'D',
    http: 504,
    retryAfterMs: 1_000,
    message: ({ budget_ms, phase, committed }) =>
      `the call's ${budget_ms} ms were gone while ${phase}${COMMITTED_WORDS[committed]}`,
    hint: ({ committed }) =>
      committed === 'none'
        ? 'Narrow the call with filters or a smaller limit, or call again for the rest.'
        : 'Read the note before you call again: the change may stand already. undo_change takes it back.',
  }),
  NOT_READY: entry<{ phase: 'migrating' }>({
    category: 'control',
    retry: 'D',
    http: 503,
    retryAfterMs: 2_000,
    message: ({ phase }) => `the index is not ready yet: ${phase}`,
    hint: () => 'It is being brought to the form of this version, which happens once. Call again in a moment.',
  }),
  SHUTTING_DOWN: entry<object>({
    category: 'control',
    retry: 'D',
    http: 503,
    retryAfterMs: 2_000,
    message: () => 'the server is shutting down',
    hint: () => 'Start it again and repeat the call.',
  }),
  CANCELLED: entry<{ committed: 'none' | 'partial' | 'all' }>({
    category: 'control',
    retry: 'N',
    http: 499,
    message: () => 'the call was cancelled',
    hint: () => 'Nothing to do: the client gave the call up.',
  }),
  INTERNAL: entry<{ kind: string }>({
    category: 'internal',
    retry: 'N',
    http: 500,
    message: () => 'an unexpected fault inside vaultgraph',
    hint: () => 'This is a bug. Please report it and quote the error id.',
  }),
});

/** What stands in the vault of a call that ran out of time. */
const COMMITTED_WORDS = { none: '', partial: '; the change was being written', all: '; the change is written' };

/** What the system's codes for a lost or refused connection mean. */
export const UNREACHED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found for now',
  UND_ERR_SOCKET: 'connection lost',
};

const PHASE_WORDS: Readonly<Record<string, string>> = {
  queue: 'waiting for its turn',
  headers: 'no answer began',
  body: 'the answer stopped in the middle',
  backoff: 'waiting to try again',
  load: 'loading the model',
};

const NO_SPACE = 'ask the user to free some disk space.';
const WRITE_ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: NO_SPACE,
  EDQUOT: NO_SPACE,
  EBUSY: 'somebody else is writing to this vault: call again later.',
  ETIMEDOUT: 'ask the user to check that the folder answers.',
};

const UNREADABLE_HINTS: Readonly<Record<string, string>> = {
  ENOENT: 'The file vanished; it leaves the index with the next scan.',
  EACCES: 'The server lacks permission to read it; ask the user to change that.',
  EPERM: 'The server lacks permission to read it; ask the user to change that.',
  EISDIR: 'A folder has the name of a note.',
  EILSEQ: 'It is not UTF-8 text, and writing it would lose what cannot be read. Ask the user to convert it.',
  EVICTED: 'The file is kept in the cloud and not on this machine; open it once in its app to download it.',
};

export type ErrorCode = keyof typeof ERRORS;
export type DetailsOf<C extends ErrorCode> = (typeof ERRORS)[C] extends ErrorEntry<infer Details> ? Details : never;

/** A value that, given to the argument named in `retryWith`, is valid and unambiguous. */
export interface Choice {
  readonly value: string;
  readonly path?: string;
  readonly line?: number;
  readonly label?: string;
}

export interface Choices {
  /** At most ten. */
  readonly items: readonly Choice[];
  readonly total: number;
  readonly retryWith: string;
}

interface More {
  readonly cause?: unknown;
  /** Where the code's own retry class does not hold: a batch is as its items are, a job as its cause is. */
  readonly retry?: Retry;
  readonly retryAfterMs?: number;
  readonly choices?: Choices;
  /** It was not even tried, because the same had just failed: the message says so. */
  readonly untried?: true;
}

/** The wait advised where neither the thrower nor the table names one. */
const USUAL_RETRY_AFTER_MS = 1_000;

export class VaultgraphError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'VaultgraphError';
  readonly code: C;
  readonly details: DetailsOf<C>;
  readonly errorId: string;
  readonly choices: Choices | undefined;
  readonly retry: Retry;
  readonly untried: boolean;
  readonly #retryAfterMs: number | undefined;

  constructor(code: C, details: DetailsOf<C>, more: More = {}) {
    const message = (ERRORS[code] as ErrorEntry<DetailsOf<C>>).message(details);
    super(more.untried ? `not tried: ${message}` : message, { cause: more.cause });
    this.code = code;
    this.untried = more.untried ?? false;
    this.details = details;
    this.choices = more.choices;
    this.retry = more.retry ?? ERRORS[code].retry;
    this.#retryAfterMs = more.retryAfterMs;
    this.errorId = `e_${randomBytes(6).toString('hex')}`;
  }

  get entry(): ErrorEntry<DetailsOf<C>> {
    return ERRORS[this.code] as ErrorEntry<DetailsOf<C>>;
  }

  get category(): Category {
    return this.entry.category;
  }

  get hint(): string {
    return this.entry.hint(this.details);
  }

  get actions(): readonly Action[] {
    return this.entry.actions?.(this.details) ?? [];
  }

  /** True exactly where the same call may succeed later. */
  get retryable(): boolean {
    return this.retry === 'D' || this.retry === 'D*';
  }

  /** Milliseconds to wait; undefined exactly where `retryable` is false. */
  get retryAfterMs(): number | undefined {
    return this.retryable ? (this.#retryAfterMs ?? this.entry.retryAfterMs ?? USUAL_RETRY_AFTER_MS) : undefined;
  }

  /** Milliseconds that whoever refused named itself, where it did. */
  get namedWaitMs(): number | undefined {
    return this.#retryAfterMs;
  }

  get fixBy(): 'caller' | 'user' | 'nobody' {
    if (this.retry === 'C') return 'caller';
    return this.retry === 'U' || this.retry === 'D*' ? 'user' : 'nobody';
  }
}

/** The same failure met by another call: it has an error id of its own. */
export function repeatFailure(error: VaultgraphError): VaultgraphError {
  const { code, details, retry, retryAfterMs, choices } = error;
  const more = { cause: error, retry, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return new VaultgraphError<ErrorCode>(code, details as DetailsOf<ErrorCode>, choices ? { ...more, choices } : more);
}

/** The same failure for what was not begun because of it. */
export function untriedFailure(error: VaultgraphError): VaultgraphError {
  const { code, details, retry, retryAfterMs } = error;
  const more = { cause: error, retry, untried: true as const, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return new VaultgraphError<ErrorCode>(code, details as DetailsOf<ErrorCode>, more);
}

/** Whatever was thrown, as our own error: an unknown throw is a bug, `INTERNAL`, with the throw as its cause. */
export function toVaultgraphError(thrown: unknown): VaultgraphError {
  if (thrown instanceof VaultgraphError) return thrown;
  // Node's own waits report an abort as an error of theirs round the reason.
  if (thrown instanceof Error && thrown.name === 'AbortError' && thrown.cause instanceof VaultgraphError)
    return thrown.cause;
  const kind = thrown instanceof Error ? thrown.name : typeof thrown;
  return new VaultgraphError('INTERNAL', { kind }, { cause: thrown });
}
