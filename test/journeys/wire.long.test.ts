// Checks the wire protocol: text and structured content, errors, cancellation, startup, invalid input, and exit.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { ZodObject } from 'zod';
import type { AnyTool } from '../../src/contracts/tool.ts';
import { toolCatalog } from '../../src/tools/catalog.ts';
import { generateVault } from '../bench/generate-vault.ts';
import { until } from '../until.ts';
import { CHATS, ollamaFor, setUp } from './embedding-session.ts';
import { jobEnded, provokingVault } from './provoking-vault.ts';
import { type RawServer, startRawServer, toolCall } from './raw-server.ts';
import {
  configFile,
  copyOfFixture,
  openSession,
  runProgram,
  type Session,
  serveArguments,
  temporaryFolder,
} from './session.ts';

/** The tools listed if the config names only a vault. */
const STORE_TOOLS = toolCatalog.filter(
  ({ needs }) => !needs.some((need) => ['embedding', 'llm', 'writer'].includes(need)),
);

/** Every scalar of a structured answer with its path. */
function leaves(value: unknown, path = ''): [string, string | number | boolean | null][] {
  if (typeof value !== 'object' || value === null) return [[path, value as string | number | boolean | null]];
  return Object.entries(value).flatMap(([key, member]) => leaves(member, path === '' ? key : `${path}.${key}`));
}

const unescaped = (text: string): string =>
  text.replaceAll('\\"', '"').replaceAll('\\\\', '\\').replaceAll('\\n', '\n');

/** The values of the structured content that the text does not contain; a number only as a whole word. */
function missingInText(
  structured: { data?: object; error?: object; warnings?: object; meta?: object },
  text: string,
): string[] {
  const said = unescaped(text);
  const { data, error, warnings, meta } = structured;
  return leaves({ data, error, warnings, meta }).flatMap(([path, value]) => {
    if (value === undefined || value === '' || path.startsWith('error.')) return [];
    const isSaid =
      typeof value === 'number' ? numbersOf(said).has(String(value)) : said.includes(unescaped(String(value)));
    return isSaid ? [] : [`${path} = ${String(value)}`];
  });
}

