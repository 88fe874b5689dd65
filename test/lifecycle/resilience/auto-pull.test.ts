import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { toVaultgraphError, VaultgraphError } from '../../../src/base/errors.ts';
import type { IndexJob } from '../../../src/contracts/indexer.ts';
import type { Pull } from '../../../src/lifecycle/resilience/auto-pull.ts';
import { assertEach } from '../../assert-each.ts';
import { providerFailure } from '../../fakes/provider-failure.ts';
import { settle } from './hand-clock.ts';
import { callOf, jobCall, thrownBy, underTest } from './under-test.ts';

const missing = () => providerFailure('PROVIDER_MODEL_MISSING', { installed: ['other'], auto_pull: 'once' });

/** Jobs as the indexer would run them, and a pull that is moved by hand. */
function pulling(setting: Parameters<typeof underTest>[1] = {}) {
  const stop = new AbortController();
  const jobs: Promise<VaultgraphError | undefined>[] = [];
  const ending = Promise.withResolvers<void>();
  let report: (share: number) => void = () => undefined;
  let pulls = 0;
  const pull: Pull = (onProgress, signal) => {
    pulls += 1;
    report = onProgress;
    signal.addEventListener('abort', () => ending.reject(signal.reason));
    return ending.promise;
  };
  const startPull = (run: Pull): IndexJob => {
    jobs.push(run(() => undefined, stop.signal).then(() => undefined, toVaultgraphError));
    return { id: `job_${jobs.length}` } as IndexJob;
  };
  const main = underTest({}, { pull, ...setting, hooks: { startPull, ...setting.hooks } });
  return { ...main, ending, jobs, stop, report: (share: number) => report(share), pulls: () => pulls };
}

test('P10 a missing model is pulled once, and the error names the pull job and its progress', async () => {
  const { embed, fake, report, ending, pulls, notes, answered, jobs } = pulling();
  fake.failNext(missing(), missing(), missing());
  const first = await thrownBy(embed());
  assert.equal(first.code, 'PROVIDER_MODEL_PULLING');
  assert.partialDeepStrictEqual(first.details, { job_id: 'job_1', percent: 0, model: 'hashed-words', attempts: 1 });
  assert.ok(!('installed' in first.details));
  report(0.426);
  const second = await thrownBy(embed());
  assert.partialDeepStrictEqual(second.details, { job_id: 'job_1', percent: 42 });
  assert.partialDeepStrictEqual((await thrownBy(embed(jobCall()))).details, { job_id: 'job_1' });
  assert.deepEqual(notes(), ['the model is being pulled, 42 %']);
  ending.resolve();
  assert.equal(await jobs[0], undefined);
  assert.equal(answered(), 1, 'a caller that waits for the model continues');
  assert.equal((await embed()).succeeded.length, 1);
  assert.equal(pulls(), 1);
});

test('P10 a call that finds the model missing while its pull ends is asked again', async () => {
  const { embed, fake, ending, jobs, pulls } = pulling();
  fake.failNext(missing(), missing());
  await thrownBy(embed());
  const late = embed();
  ending.resolve();
  await jobs[0];
  assert.equal((await late).succeeded.length, 1);
  assert.equal(pulls(), 1);
});

test('P10 concurrent calls start one pull', async () => {
  const { embed, fake, pulls } = pulling();
  fake.failNext(missing(), missing());
  const errors = await Promise.all([thrownBy(embed()), thrownBy(embed())]);
  assertEach(errors, ({ code }) => code, ['PROVIDER_MODEL_PULLING', 'PROVIDER_MODEL_PULLING']);
  assert.equal(pulls(), 1);
});

test('P10 after a failed pull the error says that auto_pull failed, and the model is not pulled again', async () => {
  const { embed, fake, ending, pulls, notes, jobs } = pulling();
  fake.failNext(missing(), missing(), missing());
  await thrownBy(embed());
  ending.reject(providerFailure('PROVIDER_ERROR', { status: 500, said: 'file does not exist' }));
  assert.equal((await jobs[0])?.code, 'PROVIDER_ERROR');
  for (let at = 0; at < 2; at += 1) {
    const error = await thrownBy(embed());
    assert.equal(error.code, 'PROVIDER_MODEL_MISSING');
    assert.partialDeepStrictEqual(error.details, { auto_pull: 'failed', installed: ['other'] });
    assert.match(error.message, /downloading it failed: \[PROVIDER_ERROR\] .*file does not exist/);
  }
  assert.match(notes().join(), /pulling it failed: \[PROVIDER_ERROR\]/);
  assert.equal(pulls(), 1);
});

test('P10 a stalled pull fails with a timeout; a slow one that makes progress does not', async () => {
  const { embed, fake, report, jobs, pulls } = pulling({ limits: { warmUp: 2_500 } });
  fake.failNext(missing(), missing());
  await thrownBy(embed());
  const pull = jobs[0];
  let hasEnded = false;
  void pull?.then(() => {
    hasEnded = true;
  });
  for (let at = 1; at <= 4; at += 1) {
    await pause(700);
    report(at / 10);
  }
  assert.equal(hasEnded, false);
  const error = await pull;
  assert.equal(error?.code, 'PROVIDER_TIMEOUT');
  assert.partialDeepStrictEqual(error?.details, { timeout_ms: 2_500, phase: 'body', attempts: 1 });
  assert.partialDeepStrictEqual((await thrownBy(embed())).details, { auto_pull: 'failed' });
  assert.equal(pulls(), 1);
});

test('P10 a cancelled pull is not repeated', async () => {
  const { embed, fake, stop, jobs, notes } = pulling();
  fake.failNext(missing(), missing());
  await thrownBy(embed());
  stop.abort(new VaultgraphError('CANCELLED', { committed: 'partial' }));
  assert.equal((await jobs[0])?.code, 'CANCELLED');
  assert.partialDeepStrictEqual((await thrownBy(embed())).details, { auto_pull: 'failed' });
  assert.match(notes().join(), /\[CANCELLED\]/);
});

test('P10 a model that is still missing after its pull is not pulled again', async () => {
  const { embed, fake, ending, jobs, pulls } = pulling();
  fake.failNext(missing(), missing());
  await thrownBy(embed());
  ending.resolve();
  await jobs[0];
  assert.partialDeepStrictEqual((await thrownBy(embed())).details, { auto_pull: 'failed' });
  assert.equal(pulls(), 1);
});

test('P10 without auto_pull in the config, or without a job list, nothing is pulled', async () => {
  const never = providerFailure('PROVIDER_MODEL_MISSING', { installed: [], auto_pull: 'never' });
  const without = pulling({ pull: undefined });
  without.fake.failNext(never);
  assert.equal(await thrownBy(without.embed()), never);
  const alone = underTest({}, { pull: async () => assert.fail('it was pulled') });
  alone.fake.failNext(never);
  assert.equal(await thrownBy(alone.embed()), never);
  await settle();
  assert.deepEqual([without.pulls(), without.notes(), alone.notes()], [0, [], []]);
});

test('a pull that cannot be started fails the call, and the next call tries again', async () => {
  let starts = 0;
  const startPull = (): IndexJob => {
    starts += 1;
    throw new VaultgraphError('SHUTTING_DOWN', {});
  };
  const { embed, fake } = pulling({ hooks: { startPull } });
  fake.failNext(missing(), missing());
  for (let at = 1; at <= 2; at += 1) {
    assert.equal((await thrownBy(embed(callOf()))).code, 'SHUTTING_DOWN');
    assert.equal(starts, at);
  }
});
