// Whatever a server sends of a model, or a kill leaves of it: an error says so, nothing is installed, and the next call goes on.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { errorOf } from '../../../src/base/outcome.ts';
import type { ModelHub } from '../../fakes/model-hub.ts';
import { type ModelBench, modelBench, NAME } from './models-under-test.ts';

const TABLE = 'model.safetensors';

/** No model is in place, and the config is as before. */
function assertNothingInstalled({ folder, config }: ModelBench): void {
  assert.equal(existsSync(folder), false);
  assert.doesNotMatch(config(), /embedding/);
}

type Send = NonNullable<ModelHub['behaviour']['send']>;
type Code = 'DOWNLOAD_FAILED' | 'DOWNLOAD_MISMATCH';

const rangeOf = (content: Buffer, from: number) => ({
  'content-range': `bytes ${from}-${content.length - 1}/${content.length}`,
});
/** Sends a part and then cuts the connection, or ends as if that were all. */
const part =
  (share: number, ends: 'cut' | 'ended'): Send =>
  (response, content, from) => {
    const sent = content.subarray(from, from + Math.floor((content.length - from) * share));
    response.writeHead(from > 0 ? 206 : 200, from > 0 ? rangeOf(content, from) : {});
    if (ends === 'ended') response.end(sent);
    // A reset also takes away what has not arrived yet.
    else response.write(sent, () => setTimeout(() => response.socket?.resetAndDestroy(), 50));
  };
const answering =
  (
    status: number,
    headers: (content: Buffer, from: number) => OutgoingHttpHeaders,
    body: (content: Buffer, from: number) => Buffer,
  ): Send =>
  (response, content, from) =>
    void response.writeHead(status, headers(content, from)).end(body(content, from));
const rest = (content: Buffer, from: number): Buffer => content.subarray(from);
const none = (): OutgoingHttpHeaders => ({});
const nothing = (): Buffer => Buffer.alloc(0);

/** What a server sends to a first request. */
const FIRST: Readonly<Record<string, readonly [Send, Code]>> = {
  'no byte, and a reset': [part(0, 'cut'), 'DOWNLOAD_FAILED'],
  'a third, and a reset': [part(0.3, 'cut'), 'DOWNLOAD_FAILED'],
  'all but the end, as if that were all': [part(0.999, 'ended'), 'DOWNLOAD_FAILED'],
  'an empty body': [answering(200, none, nothing), 'DOWNLOAD_FAILED'],
  'more than the file': [answering(200, none, (content) => Buffer.concat([content, content])), 'DOWNLOAD_MISMATCH'],
  'other bytes of the same length': [
    answering(200, none, (content) => Buffer.alloc(content.length, 7)),
    'DOWNLOAD_MISMATCH',
  ],
  'a length that is too small': [
    answering(
      200,
      () => ({ 'content-length': 10 }),
      (content) => content.subarray(0, 10),
    ),
    'DOWNLOAD_FAILED',
  ],
  'a redirect to itself': [answering(302, () => ({ location: '?' }), nothing), 'DOWNLOAD_FAILED'],
  'a redirect to nowhere': [answering(302, none, nothing), 'DOWNLOAD_FAILED'],
  'a redirect that is no address': [answering(307, () => ({ location: 'http://[' }), nothing), 'DOWNLOAD_FAILED'],
  'status 204': [answering(204, none, nothing), 'DOWNLOAD_FAILED'],
};

/** What it sends to a request that continues; undefined if the file is complete then. */
const CONTINUED: Readonly<Record<string, readonly [Send, Code | undefined]>> = {
  'the whole file': [answering(200, none, (content) => content), undefined],
  'the whole file as a part': [
    answering(
      206,
      (content) => rangeOf(content, 0),
      (content) => content,
    ),
    undefined,
  ],
  'the rest without saying so': [answering(206, none, rest), 'DOWNLOAD_FAILED'],
  'the rest from another place': [
    answering(206, (content, from) => rangeOf(content, from + 1), rest),
    'DOWNLOAD_FAILED',
  ],
  'a part that it cannot continue': [answering(416, none, nothing), 'DOWNLOAD_FAILED'],
  'other bytes in place of the rest': [
    answering(206, rangeOf, (content, from) => Buffer.alloc(content.length - from)),
    'DOWNLOAD_MISMATCH',
  ],
};

/** What is on disk when the process was killed, or what became of it since. */
const LEFT: Readonly<Record<string, (part: string, content: Buffer) => void>> = {
  'nothing of it': (path) => truncateSync(path, 0),
  'all of it, without its name': (path, content) => writeFileSync(path, content),
  'bytes that were not flushed': (path) => writeFileSync(path, Buffer.alloc(statSync(path).size)),
  'more than the file': (path, content) => appendFileSync(path, content),
};

suite('whatever a server sends, or a kill leaves, the model is whole after the next calls', () => {
  async function isWholeAfter(bench: ModelBench, calls: number): Promise<void> {
    bench.hub.behaviour.send = undefined;
    for (let call = 1; ; call += 1) {
      const error = await errorOf(bench.add());
      if (error === undefined) break;
      assert.ok(call < calls, error.message);
      assert.match(error.code, /^DOWNLOAD_/);
    }
    assert.deepEqual(readFileSync(join(bench.folder, TABLE)), bench.hub.files.get(TABLE));
  }

  for (const [what, [send, code]] of Object.entries(FIRST))
    test(what, async (context) => {
      const bench = await modelBench(context);
      bench.hub.behaviour.send = send;
      assert.equal((await bench.refusal()).code, code);
      assertNothingInstalled(bench);
      await isWholeAfter(bench, 1);
    });

  for (const [what, [send, code]] of Object.entries(CONTINUED))
    test(`continued: ${what}`, async (context) => {
      const bench = await modelBench(context);
      bench.hub.behaviour.send = part(0.5, 'cut');
      assert.equal((await bench.refusal()).code, 'DOWNLOAD_FAILED');
      bench.hub.behaviour.send = send;
      if (code !== undefined) assert.equal((await bench.refusal()).code, code);
      if (code !== undefined) assertNothingInstalled(bench);
      await isWholeAfter(bench, 2);
    });

  for (const [what, leave] of Object.entries(LEFT))
    test(`left: ${what}`, async (context) => {
      const bench = await modelBench(context);
      bench.hub.behaviour.send = part(0.5, 'cut');
      await bench.refusal();
      leave(join(dirname(bench.folder), `.staged+${NAME}`, `${TABLE}.part`), bench.hub.files.get(TABLE) as Buffer);
      await isWholeAfter(bench, 2);
    });
});
