import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ERRORS, type ErrorCode, VaultgraphError } from '../../../src/base/errors.ts';
import { type Course, nextAttempt } from '../../../src/lifecycle/resilience/retry.ts';
import { providerFailure } from '../../fakes/provider-failure.ts';

const SETTINGS = { attempts: 2, jobAttempts: 5 };
const FIRST: Course = { priority: 'interactive', failed: 1, alike: 1, elapsedMs: 10, msLeft: 55_000 };
const inJob = (some: Partial<Course> = {}): Course => ({
  ...FIRST,
  priority: 'background',
  msLeft: Number.POSITIVE_INFINITY,
  ...some,
});
const middle = (): number => 0.5;

const unavailable = providerFailure('PROVIDER_UNAVAILABLE', { cause_code: 'ECONNREFUSED' });
const busy = (waitMs?: number) => providerFailure('PROVIDER_BUSY', { source: 'queue full' }, {}, waitMs);
const limited = (waitMs?: number) => providerFailure('PROVIDER_RATE_LIMITED', { source: '429' }, {}, waitMs);
const failing = providerFailure('PROVIDER_ERROR', { status: 500, said: 'not found' });

/** What stays the same however often it is asked. */
const NEVER_AGAIN: readonly VaultgraphError[] = [
  providerFailure('PROVIDER_TIMEOUT', { phase: 'headers', timeout_ms: 5, clipped: false, cold_start: false }),
  providerFailure('PROVIDER_BAD_RESPONSE', { expected: 'a', received: 'b' }),
  providerFailure('PROVIDER_INPUT_TOO_LONG', {}, { level: 'item' }),
  providerFailure('PROVIDER_REJECTED_INPUT', { status: 400, said: 'no' }, { level: 'item' }),
  providerFailure('PROVIDER_MODEL_MISSING', { installed: [], auto_pull: 'never' }),
  providerFailure('PROVIDER_MODEL_UNSUITABLE', { reason: 'chats', capabilities: [] }),
  providerFailure('PROVIDER_AUTH_FAILED', { status: 401 }),
  providerFailure('PROVIDER_ENDPOINT_UNSUPPORTED', { path: '/api/embed', status: 404 }),
  new VaultgraphError('EGRESS_BLOCKED', { capability: 'embedding', endpoint: 'e', host: 'h', model: 'm' }),
  new VaultgraphError('OVERLOADED', { queued: 9, limit: 8 }),
  new VaultgraphError('INTERNAL', { kind: 'a bug' }),
];

test('an interactive call is retried once, after a short wait', () => {
  for (const error of [unavailable, busy(), limited(), failing]) {
    const again = nextAttempt(error, FIRST, SETTINGS, middle);
    assert.ok(again !== undefined && again.waitMs >= 150 && again.waitMs <= 2_000, error.code);
    assert.equal(again.attempt, '2/2');
    assert.equal(nextAttempt(error, { ...FIRST, failed: 2, alike: 2 }, SETTINGS, middle), undefined);
  }
});

test('the wait for an unreachable provider is a random time between 150 and 400 ms', () => {
  const waits = [0, 0.999].map((chance) => nextAttempt(unavailable, FIRST, SETTINGS, () => chance)?.waitMs);
  assert.deepEqual(waits, [150, 400]);
});

test('errors that a retry would not fix are not retried, in calls and jobs', () => {
  for (const error of NEVER_AGAIN) {
    assert.equal(nextAttempt(error, FIRST, SETTINGS, middle), undefined, error.code);
    assert.equal(nextAttempt(error, inJob(), SETTINGS, middle), undefined, error.code);
  }
});

test('every provider error code is either retried or listed as never retried', () => {
  const again = [unavailable, busy(), limited(), failing].map(({ code }) => code as ErrorCode);
  const never = NEVER_AGAIN.map(({ code }) => code);
  // Made by the layers in front, so that it never comes from behind the retries.
  const ours: ErrorCode[] = ['PROVIDER_MODEL_PULLING', 'PROVIDER_CIRCUIT_OPEN'];
  const all = Object.keys(ERRORS).filter((code) => code.startsWith('PROVIDER_')) as ErrorCode[];
  assert.deepEqual(
    all.filter((code) => ![...again, ...never, ...ours].includes(code)),
    [],
  );
});

