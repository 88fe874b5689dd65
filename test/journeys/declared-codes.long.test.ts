// M1, M16: provokes every error code that a tool declares over the wire, and checks that the next call works.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import type { ErrorCode } from '../../src/base/errors.ts';
import { declaredCodes } from '../../src/mcp/dispatch/dispatch.ts';
import { toolCatalogFor } from '../../src/tools/catalog.ts';
import { assertEach } from '../assert-each.ts';
import { generateVault } from '../bench/generate-vault.ts';
import type { LoggedRequest } from '../fakes/http/exchange.ts';
import { hang } from '../fakes/http/faults.ts';
import { vectors } from '../fakes/ollama/faults.ts';
import { DIGEST_2 } from '../fakes/ollama/model.ts';
import { type GitVault, gitVault } from '../git-vault.ts';
import { until } from '../until.ts';
import { CHATS, ollamaFor, setUp } from './embedding-session.ts';
import { holdWriteLock, jobEnded, provokingVault, tinyVault, unbuiltIndex } from './provoking-vault.ts';
import { startRawServer, toolCall } from './raw-server.ts';
import {
  type Answer,
  configFile,
  copyOfFixture,
  indexFile,
  openSession,
  PROGRAM,
  runProgram,
  type Session,
  temporaryFolder,
} from './session.ts';

type Given = Record<string, unknown>;
/** By tool and code: the arguments that cause it, in the vault state that the table is named after. */
type Table = Readonly<Record<string, Partial<Record<ErrorCode, Given>>>>;

const reference = (name: string, rest: Given = {}): Partial<Record<ErrorCode, Given>> => ({
  NOTE_NOT_FOUND: { ...rest, [name]: 'Nobody' },
  NOTE_AMBIGUOUS: { ...rest, [name]: 'Twin' },
  PATH_NOT_ALLOWED: { ...rest, [name]: '../outside.md' },
});
const references = (name: string, part: (note: string) => string): Partial<Record<ErrorCode, Given>> => ({
  NOTE_NOT_FOUND: { [name]: ['Nobody'] },
  NOTE_AMBIGUOUS: { [name]: ['Twin'] },
  PATH_NOT_ALLOWED: { [name]: ['../outside.md'] },
  NOTE_PART_NOT_FOUND: { [name]: ['Parts#No such heading'] },
  NOTE_PART_AMBIGUOUS: { [name]: ['Parts#Same'] },
  FILE_UNREADABLE: { [name]: [part('Gone')] },
  LIMIT_EXCEEDED: { [name]: [part('Huge')] },
});
const referenceToPart = (name: string, rest: Given = {}): Partial<Record<ErrorCode, Given>> => ({
  ...reference(name, rest),
  NOTE_PART_NOT_FOUND: { ...rest, [name]: 'Parts#No such heading' },
  NOTE_PART_AMBIGUOUS: { ...rest, [name]: 'Parts#Same' },
});
/** For tools about an indexed note, which read it only if the reference names a part. */
const resolving = (name: string, rest: Given = {}): Partial<Record<ErrorCode, Given>> => ({
  ...referenceToPart(name, rest),
  FILE_UNREADABLE: { ...rest, [name]: 'Gone#Heading' },
  LIMIT_EXCEEDED: { ...rest, [name]: 'Huge#Heading' },
});
/** For tools that send a note to a language model. */
const readingNote: Partial<Record<ErrorCode, Given>> = {
  ...referenceToPart('note'),
  FILE_UNREADABLE: { note: 'Gone' },
  LIMIT_EXCEEDED: { note: 'Huge' },
  INVALID_INPUT: { note: 'Board.canvas' },
};
const FOREIGN_CURSOR = { INVALID_INPUT: { cursor: 'nobody' } };
const NO_SUCH_PLAN = { CHANGE_NOT_FOUND: { plan_id: 'plan_nobody' } };
/** For tools that change a note. */
const changing = (rest: Given): Partial<Record<ErrorCode, Given>> => ({
  ...reference('note', rest),
  ...NO_SUCH_PLAN,
  INVALID_INPUT: { ...rest, note: 'Harbour#Berths' },
  LIMIT_EXCEEDED: { ...rest, note: 'Huge' },
  WRITE_CONFLICT: { ...rest, note: 'Harbour', if_match: 'stale' },
});
/** For tools that take several notes and one to put them into. */
const merging = {
  NOTE_NOT_FOUND: { notes: ['Nobody'], into: 'Harbour' },
  NOTE_AMBIGUOUS: { notes: ['Twin'], into: 'Harbour' },
  PATH_NOT_ALLOWED: { notes: ['../outside.md'], into: 'Harbour' },
} satisfies Partial<Record<ErrorCode, Given>>;
const APPENDING = { edits: [{ op: 'append', text: 'x' }] };
const editing = (edit: Given) => ({ note: 'Parts', edits: [{ text: 'x', ...edit }] });
const BROKEN_YAML = '---\na: b: c\n---\n';

