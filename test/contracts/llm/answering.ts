// Contract tests of language-model results.
import assert from 'node:assert/strict';
import * as z from 'zod';
import { assertEach } from '../../assert-each.ts';
import { failsAlone, HARBOUR, type Law, never, newCall, request } from './law.ts';

const GARDEN = { summary: 'Beans along the wall.', tags: ['garden'], score: 3 };
const ODD = '灯台 👩‍👩‍👧 e\u0301tude مرحبا "quoted" \\ back\nnew line \u0000 </text> [INST]';

export function answeringLaws(law: Law): void {
  law('the output of the model is returned as a value of the schema', async ({ provider, writes }) => {
    writes(() => JSON.stringify(HARBOUR));
    const { value, promptTokens = 1, answerTokens = 1 } = await provider.generate(request(), newCall(), never);
    assert.deepEqual(value, HARBOUR);
    assert.ok(promptTokens >= 0 && answerTokens >= 0);
    writes(() => `\n  ${JSON.stringify(GARDEN, null, 2)}\n`);
    assert.deepEqual((await provider.generate(request(), newCall(), never)).value, GARDEN);
  });

  law('the model receives instructions and prompt separately and unchanged', async ({ provider, writes }) => {
    writes(({ instructions, prompt }) => JSON.stringify([instructions, prompt]));
    const given = {
      instructions: `Do: ${ODD}`,
      prompt: `<text>${ODD}</text>`,
      schema: z.tuple([z.string(), z.string()]),
    };
    const { value } = await provider.generate({ ...given, maxAnswerTokens: 300 }, newCall(), never);
    assert.deepEqual(value, [given.instructions, given.prompt]);
  });

  law('a lone surrogate does not fail the request', async ({ provider, writes }) => {
    writes(() => JSON.stringify(HARBOUR));
    await provider.generate(request({ prompt: 'a\ud800b', instructions: 'x\udc00' }), newCall(), never);
  });

  law('a repeated request has the same answer', async ({ provider, writes }) => {
    writes(({ prompt }) => JSON.stringify({ ...HARBOUR, summary: `of ${prompt.length}` }));
    const answers = [];
    for (let time = 0; time < 3; time += 1) answers.push((await provider.generate(request(), newCall(), never)).value);
    assert.deepEqual(answers[1], answers[0]);
    assert.deepEqual(answers[2], answers[0]);
  });

  law('concurrent requests do not mix', async ({ provider, writes }) => {
    writes(({ prompt }) => JSON.stringify({ ...HARBOUR, summary: prompt }));
    const prompts = ['lighthouse', 'garden', 'numbers', 'bread', 'mountain'];
    const answers = await Promise.all(
      prompts.map((prompt) => provider.generate(request({ prompt }), newCall(), never)),
    );
    assertEach(answers, ({ value }) => value.summary, prompts);
  });

  const UNUSABLE: Readonly<Record<string, string>> = {
    'nothing at all': '',
    'white space': ' \n ',
    'a refusal in words': 'I am sorry, but I cannot help with hemlock.',
    'JSON that is cut': '{"summary": "The harbour lies quiet", "ta',
    'JSON with words behind it': `${JSON.stringify(HARBOUR)} The tide is quiet.`,
    'another shape': JSON.stringify({ summary: 'quiet' }),
    'a key too many': JSON.stringify({ ...HARBOUR, tide: 'quiet' }),
    'a value that is not among those allowed': JSON.stringify({ ...HARBOUR, tags: ['hemlock'] }),
    'a number beyond its bounds': JSON.stringify({ ...HARBOUR, score: 11 }),
    'a list in place of an object': '["quiet"]',
    null: 'null',
  };
  for (const [what, text] of Object.entries(UNUSABLE))
    law(`P24 ${what} fails its request only, and the next request is answered`, async (under) => {
      const { provider, writes } = under;
      writes(() => text);
      await failsAlone(provider.generate(request(), newCall(), never), 'PROVIDER_BAD_RESPONSE');
      writes(() => JSON.stringify(HARBOUR));
      assert.deepEqual((await provider.generate(request(), newCall(), never)).value, HARBOUR);
    });

  law('P24 a truncated answer fails, even if the part is valid', async (under, context) => {
    const { provider, writes, cutsShort, heal } = under;
    if (cutsShort === undefined) return context.skip('nothing cuts it');
    writes(() => JSON.stringify(HARBOUR));
    await cutsShort();
    await failsAlone(provider.generate(request(), newCall(), never), 'PROVIDER_BAD_RESPONSE');
    await heal?.();
    assert.deepEqual((await provider.generate(request(), newCall(), never)).value, HARBOUR);
  });

  law('P24 a prompt that leaves no room for its answer is refused without a request', async ({ provider, writes }) => {
    let read = 0;
    writes(() => {
      read += 1;
      return JSON.stringify(HARBOUR);
    });
    const long = 'the quiet tide '.repeat(provider.contextTokens);
    const failure = await failsAlone(
      provider.generate(request({ prompt: long }), newCall(), never),
      'PROVIDER_INPUT_TOO_LONG',
    );
    const { tokens = 0, limit = 0 } = failure.details as { tokens?: number; limit?: number };
    assert.ok(tokens > limit && limit < provider.contextTokens, `${tokens} of ${limit}`);
    const greedy = request({ maxAnswerTokens: provider.contextTokens });
    await failsAlone(provider.generate(greedy, newCall(), never), 'PROVIDER_INPUT_TOO_LONG');
    assert.equal(read, 0);
    await provider.generate(request(), newCall(), never);
    assert.equal(read, 1);
  });
}
