// Tests the prompt methods: availability, bugs, the shared time limit and progress.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { Prompt } from '../../../src/contracts/prompt.ts';
import { createPathMask } from '../../../src/mcp/render/safe-text.ts';
import type { Method, WireRequest } from '../../../src/mcp/wire/method.ts';
import { offeredPrompts, promptMethods } from '../../../src/mcp/wire/prompt-methods.ts';
import { createTestHost } from '../test-host.ts';
import type { Wire } from './offer-under-test.ts';

const common = { title: 'A test', description: 'Does one odd thing.', needs: ['echo'], arguments: [] } as const;
const nothing = z.strictObject({});

const buggy: Prompt<object> = {
  ...common,
  name: 'buggy',
  input: nothing,
  write: async () => {
    throw new TypeError('a bug about /home/ann/diary');
  },
};
/** Two waits that each take longer than half of the prompt's time. */
const slow: Prompt<object> = {
  ...common,
  name: 'slow',
  input: nothing,
  write: async (_input, call) => {
    const first = await call.ask('wait', { ms: 2_000, steps: 3 });
    const second = await call.ask('wait', { ms: 2_000 });
    return { text: [first, second].map(({ error }) => error?.code ?? 'ok').join() };
  },
};
const unlisted: Prompt<object> = {
  ...common,
  name: 'unlisted',
  needs: ['echo', 'search'],
  input: nothing,
  write: async () => ({ text: '' }),
};

function served(limitMs = 60_000) {
  const { exposed, dispatch, records } = createTestHost();
  const tools = new Set(exposed.tools.keys());
  const prompts = offeredPrompts([buggy, slow, unlisted], tools);
  const log = (level: string, event: string, fields?: object): void =>
    void records.push({ level, event, fields: { ...fields } });
  const argumentLimits = { batch: 10, text: 1_000 };
  const methods = new Map<string, Method>(
    promptMethods({ prompts, tools, dispatch, limitMs, argumentLimits, mask: createPathMask([]), log }),
  );
  const ask = (method: string, params: Record<string, unknown>, request: Partial<WireRequest> = {}): Promise<Wire> => {
    const whole = { id: '1', client: 'test', signal: new AbortController().signal, ...request };
    return methods.get(method)?.(params, whole) as Promise<Wire>;
  };
  return { ask, records };
}

test('a prompt whose tools are not all listed is neither listed nor available', async () => {
  const { ask } = served();
  const { result } = await ask('prompts/list', {});
  assert.deepEqual(
    result.prompts.map(({ name }: Wire) => name),
    ['buggy', 'slow'],
  );
  const { fault } = await ask('prompts/get', { name: 'unlisted' });
  assert.deepEqual([fault.code, fault.data.available], [-32602, ['buggy', 'slow']]);
});

test('M4 a bug in a prompt is -32603 with an id that is in the log once, without the thrown message', async () => {
  const { ask, records } = served();
  const { fault } = await ask('prompts/get', { name: 'buggy' });
  assert.equal(fault.code, -32603);
  assert.doesNotMatch(JSON.stringify(fault), /ann|diary/);
  const found = records.filter(({ fields }) => fields.error_id === fault.data.error_id);
  assert.deepEqual(
    found.map(({ fields }) => fields.code),
    ['INTERNAL'],
  );
  assert.doesNotMatch(JSON.stringify(records), /diary/);
});

test('M6 all calls of one prompt share one limit', async () => {
  const { ask } = served(3_500);
  const { result } = await ask('prompts/get', { name: 'slow' });
  assert.equal(result.messages[0].content.text, 'ok,DEADLINE_EXCEEDED');
});

test('M5 a cancelled prompt makes no more calls', async () => {
  const { ask, records } = served();
  const cancel = new AbortController();
  const requested = ask('prompts/get', { name: 'slow' }, { signal: cancel.signal, progress: () => cancel.abort() });
  assert.equal((await requested).result.messages[0].content.text, 'CANCELLED,CANCELLED');
  assert.ok(records.every(({ fields }) => fields.code === undefined || fields.code === 'CANCELLED'));
});

test('progress of the tools that a prompt calls goes to the client of the prompt', async () => {
  const { ask } = served();
  const reported: string[] = [];
  await ask('prompts/get', { name: 'slow' }, { progress: ({ message }) => void reported.push(message) });
  assert.equal(reported[0], 'step 0');
});