const BY_ARGUMENTS: Table = {
  status: {},
  search_text: {
    INVALID_INPUT: { query: 'tide', cursor: 'nobody' },
    INVALID_QUERY: { query: '-tide' },
    PATH_NOT_ALLOWED: { query: 'tide', folder: '../outside' },
  },
  read_notes: {
    ...references('notes', (note) => note),
    ATTACHMENT_INVALID: { notes: ['Torn.png'] },
    EARLIER_TEXT_MISSING: { notes: ['Harbour'], at: '2026-03-01' },
    INVALID_QUERY: { notes: ['Harbour'], at: 'some day' },
  },
  list_notes: { ...reference('links_to'), ...FOREIGN_CURSOR, INVALID_QUERY: { since: 'some day' } },
  list_tags: FOREIGN_CURSOR,
  list_properties: FOREIGN_CURSOR,
  list_tasks: { ...FOREIGN_CURSOR, INVALID_QUERY: { due_before: 'some day' }, PATH_NOT_ALLOWED: { folder: '/etc' } },
  list_changes: {
    INVALID_INPUT: { since: 'no such name' },
    INVALID_QUERY: { since: 'until friday' },
    PATH_NOT_ALLOWED: { folder: '/etc' },
  },
  query_base: {
    ...resolving('note', { base: 'Whole' }),
    INVALID_INPUT: { base: 'Whole', view: 'Nobody' },
    BASE_INVALID: { base: 'Torn' },
    BASE_UNSUPPORTED: { base: 'Whole', view: 'Odd' },
  },
  resolve_names: references('names', (note) => `${note}#Heading`),
  get_neighbors: { ...resolving('note'), INVALID_INPUT: { note: 'Harbour', cursor: 'nobody' } },
  find_path: resolving('from', { to: 'Harbour' }),
  get_hubs: { PATH_NOT_ALLOWED: { folder: '../outside' } },
  get_communities: FOREIGN_CURSOR,
  find_conflicts: {
    ...references('notes', (note) => `${note}#Heading`),
    ...FOREIGN_CURSOR,
    INVALID_QUERY: { topic: '…' },
  },
  check_vault: {
    INVALID_INPUT: { except: ['nobody'] },
    PATH_NOT_ALLOWED: { folder: '../outside' },
  },
  find_gaps: {
    ...resolving('note', { kind: 'unresolved' }),
    INVALID_INPUT: { kind: 'orphans', note: 'Harbour' },
    INVALID_QUERY: { kind: 'orphans', modified_since: 'some day' },
  },
  find_related: {
    ...resolving('note'),
    INVALID_INPUT: { note: 'Harbour', cursor: 'nobody' },
    INVALID_QUERY: { note: 'Harbour', since: 'some day' },
  },
  get_context: {
    ...references('notes', (note) => note),
    INVALID_INPUT: { topic: 'tide', budget_tokens: 1 },
    INVALID_QUERY: { topic: '-tide' },
  },
  get_timeline: {
    ...references('notes', (note) => `${note}#Heading`),
    INVALID_INPUT: {},
    INVALID_QUERY: { topic: 'tide', before: 'some day' },
  },
  search: {
    INVALID_INPUT: { query: 'tide', cursor: 'nobody' },
    INVALID_QUERY: { query: '-tide' },
    PATH_NOT_ALLOWED: { query: 'tide', folder: '../outside' },
  },
  find_similar: { ...resolving('note'), INVALID_INPUT: { note: 'Harbour', cursor: 'nobody' } },
  create_note: {
    ...NO_SUCH_PLAN,
    INVALID_INPUT: { path: 'New' },
    NOTE_NOT_FOUND: { path: 'New', template: 'Nobody' },
    NOTE_AMBIGUOUS: { path: 'New', template: 'Twin' },
    FILE_UNREADABLE: { path: 'New', template: 'Gone' },
    LIMIT_EXCEEDED: { path: 'New', template: 'Huge' },
    PATH_NOT_ALLOWED: { path: '../outside', content: '' },
    NOTE_EXISTS: { path: 'Places/Harbour', content: '' },
    CONFIRMATION_REQUIRED: { path: 'Inbox/New', content: '', properties: { aliases: ['Harbour'] } },
    PROPERTIES_INVALID: { path: 'New', content: BROKEN_YAML, properties: { a: 1 } },
  },
  edit_note: {
    ...changing(APPENDING),
    FILE_UNREADABLE: { ...APPENDING, note: 'Latin' },
    NOTE_EXISTS: { ...APPENDING, note: 'Taken', create: true },
    EDIT_TARGET_NOT_FOUND: editing({ op: 'append', target: '#No such heading' }),
    EDIT_TARGET_AMBIGUOUS: editing({ op: 'append', target: '#Same' }),
    CONFIRMATION_REQUIRED: editing({ op: 'replace_text', target: '# One' }),
    INVALID_QUERY: { note: 'Parts', edits: [{ op: 'set_task', target: 'x', due: 'some day' }] },
  },
  set_properties: {
    ...changing({ set: { a: 1 } }),
    FILE_UNREADABLE: { set: { a: 1 }, note: 'Latin' },
    PROPERTIES_INVALID: { set: { x: 1 }, note: 'Broken' },
    INVALID_QUERY: { set: { x: 1 }, filter: { since: 'some day' } },
    CONFIRMATION_REQUIRED: { remove: ['berths'], note: 'Harbour' },
  },
  move_note: {
    NOTE_PART_NOT_FOUND: { note: 'Parts#No such heading' },
    NOTE_PART_AMBIGUOUS: { note: 'Parts#Same' },
    FILE_UNREADABLE: { note: 'Latin#Heading' },
    ...changing({ to: 'Elsewhere' }),
    INVALID_INPUT: { note: 'Harbour:1', to: 'Elsewhere' },
    NOTE_EXISTS: { note: 'Harbour', to: 'Places/Lighthouse', confirm: true },
    CONFIRMATION_REQUIRED: { note: 'Harbour', to: 'Elsewhere' },
    LINK_INTEGRITY: { note: 'Linked', to: 'Elsewhere', confirm: true },
    INVALID_QUERY: { filter: { since: 'some day' }, to: 'Elsewhere/' },
  },
  merge_notes: {
    ...merging,
    ...NO_SUCH_PLAN,
    INVALID_INPUT: { notes: ['Harbour'], into: 'Harbour' },
    LIMIT_EXCEEDED: { notes: ['Huge'], into: 'Harbour' },
    FILE_UNREADABLE: { notes: ['Latin'], into: 'Harbour' },
    PROPERTIES_INVALID: { notes: ['Broken'], into: 'Harbour' },
    CONFIRMATION_REQUIRED: { notes: ['Linked'], into: 'Harbour' },
  },
  rename_tag: {
    ...NO_SUCH_PLAN,
    INVALID_INPUT: { from: 'no-such-tag', to: 'x' },
    CONFIRMATION_REQUIRED: { from: 'log', to: 'x' },
  },
  replace_in_notes: {
    ...NO_SUCH_PLAN,
    INVALID_INPUT: { find: 'a', replace: 'b' },
    INVALID_QUERY: { find: 'a', replace: 'b', filter: { since: 'some day' } },
    NOTE_NOT_FOUND: { find: 'a', replace: 'b', notes: ['Nobody'] },
    NOTE_AMBIGUOUS: { find: 'a', replace: 'b', notes: ['Twin'] },
    PATH_NOT_ALLOWED: { find: 'a', replace: 'b', notes: ['../outside.md'] },
  },
  delete_note: {
    ...changing({}),
    FILE_UNREADABLE: { note: 'Latin', redirect_to: 'Harbour' },
    PROPERTIES_INVALID: { note: 'Harbour', redirect_to: 'Broken' },
    CONFIRMATION_REQUIRED: { note: 'Harbour' },
  },
  undo_change: {
    INVALID_INPUT: { plan_id: 'plan_nobody', dry_run: true },
    CHANGE_NOT_FOUND: { change_id: 'chg_nobody' },
    INVALID_QUERY: { since: 'some day' },
  },
  summarize_notes: { ...references('notes', (note) => note), INVALID_INPUT: { notes: ['Board.canvas'] } },
  suggest_tags: readingNote,
  suggest_links: readingNote,
  extract_entities: readingNote,
  ask_vault: {
    INVALID_INPUT: { question: '?!' },
    INVALID_QUERY: { question: 'tide', since: 'some day' },
    PATH_NOT_ALLOWED: { question: 'tide', folder: '../outside' },
  },
  check_note: {
    ...referenceToPart('note'),
    INVALID_QUERY: { note: 'Harbour', query: '-tide' },
  },
  reindex: {
    INVALID_INPUT: { cancel: true },
    CONFIRMATION_REQUIRED: { rebuild: true },
    JOB_NOT_FOUND: { job_id: 'job_nobody' },
    ...references('notes', (note) => `${note}#Heading`),
  },
};

