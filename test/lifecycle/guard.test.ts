import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { withLimit, withStallLimit } from '../../src/base/async/limits.ts';
import { VaultgraphError } from '../../src/base/errors.ts';
import { guardProvider, lapseError } from '../../src/lifecycle/guard.ts';

const NAME = { capability: 'embedding', type: 'sample', model: 'm', endpoint: 'http://127.0.0.1:1' } as const;
const never = () => new AbortController().signal;
const lapse = (elapsed_ms: number) => new VaultgraphError('STORE_BUSY', { op: 'test', waited_ms: elapsed_ms });

/** Work that continues until its signal aborts, and then fails with the reason. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => assert.fail('it did not throw'),
    (thrown: unknown) => thrown,
  );
}

interface Sample {
  readonly model: string;
  embed(texts: readonly string[], signal: AbortSignal): Promise<unknown>;
}

const sample = (embed: Sample['embed']): Sample => ({ model: 'm', embed });

test('at the limit the caller gets the typed error, and the work is aborted with the same error', async () => {
  let reason: unknown;
  const provider = sample((_, signal) => {
    signal.addEventListener('abort', () => {
      reason = signal.reason;
    });
    return untilAborted(signal);
  });
  const late: string[] = [];
  const guarded = guardProvider(NAME, provider, { embed: 20 }, (method) => late.push(method));
  const thrown = await thrownBy(guarded.embed(['x'], never()));
  assert.ok(thrown instanceof VaultgraphError && thrown.code === 'PROVIDER_TIMEOUT');
  assert.equal(reason, thrown);
  const { elapsed_ms, ...details } = thrown.details as { elapsed_ms: number };
  assert.ok(elapsed_ms >= 15);
  assert.deepEqual(details, {
    ...{ capability: 'embedding', provider: 'sample', model: 'm', endpoint: 'http://127.0.0.1:1', level: 'call' },
    ...{ attempts: 1, phase: 'headers', timeout_ms: 20, clipped: false, cold_start: false },
  });
  await pause(5);
  assert.deepEqual(late, []);
});

test('each capability has its own timeout error', async () => {
  const codes: Record<string, string> = { vault: 'VAULT_UNAVAILABLE', store: 'STORE_BUSY', llm: 'PROVIDER_TIMEOUT' };
  for (const [capability, code] of Object.entries(codes)) {
    const name = { capability: capability as 'vault', type: 'sample' };
    const guarded = guardProvider(
      name,
      sample((_, signal) => untilAborted(signal)),
      { embed: 5 },
      () => undefined,
    );
    assert.equal(((await thrownBy(guarded.embed([], never()))) as VaultgraphError).code, code);
  }
});

test('a cancel by the caller rejects the call and aborts the work with the same reason', async () => {
  const caller = new AbortController();
  let seen: AbortSignal | undefined;
  const guarded = guardProvider(
    NAME,
    sample((_, signal) => {
      seen = signal;
      return untilAborted(signal);
    }),
    { embed: 60_000 },
    () => undefined,
  );
  const call = thrownBy(guarded.embed([], caller.signal));
  const reason = new VaultgraphError('CANCELLED', { committed: 'none' });
  caller.abort(reason);
  assert.equal(await call, reason);
  assert.equal(seen?.reason, reason);
});

test('work does not start with an aborted signal', async () => {
  let began = 0;
  const guarded = guardProvider(
    NAME,
    sample(async () => ++began),
    { embed: 100 },
    () => undefined,
  );
  const reason = new VaultgraphError('SHUTTING_DOWN', {});
  assert.equal(await thrownBy(guarded.embed([], AbortSignal.abort(reason))), reason);
  assert.equal(began, 0);
});

test('3,000 calls leave no listener on a long-lived signal', async () => {
  const process = new AbortController();
  const answers = sample(async (texts) => texts.length);
  const fails = sample(async () => Promise.reject(lapse(0)));
  const works = guardProvider(NAME, answers, { embed: 60_000 }, () => undefined);
  const breaks = guardProvider(NAME, fails, { embed: 60_000 }, () => undefined);
  for (let call = 0; call < 1_500; call += 1) {
    assert.equal(await works.embed(['a'], process.signal), 1);
    await thrownBy(breaks.embed([], process.signal));
  }
  assert.equal(getEventListeners(process.signal, 'abort').length, 0);
  const waiting = works.embed(['a'], process.signal);
  assert.ok(getEventListeners(process.signal, 'abort').length > 0, 'while a call runs there is one');
  await waiting;
});

test('a store that does not end in time is described as what it is: a file here, or a database server', () => {
  const hintOf = (name: object): string =>
    lapseError({ capability: 'store', type: 'x', ...name }, 'takeLease', 1, 2).hint;
  assert.match(hintOf({}), /^The disk or the machine is slow/);
  assert.match(hintOf({ isServer: true }), /^The database server, or a connection pool before it/);
});

test('late answers and failures are counted, not thrown; work that stops on the abort is not counted', async () => {
  const late: string[] = [];
  const guard = (embed: Sample['embed']) => guardProvider(NAME, sample(embed), { embed: 5 }, (name) => late.push(name));
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const deaf = guard(async () => released.then(() => 'answer'));
  const broken = guard(async () => {
    await released;
    throw lapse(0);
  });
  const obedient = guard(async (_, signal) => pause(60_000, 'never', { signal }));
  await Promise.all([deaf, broken, obedient].map((each) => thrownBy(each.embed([], never()))));
  assert.deepEqual(late, []);
  release();
  await pause(10);
  assert.deepEqual(late, ['embed', 'embed']);
});

test('errors thrown by the work pass through unchanged, also synchronous ones', async () => {
  const own = lapse(1);
  const guarded = guardProvider(
    NAME,
    sample(() => {
      throw own;
    }),
    { embed: 100 },
    () => undefined,
  );
  assert.equal(await thrownBy(guarded.embed([], never())), own);
});

test('bounded methods and plain values pass through, and the result is frozen', async () => {
  const embed = async () => 1;
  const guarded = guardProvider(NAME, sample(embed), { embed: 'bounded' }, () => undefined);
  assert.equal(guarded.embed, embed);
  assert.equal(guarded.model, 'm');
  assert.ok(Object.isFrozen(guarded));
});

test('limits outside the range of a timer are an internal error at load', () => {
  for (const embed of [0, -1, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY]) {
    assert.throws(
      () =>
        guardProvider(
          NAME,
          sample(async () => 1),
          { embed },
          () => undefined,
        ),
      { code: 'INTERNAL' },
    );
  }
});

test('limits that do not match the methods are an internal error at load', () => {
  const twoMethods = { ...sample(async () => 1), more: async () => 2 };
  const limits = { embed: 5 } as { embed: number; more: number };
  assert.throws(() => guardProvider(NAME, twoMethods, limits, () => undefined), { code: 'INTERNAL' });
  const tooMany = { embed: 5, gone: 5 };
  assert.throws(
    () =>
      guardProvider(
        NAME,
        sample(async () => 1),
        tooMany,
        () => undefined,
      ),
    { code: 'INTERNAL' },
  );
});

test('a call without a signal is an internal error', async () => {
  const guarded = guardProvider(
    NAME,
    sample(async () => 1),
    { embed: 5 },
    () => undefined,
  );
  const thrown = await thrownBy(guarded.embed([], undefined as unknown as AbortSignal));
  assert.equal((thrown as VaultgraphError).code, 'INTERNAL');
});

test('withLimit without a limit still follows the caller’s abort; a limit out of range is refused', async () => {
  const caller = new AbortController();
  const waiting = thrownBy(withLimit(Number.POSITIVE_INFINITY, lapse, caller.signal, untilAborted));
  caller.abort('stop');
  assert.equal(await waiting, 'stop');
  const refused = await thrownBy(withLimit(0, lapse, never(), async () => 1));
  assert.equal((refused as VaultgraphError).code, 'INTERNAL');
});

test('a stall limit restarts with each heartbeat', async () => {
  const beats = async (beat: () => void) => {
    for (let at = 0; at < 5; at += 1) {
      await pause(600);
      beat();
    }
    return 'done';
  };
  assert.equal(await withStallLimit(2_500, lapse, never(), beats), 'done');
  let reason: unknown;
  const stalls = (_: () => void, signal: AbortSignal) => {
    signal.addEventListener('abort', () => {
      reason = signal.reason;
    });
    return untilAborted(signal);
  };
  const thrown = await thrownBy(withStallLimit(20, lapse, never(), stalls));
  assert.equal((thrown as VaultgraphError).code, 'STORE_BUSY');
  assert.equal(reason, thrown);
});

test('a stall limit follows the caller’s abort and leaves no listener', async () => {
  const caller = new AbortController();
  const waiting = thrownBy(withStallLimit(60_000, lapse, caller.signal, (_, signal) => untilAborted(signal)));
  caller.abort('stop');
  assert.equal(await waiting, 'stop');
  assert.equal(await thrownBy(withStallLimit(60_000, lapse, caller.signal, async () => 1)), 'stop');
  assert.equal(getEventListeners(caller.signal, 'abort').length, 0);
});