function numbersOf(text: string): ReadonlySet<string> {
  return new Set(
    text.match(/(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/g)?.flatMap((one) => [one, one.replace(/^-/, '')]),
  );
}

/** The words of the text that are in no value and no name of the structured content, beside the counts of lists and the marks of a line. */
function missingInStructured(structured: { data: Readonly<Record<string, unknown>> }, text: string): string[] {
  const said = text
    .replace(/^PARTIAL \d+\/\d+ succeeded, \d+ failed$/gm, '')
    .replace(/^Warning \[/gm, '[')
    .replace(/^( *[\w.]+) \(\d+\):/gm, '$1:');
  const known = new Set(wordsOf(JSON.stringify(structured)));
  return [...new Set(wordsOf(said))].filter((word) => !known.has(word));
}

function wordsOf(text: string): string[] {
  return unescaped(text).match(/[\p{L}\p{N}_]+/gu) ?? [];
}

const SUCCESSES: readonly (readonly [tool: string, given: Record<string, unknown>])[] = [
  ['status', {}],
  ['search_text', { query: 'tide "spring tide" -moon', explain: true, detail: 'full' }],
  ['search_text', { query: 'nothing of the kind at all' }],
  ['search_text', { query: 'tide', limit: 1 }],
  ['search_text', { query: 'tide', folder: 'No such folder', tags: ['none'], where: { none: 1 } }],
  ['read_notes', { notes: ['Harbour', 'Nobody', 'Twin'], include: ['content', 'outline', 'links', 'properties'] }],
  ['read_notes', { notes: ['Harbour#Berths', 'Harbour:1-3', 'Harbour#^outer-berth'], max_chars: 20 }],
  ['read_notes', { notes: ['Harbour'], include: ['links'], max_chars: 200 }],
  ['list_notes', { detail: 'full', limit: 100 }],
  ['list_notes', { attachments: true, detail: 'full' }],
  ['list_notes', { limit: 1 }],
  ['list_tags', {}],
  ['list_tags', { limit: 1 }],
  ['list_properties', {}],
  ['list_properties', { limit: 1 }],
  ['list_tasks', { status: 'any', detail: 'full' }],
  ['list_tasks', { status: 'any', limit: 1 }],
  ['list_changes', { detail: 'full', remember: 'wire' }],
  ['resolve_names', { names: ['The quay', 'harbour', 'Nobody', 'Twin', 'Harbour#Berths'] }],
  ['get_neighbors', { note: 'Harbour', depth: 3, limit: 100 }],
  ['get_neighbors', { note: '2026-11-20' }],
  ['get_neighbors', { note: 'Harbour', limit: 1 }],
  ['find_path', { from: 'Ada Finch', to: 'Tide pool', max_paths: 20 }],
  ['find_path', { from: 'Harbour', to: 'Unsorted' }],
  ['get_hubs', { metric: 'betweenness' }],
  ['get_communities', {}],
  ['get_communities', { limit: 1 }],
  ['find_gaps', { kind: 'unresolved' }],
  ['find_gaps', { kind: 'unlinked_mentions' }],
  ['find_gaps', { kind: 'duplicates', detail: 'full' }],
  ['find_gaps', { kind: 'stale', before: 'tomorrow' }],
  ['check_vault', {}],
  ['find_conflicts', {}],
  ['find_conflicts', { limit: 1 }],
  ['query_base', { base: 'Whole' }],
  ['query_base', { base: 'Whole', limit: 1 }],
  ['find_related', { note: 'Harbour' }],
  ['find_related', { note: 'Harbour', limit: 1 }],
  ['find_related', { note: 'Harbour', unlinked_only: true, limit: 1 }],
  ['get_context', { topic: 'harbour tide' }],
  ['get_context', { notes: ['Harbour', 'Harbour#Berths'], budget_tokens: 600 }],
  ['get_timeline', { topic: 'harbour tide', file_times: true }],
  ['get_timeline', { notes: ['Harbour'], around: '2026-11', limit: 1 }],
  ['search', { query: 'tide -moon', explain: true }],
  ['search', { query: 'zz qq', folder: 'No such folder', limit: 1 }],
  ['find_similar', { note: 'Harbour', unlinked_only: true }],
  ['find_similar', { note: 'Harbour', limit: 1 }],
  ['check_note', { note: 'Harbour', query: 'tide -moon "spring tide"' }],
  ['check_note', { note: '.obsidian/app.md' }],
  ['summarize_notes', { notes: ['Harbour'] }],
  ['suggest_tags', { note: 'Harbour' }],
  ['suggest_links', { note: 'Harbour' }],
  ['extract_entities', { note: 'Harbour' }],
  ['ask_vault', { question: 'When does the harbour fall dry?' }],
  ['create_note', { path: 'Sea/New note', content: '# New\n\n`ticks` [[Harbour]]\n', properties: { tags: ['sea'] } }],
  ['edit_note', { note: 'New note', edits: [{ op: 'append', text: 'one\n\ntwo' }], dry_run: true }],
  ['edit_note', { note: 'Harbour', edits: [{ op: 'replace_section', target: '#Berths', text: '' }], confirm: true }],
  ['set_properties', { note: 'Harbour', set: { berths: 15 }, remove_tags: ['nobody'] }],
  ['set_properties', { note: 'Harbour', set: { berths: 15 } }],
  ['create_note', { path: 'Sea/Other note', content: 'a\n\nb', dry_run: true }],
  ['set_properties', { notes: ['Harbour', 'Unsorted'], set: { berths: 17 }, dry_run: true }],
  ['rename_tag', { from: 'place', to: 'site', dry_run: true }],
  ['merge_notes', { notes: ['Unsorted'], into: 'New note', dry_run: true }],
  ['delete_note', { note: 'Harbour', dry_run: true }],
  ['set_properties', { notes: ['Harbour', 'Nobody'], set: { berths: 16 }, confirm: true }],
  ['rename_tag', { from: 'place', to: 'site', confirm: true }],
  ['replace_in_notes', { find: 'tide', replace: 'ebb', everywhere: true }],
  ['merge_notes', { notes: ['Unsorted'], into: 'New note', confirm: true }],
  ['move_note', { note: 'Harbour', to: 'Coast/', dry_run: true }],
  ['move_note', { note: 'Places/', to: 'Coast', confirm: true }],
  ['delete_note', { note: 'Harbour', confirm: true }],
  ['undo_change', { dry_run: true }],
  ['undo_change', {}],
  ['reindex', { wait_ms: 45_000 }],
  ['list_changes', { detail: 'full', limit: 100 }],
  ['list_changes', { limit: 1 }],
];

/** The tools with this argument. */
function takers(argument: string): string[] {
  const takes = ({ input }: AnyTool): boolean => argument in ((input as unknown as ZodObject).shape ?? {});
  return toolCatalog
    .filter(takes)
    .map(({ name }) => name)
    .sort();
}

test('M1 success: the text and the structured content contain the same, for every tool, dry run and page', async (suite) => {
  const { vault } = provokingVault(suite as TestContext);
  writeFileSync(
    join(vault, 'Regatta.md'),
    'The regatta begins on 5 May 2026.\n\nThe regatta has 12 boats at the start.\n',
  );
  writeFileSync(
    join(vault, 'Race.md'),
    'The regatta begins on 9 May 2026.\n\nThe regatta has 14 boats at the start.\n',
  );
  const given = { vault, access: 'read-write', llm: true } as const;
  const setup = setUp(suite as TestContext, await ollamaFor(suite as TestContext, CHATS), given);
  const session = await openSession(suite as TestContext, setup);
  await session.indexed();
  assert.deepEqual([...new Set(SUCCESSES.map(([tool]) => tool))].sort(), toolCatalog.map(({ name }) => name).sort());
  const answered = { plan_id: new Set<string>(), cursor: new Set<string>() };
  for (const [tool, given] of SUCCESSES) {
    await suite.test(`M1 ${tool} ${JSON.stringify(given)}`, async () => {
      const { structured, text, isError } = await session.call(tool, given);
      assert.equal(isError, false, text);
      assert.equal(structured.ok, true);
      assert.equal('error' in structured, false);
      const missing = { inText: missingInText(structured, text), inStructured: missingInStructured(structured, text) };
      assert.deepEqual(missing, { inText: [], inStructured: [] }, text);
      if (structured.data.plan_id !== undefined) answered.plan_id.add(tool);
      if (text.includes('next_cursor')) answered.cursor.add(tool);
      if (structured.data.failed?.length > 0) {
        assert.equal(structured.partial, true);
        assert.match(text, /^PARTIAL \d+\/\d+ succeeded, \d+ failed$/m);
      }
    });
  }
  for (const [argument, tools] of Object.entries(answered))
    assert.deepEqual([...tools].sort(), takers(argument), `a row of each tool that takes ${argument}`);
});

/** The log lines that contain the id; stderr may arrive later than the answer. */
async function recordsOf(session: Session, id: string): Promise<string[]> {
  await until(() => session.stderr().includes(id), `${id} is in the log`);
  return session
    .stderr()
    .split('\n')
    .filter((line) => line.includes(id));
}

test('M1 failure: the text has code, message, hint, retry advice, every choice and the id; the structured content has the same', async (context) => {
  const { vault } = provokingVault(context);
  const session = await openSession(context, { vault });
  await session.indexed();
  for (const [tool, given] of [
    ['get_neighbors', { note: 'Twin' }],
    ['get_neighbors', { note: 'Harbor' }],
    ['find_path', { from: '2019-02-10', to: 'Harbour' }],
    ['read_notes', { notes: ['Nobody', 'Twin', '../x', 'Parts#Same'] }],
    ['search_text', { query: '-tide' }],
    ['list_notes', { limt: 3, sort: 'mane', where: { a: { equals: 1 } } }],
    ['reindex', { rebuild: true }],
  ] as const) {
    const { structured, text } = await session.call(tool, given);
    assert.deepEqual([structured.ok, 'data' in structured, 'error' in structured], [false, false, true]);
    const { code, message, hint, retryable, retry_after_ms, fix_by, error_id, choices = [] } = structured.error;
    const [first, second] = text.split('\n');
    assert.equal(first, `Error [${code}]: ${message}`);
    assert.equal(second, `Hint: ${hint}`);
    assert.equal(text.split('\n').at(-1), `Error-Id: ${error_id}`);
    assert.equal(retryable, retry_after_ms !== undefined);
    assert.equal(/^Retry: /m.test(text), retryable);
    assert.match(fix_by, /^(caller|user|nobody)$/);
    for (const { value } of choices) assert.match(text, new RegExp(`^- ${value}`, 'm'));
    assert.ok(Buffer.byteLength(text) <= 4_096);
    const records = await recordsOf(session, error_id);
    assert.equal(records.length, 1, 'the error id is in exactly one record of the log');
  }
});

test('M1 a call works without a tools/list before it, and answers are complete with structured content disabled', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const config = configFile(context, `vault: { path: ${vault} }\nmcp: { structured_content: text }\n`);
  const session = await openSession(context, { config });
  const { structured, text } = await session.call('search_text', { query: 'barometer' });
  assert.equal(structured, undefined);
  assert.match(text, /Bram Oake\.md/);
  const refused = await session.call('get_neighbors', { note: 'Nobody' });
  assert.deepEqual([refused.structured, refused.isError], [undefined, true]);
  assert.match(refused.text, /^Error \[NOTE_NOT_FOUND\]/);
});

test('M1 status after reindex counts what it indexed, and answers from a fresh index have no meta.index', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const session = await openSession(context, { vault });
  await session.indexed();
  writeFileSync(join(vault, 'New.md'), 'new\n');
  const { structured } = await session.call('reindex', { wait_ms: 45_000 });
  const status = (await session.call('status')).structured;
  assert.deepEqual([structured.meta, status.meta], [undefined, undefined]);
  const { as_of, indexed, pending } = status.data.index;
  assert.ok(as_of >= structured.data.started_at);
  assert.deepEqual([indexed, pending], [13, 0]);
});