const WITH_THE_VAULT_GONE: Table = {
  search_text: { VAULT_UNAVAILABLE: { query: 'tide' } },
  search: { VAULT_UNAVAILABLE: { query: 'tide' } },
  find_similar: { VAULT_UNAVAILABLE: { note: 'Nobody' } },
  read_notes: { VAULT_UNAVAILABLE: { notes: ['Harbour'] } },
  list_notes: { VAULT_UNAVAILABLE: { links_to: 'Nobody' } },
  list_tasks: { VAULT_UNAVAILABLE: { status: 'any' } },
  query_base: { VAULT_UNAVAILABLE: { base: 'Whole' } },
  resolve_names: { VAULT_UNAVAILABLE: { names: ['Harbour#Berths'] } },
  get_neighbors: { VAULT_UNAVAILABLE: { note: 'Harbour' } },
  find_path: { VAULT_UNAVAILABLE: { from: 'Harbour', to: 'Nobody' } },
  find_gaps: { VAULT_UNAVAILABLE: { kind: 'unresolved' } },
  find_related: { VAULT_UNAVAILABLE: { note: 'Harbour' } },
  get_context: { VAULT_UNAVAILABLE: { topic: 'tide' } },
  get_timeline: { VAULT_UNAVAILABLE: { topic: 'tide' } },
  find_conflicts: { VAULT_UNAVAILABLE: { notes: ['Harbour'] } },
  create_note: { VAULT_UNAVAILABLE: { path: '@today', content: '' } },
  edit_note: { VAULT_UNAVAILABLE: { ...APPENDING, note: 'Harbour' } },
  set_properties: { VAULT_UNAVAILABLE: { set: { a: 1 }, note: 'Harbour' } },
  move_note: { VAULT_UNAVAILABLE: { note: 'Harbour', to: 'Elsewhere', confirm: true } },
  merge_notes: { VAULT_UNAVAILABLE: { notes: ['Linked'], into: 'Harbour' } },
  rename_tag: { VAULT_UNAVAILABLE: { from: 'log', to: 'x' } },
  replace_in_notes: { VAULT_UNAVAILABLE: { find: 'a', replace: 'b', everywhere: true } },
  delete_note: { VAULT_UNAVAILABLE: { note: 'Harbour', confirm: true } },
  summarize_notes: { VAULT_UNAVAILABLE: { notes: ['Harbour'] } },
  suggest_tags: { VAULT_UNAVAILABLE: { note: 'Harbour' } },
  suggest_links: { VAULT_UNAVAILABLE: { note: 'Harbour' } },
  extract_entities: { VAULT_UNAVAILABLE: { note: 'Harbour' } },
  ask_vault: { VAULT_UNAVAILABLE: { question: 'tide' } },
  check_note: { VAULT_UNAVAILABLE: { note: 'Harbour' } },
  reindex: { VAULT_UNAVAILABLE: { notes: ['Nobody'] }, INDEX_JOB_FAILED: { wait_ms: 45_000 } },
};

const AFTER_ANOTHER_MODEL: Table = {
  search: { EMBEDDER_MISMATCH: { query: 'tide' } },
  find_similar: { EMBEDDER_MISMATCH: { note: 'Harbour' } },
  get_timeline: { EMBEDDER_MISMATCH: { topic: 'tide' } },
  find_conflicts: { EMBEDDER_MISMATCH: { topic: 'tide' } },
  suggest_links: { EMBEDDER_MISMATCH: { note: 'Harbour' } },
  ask_vault: { EMBEDDER_MISMATCH: { question: 'tide' } },
};

const WITHOUT_VECTORS: Table = {
  search: { INDEX_JOB_FAILED: { query: 'tide' } },
  find_similar: { INDEX_JOB_FAILED: { note: 'Harbour' } },
  get_timeline: { INDEX_JOB_FAILED: { topic: 'tide' } },
  find_conflicts: { INDEX_JOB_FAILED: { topic: 'tide' } },
  ask_vault: { INDEX_JOB_FAILED: { question: 'tide' } },
};

/** Codes for all notes at once: part of the vault may be missing. */
const WITH_EVERY_NOTE_GONE: Table = {
  move_note: { INDEX_JOB_FAILED: { note: 'Harbour', to: 'Elsewhere', confirm: true } },
  merge_notes: { INDEX_JOB_FAILED: { notes: ['Linked'], into: 'Harbour' } },
  rename_tag: { INDEX_JOB_FAILED: { from: 'log', to: 'x' } },
  replace_in_notes: { INDEX_JOB_FAILED: { find: 'a', replace: 'b', everywhere: true } },
  set_properties: { INDEX_JOB_FAILED: { set: { a: 1 }, filter: { folder: 'Places' } } },
  delete_note: { INDEX_JOB_FAILED: { note: 'Harbour', confirm: true } },
};

const AFTER_OTHER_HANDS: Table = { undo_change: { WRITE_CONFLICT: {}, NOTE_EXISTS: {}, CONFIRMATION_REQUIRED: {} } };

/** Dry runs whose note is changed before the plan is carried out. */
const AFTER_ITS_PLAN: Table = {
  merge_notes: { WRITE_CONFLICT: { notes: ['Changing'], into: 'Harbour', dry_run: true } },
  rename_tag: { WRITE_CONFLICT: { from: 'changing', to: 'x', dry_run: true } },
  replace_in_notes: { WRITE_CONFLICT: { find: 'changing', replace: 'x', notes: ['Changing'] } },
};

/** Where the config asks the user and no approval comes. */
const WITHOUT_APPROVAL: Table = {
  replace_in_notes: { CONFIRMATION_REQUIRED: { find: 'tide', replace: 'ebb', everywhere: true } },
};

const WHILE_A_JOB_RUNS: Table = { reindex: { INDEX_CONFLICT: {} } };

/** Every tool, in the form it has when everything is configured. */
/** A note outside the view links to Lighthouse and to Moved, and has the tag. */
const IN_A_VIEW: Table = {
  merge_notes: { LINK_INTEGRITY: { notes: ['Lighthouse'], into: 'Harbour', confirm: true } },
  rename_tag: { LINK_INTEGRITY: { from: 'log', to: 'port', confirm: true } },
  delete_note: { LINK_INTEGRITY: { note: 'Lighthouse', redirect_to: 'Harbour', confirm: true } },
  undo_change: { LINK_INTEGRITY: {} },
};

const toolCatalog = toolCatalogFor({ textOnly: false, embedding: true });

