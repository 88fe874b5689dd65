// The ONNX provider behind all its layers, as a server uses it: the timeout ends its thread, a question overtakes a job, and the breaker opens.
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readConfig } from '../../../src/config/config.ts';
import type { Embedding } from '../../../src/contracts/embedding.ts';
import { load } from '../../../src/lifecycle/loader.ts';
import { inputs } from '../../contracts/embedding/law.ts';
import { linkRuntime, writeOnnxModel } from '../../fakes/onnx-folder.ts';
import { callOf, jobCall, never, thrownBy } from '../../lifecycle/resilience/under-test.ts';
import { CATALOG, placeFor } from '../../lifecycle/sample-providers.ts';
import { until } from '../../until.ts';

/** Long enough for a text of two words on a busy machine. */
const LIMIT_MS = 4_000;

async function opened(context: TestContext) {
  const place = placeFor(context);
  const model = join(place.home, 'models/tiny');
  writeOnnxModel(model, { endless: 'lamp' });
  linkRuntime(model);
  const section = `{ type: onnx, model: "${model}", timeout: ${LIMIT_MS} }`;
  const file = place.write(`vault: { path: Notes }\nproviders: { embedding: ${section} }\n`);
  const { sections } = await readConfig(place.sources({ config: file }), CATALOG);
  const breaker = { enabled: true, failures: 2, cooldown: 600_000 };
  const loaded = await load(
    sections.filter(({ provider }) => provider.capability === 'embedding'),
    { ...place.context, resilience: { ...place.context.resilience, breaker } },
  );
  context.after(() => loaded.close());
  const { embedding } = loaded.capabilities as { embedding: Embedding };
  const isLoaded = async () => (await embedding.loaded(never)) === true;
  await until(async () => {
    await Promise.allSettled([embedding.warmUp(never)]);
    return isLoaded();
  }, 'the model in memory');
  const question = () => embedding.embed(inputs('harbour garden'), 'query', callOf(), never);
  return { embedding, model, isLoaded, question };
}

test('a text that the network never ends fails at the timeout, its thread ends, and the next call is served by another', async (context) => {
  const { embedding, isLoaded, question } = await opened(context);
  const call = jobCall();
  const error = await thrownBy(embedding.embed(inputs('harbour', 'lamp', 'garden'), 'document', call, never));
  assert.equal(error.code, 'PROVIDER_TIMEOUT');
  assert.partialDeepStrictEqual(error.details, { timeout_ms: LIMIT_MS, clipped: false, attempts: 1 });
  await until(async () => !(await isLoaded()), 'the end of the thread');
  await until(async () => (await Promise.allSettled([question()]))[0].status === 'fulfilled', 'the next answer');
});

test('a question waits for one text of a job, and not for its whole request', async (context) => {
  const { embedding, question } = await opened(context);
  const order: string[] = [];
  const texts = inputs(...Array.from({ length: 16 }, () => 'garden '.repeat(60)));
  const job = embedding.embed(texts, 'document', jobCall(), never).then(() => order.push('job'));
  const asked = question().then(() => order.push('question'));
  await Promise.all([job, asked]);
  assert.deepEqual(order, ['question', 'job']);
});

test('the breaker opens after failures in a row, and a text that fails alone is none', async (context) => {
  const { embedding, model, question } = await opened(context);
  renameSync(model, `${model}-away`);
  assert.match((await thrownBy(question())).code, /^PROVIDER_(MODEL|UNAVAILABLE)/);
  renameSync(`${model}-away`, model);
  const long = await embedding.embed(inputs('garden '.repeat(99), 'garden'), 'document', jobCall(), never);
  assert.deepEqual([long.succeeded.length, long.failed.length], [1, 1]);
  renameSync(model, `${model}-away`);
  const [first, second, third] = [await thrownBy(question()), await thrownBy(question()), await thrownBy(question())];
  assert.equal(first.code, second.code);
  assert.equal(third.code, 'PROVIDER_CIRCUIT_OPEN');
  assert.partialDeepStrictEqual(third.details, { last_code: first.code });
  renameSync(`${model}-away`, model);
  assert.equal((await thrownBy(question())).code, 'PROVIDER_CIRCUIT_OPEN');
});