test('M2 an unknown tool is a protocol error that lists the tools; an invalid enum value is refused', async (context) => {
  const server = startRawServer(context, { vault: copyOfFixture(context, 'tiny') });
  await server.begin();
  const names = STORE_TOOLS.map(({ name }) => name);
  for (const [at, name] of [
    'serch_text',
    'search',
    'create_note',
    'x'.repeat(10_000),
    '__proto__',
    'constructor',
    '',
  ].entries()) {
    server.send(toolCall(10 + at, name));
    const { error } = await server.reply(10 + at);
    assert.equal(error.code, -32602, name);
    assert.deepEqual(error.data.available, names);
    assert.ok(error.message.length < 300);
  }
  for (const [at, params] of [undefined, {}, { name: 7 }, { name: null }].entries()) {
    server.send({ id: 20 + at, method: 'tools/call', ...(params === undefined ? {} : { params }) });
    assert.ok((await server.reply(20 + at)).error.code <= -32600);
  }
  server.send({ id: 30, method: 'no/such/method' });
  assert.equal((await server.reply(30)).error.code, -32601);
  server.send(toolCall(31, 'find_gaps', { kind: 'tags' }));
  const { structuredContent } = (await server.reply(31)).result;
  assert.equal(structuredContent.error.code, 'INVALID_INPUT');
  server.send({ id: 32, method: 'tools/list' });
  const listed = JSON.stringify((await server.reply(32)).result);
  assert.doesNotMatch(listed, /semantic|embedding|hybrid|"search"/, 'nothing of what is off is named');
});

