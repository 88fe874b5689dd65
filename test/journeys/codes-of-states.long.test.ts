// M1: provokes the error codes that depend on the vectors, the index, its file, the limits and the history, over the wire, and checks that the next call works.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, globSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { assertEach } from '../assert-each.ts';
import { generateVault } from '../bench/generate-vault.ts';
import type { LoggedRequest } from '../fakes/http/exchange.ts';
import { hang } from '../fakes/http/faults.ts';
import { vectors } from '../fakes/ollama/faults.ts';
import { DIGEST_2 } from '../fakes/ollama/model.ts';
import { type GitVault, gitVault } from '../git-vault.ts';
import { until } from '../until.ts';
import {
  AFTER_ANOTHER_MODEL,
  changeSomething,
  codeOf,
  everyTool,
  HEALTHY,
  provokeAll,
  provokedCode,
  toolCatalog,
  WHILE_A_JOB_RUNS,
  WITHOUT_VECTORS,
} from './declared-codes.ts';
import { CHATS, ollamaFor, setUp } from './embedding-session.ts';
import { holdWriteLock, jobEnded, tinyVault, unbuiltIndex } from './provoking-vault.ts';
import { startRawServer, toolCall } from './raw-server.ts';
import {
  type Answer,
  configFile,
  indexFile,
  openSession,
  PROGRAM,
  runProgram,
  type Session,
  temporaryFolder,
} from './session.ts';

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
      // The call itself may come too late.
      const id = data?.index?.running ?? data?.jobs?.[0]?.job_id;
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
  // The vectors are made after the notes are indexed; on a busy machine a second is too short at times.
  for (const tool of NEEDING_AN_INDEX)
    await until(async () => codeOf(await session.call(tool, HEALTHY[tool])) === undefined, tool);
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
