// What makes each tool return each of the codes that it declares, by the state of the vault.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { ErrorCode } from '../../src/base/errors.ts';
import { toolCatalogFor } from '../../src/tools/catalog.ts';
import { CHATS, ollamaFor, setUp } from './embedding-session.ts';
import type { Answer, Session } from './session.ts';

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

export const BY_ARGUMENTS: Table = {
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

export const WITH_THE_VAULT_GONE: Table = {
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

export const AFTER_ANOTHER_MODEL: Table = {
  search: { EMBEDDER_MISMATCH: { query: 'tide' } },
  find_similar: { EMBEDDER_MISMATCH: { note: 'Harbour' } },
  get_timeline: { EMBEDDER_MISMATCH: { topic: 'tide' } },
  find_conflicts: { EMBEDDER_MISMATCH: { topic: 'tide' } },
  suggest_links: { EMBEDDER_MISMATCH: { note: 'Harbour' } },
  ask_vault: { EMBEDDER_MISMATCH: { question: 'tide' } },
};

export const WITHOUT_VECTORS: Table = {
  search: { INDEX_JOB_FAILED: { query: 'tide' } },
  find_similar: { INDEX_JOB_FAILED: { note: 'Harbour' } },
  get_timeline: { INDEX_JOB_FAILED: { topic: 'tide' } },
  find_conflicts: { INDEX_JOB_FAILED: { topic: 'tide' } },
  ask_vault: { INDEX_JOB_FAILED: { question: 'tide' } },
};

/** Codes for all notes at once: part of the vault may be missing. */
export const WITH_EVERY_NOTE_GONE: Table = {
  move_note: { INDEX_JOB_FAILED: { note: 'Harbour', to: 'Elsewhere', confirm: true } },
  merge_notes: { INDEX_JOB_FAILED: { notes: ['Linked'], into: 'Harbour' } },
  rename_tag: { INDEX_JOB_FAILED: { from: 'log', to: 'x' } },
  replace_in_notes: { INDEX_JOB_FAILED: { find: 'a', replace: 'b', everywhere: true } },
  set_properties: { INDEX_JOB_FAILED: { set: { a: 1 }, filter: { folder: 'Places' } } },
  delete_note: { INDEX_JOB_FAILED: { note: 'Harbour', confirm: true } },
};

export const AFTER_OTHER_HANDS: Table = {
  undo_change: { WRITE_CONFLICT: {}, NOTE_EXISTS: {}, CONFIRMATION_REQUIRED: {} },
};

/** Dry runs whose note is changed before the plan is carried out. */
export const AFTER_ITS_PLAN: Table = {
  merge_notes: { WRITE_CONFLICT: { notes: ['Changing'], into: 'Harbour', dry_run: true } },
  rename_tag: { WRITE_CONFLICT: { from: 'changing', to: 'x', dry_run: true } },
  replace_in_notes: { WRITE_CONFLICT: { find: 'changing', replace: 'x', notes: ['Changing'] } },
};

/** Where the config asks the user and no approval comes. */
export const WITHOUT_APPROVAL: Table = {
  replace_in_notes: { CONFIRMATION_REQUIRED: { find: 'tide', replace: 'ebb', everywhere: true } },
};

export const WHILE_A_JOB_RUNS: Table = { reindex: { INDEX_CONFLICT: {} } };

/** A note outside the view links to Lighthouse and to Moved, and has the tag. */
export const IN_A_VIEW: Table = {
  merge_notes: { LINK_INTEGRITY: { notes: ['Lighthouse'], into: 'Harbour', confirm: true } },
  rename_tag: { LINK_INTEGRITY: { from: 'log', to: 'port', confirm: true } },
  delete_note: { LINK_INTEGRITY: { note: 'Lighthouse', redirect_to: 'Harbour', confirm: true } },
  undo_change: { LINK_INTEGRITY: {} },
};

/** Every tool, in the form it has when everything is configured. */
export const toolCatalog = toolCatalogFor({ textOnly: false, embedding: true });

/** A server that lists every tool; its providers answer on loopback. */
export async function everyTool(context: TestContext, vault: string, rest = '', dataFolder?: string) {
  const own = dataFolder === undefined ? {} : { dataFolder };
  const given = { vault, rest, access: 'read-write', llm: true, ...own } as const;
  return setUp(context, await ollamaFor(context, CHATS), given);
}

/** Makes a change that can be undone. */
export async function changeSomething(session: Session): Promise<void> {
  const answer = await session.call('create_note', { path: 'Changed', content: 'something' });
  assert.equal(answer.isError, false, answer.text);
}

/** Valid arguments for every tool; the write tools use dry runs. */
export const HEALTHY: Readonly<Record<string, Given>> = {
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

/** Codes of the dispatcher or of a capability that the tests of states provoke, in addition to those of the tables. */
export const BY_STATE: readonly ErrorCode[] = [
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
export const BY_PROVIDERS: readonly ErrorCode[] = [
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
export const OUT_OF_REACH: Partial<Record<ErrorCode, string>> = {
  CAPABILITY_NOT_CONFIGURED: 'an absent tool is a protocol error; gate.test.ts',
  READ_ONLY: 'an absent tool is a protocol error; gate.test.ts',
  STORE_UNAVAILABLE: 'ends the start with 78, before any call; store-faults.long.test.ts',
  MASS_DELETE_BLOCKED: 'the index of another vault; other-vault.test.ts',
  INTERNAL: 'a bug; mcp/dispatch.test.ts has one',
};

export const TABLES = [
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

export function codeOf({ structured }: Answer): string | undefined {
  return structured.error?.code;
}

/** In a batch of one, the item carries the code. */
export function provokedCode(answer: Answer): string | undefined {
  const [item] = answer.structured.error?.details?.failed ?? [];
  return item?.error.code ?? codeOf(answer);
}

export async function provokeAll(
  suite: TestContext,
  session: Session,
  table: Table,
  healthy: [string, Given],
): Promise<void> {
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