/** A server that lists every tool; its providers answer on loopback. */
async function everyTool(context: TestContext, vault: string, rest = '', dataFolder?: string) {
  const own = dataFolder === undefined ? {} : { dataFolder };
  const given = { vault, rest, access: 'read-write', llm: true, ...own } as const;
  return setUp(context, await ollamaFor(context, CHATS), given);
}

/** Makes a change that can be undone. */
async function changeSomething(session: Session): Promise<void> {
  const answer = await session.call('create_note', { path: 'Changed', content: 'something' });
  assert.equal(answer.isError, false, answer.text);
}

/** Valid arguments for every tool; the write tools use dry runs. */
const HEALTHY: Readonly<Record<string, Given>> = {
  status: {},
  search_text: { query: 'tide' },
  read_notes: { notes: ['Harbour'] },
  list_notes: {},
  list_tags: {},
  list_properties: {},
  list_tasks: {},
  list_changes: {},
  query_base: { base: 'Whole' },
  resolve_names: { names: ['Harbour'] },
  get_neighbors: { note: 'Harbour' },
  find_path: { from: 'Harbour', to: 'Lighthouse' },
  get_hubs: {},
  get_communities: {},
  find_gaps: { kind: 'unresolved' },
  check_vault: {},
  find_conflicts: {},
  find_related: { note: 'Harbour' },
  get_context: { topic: 'tide' },
  get_timeline: { topic: 'tide' },
  search: { query: 'tide' },
  find_similar: { note: 'Harbour' },
  create_note: { path: 'New', content: 'new', dry_run: true },
  edit_note: { ...APPENDING, note: 'Harbour', dry_run: true },
  set_properties: { set: { a: 1 }, note: 'Harbour', dry_run: true },
  move_note: { note: 'Harbour', to: 'Elsewhere', dry_run: true },
  merge_notes: { notes: ['Lighthouse'], into: 'Harbour', dry_run: true },
  rename_tag: { from: 'log', to: 'port', dry_run: true },
  replace_in_notes: { find: 'tide', replace: 'ebb', everywhere: true },
  delete_note: { note: 'Harbour', dry_run: true },
  undo_change: { since: 'today', dry_run: true },
  summarize_notes: { notes: ['Harbour'] },
  suggest_tags: { note: 'Harbour' },
  suggest_links: { note: 'Harbour' },
  extract_entities: { note: 'Harbour' },
  ask_vault: { question: 'tide' },
  check_note: { note: 'Harbour' },
  reindex: { wait_ms: 0 },
};

/** Codes of the dispatcher or of a capability that the tests below provoke, in addition to those of the tables. */
const BY_STATE: readonly ErrorCode[] = [
  'INVALID_INPUT',
  'LIMIT_EXCEEDED',
  'BATCH_FAILED',
  'INDEX_BUILDING',
  'INDEX_EMPTY',
  'INDEX_STALE',
  'STORE_BUSY',
  'STORE_FULL',
  'STORE_READONLY',
  'STORE_CORRUPT',
  'STORE_ERROR',
  'FILE_WRITE_FAILED',
  'DEADLINE_EXCEEDED',
  // Provoked in crash-migration.test.ts.
  'NOT_READY',
  'SHUTTING_DOWN',
  'CANCELLED',
];

/** Provoked in embedding-faults.long.test.ts, each by a provider on loopback. */
const BY_PROVIDERS: readonly ErrorCode[] = [
  'EGRESS_BLOCKED',
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_TIMEOUT',
  'PROVIDER_BUSY',
  'PROVIDER_RATE_LIMITED',
  'PROVIDER_AUTH_FAILED',
  'PROVIDER_MODEL_MISSING',
  'PROVIDER_MODEL_PULLING',
  'PROVIDER_MODEL_UNSUITABLE',
  'PROVIDER_INPUT_TOO_LONG',
  'PROVIDER_REJECTED_INPUT',
  'PROVIDER_BAD_RESPONSE',
  'PROVIDER_ERROR',
  'PROVIDER_CIRCUIT_OPEN',
  'PROVIDER_ENDPOINT_UNSUPPORTED',
  'OVERLOADED',
];

/** Declared for every tool, but not reachable through a call; each with the reason. */
const OUT_OF_REACH: Partial<Record<ErrorCode, string>> = {
  CAPABILITY_NOT_CONFIGURED: 'an absent tool is a protocol error; gate.test.ts',
  READ_ONLY: 'an absent tool is a protocol error; gate.test.ts',
  STORE_UNAVAILABLE: 'ends the start with 78, before any call; store-faults.long.test.ts',
  MASS_DELETE_BLOCKED: 'the index of another vault; other-vault.test.ts',
  INTERNAL: 'a bug; mcp/dispatch.test.ts has one',
};

const TABLES = [
  BY_ARGUMENTS,
  WITH_THE_VAULT_GONE,
  WITH_EVERY_NOTE_GONE,
  AFTER_OTHER_HANDS,
  AFTER_ITS_PLAN,
  WITHOUT_APPROVAL,
  AFTER_ANOTHER_MODEL,
  WITHOUT_VECTORS,
  WHILE_A_JOB_RUNS,
  IN_A_VIEW,
];

test('M1 the tables provoke exactly the codes that the tools declare', () => {
  for (const { name, fails } of toolCatalog) {
    const provoked = TABLES.flatMap((table) => Object.keys(table[name] ?? {}));
    assert.deepEqual([...new Set(provoked)].sort(), [...new Set(fails)].sort(), name);
  }
  const names = toolCatalog.map(({ name }) => name);
  assert.deepEqual(
    TABLES.flatMap((table) => Object.keys(table)).filter((name) => !names.includes(name)),
    [],
  );
  assert.deepEqual(Object.keys(HEALTHY), names);
});

test('M16 every code that a call can return is either provoked or listed as unreachable with a reason', () => {
  const declared = new Set(toolCatalog.flatMap((tool) => [...declaredCodes(tool)]));
  const provoked = TABLES.flatMap((table) => Object.values(table).flatMap((codes) => Object.keys(codes)));
  const covered = new Set([...provoked, ...BY_STATE, ...BY_PROVIDERS, ...Object.keys(OUT_OF_REACH)]);
  assert.deepEqual([...covered].sort(), [...declared].sort());
  for (const code of provoked) assert.ok(!(code in OUT_OF_REACH), code);
});

function codeOf({ structured }: Answer): string | undefined {
  return structured.error?.code;
}

/** In a batch of one, the item carries the code. */
function provokedCode(answer: Answer): string | undefined {
  const [item] = answer.structured.error?.details?.failed ?? [];
  return item?.error.code ?? codeOf(answer);
}