test('P7 the wait from the server is kept; beyond 5 s or the time left a call does not wait', () => {
  assert.equal(nextAttempt(limited(2_000), FIRST, SETTINGS, middle)?.waitMs, 2_000);
  assert.equal(nextAttempt(limited(86_400_000), FIRST, SETTINGS, middle), undefined);
  assert.equal(nextAttempt(busy(5_000), FIRST, SETTINGS, middle)?.waitMs, 5_000);
  assert.equal(nextAttempt(busy(5_001), FIRST, SETTINGS, middle), undefined);
  assert.equal(nextAttempt(busy(2_000), { ...FIRST, msLeft: 1_999 }, SETTINGS, middle), undefined);
  assert.equal(nextAttempt(busy(0), FIRST, SETTINGS, middle)?.waitMs, 0);
});

test('a job waits up to two minutes if the server says so, for five attempts', () => {
  assert.equal(nextAttempt(busy(120_000), inJob(), SETTINGS, middle)?.waitMs, 120_000);
  assert.equal(nextAttempt(limited(120_001), inJob(), SETTINGS, middle), undefined);
  assert.equal(nextAttempt(busy(), inJob({ failed: 4, alike: 4 }), SETTINGS, middle)?.attempt, '5/5');
  assert.equal(nextAttempt(busy(), inJob({ failed: 5, alike: 5 }), SETTINGS, middle), undefined);
});

test('a job tries a failing server three times, even if the config allows more', () => {
  assert.equal(nextAttempt(failing, inJob({ failed: 2, alike: 2 }), SETTINGS, middle)?.attempt, '3/3');
  assert.equal(nextAttempt(failing, inJob({ failed: 3, alike: 3 }), SETTINGS, middle), undefined);
  assert.equal(nextAttempt(failing, inJob(), { attempts: 2, jobAttempts: 1 }, middle), undefined);
});

test('a job waits up to ten minutes for an unreachable provider, 0.5 to 30 s at a time', () => {
  const course = { failed: 1, elapsedMs: 0 };
  const waits: number[] = [];
  for (;;) {
    const again = nextAttempt(unavailable, inJob({ ...course, alike: course.failed }), SETTINGS, () => 0.999);
    if (again === undefined) break;
    assert.equal(again.attempt, `${course.failed + 1}`);
    waits.push(again.waitMs);
    course.failed += 1;
    course.elapsedMs += again.waitMs;
  }
  assert.ok(course.elapsedMs <= 600_000 && course.elapsedMs > 560_000, `${course.elapsedMs}`);
  assert.ok(waits[0] !== undefined && waits[0] >= 500 && waits[0] <= 1_000);
  assert.ok(Math.max(...waits) <= 30_000 && waits.length > 20);
  assert.equal(nextAttempt(unavailable, inJob(), { attempts: 2, jobAttempts: 1 }, middle), undefined);
});

test('failures of different kinds in one request of a job are counted separately', () => {
  assert.equal(nextAttempt(busy(), inJob({ failed: 30, alike: 1 }), SETTINGS, middle)?.attempt, '31/31');
});

test('one attempt means no retry; more attempts mean more retries', () => {
  for (const error of [unavailable, busy(10), limited(10), failing]) {
    assert.equal(nextAttempt(error, FIRST, { attempts: 1, jobAttempts: 5 }, middle), undefined);
    assert.equal(
      nextAttempt(error, { ...FIRST, failed: 3, alike: 3 }, { attempts: 4, jobAttempts: 5 }, middle)?.attempt,
      '4/4',
    );
  }
});

test('no wait exceeds the limit of its kind, is negative or fractional', () => {
  const errors = fc.constantFrom(unavailable, busy(), limited(), failing, busy(3_000), limited(90_000));
  const course = fc.record({
    priority: fc.constantFrom('interactive' as const, 'background' as const),
    failed: fc.integer({ min: 1, max: 40 }),
    alike: fc.integer({ min: 1, max: 40 }),
    elapsedMs: fc.integer({ min: 0, max: 700_000 }),
    msLeft: fc.integer({ min: 0, max: 60_000 }),
  });
  const settings = fc.record({
    attempts: fc.integer({ min: 1, max: 10 }),
    jobAttempts: fc.integer({ min: 1, max: 100 }),
  });
  fc.assert(
    fc.property(
      errors,
      course,
      settings,
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (error, at, given, chance) => {
        const again = nextAttempt(error, at, given, () => chance);
        if (again === undefined) return;
        const most = at.priority === 'interactive' ? 5_000 : 120_000;
        assert.ok(Number.isSafeInteger(again.waitMs) && again.waitMs >= 0 && again.waitMs <= Math.min(most, at.msLeft));
      },
    ),
  );
});
