// A client that sends requests and does not read their answers: the server stops working for it and continues once it reads.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RawServer, startRawServer, toolCall, VERSIONS } from '../../journeys/raw-server.ts';
import { configFile, temporaryFolder } from '../../journeys/session.ts';
import { openRawSession } from './stdio-process.ts';

/** A server with one note of so many characters, which logs each call that it has answered. */
async function serverWithNote(context: TestContext, characters: number, version: string): Promise<RawServer> {
  const vault = temporaryFolder(context);
  writeFileSync(join(vault, 'Long.md'), 'tide '.repeat(characters / 5));
  const server = startRawServer(context, { vault, config: configFile(context, 'log: { level: debug }\n') });
  await server.begin(version);
  server.send(toolCall(1, 'reindex', { wait_ms: 40_000 }));
  await server.reply(1);
  return server;
}

const answered = (server: RawServer): number => server.stderr().split('"event":"call"').length - 1;

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(20);
}

/** Resolves once the server has answered no further call for a second. */
async function untilStill(server: RawServer): Promise<void> {
  for (let seen = -1; seen !== answered(server); ) {
    seen = answered(server);
    await sleep(1_000);
  }
}

const read = (id: number) => ({
  id,
  method: 'tools/call',
  params: { name: 'read_notes', arguments: { notes: ['Long.md'], max_chars: 100_000 } },
});

for (const version of VERSIONS) {
  test(`while 8 MiB wait for stdout no call begins; cancellations and pings are served, and everything is answered later (${version})`, async (context) => {
    const server = await serverWithNote(context, 20_000, version);
    server.child.stdout?.pause();
    const ids = Array.from({ length: 900 }, (_, at) => at + 100);
    for (const id of ids) server.send(read(id));
    await until(() => answered(server) > 150);
    await untilStill(server);
    assert.ok(answered(server) < 600, `${answered(server)} calls were answered`);
    server.send({ method: 'notifications/cancelled', params: { requestId: 950 } });
    server.send({ id: 5, method: 'ping' });
    server.child.stdout?.resume();
    await Promise.all(ids.filter((id) => id !== 950).map((id) => server.reply(id)));
    const order = server.lines().map((line) => JSON.parse(line).id);
    assert.equal(order.includes(950), false, 'a cancelled call that waits is not answered');
    assert.ok(order.indexOf(5) < order.indexOf(900), 'a ping does not wait for the calls before it');
    assert.equal(new Set(order).size, order.length, 'one answer each');
  });
}

for (const version of VERSIONS) {
  test(`when 1,000 requests wait stdin is paused, and read again once the client reads (${version})`, async (context) => {
    const server = await serverWithNote(context, 10_000, version);
    server.child.stdout?.pause();
    const ids = Array.from({ length: 2_500 }, (_, at) => at + 100);
    // Longer together than what the pipe holds.
    const padding = 'x'.repeat(1_000);
    for (const id of ids) server.send({ ...read(id), params: { ...read(id).params, _meta: { padding } } });
    await until(() => answered(server) > 250);
    await untilStill(server);
    assert.ok((server.child.stdin?.writableLength ?? 0) > 0, 'the server has stopped reading');
    server.child.stdout?.resume();
    await Promise.all(ids.map((id) => server.reply(id)));
    assert.equal(server.lines().length, ids.length + 2, 'one answer each');
  });
}

test('a client that leaves its requests waiting and reads nothing for too long ends the process, with a record', async (context) => {
  const session = await openRawSession(context, { maxStallMs: 300 });
  const exited = once(session.child, 'exit');
  session.child.stdout.pause();
  for (let id = 1; id <= 4_000; id += 1) {
    session.send({ id, method: 'tools/call', params: { name: 'long', arguments: { characters: 50_000 } } });
  }
  assert.deepEqual(await exited, [1, null]);
  assert.match(session.stderr(), /"level":"error","event":"ending".*"reason":"client_not_reading"/);
});

test('a client that reads slowly is not given up', async (context) => {
  const maxStallMs = 6_000;
  const session = await openRawSession(context, { maxStallMs });
  session.child.stdout.pause();
  for (let id = 1; id <= 4_000; id += 1) {
    session.send({ id, method: 'tools/call', params: { name: 'long', arguments: { characters: 50_000 } } });
  }
  for (const began = performance.now(); performance.now() - began < 2 * maxStallMs; ) {
    const arrives = once(session.child.stdout, 'data');
    session.child.stdout.resume();
    await arrives;
    session.child.stdout.pause();
    await sleep(1_000);
  }
  assert.equal(session.child.exitCode, null);
  assert.doesNotMatch(session.stderr(), /client_not_reading/);
});