async function provokeAll(suite: TestContext, session: Session, table: Table, healthy: [string, Given]): Promise<void> {
  for (const [tool, codes] of Object.entries(table)) {
    for (const [code, given] of Object.entries(codes)) {
      await suite.test(`M1 ${tool}: ${code}`, async () => {
        const answer = await session.call(tool, given);
        assert.equal(answer.isError, true, answer.text);
        assert.equal(provokedCode(answer), code);
        assert.match(answer.text, new RegExp(`^Error \\[${codeOf(answer)}\\]: `));
        assert.ok(answer.text.includes(code), answer.text);
        const next = await session.call(...healthy);
        assert.equal(next.isError, false, next.text);
      });
    }
  }
}

test('M1 each tool returns each of its codes that depends on the arguments', async (suite) => {
  const { vault, forget } = provokingVault(suite as TestContext);
  const session = await openSession(suite as TestContext, await everyTool(suite as TestContext, vault));
  await session.indexed();
  forget();
  await provokeAll(suite as TestContext, session, BY_ARGUMENTS, ['search_text', { query: 'tide' }]);
  assert.doesNotMatch(session.stderr(), /"undeclared"|INTERNAL/);
});

test('M1 each tool returns the codes that all tools share', async (suite) => {
  const vault = tinyVault(suite as TestContext);
  const session = await openSession(suite as TestContext, await everyTool(suite as TestContext, vault));
  await session.indexed();
  await changeSomething(session);
  const deep = JSON.parse('['.repeat(40) + ']'.repeat(40));
  for (const { name } of toolCatalog) {
    await suite.test(`M3 ${name}: INVALID_INPUT and LIMIT_EXCEEDED`, async () => {
      assert.equal(codeOf(await session.call(name, { ...HEALTHY[name], surprise: 1 })), 'INVALID_INPUT');
      assert.equal(codeOf(await session.call(name, { ...HEALTHY[name], surprise: deep })), 'LIMIT_EXCEEDED');
      const next = await session.call(name, HEALTHY[name]);
      assert.equal(next.isError, false, next.text);
    });
  }
  assert.doesNotMatch(session.stderr(), /"undeclared"|INTERNAL/);
});

test('V1 each tool returns VAULT_UNAVAILABLE, and works again when the vault is back', async (suite) => {
  const vault = tinyVault(suite as TestContext);
  const session = await openSession(suite as TestContext, await everyTool(suite as TestContext, vault));
  await session.indexed();
  await changeSomething(session);
  renameSync(vault, `${vault}.away`);
  try {
    await provokeAll(suite as TestContext, session, WITH_THE_VAULT_GONE, ['list_notes', {}]);
  } finally {
    renameSync(`${vault}.away`, vault);
  }
  for (const [tool, given] of Object.entries(HEALTHY)) assert.equal((await session.call(tool, given)).isError, false);
  assert.doesNotMatch(session.stderr(), /"undeclared"|INTERNAL/);
});

test('V1 move_note and delete_note return INDEX_JOB_FAILED while all notes are missing', async (suite) => {
  const vault = tinyVault(suite as TestContext);
  const session = await openSession(suite as TestContext, await everyTool(suite as TestContext, vault));
  await session.indexed();
  renameSync(vault, `${vault}.away`);
  mkdirSync(vault);
  await provokeAll(suite as TestContext, session, WITH_EVERY_NOTE_GONE, ['list_notes', {}]);
  rmdirSync(vault);
  renameSync(`${vault}.away`, vault);
  assert.equal((await session.call('delete_note', HEALTHY.delete_note)).isError, false);
});

test('V16 undo_change returns WRITE_CONFLICT or NOTE_EXISTS after another program changed the vault', async (context) => {
  const vault = tinyVault(context);
  const session = await openSession(context, await everyTool(context, vault));
  await session.indexed();
  await changeSomething(session);
  writeFileSync(join(vault, 'Changed.md'), 'by another program');
  assert.equal(
    codeOf(await session.call('undo_change', AFTER_OTHER_HANDS.undo_change?.WRITE_CONFLICT)),
    'WRITE_CONFLICT',
  );
  await session.call('delete_note', { note: 'Unsorted', confirm: true });
  writeFileSync(join(vault, 'Ideas/Unsorted.md'), 'by another program');
  assert.equal(codeOf(await session.call('undo_change', AFTER_OTHER_HANDS.undo_change?.NOTE_EXISTS)), 'NOTE_EXISTS');
  await session.call('create_note', { path: 'Twice', content: '' });
  await session.call('create_note', { path: 'Linking', content: '[[Twice]]' });
  await session.call('delete_note', { note: 'Twice', confirm: true });
  mkdirSync(join(vault, 'A'));
  writeFileSync(join(vault, 'A/Twice.md'), 'by another program');
  await session.call('reindex', { wait_ms: 45_000 });
  const given = AFTER_OTHER_HANDS.undo_change?.CONFIRMATION_REQUIRED;
  assert.equal(codeOf(await session.call('undo_change', given)), 'CONFIRMATION_REQUIRED');
  assert.equal(readFileSync(join(vault, 'Changed.md'), 'utf8'), 'by another program');
  assert.doesNotMatch(session.stderr(), /"undeclared"|INTERNAL/);
});

test('a write returns LINK_INTEGRITY if it would change what the view hides', async (suite) => {
  const context = suite as TestContext;
  const vault = copyOfFixture(context, 'tiny');
  const view = '{ path: VAULT, access: read-write, read: ["!Diary"] }'.replace('VAULT', JSON.stringify(vault));
  const session = await openSession(context, { config: configFile(context, `vault: ${view}\n`) });
  await session.indexed();
  await changeSomething(session);
  await session.call('move_note', { note: 'Changed', to: 'Moved', confirm: true });
  mkdirSync(join(vault, 'Diary'));
  writeFileSync(join(vault, 'Diary/Secret.md'), '[[Lighthouse]] and [[Moved]] #log\n');
  await provokeAll(context, session, IN_A_VIEW, ['list_notes', {}]);
  assert.doesNotMatch(session.stderr(), /"undeclared"|INTERNAL/);
});

test('V5 a plan whose note has changed meanwhile returns WRITE_CONFLICT', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const session = await openSession(context, await everyTool(context, vault));
  await session.indexed();
  for (const [tool, codes] of Object.entries(AFTER_ITS_PLAN)) {
    writeFileSync(join(vault, 'Changing.md'), 'changing #changing\n');
    await session.call('reindex', { wait_ms: 45_000 });
    const planned = await session.call(tool, codes.WRITE_CONFLICT);
    assert.equal(planned.isError, false, planned.text);
    writeFileSync(join(vault, 'Changing.md'), `by another program: changing #changing for ${tool}\n`);
    const { data } = planned.structured as unknown as { data: { plan_id: string } };
    assert.equal(codeOf(await session.call(tool, { plan_id: data.plan_id })), 'WRITE_CONFLICT');
  }
  assert.doesNotMatch(session.stderr(), /"undeclared"|INTERNAL/);
});