test('M3 unknown, missing, wrong, null and deep arguments: INVALID_INPUT with the path and the closest name', async (context) => {
  const session = await openSession(context, { vault: copyOfFixture(context, 'tiny') });
  for (const [tool, given, path, nearest] of [
    ['search_text', { query: 'a', limmit: 3 }, 'limmit', 'limit'],
    ['search_text', { quary: 'a' }, 'quary', 'query'],
    ['search_text', {}, 'query', undefined],
    ['get_neighbors', { note: 'a', direction: 'inn' }, 'direction', 'in'],
    ['get_hubs', { metric: 'page_rank' }, 'metric', 'pagerank'],
    ['read_notes', { notes: 7 }, 'notes', undefined],
    ['read_notes', { notes: ['Harbour', 7] }, 'notes.1', undefined],
    ['read_notes', { notes: ['Harbour'], include: ['contents'] }, 'include.0', 'content'],
    ['read_notes', { notes: null }, 'notes', undefined],
    ['list_notes', { where: { due: { before: 1 } } }, 'where.due', undefined],
    ['find_path', { from: 'a', to: 'b', max_paths: 1.5 }, 'max_paths', undefined],
    ['reindex', { wait_ms: -1 }, 'wait_ms', undefined],
    ['status', { verbose: true }, 'verbose', undefined],
  ] as const) {
    const { structured, text } = await session.call(tool, given);
    assert.equal(structured.error.code, 'INVALID_INPUT', text);
    const issue = structured.error.details.issues.find((one: { path: string }) => one.path === path);
    assert.ok(issue, `${path} is named: ${text}`);
    assert.ok(text.includes(path));
    assert.equal(issue.did_you_mean, nearest, text);
    if (nearest !== undefined) assert.match(structured.error.hint, new RegExp(`Did you mean \`${nearest}\``));
  }
  for (const given of [[], 'text', 7, true]) {
    const { structured } = await session.call('status', given as unknown as Record<string, unknown>).catch((error) => ({
      structured: { error: { code: error.code } },
    }));
    assert.match(String(structured.error.code), /^(INVALID_INPUT|-32602)$/);
  }
});

