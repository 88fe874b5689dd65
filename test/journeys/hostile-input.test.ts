// Sends bad input over stdio: each is refused with a typed error, changes nothing, and the server answers the next call.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startRawServer } from './raw-server.ts';
import { copyOfFixture, openSession } from './session.ts';

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

const REFUSED: readonly { name: string; tool: string; given: Record<string, unknown>; code: string }[] = [
  { name: 'an unknown argument', tool: 'search_text', given: { query: 'tide', limitt: 3 }, code: 'INVALID_INPUT' },
  { name: 'an empty query', tool: 'search_text', given: { query: '' }, code: 'INVALID_INPUT|INVALID_QUERY' },
  { name: 'a query of spaces', tool: 'search_text', given: { query: '   ' }, code: 'INVALID_INPUT|INVALID_QUERY' },
  { name: 'only a negation', tool: 'search_text', given: { query: '-tide' }, code: 'INVALID_QUERY' },
  { name: 'a NUL in a query', tool: 'search_text', given: { query: 'ti\0de' }, code: 'INVALID_INPUT|INVALID_QUERY' },
  { name: 'a lone surrogate', tool: 'search_text', given: { query: 'tide \ud800' }, code: 'INVALID_INPUT' },
  { name: 'limit 0', tool: 'search_text', given: { query: 'tide', limit: 0 }, code: 'INVALID_INPUT|LIMIT_EXCEEDED' },
  { name: 'limit -1', tool: 'search_text', given: { query: 'tide', limit: -1 }, code: 'INVALID_INPUT' },
  {
    name: 'limit 1e9',
    tool: 'search_text',
    given: { query: 'tide', limit: 1e9 },
    code: 'INVALID_INPUT|LIMIT_EXCEEDED',
  },
  { name: 'limit "ten"', tool: 'search_text', given: { query: 'tide', limit: 'ten' }, code: 'INVALID_INPUT' },
  {
    name: 'an invalid cursor',
    tool: 'list_notes',
    given: { cursor: 'nonsense' },
    code: 'INVALID_INPUT|INVALID_QUERY',
  },
  { name: 'a folder above the vault', tool: 'list_notes', given: { folder: '../..' }, code: 'PATH_NOT_ALLOWED' },
  { name: 'a bad date', tool: 'list_notes', given: { since: 'the day after' }, code: 'INVALID_QUERY' },
  {
    name: 'a path to a parent folder',
    tool: 'read_notes',
    given: { notes: ['../../etc/passwd'] },
    code: 'BATCH_FAILED',
  },
  { name: 'an absolute path', tool: 'get_neighbors', given: { note: '/etc/passwd' }, code: 'PATH_NOT_ALLOWED' },
  {
    name: 'a path with NUL',
    tool: 'get_neighbors',
    given: { note: 'a\0b.md' },
    code: 'PATH_NOT_ALLOWED|INVALID_INPUT',
  },
  {
    name: 'a hidden folder',
    tool: 'get_neighbors',
    given: { note: '.obsidian/app.json' },
    code: 'PATH_NOT_ALLOWED|NOTE_NOT_FOUND',
  },
  { name: 'an empty reference', tool: 'find_path', given: { from: '', to: 'Harbour' }, code: 'INVALID_INPUT' },
  { name: 'no notes', tool: 'read_notes', given: { notes: [] }, code: 'INVALID_INPUT' },
  {
    name: '10,000 notes',
    tool: 'read_notes',
    given: { notes: Array(10_000).fill('Harbour') },
    code: 'INVALID_INPUT|LIMIT_EXCEEDED',
  },
  { name: 'a null', tool: 'get_neighbors', given: { note: null }, code: 'INVALID_INPUT' },
  { name: 'an unknown metric', tool: 'get_hubs', given: { metric: 'page_rank' }, code: 'INVALID_INPUT' },
  {
    name: 'depth 4',
    tool: 'get_neighbors',
    given: { note: 'Harbour', depth: 4 },
    code: 'INVALID_INPUT|LIMIT_EXCEEDED',
  },
  {
    name: 'an own property __proto__',
    tool: 'list_notes',
    given: JSON.parse('{"__proto__": {"limit": 5}}'),
    code: 'INVALID_INPUT',
  },
  {
    name: 'constructor as a filter',
    tool: 'list_notes',
    given: { where: { constructor: { prototype: 1 } } },
    code: 'INVALID_INPUT',
  },
  { name: 'deep JSON', tool: 'list_notes', given: { where: JSON.parse(`{"a":${deep(500)}}`) }, code: 'LIMIT_EXCEEDED' },
  {
    name: 'five million characters',
    tool: 'search_text',
    given: { query: 'tide '.repeat(1_000_000) },
    code: 'LIMIT_EXCEEDED|INVALID_INPUT',
  },
  { name: 'an unknown job', tool: 'reindex', given: { job_id: 'j_nobody' }, code: 'JOB_NOT_FOUND' },
  { name: 'a rebuild without confirm', tool: 'reindex', given: { rebuild: true }, code: 'CONFIRMATION_REQUIRED' },
];

test('hostile arguments are refused with a typed error', async (suite) => {
  const session = await openSession(suite as TestContext, { vault: copyOfFixture(suite as TestContext, 'tiny') });
  await session.indexed();
  const before = await session.call('list_notes', { limit: 100 });
  for (const { name, tool, given, code } of REFUSED) {
    await suite.test(name, async () => {
      const answer = await session.call(tool, given);
      assert.equal(answer.isError, true, answer.text);
      assert.match(answer.text, new RegExp(`^Error \\[(${code})\\]: .+\nHint: .+`));
      assert.match(answer.structured.error.code, new RegExp(`^(${code})$`));
      assert.equal((await session.call('search_text', { query: 'tide' })).isError, false);
    });
  }
  assert.deepEqual((await session.call('list_notes', { limit: 100 })).structured.data, before.structured.data);
});

for (const [name, line] of [
  ['not JSON', 'this is no JSON'],
  ['half a message', '{"jsonrpc":"2.0","id":7,'],
  ['a message of another protocol version', '{"jsonrpc":"1.0","id":7,"method":"ping"}'],
  ['an array', '[1,2,3]'],
  ['100,000 open brackets', '['.repeat(100_000)],
  ['control characters', '\u0000\u0001\u0002'],
] as const) {
  test(`the server keeps running after a line that is ${name}`, async (context) => {
    const server = startRawServer(context, { vault: copyOfFixture(context, 'tiny') });
    server.write(`${line}\n`);
    server.send({ id: 1, method: 'ping' });
    assert.deepEqual((await server.reply(1)).result, {});
  });
}