test('M1 a plan that the user declines is refused', async (context) => {
  const vault = tinyVault(context);
  const config = configFile(context, `vault:\n  path: ${vault}\n  access: read-write\n  consent: ask\n`);
  const session = await openSession(context, { config, answerForm: async () => ({ action: 'decline' }) });
  await session.indexed();
  for (const [tool, codes] of Object.entries(WITHOUT_APPROVAL)) {
    const planned = await session.call(tool, codes.CONFIRMATION_REQUIRED);
    const { plan_id } = planned.structured.data;
    assert.equal(codeOf(await session.call(tool, { plan_id })), 'CONFIRMATION_REQUIRED');
  }
  assert.doesNotMatch(session.stderr(), /"undeclared"|INTERNAL/);
});

test('V7 create_note and edit_note return FILE_WRITE_FAILED when the disk is full, leave no file behind, and the next write works', async (context) => {
  const vault = tinyVault(context);
  const setup = await everyTool(context, vault);
  // Files may grow to 2 MiB: enough for the index of a small vault, but not for three million bytes.
  const session = await openSession(context, { ...setup, shell: 'ulimit -f 4096;' });
  await session.indexed();
  const before = readdirSync(vault, { recursive: true });
  const long = '漢'.repeat(999_000);
  const harbour = readFileSync(join(vault, 'Places/Harbour.md'));
  for (const [tool, given] of [
    ['create_note', { path: 'Long', content: long }],
    ['edit_note', { note: 'Harbour', edits: [{ op: 'append', text: long }] }],
  ] as const) {
    const answer = await session.call(tool, given);
    assert.equal(codeOf(answer), 'FILE_WRITE_FAILED', answer.text.slice(0, 500));
    assert.equal(answer.structured.error.details.original_intact, true);
    assert.match(answer.text, /EFBIG/);
  }
  assert.deepEqual(readdirSync(vault, { recursive: true }), before);
  assert.deepEqual(readFileSync(join(vault, 'Places/Harbour.md')), harbour);
  await changeSomething(session);
  assert.doesNotMatch(session.stderr(), /"undeclared"|INTERNAL/);
});

test('P14 each tool returns EMBEDDER_MISMATCH under another model, and works when the vectors are rebuilt', async (suite) => {
  const context = suite as TestContext;
  const ollama = await ollamaFor(context, {
    ...CHATS,
    models: [...CHATS.models, { name: 'other-model', digest: DIGEST_2 }],
  });
  const given = { vault: tinyVault(context), access: 'read-write', llm: true } as const;
  const setup = setUp(context, ollama, given);
  const first = await openSession(context, setup);
  await first.indexed();
  await changeSomething(first);
  await first.close();
  writeFileSync(setup.config, readFileSync(setup.config, 'utf8').replace('embeddinggemma', 'other-model'));
  // Every request that embeds a document hangs, so the new vectors are not there yet.
  ollama.fail(hang(), { on: '/api/embed', when: ({ body }) => body.input.length > 1 });
  const session = await openSession(context, setup);
  await provokeAll(context, session, AFTER_ANOTHER_MODEL, ['list_notes', {}]);
  ollama.heal();
  await session.close();
  const last = await openSession(context, setup);
  await last.indexed();
  for (const [tool, given] of Object.entries(HEALTHY))
    assert.equal((await last.call(tool, given)).isError, false, tool);
});

for (const [tool, codes] of Object.entries(WITHOUT_VECTORS)) {
  test(`P16 ${tool}: INDEX_JOB_FAILED when the first vectors it waits for cannot be made, and the reason afterwards`, async (context) => {
    const ollama = await ollamaFor(context, CHATS);
    const given = { vault: tinyVault(context), embedding: 'timeout: 6000', llm: true };
    const setup = setUp(context, ollama, given);
    const ofDocuments = { on: '/api/embed', when: ({ body }: LoggedRequest) => body.input.length > 1 };
    ollama.fail(hang(), { ...ofDocuments, times: 1 });
    ollama.fail(vectors.oneTooFew(), ofDocuments);
    const session = await openSession(context, setup);
    const requested = codes.INDEX_JOB_FAILED;
    assert.equal(codeOf(await session.call(tool, requested)), 'INDEX_JOB_FAILED');
    let empty = await session.call(tool, requested);
    // The scan after the watcher starts retries the vectors.
    if (codeOf(empty) === 'INDEX_JOB_FAILED') empty = await session.call(tool, requested);
    assert.equal(codeOf(empty), 'INDEX_EMPTY');
    assert.match(empty.text, /PROVIDER_BAD_RESPONSE/);
    assert.equal((await session.call('list_notes')).isError, false);
    ollama.heal();
    await session.indexed();
    assert.equal((await session.call(tool, requested)).isError, false);
  });
}

test('M1 reindex: INDEX_CONFLICT while another job runs', async (context) => {
  const vault = tinyVault(context);
  const session = await openSession(context, { vault });
  await session.indexed();
  const release = holdWriteLock(context, session.dataFolder);
  const rebuild = session.call('reindex', { rebuild: true, confirm: true, wait_ms: 0 });
  const refused = await session.call('reindex', WHILE_A_JOB_RUNS.reindex?.INDEX_CONFLICT);
  assert.equal(codeOf(refused), 'INDEX_CONFLICT', refused.text);
  release();
  await jobEnded(session, (await rebuild).structured.data.job_id);
  assert.equal((await session.indexed()).state, 'succeeded');
});

const NEEDING_AN_INDEX = toolCatalog.filter(({ index }) => index !== 'none').map(({ name }) => name);

async function codesOfAll(session: Session): Promise<Record<string, string | undefined>> {
  const answers = await Promise.all(
    NEEDING_AN_INDEX.map(async (tool) => [tool, codeOf(await session.call(tool, HEALTHY[tool]))]),
  );
  return Object.fromEntries(answers);
}

const each = (code: string | undefined): Record<string, string | undefined> =>
  Object.fromEntries(NEEDING_AN_INDEX.map((tool) => [tool, code]));