test('M5 cancelling a waiting call does not cancel the job; reindex with cancel does', async (context) => {
  const vault = temporaryFolder(context);
  await generateVault(vault, 1_500);
  const session = await openSession(context, { vault });
  const { structured } = await session.call('reindex', { wait_ms: 0 });
  const { job_id } = structured.data;
  const giveUp = new AbortController();
  const waiting = session.call('reindex', { job_id, wait_ms: 45_000 }, { signal: giveUp.signal });
  setImmediate(() => giveUp.abort(new Error('no longer wanted')));
  await assert.rejects(waiting, /no longer wanted/);
  assert.equal((await jobEnded(session, job_id)).state, 'succeeded');
  const rebuild = await session.call('reindex', { rebuild: true, confirm: true, wait_ms: 0 });
  const id = rebuild.structured.data.job_id;
  await session.call('reindex', { job_id: id, cancel: true });
  const ended = await jobEnded(session, id);
  assert.equal(ended.state, 'cancelled');
  assert.equal((await session.indexed()).state, 'succeeded');
  assert.equal((await session.call('status')).structured.data.index.indexed, 1_500);
});

test('M7 initialize is answered if the vault folder disappears right after the start', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const server = startRawServer(context, { vault });
  await server.begin();
  renameSync(vault, `${vault}.away`);
  server.send({ id: 1, method: 'tools/list' });
  server.send(toolCall(2, 'status'));
  assert.equal((await server.reply(1)).result.tools.length, STORE_TOOLS.length);
  assert.equal((await server.reply(2)).result.isError, false);
  renameSync(`${vault}.away`, vault);
});

/** Checks that every line on stdout so far is one JSON-RPC message. */
function assertClean(server: RawServer): void {
  for (const line of server.lines()) assert.equal(JSON.parse(line).jsonrpc, '2.0', line.slice(0, 200));
}

