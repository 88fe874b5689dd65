// Two clients with different tokens on one server over HTTP: each sees its view, and a write of one is seen by all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { until } from '../until.ts';
import { INITIALIZE, post, startHttp } from './http-process.ts';
import { configFile, copyOfFixture } from './session.ts';

const POOL = 'note:///Places/Tide%20pool.md';
const CHANGES = 'notes:///changed';

test('over HTTP each token sees its view and its tools, changes reach every session, and a revoked token is refused', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const views = 'views: { phone: { read: ["Places/**"], access: read-only, tools: { except: [get_hubs] } } }';
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\n${views}\n`);
  const server = await startHttp(context, config);
  assert.equal((await post(server.url, INITIALIZE)).status, 401);
  const [whole, phone] = [server.addToken('desk'), server.addToken('phone', 'phone')];
  const [desk, mobile] = await Promise.all([server.connect(whole), server.connect(phone)]);
  for (const session of [desk, mobile])
    assert.equal((await session.call('reindex', { wait_ms: 45_000 })).isError, false);

  const names = async ({ client }: typeof desk) => (await client.listTools()).tools.map(({ name }) => name);
  assert.ok((await names(desk)).includes('edit_note') && (await names(desk)).includes('get_hubs'));
  assert.deepEqual(
    (await names(mobile)).filter((name) => /^(?:edit_note|get_hubs)$/.test(name)),
    [],
  );
  await assert.rejects(mobile.call('edit_note', { note: 'Tide pool', edits: [] }), { code: -32602 });
  const listed = (await mobile.call('list_notes', { limit: 100 })).structured.data;
  assert.ok(JSON.stringify(listed).includes('Places/Tide pool.md'));
  assert.doesNotMatch(JSON.stringify(listed).replaceAll(/Places\/[^"]*/g, ''), /\.md/);

  const updates: string[] = [];
  mobile.client.setNotificationHandler(
    ResourceUpdatedNotificationSchema,
    ({ params }) => void updates.push(params.uri),
  );
  for (const uri of [POOL, CHANGES]) await mobile.client.subscribeResource({ uri });
  const edit = { note: 'Tide pool', edits: [{ op: 'append', text: 'Seen over HTTP.' }] };
  const { structured } = await desk.call('edit_note', edit);
  assert.equal(structured.ok, true, JSON.stringify(structured));
  await until(() => updates.includes(POOL) && updates.includes(CHANGES), 'the phone hears of the change');
  await until(
    async () => (await mobile.call('read_notes', { notes: ['Tide pool'] })).text.includes('Seen over HTTP.'),
    'the phone reads it',
  );
  const audit =
    server
      .stderr()
      .split('\n')
      .find((line) => line.includes('"http_change"')) ?? '';
  const { principal, change_id, tool } = JSON.parse(audit) as Record<string, string>;
  assert.deepEqual([principal, change_id, tool], ['desk', structured.data.change_id, 'edit_note']);

  const metrics = await fetch(new URL('/metrics', server.url), { headers: { authorization: `Bearer ${whole}` } });
  assert.match(await metrics.text(), /vaultgraph_calls_total\{tool="edit_note"\} 1[\s\S]*vaultgraph_http_sessions 2/);
  assert.equal(server.tokens('revoke', 'phone').status, 0);
  await assert.rejects(mobile.call('list_notes'), /revoked/);
  assert.equal((await desk.call('list_notes')).isError, false);
  for (const secret of [whole, phone]) assert.ok(!server.stderr().includes(secret.slice(3, 20)));
  server.child.kill('SIGTERM');
  assert.equal(await server.ended, 0);
});
