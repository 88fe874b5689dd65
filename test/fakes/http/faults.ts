// Network failures and invalid answers.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Exchange, type Fault, sendAnswer } from './exchange.ts';
import type { Loopback } from './loopback.ts';

/** The connection is reset before any response. */
export const reset =
  (): Fault =>
  async ({ response }) => {
    response.socket?.resetAndDestroy();
  };

/** These bytes instead of a response; then the socket is closed. */
export const raw =
  (bytes: string): Fault =>
  async ({ response }) => {
    response.socket?.end(bytes);
  };

/** No response is sent, not even headers. */
export const hang =
  (): Fault =>
  async ({ closed }) =>
    untilClosed(closed);

/** Headers and half of the body are sent, then nothing more. */
export const stall = (): Fault => async (exchange) => {
  const [half] = await halves(exchange);
  exchange.response.write(half);
  await untilClosed(exchange.closed);
};

/** Headers and half of the body are sent, then the socket is closed. */
export const cut = (): Fault => async (exchange) => {
  const [half] = await halves(exchange);
  await new Promise((resolve) => exchange.response.write(half, resolve));
  exchange.response.socket?.destroy();
};

/** The whole response is sent byte by byte. */
export const drip =
  (everyMs = 20): Fault =>
  async (exchange) => {
    const body = await begin(exchange);
    for (const byte of body) {
      exchange.response.write(Buffer.of(byte));
      await sleep(everyMs, undefined, { signal: exchange.closed });
    }
    exchange.response.end();
  };

/** The real response after a delay. */
export const late =
  (milliseconds: number): Fault =>
  async ({ response, closed, answer }) => {
    await sleep(milliseconds, undefined, { signal: closed });
    await sendAnswer(response, await answer());
  };

/** This response instead of the real one. */
export const instead =
  (answer: Answer): Fault =>
  ({ response }) =>
    sendAnswer(response, answer);

export const html = (status: number): Fault =>
  instead({
    status,
    headers: { 'content-type': 'text/html' },
    body: `<html><head><title>${status}</title></head><body><h1>It works!</h1></body></html>`,
  });

/** A complete response with the type JSON that does not parse. */
export const brokenJson = (): Fault =>
  instead({ status: 200, headers: { 'content-type': 'application/json' }, body: '{"embeddings": [[0.1, 0.2,' });

export const empty = (status: number, headers: Readonly<Record<string, string>> = {}): Fault =>
  instead({ status, headers, body: '' });

export const redirect = (location: string, status = 307): Fault => empty(status, { location });

/** The real response as JSON, changed; a text is sent as it is. Responses other than 200 are not changed. */
export const changed =
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows the answer's shape.
    (change: (body: any) => unknown): Fault =>
    async ({ response, answer }) => {
      const real = await answer();
      if (real.status !== 200 || typeof real.body !== 'string') return sendAnswer(response, real);
      const body = change(JSON.parse(real.body));
      await sendAnswer(response, { ...real, body: typeof body === 'string' ? body : JSON.stringify(body) });
    };

/** Sends the headers of the real response. @returns its body; the first part of a stream */
async function begin({ response, answer }: Exchange): Promise<Buffer> {
  const { status, headers = {}, body } = await answer();
  if (typeof body === 'string') {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).flushHeaders();
    return Buffer.from(body);
  }
  response.writeHead(status, headers).flushHeaders();
  for await (const part of body) return Buffer.from(part);
  return Buffer.of();
}

async function halves(exchange: Exchange): Promise<[Buffer, Buffer]> {
  const body = await begin(exchange);
  const middle = Math.ceil(body.length / 2);
  return [body.subarray(0, middle), body.subarray(middle)];
}

export async function untilClosed(closed: AbortSignal): Promise<void> {
  if (closed.aborted) return;
  await new Promise((resolve) => closed.addEventListener('abort', resolve, { once: true }));
}

/** What can be made to go wrong with the server of a provider under test. @param fault of every request that is to fail */
export const faultsOf = (server: Loopback, fault: Fault, closeProvider: () => Promise<unknown>) => ({
  hang: () => server.fail(hang()),
  fail: () => server.fail(fault),
  heal: server.heal,
  close: async () => {
    await closeProvider();
    await server.close();
  },
});
