// Failures of streamed responses.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Exchange, type Fault, sendAnswer } from './exchange.ts';
import { untilClosed } from './faults.ts';

/** This many parts are sent, then nothing more. */
export const stallAfter = (count: number): Fault =>
  streamed(async (parts, exchange) => {
    await sendSome(parts, count, exchange);
    await untilClosed(exchange.closed);
  });

/** This many parts are sent, then the socket is closed. */
export const cutAfter = (count: number): Fault =>
  streamed(async (parts, exchange) => {
    await sendSome(parts, count, exchange);
    exchange.response.socket?.destroy();
  });

/** The whole response is sent byte by byte. */
export const byteByByte = (everyMs: number): Fault =>
  streamed(async (parts, { response, closed }) => {
    for await (const part of parts) {
      for (const byte of Buffer.from(part)) {
        response.write(Buffer.of(byte));
        await sleep(everyMs, undefined, { signal: closed });
      }
    }
    response.end();
  });

/** Other parts instead of the real ones. */
export const otherParts = (change: (parts: readonly string[]) => readonly string[]): Fault =>
  streamed(async (parts, { response }) => {
    const real: string[] = [];
    for await (const part of parts) real.push(part);
    for (const part of change(real)) response.write(part);
    response.end();
  });

type Perform = (parts: AsyncIterable<string>, exchange: Exchange) => Promise<void>;

function streamed(work: Perform): Fault {
  return async (exchange) => {
    const answer: Answer = await exchange.answer();
    const { status, headers = {}, body } = answer;
    if (typeof body === 'string') return sendAnswer(exchange.response, answer);
    exchange.response.writeHead(status, headers).flushHeaders();
    await work(body, exchange);
  };
}

async function sendSome(parts: AsyncIterable<string>, count: number, { response }: Exchange): Promise<void> {
  let left = count;
  for await (const part of parts) {
    if (left === 0) return;
    left -= 1;
    await new Promise((resolve) => response.write(part, resolve));
  }
}