test('M9 invalid stdin is logged and the server keeps running: broken lines, blank lines, carriage returns, 11 MB', async (context) => {
  const server = startRawServer(context, { vault: copyOfFixture(context, 'tiny') });
  await server.begin();
  for (const rubbish of [
    'rubbish\n',
    '\n\n\r\n',
    '{"jsonrpc":"2.0","id":5}\n',
    '{"jsonrpc":"2.0","method":5,"id":5}\n',
    `${JSON.stringify({ jsonrpc: '2.0', id: { a: 1 }, method: 'ping' })}\n`,
    `"${'x'.repeat(100_000)}"\n`,
    '\ufeff{"jsonrpc":"2.0","id":77,"method":"ping"}\n',
  ]) {
    server.write(rubbish);
  }
  server.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\r\n`);
  assert.deepEqual((await server.reply(1)).result, {});
  const halves = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
  server.write(halves.slice(0, 10));
  server.write(`${halves.slice(10)}\n`);
  assert.deepEqual((await server.reply(2)).result, {});
  server.send(toolCall(3, 'search_text', { query: 'x'.repeat(11 * 1024 * 1024) }));
  assert.equal((await server.reply(3)).error.code, -32600);
  server.send({ id: 4, method: 'ping' });
  assert.deepEqual((await server.reply(4)).result, {});
  assert.match(server.stderr(), /request_malformed/);
  assertClean(server);
});

test('M2 M9 a malformed request is answered with its id, and the next one is processed', async (context) => {
  const server = startRawServer(context, { vault: copyOfFixture(context, 'tiny') });
  await server.begin();
  const malformed = [
    { jsonrpc: '2.0', id: 11, method: 'tools/call', params: [] },
    { jsonrpc: '2.0', id: 12, method: 'tools/call', params: 'status' },
    { jsonrpc: '2.0', id: 13, method: 7 },
    { jsonrpc: '1.0', id: 14, method: 'ping' },
    { jsonrpc: '2.0', id: 15, method: 'ping', params: { _meta: [] } },
    { jsonrpc: '2.0', id: 16, method: 'ping', params: { _meta: { progressToken: {} } } },
    { jsonrpc: '2.0', id: 17, method: 'ping', more: true },
  ];
  for (const message of malformed) server.write(`${JSON.stringify(message)}\n`);
  for (const { id } of malformed) {
    const { error } = await server.reply(id);
    assert.equal(error.code, -32600);
    assert.notEqual(error.message, '');
  }
  server.send({ id: 20, method: 'ping' });
  assert.deepEqual((await server.reply(20)).result, {});
  assert.equal(server.stderr().match(/request_malformed/g)?.length, malformed.length);
  assertClean(server);
});

test('M9 an incomplete line at the end of stdin is logged, without a crash, exit 0', async (context) => {
  const server = startRawServer(context, { vault: copyOfFixture(context, 'tiny') });
  await server.begin();
  server.write('{"jsonrpc":"2.0","id":1,"me');
  server.child.stdin?.end();
  assert.equal(await server.ended, 0);
  assert.match(server.stderr(), /cut off within a line/);
  assertClean(server);
});

test('M10 calls that were read before stdin ended are answered, then the process exits', async (context) => {
  const server = startRawServer(context, { vault: copyOfFixture(context, 'tiny') });
  await server.begin();
  for (let id = 1; id <= 30; id += 1) server.send(toolCall(id, 'read_notes', { notes: ['Places/Harbour.md'] }));
  server.child.stdin?.end();
  assert.equal(await server.ended, 0);
  const answered = server.lines().map((line) => JSON.parse(line).id);
  assert.deepEqual(
    [...new Set(answered)].sort((a, b) => a - b),
    Array.from({ length: 31 }, (_, at) => at),
  );
});

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  test(`M10 ${signal} during a first index: exit 0, and no committed data is lost`, async (context) => {
    const vault = temporaryFolder(context);
    await generateVault(vault, 800);
    const server = startRawServer(context, { vault });
    await server.begin();
    server.send(toolCall(1, 'reindex', { wait_ms: 45_000 }));
    server.child.kill(signal);
    assert.equal(await server.ended, 0, server.stderr());
    assertClean(server);
    const exported = (dataFolder: string) =>
      runProgram(context, ['export', '--vault', vault, '--data-dir', dataFolder]).stdout;
    assert.equal(exported(server.dataFolder), exported(temporaryFolder(context)));
  });
}

test('M10 if stdout is closed the process exits', async (context) => {
  const server = startRawServer(context, { vault: copyOfFixture(context, 'tiny') });
  await server.begin();
  server.child.stdout?.destroy();
  server.send(toolCall(1, 'status'));
  server.send(toolCall(2, 'status'));
  assert.equal(await server.ended, 0, server.stderr());
});

test('M10 if its parent dies the server exits, even if another process keeps its stdin open', async (context) => {
  const args = serveArguments({ vault: copyOfFixture(context, 'tiny') }, temporaryFolder(context));
  const script = `const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, ${JSON.stringify(args)}, { stdio: [3, 'ignore', 'pipe'] });
    child.stderr.on('data', (chunk) => { if (String(chunk).includes('"serving"')) { console.log(child.pid); process.exit(); } });`;
  const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
  const processId = await new Promise<number>((resolve) =>
    parent.stdout?.once('data', (chunk) => resolve(Number(chunk))),
  );
  for (;;) {
    try {
      process.kill(processId, 0);
    } catch {
      break;
    }
    await setTimeout(50);
  }
});

test('M12 all errors of a config are reported at once, each with its position and the closest name; exit 78', (context) => {
  const config = configFile(
    context,
    [
      'vault:',
      '  path: /nowhere/at/all',
      '  acess: read-only',
      'providers:',
      '  store: { type: sqlight }',
      '  embeding: { type: ollama }',
      'limits: { call: soon, batch: -1 }',
      'log: { level: verbose }',
      'surprise: true',
      '',
    ].join('\n'),
  );
  for (const command of ['serve', 'index', 'status', 'config']) {
    const { status, stdout, stderr } = runProgram(context, [command, '--config', config]);
    assert.equal(status, 78);
    assert.equal(stdout, '');
    for (const fault of [
      /config\.yaml:2:\d+: .*\/nowhere\/at\/all/,
      /config\.yaml:3:\d+: .*acess.*did you mean `access`/,
      /config\.yaml:5:\d+: .*sqlight.*sqlite/,
      /config\.yaml:6:\d+: .*embeding.*did you mean `embedding`/,
      /config\.yaml:7:\d+: .*call/,
      /config\.yaml:7:\d+: .*batch/,
      /config\.yaml:8:\d+: .*(verbose|level).*debug/,
      /config\.yaml:9:\d+: .*surprise/,
    ]) {
      assert.match(stderr, fault, command);
    }
  }
});

test('M14 no answer or log line contains the home path, the vault path or a credential', async (context) => {
  const home = temporaryFolder(context);
  const vault = join(home, 'My Notes');
  const { vault: filled } = provokingVault(context);
  renameSync(filled, vault);
  writeFileSync(filled, '');
  writeFileSync(join(vault, 'Address.md'), 'see [[Nobody]]\n');
  const dataFolder = join(home, 'data');
  const session = await openSession(context, { vault, dataFolder, env: { HOME: home } });
  await session.indexed();
  rmSync(join(vault, 'Gone.md'));
  const answers: unknown[] = [session.client.getInstructions(), await session.client.listTools()];
  const ask = async (tool: string, given: Record<string, unknown> = {}): Promise<void> => {
    answers.push(await session.call(tool, given));
  };
  const askAll = async (): Promise<void> => {
    await ask('status');
    await ask('search_text', { query: 'tide' });
    await ask('read_notes', { notes: ['Harbour', 'Gone', 'Huge', 'Parts#No', `${vault}/Harbour.md`.slice(1)] });
    await ask('get_neighbors', { note: 'Harbour' });
    await ask('find_gaps', { kind: 'unresolved' });
    await ask('reindex', { notes: ['Harbour', 'Places/Lighthouse.md'] });
    await ask('reindex', { wait_ms: 45_000 });
    await ask('list_notes', { folder: 'https://user:secret@host/x' });
  };
  await askAll();
  renameSync(vault, `${vault}.away`);
  await askAll();
  renameSync(`${vault}.away`, vault);
  const everything = `${JSON.stringify(answers)}\n${session.stderr()}`;
  const requested = JSON.stringify(`${vault}/Harbour.md`.slice(1)).slice(1, -1);
  const reported = everything.replaceAll(requested, '');
  assert.ok(
    !reported.includes(home),
    reported.slice(Math.max(0, reported.indexOf(home) - 200), reported.indexOf(home) + 200),
  );
  assert.ok(!everything.includes('user:secret@'));
  assert.ok(everything.includes(basename(vault)), 'the vault is named by its own name');
});

test('a client that reconnects finds the index of its last session', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const dataFolder = temporaryFolder(context);
  for (const round of [1, 2, 3]) {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: serveArguments({ vault }, dataFolder),
      stderr: 'ignore',
    });
    const client = new Client({ name: `client ${round}`, version: '1' });
    await client.connect(transport);
    const { structuredContent } = await client.callTool({ name: 'search_text', arguments: { query: 'tide' } });
    assert.equal((structuredContent as { data: { total: number } }).data.total, 7);
    await client.close();
  }
});
