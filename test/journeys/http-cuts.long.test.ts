// Cuts the connections of a client at random points: the streams resume, and each answer comes once, to the call that asked.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createSeededRandom, type Random } from '../bench/random.ts';
import { openByHand, post, startHttp } from './http-process.ts';
import { configFile, copyOfFixture } from './session.ts';

const CALLS = 400;
const SEED = Number(process.env.VAULTGRAPH_TEST_SEED ?? 20_261_123);
/** The names of three notes, to tell answers apart. */
const NOTES = ['Harbour', 'Tide pool', 'Lighthouse'] as const;

interface Proxy {
  readonly port: number;
  cuts: number;
}

/** Passes on what both sides send, and cuts each connection after some bytes of the server. */
async function openProxy(context: TestContext, target: number, random: Random): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(target, '127.0.0.1');
    let left = 200 + random.below(12_000);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    client.on('data', (chunk) => server.write(chunk));
    server.on('data', (chunk) => {
      client.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left > 0) return;
      opened.cuts += 1;
      client.destroy();
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const opened: Proxy = { port: (proxy.address() as AddressInfo).port, cuts: 0 };
  return opened;
}

interface Received {
  readonly id: string;
  readonly data: string;
}

/** The events of a response, whole ones only, until it ends or is cut. */
async function eventsOf(response: Response, onEvent: (event: Received) => void): Promise<void> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [id = '', data = ''] = [/^id: (.*)$/m, /^data: (.*)$/m].map((pattern) => pattern.exec(block)?.[1]);
      if (id !== '') onEvent({ id, data });
    }
  }
}

/** Calls as the specification has it. @returns the messages; undefined if the call was cut before its first event, which nothing can resume */
async function callAndResume(url: string, headers: Record<string, string>, message: object) {
  const received: Received[] = [];
  const onEvent = (event: Received): void => void received.push(event);
  const isAnswered = (): boolean => received.some(({ data }) => data.includes('"result"'));
  const [first] = await Promise.allSettled([
    post(url, message, headers).then((response) => eventsOf(response, onEvent)),
  ]);
  if (first.status === 'rejected' && received.length === 0) return undefined;
  while (!isAnswered()) {
    const resume = { ...headers, accept: 'text/event-stream', 'last-event-id': received.at(-1)?.id ?? '' };
    await Promise.allSettled([fetch(url, { headers: resume }).then((response) => eventsOf(response, onEvent))]);
  }
  return received.filter(({ data }) => data !== '');
}

test(`${CALLS} calls over connections that are cut lose no answer and get none twice, from seed ${SEED}`, async (context) => {
  const config = configFile(context, `vault: { path: ${JSON.stringify(copyOfFixture(context, 'tiny'))} }\n`);
  const server = await startHttp(context, config, ['--no-auth']);
  const sessions = [await openByHand(server.url), await openByHand(server.url)] as const;
  const message = (id: number, name: string, given: object): object => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name, arguments: given },
  });
  await (await post(server.url, message(1, 'reindex', { wait_ms: 20_000 }), sessions[0])).text();
  const random = createSeededRandom(SEED);
  const proxy = await openProxy(context, Number(new URL(server.url).port), random);
  const url = `http://127.0.0.1:${proxy.port}/mcp`;
  let answered = 0;
  const one = async (id: number, headers: Record<string, string>): Promise<void> => {
    const note = random.pick(NOTES);
    const messages = await callAndResume(url, headers, message(id, 'read_notes', { notes: [note] }));
    if (messages === undefined) return;
    answered += 1;
    const [answer, ...more] = messages.map(({ data }) => JSON.parse(data));
    assert.deepEqual([answer.id, more.length], [id, 0]);
    assert.ok(answer.result.content[0].text.includes(`${note}.md`), note);
  };
  for (let id = 10; id < 10 + CALLS; id += 4) {
    const [first, second] = sessions;
    await Promise.all([one(id, first), one(id + 1, second), one(id + 2, first), one(id + 3, second)]);
  }
  assert.ok(proxy.cuts > CALLS / 10, `${proxy.cuts} cuts`);
  assert.ok(answered > CALLS / 2, `${answered} answered`);
});