test('S13 S4 INDEX_BUILDING, INDEX_EMPTY and STORE_BUSY while another process holds the lock of an empty index', async (context) => {
  const { vault, dataFolder } = unbuiltIndex(context);
  const release = holdWriteLock(context, dataFolder);
  const session = await openSession(context, await everyTool(context, vault, 'limits: { call: 1000 }', dataFolder));
  /** `status` returns the id of a job that the store cannot record yet. */
  const latest = async (): Promise<string> => {
    for (;;) {
      const { data } = (await session.call('status')).structured;
      const id = data.index?.running ?? data.jobs?.[0]?.job_id;
      if (id !== undefined) return id;
    }
  };
  const start = async (): Promise<string> => {
    await session.call('reindex', { wait_ms: 0 });
    return latest();
  };
  // The server's own first job ends without help.
  await jobEnded(session, await start());
  // A job waits two seconds for the lock; on a busy machine the calls may come before or after that.
  for (let tries = 1; ; tries += 1) {
    const [, codes, id] = await Promise.all([session.call('reindex', { wait_ms: 0 }), codesOfAll(session), latest()]);
    await session.call('reindex', { job_id: id, cancel: true });
    const { state } = await jobEnded(session, id);
    const isBuilding = Object.values(codes).every((code) => code === 'INDEX_BUILDING');
    if (tries < 20 && (state !== 'cancelled' || !isBuilding)) continue;
    assert.deepEqual(codes, each('INDEX_BUILDING'));
    assert.equal(state, 'cancelled');
    break;
  }
  assert.deepEqual(await codesOfAll(session), each('INDEX_EMPTY'));
  assert.equal((await jobEnded(session, await start())).error?.code, 'STORE_BUSY');
  assert.deepEqual(await codesOfAll(session), each('STORE_BUSY'));
  release();
  assert.equal((await jobEnded(session, await start())).state, 'succeeded');
  // The vectors are made after the notes are indexed.
  for (let waits = 0; waits < 20; waits += 1)
    if (codeOf(await session.call('find_similar', HEALTHY.find_similar)) !== 'INDEX_BUILDING') break;
  for (const tool of NEEDING_AN_INDEX) assert.equal(codeOf(await session.call(tool, HEALTHY[tool])), undefined, tool);
});

test('S13 INDEX_STALE when require_fresh is set and changes stay pending, or when notes appear to be missing', async (context) => {
  const vault = tinyVault(context);
  const session = await openSession(context, await everyTool(context, vault, 'limits: { call: 3000 }'));
  await session.indexed();
  await jobEnded(session, (await session.call('reindex', { wait_ms: 0 })).structured.data.job_id);
  const fresh = async (tool: string): Promise<Answer> => session.call(tool, { ...HEALTHY[tool], require_fresh: true });
  assert.equal((await fresh('search_text')).isError, false);
  const release = holdWriteLock(context, session.dataFolder);
  writeFileSync(join(vault, 'Late.md'), 'late\n');
  const [late, asItIs] = await Promise.all([fresh('search_text'), session.call('search_text', HEALTHY.search_text)]);
  assert.equal(codeOf(late), 'INDEX_STALE', late.text);
  assert.equal(asItIs.isError, false);
  release();
  await until(async () => codeOf(await fresh('list_notes')) === undefined, 'the index is fresh');
  assert.equal((await session.call('search_text', { query: 'late' })).structured.data.hits.length, 1);
  const away = temporaryFolder(context);
  for (const name of readdirSync(vault)) renameSync(join(vault, name), join(away, name));
  for (const tool of NEEDING_AN_INDEX) {
    const answer = await fresh(tool);
    assert.equal(codeOf(answer), 'INDEX_STALE', `${tool}: ${answer.text}`);
    assert.equal(answer.structured.error.details.cause, 'MASS_DELETE_BLOCKED');
  }
  for (const name of readdirSync(away)) renameSync(join(away, name), join(vault, name));
  assert.equal((await fresh('search_text')).isError, false);
});

test('S5 STORE_FULL when the disk is full during the first index; calls that need no index still work', async (context) => {
  const { vault, dataFolder } = unbuiltIndex(context);
  // Files may grow to 40 KiB: enough for SQLite's own log header, but not for a vault.
  const setup = await everyTool(context, vault, '', dataFolder);
  const session = await openSession(context, { ...setup, shell: 'ulimit -f 80;' });
  await jobEnded(session, (await session.call('reindex', { wait_ms: 0 })).structured.data.job_id);
  assert.deepEqual(await codesOfAll(session), each('STORE_FULL'));
  assert.equal((await session.call('read_notes', { notes: ['Places/Harbour.md'] })).isError, false);
  assert.equal((await session.call('status')).isError, false);
});

const NOBODY = 65_534;
/** Root may write everything, so as root the server runs as an unprivileged user. */
const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const cannotRun = spawnSync(process.execPath, ['-e', 'fs.accessSync(process.argv[1])', PROGRAM], identity).status !== 0;

test('S5 STORE_READONLY when the index file is read-only', {
  skip: cannotRun && 'no other user may read this checkout',
}, async (context) => {
  const { vault, dataFolder } = unbuiltIndex(context);
  for (const folder of [vault, dataFolder, dirname(indexFile(dataFolder))]) chmodSync(folder, 0o777);
  chmodSync(indexFile(dataFolder), 0o444);
  const { config } = await everyTool(context, vault, '', dataFolder);
  for (const path of [config, dirname(config)]) chmodSync(path, 0o755);
  const server = startRawServer(context, { config, dataFolder, identity });
  await server.begin();
  for (const [at, tool] of NEEDING_AN_INDEX.entries()) server.send(toolCall(10 + at, tool, HEALTHY[tool]));
  for (const [at, tool] of NEEDING_AN_INDEX.entries()) {
    const { result } = await server.reply(10 + at);
    assert.equal(result.structuredContent.error?.code, 'STORE_READONLY', tool);
  }
  server.send(toolCall(9, 'read_notes', { notes: ['Places/Harbour.md'] }));
  assert.equal((await server.reply(9)).result.isError, false);
});

test('S1 STORE_CORRUPT when the index is overwritten while a server runs; the server keeps running', async (context) => {
  const session = await openSession(context, await everyTool(context, tinyVault(context)));
  await session.indexed();
  await changeSomething(session);
  const file = indexFile(session.dataFolder);
  // A server replaces the file at most once an hour.
  writeFileSync(`${file}.rebuilt`, JSON.stringify({ at: new Date().toISOString(), kept: '' }));
  writeFileSync(file, 'this is text and no database\n'.repeat(5_000));
  writeFileSync(`${file}-wal`, '');
  const requested = Object.entries(HEALTHY).filter(([name]) => name !== 'status' && name !== 'reindex');
  const codes = new Map<string, string | undefined>();
  for (const [tool, given] of requested) codes.set(tool, provokedCode(await session.call(tool, given)));
  // The server may still answer from what it has in memory.
  assert.deepEqual(
    [...new Set(codes.values())].filter((code) => code !== undefined),
    ['STORE_CORRUPT'],
  );
  assert.equal(codes.get('search_text'), 'STORE_CORRUPT');
  const status = await session.call('status');
  assert.equal(status.isError, false);
  assert.match(status.text, /STORE_CORRUPT/);
  assert.equal(codeOf(await session.call('reindex')), 'STORE_CORRUPT');
  assert.doesNotMatch(session.stderr(), /"undeclared"|INTERNAL/);
});

