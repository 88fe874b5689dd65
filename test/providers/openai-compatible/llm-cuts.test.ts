// Prompts that a server cuts without an error: how much it reads is measured, and a cut answer is a failure.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { createOpenaiLlm } from '../../../src/providers/openai-compatible/openai-llm.ts';
import { failsAlone, HARBOUR, never, newCall, request } from '../../contracts/llm/law.ts';
import { hang } from '../../fakes/http/faults.ts';
import type { OpenaiSettings } from '../../fakes/openai/embed.ts';
import { says } from '../../fakes/openai/faults.ts';
import type { OpenaiServer } from '../../fakes/openai-server.ts';
import { CHAT, MODEL, opened } from './llm-under-test.ts';

const CONFIGURED = 16_384;
const READ = 4_096;
const section = { context: CONFIGURED };
const cutting = { flavour: 'ollama', contextTokens: READ } as const;

const words = (count: number) => request({ prompt: 'word '.repeat(count), maxAnswerTokens: 200 });
const modelLine = async (probe: Awaited<ReturnType<typeof opened>>['probe']): Promise<string> =>
  (await probe(never)).levels?.find(({ level }) => level === 'model')?.detail ?? '';

describe('a server that reads fewer tokens than the config says', () => {
  it('fails the first call whose prompt it cut, before anything is measured', async (test) => {
    const { server, provider } = await opened(test, cutting, section);
    const failure = await failsAlone(provider.generate(words(7_000), newCall(), never), 'PROVIDER_INPUT_TOO_LONG');
    assert.partialDeepStrictEqual(failure.details, { limit: READ });
    assert.equal(server.requestsTo(CHAT).length, 1);
    assert.deepEqual((await provider.generate(words(3_000), newCall(), never)).value, HARBOUR);
  });

  it('is measured by one prompt of the configured size, and gets no longer prompt from then on', async (test) => {
    const { server, provider, probe } = await opened(test, cutting, section);
    assert.match(await modelLine(probe), /not known yet whether it reads 16384 tokens/);
    await provider.warmUp(never);
    const [, long] = server.requestsTo(CHAT);
    assert.equal(server.requestsTo(CHAT).length, 2);
    assert.equal(long?.body.max_tokens, 1);
    assert.equal(long?.body.messages[0].content.trim().split(' ').length, CONFIGURED + 1);
    assert.equal(provider.contextTokens, READ);
    assert.match(await modelLine(probe), /reads 4096 of the 16384 tokens/);
    await failsAlone(provider.generate(words(3_000), newCall(), never), 'PROVIDER_INPUT_TOO_LONG');
    assert.equal(server.requestsTo(CHAT).length, 2);
    assert.deepEqual((await provider.generate(words(1_500), newCall(), never)).value, HARBOUR);
  });

  it('fails a prompt that fills what was measured, however many tokens were estimated', async (test) => {
    const { server, provider } = await opened(test, cutting, section);
    await provider.warmUp(never);
    server.change({ usage: () => READ });
    await failsAlone(provider.generate(words(10), newCall(), never), 'PROVIDER_INPUT_TOO_LONG');
    server.change({ usage: () => READ - 50 });
    assert.deepEqual((await provider.generate(words(10), newCall(), never)).value, HARBOUR);
  });

  it('is measured again by the next warm-up', async (test) => {
    const { server, provider, probe } = await opened(test, cutting, section);
    await provider.warmUp(never);
    server.change({ contextTokens: 2 * CONFIGURED });
    await provider.warmUp(never);
    assert.equal(provider.contextTokens, CONFIGURED);
    assert.match(await modelLine(probe), /; it reads 16384 tokens$/);
  });
});

describe('a server whose counts say nothing', () => {
  for (const [what, usage] of Object.entries<OpenaiSettings['usage']>({
    'none at all': () => undefined,
    'always 0': () => 0,
    'the number of messages': () => 2,
  }))
    it(`${what}: its answers are taken, and the probe says so`, async (test) => {
      const { provider, probe } = await opened(test, { ...cutting, usage }, section);
      await provider.warmUp(never);
      assert.equal(provider.contextTokens, CONFIGURED);
      assert.match(await modelLine(probe), /counts no tokens, so a prompt that it cuts cannot be noticed/);
      assert.deepEqual((await provider.generate(words(6_000), newCall(), never)).value, HARBOUR);
    });

  it('a server that refuses what is too long keeps the configured context', async (test) => {
    const { provider, probe } = await opened(test, { flavour: 'vllm', contextTokens: READ }, section);
    await provider.warmUp(never);
    assert.equal(provider.contextTokens, CONFIGURED);
    assert.match(await modelLine(probe), /refuses what is longer than it reads/);
    await failsAlone(provider.generate(words(7_000), newCall(), never), 'PROVIDER_INPUT_TOO_LONG');
  });
});

const isLong = ({ body }: { body?: { max_tokens?: number } }): boolean => body?.max_tokens === 1;
const longPrompts = (server: OpenaiServer): number => server.requestsTo(CHAT).filter(isLong).length;

/** A provider that measures as soon as no call is made, and gives up after a short time. */
async function measuring(test: TestContext, limitMs = 10_000) {
  const { server } = await opened(test, cutting);
  const target = { capability: 'llm', provider: 'openai-compatible', model: MODEL, headers: {} } as const;
  const settings = { configured: CONFIGURED, limitMs, idleMs: 1 };
  const made = createOpenaiLlm({ ...target, endpoint: server.endpoint }, settings);
  test.after(() => made.readContext.close());
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { ...made, server, until };
}

describe('the measurement in the background', () => {
  it('begins after the first answer, once, and never in a call', async (test) => {
    const { server, provider, readContext, until } = await measuring(test);
    await provider.identify(newCall(), never);
    server.fail(says('ollama', 500, 'out of memory'), { on: CHAT, times: 1 });
    await assert.rejects(provider.generate(words(10), newCall(), never), VaultgraphError);
    await provider.generate(words(10), newCall(), never);
    assert.equal(longPrompts(server), 0);
    await until(() => readContext.tokens === READ);
    await provider.generate(words(10), newCall(), never);
    await provider.generate(words(10), newCall(), never);
    assert.equal(longPrompts(server), 1);
  });

  it('gives way to a call, and begins again after it', async (test) => {
    const { server, provider, readContext, until } = await measuring(test);
    await provider.generate(words(10), newCall(), never);
    server.fail(hang(), { on: CHAT, times: 1 });
    await until(() => longPrompts(server) === 1);
    await provider.generate(words(10), newCall(), never);
    await server.untilEnded(CHAT, 1);
    await until(() => readContext.tokens === READ);
    assert.equal(longPrompts(server), 2);
  });

  it('is given up, and says so, where the prompt takes longer than a call may', async (test) => {
    const { server, provider, readContext, until } = await measuring(test, 50);
    server.fail(hang(), { on: CHAT, times: 1 });
    await readContext.measure(never);
    assert.match(readContext.finding, /did not read 16384 tokens within 50 ms/);
    server.heal();
    await provider.generate(words(10), newCall(), never);
    await until(() => server.requestsTo(CHAT).length === 2);
    assert.equal(longPrompts(server), 1);
  });
});
