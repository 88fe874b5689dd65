// Checks the proxy that tests put between a client and a PostgreSQL server.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { until } from '../until.ts';
import { startProxy, type TestProxy } from './proxy.ts';

describe('a proxy between a client and a server', () => {
  /** Sends back what it receives. */
  const echo = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  let proxy: TestProxy;
  before(async () => {
    await once(echo.listen(0, '127.0.0.1'), 'listening');
    proxy = await startProxy({ host: '127.0.0.1', port: (echo.address() as AddressInfo).port });
  });
  after(async () => {
    await proxy.close();
    echo.close();
  });

  /** A client that keeps what it received, and the reason of its end. */
  function connectClient(): { readonly socket: Socket; text: string; ended: string | undefined } {
    const socket = connect({ host: proxy.host, port: proxy.port });
    const client = { socket, text: '', ended: undefined as string | undefined };
    socket.setEncoding('utf8').on('data', (text: string) => {
      client.text += text;
    });
    socket.on('error', ({ message }) => {
      client.ended = message;
    });
    socket.on('close', () => {
      client.ended ??= 'closed';
    });
    return client;
  }

  test('passes bytes both ways and counts the round trips', async () => {
    const before = proxy.roundTrips;
    const client = connectClient();
    for (const part of ['one', 'two', 'three']) {
      const soFar = client.text;
      client.socket.write(part);
      await until(() => client.text === soFar + part, 'the echo has arrived');
    }
    client.socket.end();
    await until(() => client.ended === 'closed', 'both sides have ended');
    assert.equal(proxy.roundTrips - before, 3);
  });

  test('delays each direction and keeps the order', async () => {
    proxy.delay({ toServer: 20, toClient: 20 });
    const from = performance.now();
    const client = connectClient();
    client.socket.write('a');
    await once(client.socket, 'connect');
    client.socket.write('b');
    await until(() => client.text === 'ab', 'the echo has arrived');
    assert.ok(performance.now() - from >= 40, 'the delay is the least that it takes');
    proxy.delay({ toServer: 0, toClient: 0 });
    client.socket.destroy();
  });

  test('cuts one connection after so many bytes', async () => {
    proxy.cutAfter(10);
    const client = connectClient();
    client.socket.write('123456789');
    await until(() => client.ended !== undefined, 'the connection is cut');
    assert.ok(client.text.length <= 1, client.text);
    const next = connectClient();
    next.socket.write('123456789');
    await until(() => next.text === '123456789', 'the next connection is whole');
    next.socket.destroy();
  });

  test('holds every byte while it is frozen', async () => {
    const [frozen, other] = [connectClient(), connectClient()];
    other.socket.write('x');
    await until(() => other.text === 'x', 'the echo has arrived');
    proxy.freeze();
    frozen.socket.write('held');
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(frozen.text, '');
    proxy.thaw();
    await until(() => frozen.text === 'held', 'the echo has arrived');
    proxy.cut();
    await until(() => frozen.ended !== undefined && other.ended !== undefined, 'both are cut');
  });

  test('refuses connections until it accepts again', async () => {
    proxy.refuse();
    const refused = connectClient();
    await until(() => refused.ended !== undefined, 'the connection is refused');
    proxy.accept();
    const accepted = connectClient();
    accepted.socket.write('x');
    await until(() => accepted.text === 'x', 'the echo has arrived');
    accepted.socket.destroy();
  });
});
