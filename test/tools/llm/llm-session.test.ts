// Tests the language model session of a call: prompt size, identity and the report on the provider.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { FRAME_TOKENS } from '../../../src/contracts/llm.ts';
import type { AnswerNotes, CallContext } from '../../../src/contracts/tool.ts';
import { sizeOf } from '../../../src/markdown/chunk/text-size.ts';
import { openLlmSession, type Task } from '../../../src/tools/llm/llm-session.ts';
import { fakeLLM, llmFailure } from '../../fakes/llm.ts';

const TASK: Task<{ word: string }> = {
  name: 'a task',
  version: 1,
  instructions: 'Say a word of the text.',
  schema: z.strictObject({ word: z.string() }),
  maxAnswerTokens: 600,
};

function under(settings = {}) {
  const reported: AnswerNotes[] = [];
  const fake = fakeLLM(() => ({ word: 'tide' }), settings);
  const call = {
    signal: new AbortController().signal,
    msLeft: () => 60_000,
    progress: () => {},
    warn: () => {},
    annotate: (notes: AnswerNotes) => void reported.push(notes),
  };
  return { fake, reported, model: openLlmSession(fake.provider, call as unknown as CallContext) };
}

test('a prompt may use what instructions, answer and frame leave; the answer takes at most a quarter of a small context', () => {
  const said = sizeOf(TASK.instructions).tokens + FRAME_TOKENS;
  assert.equal(under({ contextTokens: 8_192 }).model.room(TASK), Math.floor(8_192 - said - 600));
  assert.equal(under({ contextTokens: 1_024 }).model.room(TASK), Math.floor(1_024 - said - 256));
});

test('a prompt as large as its room is accepted, and one character more is not', async () => {
  const { model } = under({ contextTokens: 1_024 });
  const room = model.room(TASK);
  const fitting = '。'.repeat(room);
  assert.deepEqual(await model.ask(TASK, fitting), { word: 'tide' });
  await assert.rejects(model.ask(TASK, `${fitting}。。`), { code: 'PROVIDER_INPUT_TOO_LONG' });
});

test('a context without room for a prompt is refused before the provider is called', () => {
  const { model, fake } = under({ contextTokens: 200 });
  assert.throws(
    () => model.room(TASK),
    (error: { code: string; details: { level: string; limit: number } }) => {
      assert.deepEqual(
        [error.code, error.details.level, error.details.limit],
        ['PROVIDER_INPUT_TOO_LONG', 'item', 200],
      );
      return true;
    },
  );
  assert.equal(fake.requested.generate, 0);
});

test('the identity is requested once, and only a provider that was called is reported', async () => {
  const { model, fake, reported } = under({ endpoint: 'http://127.0.0.1:11434' });
  model.reportProvider();
  assert.deepEqual(reported, []);
  const [one, other] = await Promise.all([model.identity(), model.identity()]);
  assert.deepEqual([one, fake.requested.identify], [other, 1]);
  await model.ask(TASK, 'text');
  model.reportProvider();
  const provider = { capability: 'llm', served_by: 'fake@127.0.0.1:11434', model: 'script', attempts: 1 };
  assert.deepEqual(reported, [{ provider }]);
});

test('a failed identity request fails every call that needs it, with the same code', async () => {
  const { model, fake } = under();
  fake.failNext(llmFailure('PROVIDER_UNAVAILABLE', { cause_code: 'ECONNREFUSED' }));
  await assert.rejects(model.identity(), { code: 'PROVIDER_UNAVAILABLE' });
  await assert.rejects(model.identity(), { code: 'PROVIDER_UNAVAILABLE' });
  assert.equal(fake.requested.identify, 1);
});
