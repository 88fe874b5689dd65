// Tests that the time in which a call waits for a person does not count against its limit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type AnyTool, defineTool } from '../../../src/contracts/tool.ts';
import { CallClock } from '../../../src/mcp/dispatch/call-clock.ts';
import type { Answer } from '../../../src/mcp/render/result.ts';
import { until } from '../../until.ts';
import { createTestHost } from '../test-host.ts';

test('no alarm rings during a wait outside; each rings once afterwards, in order, and none after the end', async () => {
  const clock = new CallClock(60);
  const rung: string[] = [];
  clock.at(40, () => rung.push('work'));
  clock.at(60, () => rung.push('limit'));
  const left = await clock.outside(async () => {
    await sleep(200);
    return clock.msLeft();
  });
  assert.ok(left > 0, 'the clock is stopped');
  assert.equal(rung.length, 0);
  await until(() => rung.length === 2, 'both alarms');
  await clock.outside(() => sleep(1));
  assert.equal(clock.msLeft(), 0);
  clock.at(100, () => rung.push('stopped'));
  clock.stop();
  await clock.outside(() => sleep(1));
  await sleep(150);
  assert.deepEqual(rung, ['work', 'limit']);
});

test('a clock without limit has no alarm', async () => {
  const clock = new CallClock(Number.POSITIVE_INFINITY);
  clock.at(clock.limitMs, () => assert.fail('it rings'));
  assert.equal(await clock.outside(async () => clock.msLeft()), Number.POSITIVE_INFINITY);
  clock.stop();
});

const question = defineTool({
  name: 'question',
  title: 'A test',
  summary: 'Asks the user.',
  effect: 'writes',
  needs: [],
  index: 'none',
  fails: [],
  input: z.strictObject({}),
  run: async (_input, _granted, call) => {
    for (const message of ['one', 'one', 'two']) call.warn({ code: 'TRUNCATED', message });
    const consent = await call.consent?.('Really?');
    return { consent: consent ?? 'not asked', isInTime: call.msLeft() > 0 };
  },
});

function dataOf({ structured, text }: Answer): object {
  assert.ok(structured.ok, text);
  return structured.data;
}

test('a call asks only if the config and the client allow it, waits longer than its limit, and stops with its signal', async () => {
  const catalog: readonly AnyTool[] = [question];
  const signal = new AbortController().signal;
  const ask = async (): Promise<'approved'> => sleep(1_200, 'approved');
  const asking = createTestHost({ catalog, callLimitMs: 1_000, consentMs: 40_000 });
  const answer = await asking.dispatch('question', {}, { signal, ask });
  assert.deepEqual(dataOf(answer), { consent: 'approved', isInTime: true });
  assert.ok(answer.structured.ok);
  assert.deepEqual(
    answer.structured.warnings?.map(({ message }) => message),
    ['one', 'two'],
  );
  const notAsked = { consent: 'not asked', isInTime: true };
  assert.deepEqual(dataOf(await asking.dispatch('question', {}, { signal })), notAsked);
  const silent = createTestHost({ catalog });
  assert.deepEqual(dataOf(await silent.dispatch('question', {}, { signal, ask })), notAsked);

  const call = new AbortController();
  let withdrawn: AbortSignal | undefined;
  const hang = (_question: string, _waitMs: number, ofCall: AbortSignal): Promise<never> => {
    withdrawn = ofCall;
    call.abort();
    return new Promise((_, reject) => ofCall.addEventListener('abort', () => reject(ofCall.reason)));
  };
  const cancelled = await asking.dispatch('question', {}, { signal: call.signal, ask: hang });
  assert.ok(!cancelled.structured.ok);
  assert.equal(cancelled.structured.error.code, 'CANCELLED');
  assert.equal(withdrawn?.aborted, true);
});
