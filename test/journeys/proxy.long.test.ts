// The built server in an environment with a proxy: what is sent to this machine never goes through it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { ollamaFor, outcomeOf, search, setUp } from './embedding-session.ts';
import { openSession, runBeside } from './session.ts';

const AWAY = 'http://models.example.test:11434';

/** Records what arrives, and forwards nothing. */
async function openProxy(context: TestContext) {
  const arrived: string[] = [];
  const proxy = createServer((request, response) => {
    arrived.push(`${request.method} ${request.url}`);
    response.writeHead(502).end();
  });
  proxy.on('connect', (request, socket) => {
    arrived.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  context.after(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: origin, HTTPS_PROXY: origin };
  return { origin, env, arrived };
}

for (const host of ['127.0.0.1', 'localhost'])
  test(`nothing for ${host} arrives at a proxy`, async (context) => {
    const proxy = await openProxy(context);
    const ollama = await ollamaFor(context);
    const endpoint = `http://${host}:${ollama.port}`;
    const session = await openSession(context, { ...setUp(context, ollama, { endpoint }), env: proxy.env });
    assert.equal((await session.indexed()).embedding?.state, 'succeeded');
    assert.equal(outcomeOf(await search(session)), 'ok');
    assert.ok(ollama.requests.length > 0);
    assert.equal(proxy.arrived.length, 0);
    const { data } = (await session.call('status')).structured;
    assert.deepEqual(data.text_goes_to, [endpoint]);
  });

test('an endpoint that is reached through a proxy needs allow_remote, and both are named', async (context) => {
  const proxy = await openProxy(context);
  const refused = setUp(context, { origin: AWAY });
  const { status, stderr } = await runBeside(context, ['serve', '--config', refused.config], proxy.env);
  assert.equal(status, 78);
  assert.match(stderr, new RegExp(`models\\.example\\.test and the proxy ${proxy.origin} are off this machine`));
  assert.equal(proxy.arrived.length, 0);

  const allowed = setUp(context, { origin: AWAY }, { embedding: 'allow_remote: true' });
  const session = await openSession(context, { ...allowed, env: proxy.env });
  const { data } = (await session.call('status')).structured;
  assert.deepEqual(data.text_goes_to, [AWAY, proxy.origin]);
  const { structured } = await search(session);
  assert.match(structured.error.message, new RegExp(`through the proxy ${proxy.origin}`));
  assert.ok(proxy.arrived.length > 0);
  assert.ok(proxy.arrived.every((request) => request.includes('models.example.test')));
});