test('S1 STORE_CORRUPT when another program dropped a table, also of tools that do not read it', async (context) => {
  const session = await openSession(context, { vault: tinyVault(context) });
  await session.indexed();
  const file = indexFile(session.dataFolder);
  writeFileSync(`${file}.rebuilt`, JSON.stringify({ at: new Date().toISOString(), kept: '' }));
  const other = new Database(file);
  other.exec('DROP TABLE links');
  other.close();
  assert.equal(codeOf(await session.call('get_neighbors', { note: 'Harbour' })), 'STORE_CORRUPT');
  assert.equal(codeOf(await session.call('list_notes')), 'STORE_CORRUPT');
});

test('S1 STORE_ERROR when the index refuses a write for any other reason; reading still works', async (context) => {
  const vault = tinyVault(context);
  const session = await openSession(context, { vault });
  await session.indexed();
  const other = new Database(indexFile(session.dataFolder));
  other.exec('CREATE TRIGGER refusal BEFORE INSERT ON files BEGIN SELECT abs(-9223372036854775807 - 1); END');
  other.close();
  writeFileSync(join(vault, 'New.md'), 'new\n');
  assert.equal((await session.indexed()).error?.code, 'STORE_ERROR');
  assert.equal((await session.call('list_notes')).isError, false);
});

test('M6 DEADLINE_EXCEEDED when a call runs out of time; quick calls still work', async (context) => {
  const vault = temporaryFolder(context);
  await generateVault(vault, 2_000);
  const dataFolder = temporaryFolder(context);
  assert.equal(runProgram(context, ['index', '--vault', vault, '--data-dir', dataFolder]).status, 0);
  const config = configFile(context, `vault: { path: ${vault} }\nlimits: { call: 20 }\n`);
  const session = await openSession(context, { config, dataFolder });
  // On a busy machine 20 ms are too short at times.
  const quick = async (): Promise<boolean> => !(await session.call('list_notes', { limit: 1 })).isError;
  await until(quick, 'a quick call works');
  const late = await session.call('get_hubs', { metric: 'betweenness' });
  assert.equal(codeOf(late), 'DEADLINE_EXCEEDED', late.text);
  await until(quick, 'a quick call works');
});

test('M5 CANCELLED: no reply is sent, the work stops, and the next call works', async (context) => {
  const vault = temporaryFolder(context);
  await generateVault(vault, 500);
  const server = startRawServer(context, { vault });
  await server.begin();
  server.send(toolCall(1, 'reindex', { wait_ms: 45_000 }));
  await server.reply(1);
  server.send(toolCall(2, 'get_hubs', { metric: 'betweenness' }));
  server.send({ method: 'notifications/cancelled', params: { requestId: 2, reason: 'no longer wanted' } });
  server.send(toolCall(3, 'get_hubs', { metric: 'betweenness' }));
  assert.equal((await server.reply(3)).result.isError, false);
  server.send(toolCall(4, 'status'));
  const { failures } = (await server.reply(4)).result.structuredContent.data;
  assertEach(failures, ({ tool, code }: { tool: string; code: string }) => [tool, code], [['get_hubs', 'CANCELLED']]);
  assert.ok(!server.lines().some((line) => line.includes('"id":2')), 'a cancelled call has no answer');
});

test('M10 SHUTTING_DOWN is returned by a call that is still running when the client closes stdin', async (context) => {
  const { vault, dataFolder } = unbuiltIndex(context);
  holdWriteLock(context, dataFolder);
  const server = startRawServer(context, { vault, dataFolder });
  await server.begin();
  server.send(toolCall(1, 'reindex', { wait_ms: 45_000 }));
  server.child.stdin?.end();
  const { result } = await server.reply(1);
  assert.equal(result.structuredContent.error.code, 'SHUTTING_DOWN');
  assert.equal(await server.ended, 0);
});

/** Of EARLIER_TEXT_MISSING: what its message says, what makes the vault so, and what is read. */
const EARLIER_REASONS: readonly (readonly [said: RegExp, about: EarlierCase])[] = [
  [/nothing keeps/, {}],
  [/not installed/, { git: () => undefined, env: { PATH: '/nonexistent' } }],
  [/git failed: /, { git: ({ put }) => put('.git/config', '[core\n') }],
  [/no commit yet/, { git: () => undefined }],
  [/no commit of that time/, { git: ({ commit }) => void commit('2026-05-01') }],
  [/no such commit/, { git: ({ commit }) => void commit('2026-05-01'), at: 'abcdef1' }],
  [/no such change/, { at: 'chg_000000000_000000' }],
  [
    /shallow clone/,
    {
      git: ({ put, commit, git }) => {
        const head = commit('2026-05-01');
        put('.git/shallow', `${head}\n`);
        git('rev-parse', 'HEAD');
      },
    },
  ],
  [
    /was deleted or renamed before \(2026-02-01/,
    {
      git: ({ put, remove, commit }) => {
        put('Gone.md', 'gone\n');
        commit('2026-01-01');
        remove('Gone.md');
        commit('2026-02-01');
      },
      note: 'Gone',
    },
  ],
  [/texts are kept since 2/, { rest: 'history: keep\n' }],
  [/is damaged there/, { rest: 'history: keep\n', at: 'now', damages: true }],
];

interface EarlierCase {
  readonly git?: (repository: GitVault) => void;
  readonly env?: Readonly<Record<string, string>>;
  readonly rest?: string;
  readonly note?: string;
  readonly at?: string;
  readonly damages?: true;
}

test('every reason for which an earlier text cannot be had is provoked, and its hint is its own', async (context) => {
  const hints = new Set<string>();
  for (const [said, about] of EARLIER_REASONS) {
    const { git, env = {}, rest = '', note = 'Harbour', at = '2026-03-01' } = about;
    const vault = temporaryFolder(context);
    writeFileSync(join(vault, 'Harbour.md'), 'A harbour.\n');
    git?.(gitVault(vault));
    const config = configFile(context, `vault: { path: ${vault} }\n${rest}`);
    const session = await openSession(context, { config, env });
    await session.indexed();
    const read = async () => (await session.call('read_notes', { notes: [note], at })).structured;
    if (about.damages === true) {
      await until(async () => (await read()).ok, 'the text is kept');
      const [file = ''] = globSync(join(session.dataFolder, '**/history*.db'));
      const history = new Database(file);
      history.exec('UPDATE texts SET packed = zeroblob(3)');
      history.close();
    }
    const { structured } = await session.call('read_notes', { notes: [note], at });
    const { code, message, hint } = structured.error.details.failed[0].error;
    assert.deepEqual(code, 'EARLIER_TEXT_MISSING', message);
    assert.match(message, said, JSON.stringify(structured));
    hints.add(hint);
    await session.close();
  }
  assert.equal(hints.size, EARLIER_REASONS.length, 'no two reasons have one hint');
});
