// One request and its answer over real sockets: how it is sent, how it ends, and what is refused.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { type ErrorCode, VaultgraphError } from '../../../src/base/errors.ts';
import { guardedFetch, sendJson } from '../../../src/providers/model-server/send.ts';
import { jsonAnswer } from '../../fakes/http/exchange.ts';
import {
  brokenJson,
  cut,
  drip,
  empty,
  hang,
  html,
  instead,
  raw,
  redirect,
  reset,
  stall,
} from '../../fakes/http/faults.ts';
import type { Loopback } from '../../fakes/http/loopback.ts';
import { until } from '../../until.ts';
import { attemptAt, newCall, openServer } from './attempts.ts';

const PATH = '/api/embed';
const request = { path: PATH, body: { input: ['a text'] } };
const send = (server: Loopback) => sendJson(request, attemptAt(server.origin));

async function rejects(work: Promise<unknown>, code: ErrorCode, details: object = {}, title = ''): Promise<void> {
  await assert.rejects(work, (thrown) => {
    assert.ok(thrown instanceof VaultgraphError, `${thrown}`);
    assert.equal(thrown.code, code, `${title}: ${thrown.message}`);
    assert.deepEqual({ ...(thrown.details as object), ...details }, thrown.details);
    return true;
  });
}

const OK = 'HTTP/1.1 200 OK\r\n';
/** Answers that no HTTP parser accepts. */
const NOT_HTTP: Readonly<Record<string, string>> = {
  'another protocol': '220 mail.example.test\r\n',
  'a TLS alert': '\x15\x03\x01\x00\x02\x02\x46',
  'a line that is not a header': `${OK}not a header\r\n\r\n{}`,
  'an invalid length': `${OK}content-length: few\r\n\r\n{}`,
  'an invalid status': 'HTTP/1.1 OK\r\n\r\n',
  'an invalid chunk size': `${OK}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
  'a chunk longer than its size': `${OK}transfer-encoding: chunked\r\n\r\n2\r\n{"a": 1}\r\n0\r\n\r\n`,
};

describe('a request', () => {
  it('is JSON with the configured headers, and the trace records which server answered', async (context) => {
    const server = await openServer(context);
    const call = newCall();
    const attempt = attemptAt(`${server.origin}/base`, { call, headers: { authorization: 'Bearer abc' } });
    assert.deepEqual(await sendJson(request, attempt), { embeddings: [[1]] });
    const [{ method, path, headers, body } = assert.fail()] = server.requests;
    assert.deepEqual([method, path, body], ['POST', `/base${PATH}`, request.body]);
    assert.deepEqual([headers.authorization, headers['content-type']], ['Bearer abc', 'application/json']);
    assert.equal(call.trace.servedBy, `ollama@127.0.0.1:${server.port}`);
    assert.deepEqual([call.trace.attempts, call.trace.phase], [1, 'body']);
  });

  it('is a GET without a body', async (context) => {
    const server = await openServer(context);
    await sendJson({ path: '/api/tags' }, attemptAt(server.origin));
    const [{ method, headers, body } = assert.fail()] = server.requests;
    assert.deepEqual([method, headers['content-type'], body], ['GET', undefined, undefined]);
  });
});

describe('P3 a missing or lost connection', () => {
  it('refused: the port was open and is closed', async (context) => {
    const server = await openServer(context);
    await server.refuse();
    const call = newCall();
    await rejects(sendJson(request, attemptAt(server.origin, { call })), 'PROVIDER_UNAVAILABLE', {
      cause_code: 'ECONNREFUSED',
    });
    assert.deepEqual([call.trace.attempts, call.trace.servedBy], [1, undefined]);
    await server.reopen();
    await send(server);
  });

  it('no such host', async () => {
    const attempt = attemptAt('http://models.invalid:1234');
    await assert.rejects(sendJson(request, attempt), (thrown) => {
      assert.ok(thrown instanceof VaultgraphError && thrown.code === 'PROVIDER_UNAVAILABLE');
      return /^(?:ENOTFOUND|EAI_AGAIN)$/.test((thrown.details as { cause_code: string }).cause_code);
    });
  });

  it('TLS to a port without TLS', async (context) => {
    const server = await openServer(context);
    await assert.rejects(sendJson(request, attemptAt(server.origin.replace('http:', 'https:'))), (thrown) => {
      assert.ok(thrown instanceof VaultgraphError && thrown.code === 'PROVIDER_UNAVAILABLE');
      return /SSL|EPROTO/.test((thrown.details as { cause_code: string }).cause_code);
    });
  });

  it('reset before the answer, cut in the middle of its JSON', async (context) => {
    const server = await openServer(context);
    for (const [fault, cause_code] of [
      [reset(), 'ECONNRESET'],
      [cut(), 'ECONNRESET'],
    ] as const) {
      server.fail(fault, { times: 1 });
      await rejects(send(server), 'PROVIDER_UNAVAILABLE', { cause_code });
      await send(server);
    }
  });

  it('cut in the middle of an error', async (context) => {
    const server = await openServer(context);
    server.fail(async ({ response }) => {
      response.writeHead(500, { 'content-length': 100 });
      await new Promise((resolve) => response.write('{"error": "half', resolve));
      response.socket?.destroy();
    });
    await rejects(send(server), 'PROVIDER_UNAVAILABLE', { cause_code: 'ECONNRESET' });
  });
});

describe('P4 a signal that aborts', { timeout: 120_000 }, () => {
  for (const [title, fault, phase] of [
    ['before headers', hang(), 'headers'],
    ['in a body that stalls', stall(), 'body'],
    ['in a body that drips', drip(15), 'body'],
  ] as const)
    it(`${title} closes the socket, and its reason is what is thrown`, async (context) => {
      const server = await openServer(context, fault);
      const [call, stop, reason] = [newCall(), new AbortController(), new Error('enough')];
      const running = sendJson(request, attemptAt(server.origin, { signal: stop.signal, call }));
      await until(() => server.requests.length > 0 && call.trace.phase === phase, phase);
      stop.abort(reason);
      await assert.rejects(running, (thrown) => thrown === reason);
      await server.untilEnded(PATH, 1);
      assert.equal(server.requests[0]?.ended?.whole, false);
      assert.equal(call.trace.phase, phase);
      server.heal();
      await send(server);
    });

  it('before it began sends nothing', async (context) => {
    const server = await openServer(context);
    const reason = new Error('too late');
    assert.throws(
      () => attemptAt(server.origin, { signal: AbortSignal.abort(reason) }),
      (thrown) => thrown === reason,
    );
    assert.equal(server.requests.length, 0);
  });
});

describe('P5 an unusable answer', { timeout: 60_000 }, () => {
  it('HTML, broken JSON, nothing at all', async (context) => {
    const server = await openServer(context);
    for (const [fault, received] of [
      [html(200), 'something else (text/html)'],
      [brokenJson(), 'something else (application/json)'],
      [empty(200), 'an empty body'],
      [empty(204), 'an empty body'],
    ] as const) {
      server.fail(fault, { times: 1 });
      await rejects(send(server), 'PROVIDER_BAD_RESPONSE', { expected: 'JSON', received, level: 'call' });
    }
    await send(server);
  });

  it('an error inside a success', async (context) => {
    const server = await openServer(context, instead(jsonAnswer(200, { error: 'Unexpected endpoint' })));
    await rejects(send(server), 'PROVIDER_BAD_RESPONSE', { received: 'the error "Unexpected endpoint"' });
    server.heal();
    server.fail(instead(jsonAnswer(200, { error: null, embeddings: [] })));
    assert.deepEqual(await send(server), { error: null, embeddings: [] });
  });

  it('an answer that is not HTTP, or not all of it, by `fetch` as well', async (context) => {
    const server = await openServer(context);
    // A server at this address counts as one off this machine, and is reached nevertheless.
    const away = server.origin.replace('127.0.0.1', '0.0.0.0');
    for (const [title, bytes] of Object.entries(NOT_HTTP))
      for (const endpoint of [server.origin, ...(process.platform === 'linux' ? [away] : [])]) {
        server.fail(raw(bytes), { times: 1 });
        const details = { expected: 'an HTTP response', received: 'bytes that are not valid HTTP', level: 'call' };
        await rejects(sendJson(request, attemptAt(endpoint)), 'PROVIDER_BAD_RESPONSE', details, title);
        server.fail(raw(`HTTP/1.1 200 OK\r\nx-long: ${'a'.repeat(20_000)}\r\n\r\n`), { times: 1 });
        const expected = 'headers within the limit of Node, by default 16 KiB';
        await rejects(sendJson(request, attemptAt(endpoint)), 'PROVIDER_BAD_RESPONSE', { expected, received: 'more' });
      }
    await send(server);
  });

  it('a body that ends early is a lost connection', async (context) => {
    const server = await openServer(context);
    for (const body of ['content-length: 100\r\n\r\n{', 'transfer-encoding: chunked\r\n\r\n9\r\n{"a"']) {
      server.fail(raw(`HTTP/1.1 200 OK\r\n${body}`), { times: 1 });
      await rejects(send(server), 'PROVIDER_UNAVAILABLE', { cause_code: 'ECONNRESET' });
    }
  });

  it('an endless body is given up, and its socket is closed', async (context) => {
    const server = await openServer(context, async ({ response, closed }) => {
      const megabyte = Buffer.alloc(1024 * 1024, 0x20);
      while (!closed.aborted) if (!response.write(megabyte)) await once(response, 'drain', { signal: closed });
    });
    await rejects(send(server), 'PROVIDER_BAD_RESPONSE', { expected: 'at most 67108864 bytes', received: 'more' });
    await server.untilEnded(PATH, 1);
  });
});

describe('P9 a redirect', () => {
  it('is not followed: the text is not sent elsewhere', async (context) => {
    const other = await openServer(context);
    for (const status of [301, 302, 303, 307, 308]) {
      const server = await openServer(context, redirect(`${other.origin}/elsewhere`, status));
      await rejects(send(server), 'PROVIDER_ENDPOINT_UNSUPPORTED', { status, path: PATH });
    }
    assert.equal(other.requests.length, 0);
  });
});

describe('guardedFetch', () => {
  it('passes on only successful answers, as JSON', async (context) => {
    const server = await openServer(context);
    const post = { method: 'POST', body: '{"input": []}' };
    const reply = await guardedFetch(attemptAt(server.origin))(`${server.origin}${PATH}`, post);
    assert.ok(reply.ok);
    assert.deepEqual(await reply.json(), { embeddings: [[1]] });
    for (const [fault, code] of [
      [html(502), 'PROVIDER_ERROR'],
      [html(200), 'PROVIDER_BAD_RESPONSE'],
      [reset(), 'PROVIDER_UNAVAILABLE'],
    ] as const) {
      server.fail(fault, { times: 1 });
      await rejects(guardedFetch(attemptAt(server.origin))(`${server.origin}${PATH}`, post), code);
    }
  });
});
