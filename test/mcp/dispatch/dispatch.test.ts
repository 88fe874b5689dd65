// Tests a call from arguments to answer: invariants, batches, limits, cancellation and the index.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ERRORS, VaultgraphError } from '../../../src/base/errors.ts';
import { embedderMismatch } from '../../../src/contracts/fingerprint.ts';
import type { IndexJob, IndexState } from '../../../src/contracts/indexer.ts';
import type { AnyTool } from '../../../src/contracts/tool.ts';
import { DISPATCHER_FAILS } from '../../../src/mcp/dispatch/dispatch.ts';
import type { Failure } from '../../../src/mcp/render/failure.ts';
import type { Answer, Success } from '../../../src/mcp/render/result.ts';
import { providerFailure } from '../../fakes/provider-failure.ts';
import { until } from '../../until.ts';
import { createTestHost, FRESH, type HostScript, RUNNING, type TestHost } from '../test-host.ts';
import { echo, needsAll, slowWrite } from '../test-tools.ts';

const neverAborted = new AbortController().signal;

function successOf(answer: Answer): Success {
  assert.ok(answer.structured.ok, answer.text);
  return answer.structured;
}

function errorOf(answer: Answer): Failure['error'] {
  assert.ok(!answer.structured.ok, answer.text);
  return answer.structured.error;
}

/** What holds for every answer, whatever it says. */
function assertInvariants(host: TestHost, tool: string, { text, structured, isError }: Answer): void {
  assert.equal(isError, !structured.ok, 'I1');
  assert.equal('data' in structured, structured.ok, 'I1');
  assert.ok(text.length > 0, 'I2');
  assert.doesNotMatch(`${text}${JSON.stringify(structured)}`, /\/home\/ann|secret:|at .*\.ts:\d+/, 'I7');
  assert.doesNotMatch(JSON.stringify(structured), /:null|:undefined/, 'lean');
  if (structured.ok) return;
  const { error } = structured;
  assert.ok(error.code in ERRORS, 'I3');
  const declared = [...DISPATCHER_FAILS, ...(host.exposed.tools.get(tool)?.fails ?? [])];
  assert.ok(declared.includes(error.code), 'I3');
  const [first, second] = text.split('\n');
  assert.equal(first, `Error [${error.code}]: ${error.message}`, 'I4');
  assert.equal(second, `Hint: ${error.hint}`, 'I4');
  assert.equal(text.split('\n').at(-1), `Error-Id: ${error.error_id}`, 'I4');
  assert.equal(error.retry_after_ms !== undefined, error.retryable, 'I9');
  assert.equal(text.includes(`\nRetry: possible after ${error.retry_after_ms} ms\n`), error.retryable, 'I4');
  for (const choice of error.choices ?? []) assert.ok(text.includes(`- ${choice.value}`), 'I4');
  assert.ok(Buffer.byteLength(text) <= 4_096, `I10: ${Buffer.byteLength(text)}`);
  const longest = error.code === 'BATCH_FAILED' ? 16_384 : 2_048;
  assert.ok(Buffer.byteLength(JSON.stringify(error.details)) <= longest, 'I10');
  const records = host.records.filter(({ fields }) => fields.error_id === error.error_id);
  assert.equal(records.length, 1, 'I12');
  for (const action of error.actions ?? []) {
    if (action.kind === 'tool_call') assert.ok(host.exposed.tools.has(action.tool), 'I14');
    if (action.kind === 'command') assert.equal(action.run_by, 'user', 'I8');
  }
}

const LONG = `/home/ann/Notes/${'ä'.repeat(5_000)}`;
const CALLS: readonly [tool: string, given: unknown, code: string | undefined][] = [
  ['echo', { text: 'hello', limit: 3 }, undefined],
  ['echo', { txt: 'hello' }, 'INVALID_INPUT'],
  ['echo', { text: 'x'.repeat(2_000_000) }, 'LIMIT_EXCEEDED'],
  [
    'echo',
    { text: 'a', where: Object.fromEntries(Array.from({ length: 90 }, (_, index) => [LONG + index, null])) },
    'INVALID_INPUT',
  ],
  ['fail', { code: 'NOTE_NOT_FOUND', ref: 'a\n"b"\u202e\u0007' }, 'NOTE_NOT_FOUND'],
  ['fail', { code: 'NOTE_NOT_FOUND', ref: LONG }, 'NOTE_NOT_FOUND'],
  ['fail', { code: 'NOTE_AMBIGUOUS', ref: 'Tides' }, 'NOTE_AMBIGUOUS'],
  ['fail', { code: 'FILE_UNREADABLE', ref: '/home/ann/Notes/a.md' }, 'FILE_UNREADABLE'],
  ['fail', { code: 'VAULT_NOT_FOUND', ref: 'http://ann:secret@host/home/ann' }, 'VAULT_NOT_FOUND'],
  ['throw_anything', { kind: 'text' }, 'INTERNAL'],
  ['throw_anything', { kind: 'nothing' }, 'INTERNAL'],
  ['throw_anything', { kind: 'type' }, 'INTERNAL'],
  ['throw_anything', { kind: 'errno' }, 'INTERNAL'],
  ['throw_anything', { kind: 'reject_late' }, undefined],
  ['throw_anything', { kind: 'shape' }, 'INTERNAL'],
  ['throw_anything', { kind: 'nan' }, 'INTERNAL'],
  ['throw_anything', { kind: 'class' }, 'INTERNAL'],
  ['read_many', { names: ['a', 'b'] }, undefined],
  ['read_many', { names: ['a', '!b', '?c'] }, undefined],
  ['read_many', { names: ['!a', '!b'] }, 'BATCH_FAILED'],
  ['read_many', { names: ['~a', '~b', '~c'] }, 'BATCH_FAILED'],
  ['read_many', { names: ['~a', '!b'] }, 'BATCH_FAILED'],
  ['read_many', { names: ['?a'] }, 'BATCH_FAILED'],
  ['read_many', { names: Array.from({ length: 200 }, (_, index) => `?${index}${LONG}`) }, 'BATCH_FAILED'],
  ['read_many', { names: ['#a'] }, 'BATCH_FAILED'],
  ['look_around', {}, undefined],
  ['needs_all', {}, undefined],
];

for (const [tool, given, code] of CALLS) {
  test(`M1, M4: ${tool} ${JSON.stringify(given).slice(0, 60)}: ${code ?? 'success'}`, async () => {
    const host = createTestHost();
    const answer = await host.dispatch(tool, given, { signal: neverAborted });
    assertInvariants(host, tool, answer);
    assert.equal(answer.structured.ok ? undefined : answer.structured.error.code, code);
    assert.equal(host.journal.counters()[`calls_total{${tool}}`], 1);
    assert.equal(host.journal.failures()[0]?.code, code);
    assert.equal(successOf(await host.dispatch('echo', { text: 'next' }, { signal: neverAborted })).ok, true);
  });
}

test('both halves of a failure have the same facts in the same order', async () => {
  const { dispatch } = createTestHost();
  const answer = await dispatch('fail', { code: 'NOTE_AMBIGUOUS', ref: 'Tides' }, { signal: neverAborted });
  const error = errorOf(answer);
  assert.equal(error.choices?.length, 10);
  assert.equal(error.total_matches, 12);
  assert.equal(error.retry_with, 'note');
  const lines = answer.text.split('\n');
  assert.equal(lines[2], 'Choices (10 of 12), use as note:');
  assert.equal(lines[3], '- Folder 0/Tides.md · line 1 · of 0');
  assert.deepEqual(error.details, { ref: 'Tides', ref_kind: 'name' });
});

test('external text is quoted, escaped and cut with a mark, in the details too', async () => {
  const { dispatch } = createTestHost();
  const ref = `a\nb${'x'.repeat(500)}`;
  const { message, details } = errorOf(
    await dispatch('fail', { code: 'NOTE_NOT_FOUND', ref }, { signal: neverAborted }),
  );
  assert.ok(message.startsWith('no note is named "a\\nbxxx'));
  assert.ok(message.endsWith('x…"'));
  assert.ok(message.length < 250);
  assert.equal(details.ref, `${ref.slice(0, 200)}…`);
});

test('M14: no home path, no vault path and no credential in answers or in the log', async () => {
  const host = createTestHost();
  const answers: unknown[] = [];
  for (const ref of ['/home/ann/Notes/a.md', '/home/ann/x', 'https://ann:pass@host/x'])
    answers.push(await host.dispatch('fail', { code: 'FILE_UNREADABLE', ref }, { signal: neverAborted }));
  answers.push(await host.dispatch('throw_anything', { kind: 'errno' }, { signal: neverAborted }));
  assert.doesNotMatch(JSON.stringify(answers), /\/home\/ann|ann:pass/);
  const error = errorOf(
    await host.dispatch('fail', { code: 'FILE_UNREADABLE', ref: '/home/ann/Notes/a.md' }, { signal: neverAborted }),
  );
  assert.equal(error.details.path, '<vault>/a.md');
  assert.match(error.message, /^<vault>\/a\.md/);
  const log = JSON.stringify(host.records);
  assert.doesNotMatch(log, /\/home\/ann|ann:pass|secret/);
  const internal = host.records.find(({ fields }) => fields.code === 'INTERNAL');
  assert.equal(internal?.fields.cause_code, 'ENOENT');
  assert.match(String(internal?.fields.frames), /mcp\/test-tools\.ts:\d+:\d+/);
});

test('a batch returns successes and failures, in the order of the input', async () => {
  const { dispatch, records } = createTestHost();
  const names = ['b', '!x', 'a', '?y', '#z', 'a'];
  const answer = await dispatch('read_many', { names }, { signal: neverAborted });
  const { data, partial } = successOf(answer);
  assert.equal(partial, true);
  assert.equal(answer.text.split('\n')[0], 'PARTIAL 3/6 succeeded, 3 failed');
  const ids = (rows: unknown): string[] => (rows as { id: string }[]).map(({ id }) => id);
  assert.deepEqual(ids(data.succeeded), ['b', 'a', 'a']);
  assert.deepEqual(ids(data.failed), ['!x', '?y', '#z']);
  const keys = (data.failed as unknown as { error: object }[]).map(({ error }) => Object.keys(error));
  assert.deepEqual(keys[0], ['code', 'message', 'hint', 'retryable']);
  assert.deepEqual(keys[1], ['code', 'message', 'hint', 'retryable', 'choices', 'total_matches']);
  assert.equal(records.filter(({ event }) => event === 'item_failed').length, 1);
  assert.doesNotMatch(JSON.stringify(records), /diary/);
  assert.doesNotMatch(answer.text, /diary/);
});

test('a batch without a success is one failure, with the retry class of its items', async () => {
  const { dispatch } = createTestHost();
  const failedBatch = async (...names: string[]): Promise<Failure['error']> =>
    errorOf(await dispatch('read_many', { names }, { signal: neverAborted }));
  const same = await failedBatch('~a', '~b', '~c');
  assert.match(same.message, /^StoreProvider failed: read: .* \(3 of 3 items\)$/);
  assert.deepEqual([same.retryable, same.retry_after_ms, same.fix_by], [true, 1_000, 'nobody']);
  assert.deepEqual(same.details.by_code, { STORE_BUSY: 3 });
  assert.equal((same.details.failed as object[]).length, 3);
  const mixed = await failedBatch('~a', '!b');
  assert.deepEqual([mixed.retryable, mixed.retry_after_ms, mixed.fix_by], [false, undefined, 'caller']);
  const single = await failedBatch('?a');
  assert.match(single.message, /\(1 of 1 item\)$/);
  assert.deepEqual([single.choices?.length, single.total_matches, single.retry_with], [2, 2, 'note']);
  const many = await failedBatch('!a', '!b', '!c', '!d');
  assert.match(many.message, /^NOTE_NOT_FOUND × 4 \(4 of 4 items\)$/);
});

test('failures beyond the limit of the details are counted', async () => {
  const { dispatch } = createTestHost();
  const names = Array.from({ length: 300 }, (_, index) => `!${index}${'x'.repeat(150)}`);
  const { details } = errorOf(await dispatch('read_many', { names }, { signal: neverAborted }));
  const kept = (details.failed as object[]).length;
  assert.deepEqual(details.cut, { failed: 300 - kept });
});

test('a call that exceeds its limit fails with its phase, and its late result is dropped and counted', async () => {
  for (const deaf of [false, true]) {
    const host = createTestHost({ callLimitMs: 60 });
    const answer = await host.dispatch('wait', { ms: 200, deaf }, { signal: neverAborted });
    const { code, details } = errorOf(answer);
    assert.equal(code, 'DEADLINE_EXCEEDED');
    assert.deepEqual(details, { budget_ms: 60, phase: 'running wait', committed: 'none' });
    assertInvariants(host, 'wait', answer);
    const dropped = (): number | undefined => host.journal.counters().late_results_dropped;
    if (deaf) await until(() => dropped() !== undefined, 'the late result');
    else await sleep(250);
    assert.equal(dropped(), deaf ? 1 : undefined);
  }
});

test('a batch at its limit returns what is done; the rest is DEADLINE_EXCEEDED', async () => {
  const host = createTestHost({ callLimitMs: 2_000 });
  const names = Array.from({ length: 50 }, (_, index) => `slow${index}`);
  const { data, partial } = successOf(await host.dispatch('read_many', { names }, { signal: neverAborted }));
  const failed = data.failed as unknown as { error: { code: string } }[];
  assert.equal(partial, true);
  assert.ok((data.succeeded as object[]).length > 0);
  assert.deepEqual([...new Set(failed.map(({ error }) => error.code))], ['DEADLINE_EXCEEDED']);
});

test('without a limit no call is ended early', async () => {
  const { dispatch } = createTestHost({ callLimitMs: 20 });
  const answer = await dispatch('wait', { ms: 60 }, { signal: neverAborted, limitMs: Number.POSITIVE_INFINITY });
  assert.deepEqual(successOf(answer).data, { waited: 60 });
});

test('M5: a cancelled call ends as CANCELLED, and one that the server ends as SHUTTING_DOWN with its own id', async () => {
  const host = createTestHost();
  const client = new AbortController();
  const cancelled = host.dispatch('wait', { ms: 5_000 }, { signal: client.signal });
  client.abort('the user pressed stop');
  assert.equal(errorOf(await cancelled).code, 'CANCELLED');
  const server = new AbortController();
  const calls = [1, 2].map(() => host.dispatch('wait', { ms: 5_000 }, { signal: server.signal }));
  server.abort(new VaultgraphError('SHUTTING_DOWN', {}));
  const answers = await Promise.all(calls);
  for (const answer of answers) {
    assertInvariants(host, 'wait', answer);
    assert.equal(errorOf(answer).code, 'SHUTTING_DOWN');
  }
  assert.equal(new Set(answers.map((answer) => errorOf(answer).error_id)).size, 2);
  const late = await host.dispatch('wait', { ms: 5_000 }, { signal: server.signal });
  assert.equal(errorOf(late).code, 'SHUTTING_DOWN');
});

test('I12: one failure that several calls waited for has an id of its own in each of them', async () => {
  const shared = new VaultgraphError('STORE_UNAVAILABLE', { op: 'read', reason: 'away' });
  const failing: AnyTool = { ...echo, run: () => Promise.reject(shared) };
  const host = createTestHost({ catalog: [failing] });
  const answers = await Promise.all(
    [1, 2, 3].map(() => host.dispatch('echo', { text: 'x' }, { signal: neverAborted })),
  );
  for (const answer of answers) assertInvariants(host, 'echo', answer);
  assert.equal(new Set(answers.map((answer) => errorOf(answer).error_id)).size, 3);
});

for (const [until, says, retryable] of [
  ['none', /while running slow_write$/, true],
  ['partial', /the change may be partly written$/, false],
  ['all', /the change was written$/, false],
] as const) {
  test(`V8 a write that times out reports how far it got: ${until}`, async () => {
    const host = createTestHost({ catalog: [slowWrite], access: 'read-write', callLimitMs: 200 });
    const answer = await host.dispatch('slow_write', { until }, { signal: neverAborted });
    assertInvariants(host, 'slow_write', answer);
    const { code, message, details, retryable: mayRetry, fix_by } = errorOf(answer);
    assert.deepEqual([code, details.committed], ['DEADLINE_EXCEEDED', until]);
    assert.match(message, says);
    assert.deepEqual(
      [mayRetry, fix_by],
      [retryable, retryable ? 'nobody' : 'caller'],
      'what may have been written is not repeated blindly',
    );
  });

  test(`V8 a write that is cut off reports how far it got: ${until}`, async () => {
    for (const reason of ['the user pressed stop', new VaultgraphError('SHUTTING_DOWN', {})]) {
      const host = createTestHost({ catalog: [slowWrite], access: 'read-write' });
      const caller = new AbortController();
      const answer = host.dispatch('slow_write', { until }, { signal: caller.signal });
      setTimeout(() => caller.abort(reason), 100);
      const { details, retryable: mayRetry } = errorOf(await answer);
      assert.equal(details.committed ?? 'none', until);
      assert.equal(mayRetry, until === 'none' && typeof reason === 'object');
    }
  });
}

/** Learns only from the abort that it comes too late, as a writer does whose thread has just begun. */
const lateWrite: AnyTool = {
  ...slowWrite,
  run: async (_args, _granted, { signal, commits }) => {
    signal.addEventListener('abort', () => commits('partial'));
    await sleep(10_000, undefined, { ref: false });
    return {};
  },
};

/** Is done when the abort comes, and is refused what comes after. */
const lastWrite: AnyTool = {
  ...slowWrite,
  run: async (_args, _granted, { signal, commits }) => {
    await once(signal, 'abort');
    commits('all');
    return sleep(10, {}, { signal });
  },
};

for (const [tool, written] of [
  [lateWrite, 'partial'],
  [lastWrite, 'all'],
] as const)
  test(`V8 what is written is said as it is after the abort: ${written}`, async () => {
    const timed = createTestHost({ catalog: [tool], access: 'read-write', callLimitMs: 200 });
    const timedOut = await timed.dispatch('slow_write', { until: 'none' }, { signal: neverAborted });
    const { code, details, retryable } = errorOf(timedOut);
    assert.deepEqual([code, details.committed, retryable], ['DEADLINE_EXCEEDED', written, false]);
    if (tool === lastWrite) return;
    for (const reason of ['the user pressed stop', new VaultgraphError('SHUTTING_DOWN', {})]) {
      const host = createTestHost({ catalog: [tool], access: 'read-write' });
      const caller = new AbortController();
      const answer = host.dispatch('slow_write', { until: 'none' }, { signal: caller.signal });
      setTimeout(() => caller.abort(reason), 100);
      assert.equal(errorOf(await answer).details.committed, written);
    }
  });

test('V5 the diff of a conflict is in both halves, longer in the structured one, and not in the log', async () => {
  const host = createTestHost({ catalog: [slowWrite], access: 'read-write' });
  const lines = Array.from({ length: 2_000 }, (_, at) => `+漢字 ${at}`);
  for (const [diff, isCut] of [
    ['--- a.md\n+++ a.md\n-x\n+y\u202e\n', false],
    [`--- a.md\n${lines.join('\n')}\n`, true],
    ['x'.repeat(100_000), true],
  ] as const) {
    const answer = await host.dispatch('slow_write', { until: 'none', diff }, { signal: neverAborted });
    const { details } = errorOf(answer);
    assert.ok(Buffer.byteLength(answer.text) <= 4_096, 'I10');
    assert.ok(Buffer.byteLength(JSON.stringify(details)) <= 16_384, 'I10');
    assert.equal(details.path, 'a.md');
    assert.equal(details.diff === diff, !isCut);
    assert.match(
      answer.text,
      isCut
        ? /\nDiff:\n[\s\S]*\(\d+ (?:more lines|characters) cut\)\nError-Id: /
        : /\nDiff:\n--- a\.md\n\+\+\+ a\.md\n-x\n\+y\\u202e\nError-Id: /,
    );
  }
  assert.doesNotMatch(JSON.stringify(host.records), /漢字|\+y|xxx/);
});

test('a tool gets only the capabilities it needs, and its warnings are in the answer', async () => {
  const { dispatch } = createTestHost();
  const answer = await dispatch('look_around', {}, { signal: neverAborted });
  const { data, warnings } = successOf(answer);
  assert.deepEqual(data, { granted: ['store'], msLeft: true });
  assert.deepEqual(warnings, [{ code: 'TRUNCATED', message: 'two were cut', count: 2 }]);
  assert.match(answer.text, /^Warning \[TRUNCATED\]: two were cut \(2\)$/m);
});

test('the last fifty failures are kept, the newest first', async () => {
  const { dispatch, journal } = createTestHost();
  for (let call = 0; call < 55; call += 1) await dispatch('echo', {}, { signal: neverAborted });
  await dispatch('throw_anything', { kind: 'nan' }, { signal: neverAborted });
  assert.equal(journal.failures().length, 50);
  assert.deepEqual([journal.failures()[0]?.tool, journal.failures()[0]?.code], ['throw_anything', 'INTERNAL']);
  assert.equal(journal.counters()['errors_total{echo,INVALID_INPUT}'], 55);
});

const META = { as_of: FRESH.asOf, indexed: 12, stale: true };

async function ask(tool: string, script: HostScript, given: object = {}): Promise<Answer> {
  return createTestHost(script).dispatch(tool, given, { signal: neverAborted });
}

test('of a fresh index an answer says nothing, in both halves', async () => {
  const answer = await ask('needs_all', { index: FRESH });
  assert.equal(successOf(answer).warnings, undefined);
  assert.equal(successOf(answer).meta, undefined);
  assert.doesNotMatch(answer.text, /index/);
});

test('every answer from the store has the pending and quarantined notes', async () => {
  const answer = await ask('needs_all', { index: { ...FRESH, pending: 3, quarantined: 1 } });
  const { warnings, meta, partial } = successOf(answer);
  assert.deepEqual(
    warnings?.map(({ code, count }) => [code, count]),
    [
      ['INDEX_PENDING', 3],
      ['QUARANTINED', 1],
    ],
  );
  assert.deepEqual(meta, { index: { ...META, pending: 3, quarantined: 1 } });
  assert.equal(partial, undefined);
  assert.match(answer.text, /^Warning \[INDEX_PENDING\]: 3 changed notes are not indexed yet$/m);
});

test('a warm start waits briefly for the catch-up, then reports unknown freshness', async () => {
  const unknown = { ...FRESH, freshness: 'unknown', running: RUNNING } as const;
  const { warnings, meta } = successOf(await ask('needs_all', { index: unknown }));
  assert.deepEqual(
    warnings?.map(({ code }) => code),
    ['STALE_UNKNOWN'],
  );
  assert.equal(meta?.index?.stale, 'unknown');
  const host = createTestHost({ index: unknown });
  const answer = host.dispatch('needs_all', {}, { signal: neverAborted });
  host.indexer.become(FRESH);
  assert.equal(successOf(await answer).warnings, undefined);
});

const FIRST = {
  ...FRESH,
  freshness: 'unknown',
  complete: false,
  asOf: null,
  total: 3_000,
  indexed: 120,
  pending: 2_880,
  running: RUNNING,
} as const;
/** Of a vault whose first index is there in a moment. */
const SMALL = { ...FIRST, total: 200, pending: 80 } as const;

const PROVIDER = {
  capability: 'embedding',
  served_by: 'ollama@127.0.0.1:11434',
  model: 'embeddinggemma',
  attempts: 2,
  retries: [{ code: 'PROVIDER_BUSY', waited_ms: 300 }],
} as const;

test('the notes of a tool about its answer are merged and are in both halves', async () => {
  const index = { generation: 3, embedded: 11, total: 12, chunks: 40, failed_chunks: 2 };
  const reported = [{ provider: PROVIDER }, { index }, { part: 'the first reason' }, { part: 'the second' }];
  const answer = await ask('tell_notes', {}, { reported: reported.map((one) => JSON.stringify(one)) });
  const { meta, warnings, partial } = successOf(answer);
  const { total: embed_total, ...vectors } = index;
  assert.deepEqual(meta, { index: { ...vectors, embed_total }, provider: PROVIDER });
  assert.equal(partial, true);
  assert.deepEqual(answer.text.split('\n').slice(0, 2), ['PARTIAL the first reason', 'PARTIAL the second']);
  assert.deepEqual(warnings, [
    { code: 'INDEX_PENDING', message: '1 note is not embedded yet', count: 1 },
    { code: 'QUARANTINED', message: '2 of 42 chunks could not be embedded; status lists them', count: 2 },
  ]);
  for (const fact of ['generation=3', 'embedded=11', 'embed_total=12', 'chunks=40', 'failed_chunks=2', 'attempts: 2'])
    assert.ok(answer.text.includes(fact), fact);
  for (const fact of [PROVIDER.served_by, PROVIDER.model, 'PROVIDER_BUSY', '300'])
    assert.ok(answer.text.includes(fact), fact);
});

test('complete vectors are reported without a warning', async () => {
  const index = { generation: 1, embedded: 12, total: 12, chunks: 40 };
  const { warnings, partial, meta } = successOf(await ask('tell_notes', {}, { reported: [JSON.stringify({ index })] }));
  assert.deepEqual([warnings, partial, meta], [undefined, undefined, { index: { generation: 1 } }]);
});

test('I13, P20: the text of a degraded answer begins with the reason and is complete', async () => {
  const degraded = { from: 'hybrid', to: 'text', reason_code: 'PROVIDER_TIMEOUT', opted_in_by: 'on_embedding_failure' };
  const reported = [JSON.stringify({ degraded, part: 'half of it' })];
  const answer = await ask('tell_notes', {}, { reported });
  assert.deepEqual(successOf(answer).meta?.degraded, degraded);
  const [first, second] = answer.text.split('\n');
  assert.match(first ?? '', /^DEGRADED: words only, embedding failed with PROVIDER_TIMEOUT /);
  for (const fact of Object.values(degraded)) assert.ok(first?.includes(fact), fact);
  assert.equal(second, 'PARTIAL half of it');
});

test('I7: the folder of a model is masked in its description', async () => {
  const model = '/home/ann/models/potion';
  const degraded = { from: model, to: 'm', reason_code: 'PROVIDER_ERROR', opted_in_by: 'providers.embedding.fallback' };
  const answer = await ask(
    'tell_notes',
    {},
    { reported: [JSON.stringify({ provider: { ...PROVIDER, model }, degraded })] },
  );
  assert.doesNotMatch(`${answer.text}${JSON.stringify(answer.structured)}`, /\/home\/ann/);
  assert.equal(successOf(answer).meta?.provider?.model, '~/models/potion');
});

test('a call that times out while waiting for a provider fails with the provider’s error, not the deadline', async () => {
  for (const callLimitMs of [600, 3_000]) {
    const host = createTestHost({ callLimitMs });
    const answer = await host.dispatch('ask_hanging', {}, { signal: neverAborted });
    assertInvariants(host, 'ask_hanging', answer);
    const { code, details } = errorOf(answer);
    assert.equal(code, 'PROVIDER_TIMEOUT');
    assert.equal(details.clipped, true);
    assert.ok(Number(details.timeout_ms) > 0 && Number(details.timeout_ms) <= callLimitMs, String(details.timeout_ms));
  }
});

/** Fails as a tool does that asks a provider. */
function failing(error: VaultgraphError): AnyTool {
  const fails = [error.code];
  return { ...needsAll, name: 'asks', fails, run: async () => Promise.reject(error) };
}

test('I14: a provider failure suggests search_text if it is listed', async () => {
  const failure = providerFailure('PROVIDER_MODEL_MISSING', {
    installed: Array.from({ length: 10 }, (_, at) => `model-${at}${'x'.repeat(300)}`),
    auto_pull: 'never',
  });
  for (const words of [[], [{ ...echo, name: 'search_text' }]]) {
    const host = createTestHost({ catalog: [failing(failure), ...words] });
    const answer = await host.dispatch('asks', {}, { signal: neverAborted });
    assertInvariants(host, 'asks', answer);
    const calls = (errorOf(answer).actions ?? []).filter(({ kind }) => kind === 'tool_call');
    assert.deepEqual(
      calls.map((action) => (action.kind === 'tool_call' ? action.tool : '')),
      words.map(({ name }) => name),
    );
  }
});

test('I10, P14: the differences between two models are complete, however long their prefixes are', async () => {
  const part = { provider: 'ollama', model: '模'.repeat(500), digest: `sha256:${'0'.repeat(64)}`, dims: 768 };
  const prefixes = { queryPrefix: '問'.repeat(500), documentPrefix: '答'.repeat(500) };
  const fingerprint = { ...part, ...prefixes, samples: [], truncation: 'refused', chunker: 'headings-1/450' } as const;
  const now = { ...fingerprint, digest: `sha256:${'1'.repeat(64)}` };
  const error = embedderMismatch(fingerprint, now, ['digest', 'queryPrefix'], RUNNING);
  const host = createTestHost({ catalog: [failing(error)] });
  const answer = await host.dispatch('asks', {}, { signal: neverAborted });
  assertInvariants(host, 'asks', answer);
  const { details } = errorOf(answer) as unknown as { details: { differs: string[]; index: object; job_id: string } };
  assert.deepEqual([details.differs, details.job_id], [['digest', 'query_prefix'], 'job_1']);
  assert.equal(Object.keys(details.index).length, 8);
});

test('during the first index a search answers from the indexed notes and says so', async () => {
  const began = performance.now();
  const answer = await ask('look_around', { index: FIRST });
  assert.ok(performance.now() - began < 9_000, 'it did not wait for ten seconds');
  const { partial, warnings, meta } = successOf(answer);
  assert.equal(partial, true);
  assert.equal(answer.text.split('\n')[0], 'PARTIAL 120/3,000 notes indexed');
  assert.deepEqual(warnings?.[0], {
    code: 'INDEX_PENDING',
    message: 'the first index is being built: 2880 of 3000 notes are not indexed yet',
    count: 2_880,
  });
  assert.deepEqual(meta, { index: { indexed: 120, total: 3_000, pending: 2_880, stale: 'unknown' } });
});

test('during the first index a tool that needs the whole index, or finds it empty, fails with INDEX_BUILDING', async () => {
  for (const [tool, index] of [
    ['needs_all', FIRST],
    ['look_around', { ...FIRST, indexed: 0 }],
  ] as const) {
    const { code, retryable, details } = errorOf(await ask(tool, { index, callLimitMs: 200 }));
    assert.equal(code, 'INDEX_BUILDING');
    assert.equal(retryable, true);
    assert.deepEqual(details, { job_id: 'job_1', done: 120, total: 2_000 });
  }
});

test('while the vault is listed, a call waits only as long as it may be a small one', async () => {
  const listing = (listed: number): IndexState => ({
    ...{ ...FIRST, total: 0, indexed: 0 },
    running: { ...RUNNING, phase: 'listing', counts: { ...RUNNING.counts, listed, changed: 0, done: 0 } },
  });
  const { code, details } = errorOf(await ask('needs_all', { index: listing(2_001) }));
  assert.deepEqual([code, details], ['INDEX_BUILDING', { job_id: 'job_1', done: 0, total: 0 }]);
  const host = createTestHost({ index: listing(2_000) });
  const answer = host.dispatch('needs_all', {}, { signal: neverAborted });
  host.indexer.become(FRESH);
  assert.deepEqual(successOf(await answer).data, { done: true });
});

test('a call waits for the first index of a small vault, then answers', async () => {
  const host = createTestHost({ index: SMALL });
  const answer = host.dispatch('needs_all', {}, { signal: neverAborted });
  host.indexer.become(FRESH);
  assert.deepEqual(successOf(await answer).data, { done: true });
});

test('the first calls wait for the first index of a larger vault; later ones, and those of a job that waits itself, do not', async () => {
  const host = createTestHost({ index: FIRST, firstWaitMs: 50_000 });
  const answers = ['needs_all', 'needs_all'].map((tool) => host.dispatch(tool, {}, { signal: neverAborted }));
  host.indexer.become(FRESH);
  for (const answer of await Promise.all(answers)) assert.deepEqual(successOf(answer).data, { done: true });
  const retrying = { ...FIRST, running: { ...RUNNING, state: 'retrying' } } as const;
  assert.equal(errorOf(await ask('needs_all', { index: retrying, firstWaitMs: 50_000 })).code, 'INDEX_BUILDING');
  const short = createTestHost({ index: FIRST, firstWaitMs: 1 });
  for (const _ of [1, 2])
    assert.equal(errorOf(await short.dispatch('needs_all', {}, { signal: neverAborted })).code, 'INDEX_BUILDING');
});

test('the first calls wait as long as the config says, but for what the answer needs of their time', async () => {
  const host = createTestHost({ index: FIRST, firstWaitMs: 50_000, callLimitMs: 6_000 });
  const answer = host.dispatch('needs_all', {}, { signal: neverAborted });
  await sleep(3_300);
  host.indexer.become(FRESH);
  assert.deepEqual(successOf(await answer).data, { done: true });
  assert.equal(
    errorOf(await ask('needs_all', { index: FIRST, firstWaitMs: 50_000, callLimitMs: 1_500 })).code,
    'INDEX_BUILDING',
  );
});

test('a call without a time limit, and one with require_fresh, wait for the first index of any vault', async () => {
  const done = async (): Promise<IndexJob> => ({ ...RUNNING, state: 'succeeded', endedAt: '2026-11-21T10:05:00.000Z' });
  const host = createTestHost({ index: FIRST, catchUp: done });
  const answers = Promise.all([
    host.dispatch('needs_all', {}, { signal: neverAborted, limitMs: Number.POSITIVE_INFINITY }),
    host.dispatch('needs_all', { require_fresh: true }, { signal: neverAborted }),
  ]);
  host.indexer.become(FRESH);
  for (const answer of await answers) assert.deepEqual(successOf(answer).data, { done: true });
});

test('during the first index a note that is not found may not be indexed yet', async () => {
  const [alone, some] = await Promise.all(
    [['!a'], ['!a', 'b']].map((names) => ask('read_many', { index: FIRST }, { names })),
  );
  assert.deepEqual(errorOf(alone as Answer).details?.by_code, { INDEX_BUILDING: 1 });
  const [item] = successOf(some as Answer).data.failed as { error: { code: string; message: string } }[];
  assert.equal(item?.error.code, 'INDEX_BUILDING');
  assert.equal(item?.error.message, 'the index for !a is being built: 120 of 2000 notes');
  const whole = await ask('read_many', { index: FRESH }, { names: ['!a'] });
  assert.deepEqual(errorOf(whole).details?.by_code, { NOTE_NOT_FOUND: 1 });
});

test('without an index and without a job: INDEX_EMPTY, or the error of the vault', async () => {
  const { running: _, ...idle } = FIRST;
  assert.equal(errorOf(await ask('look_around', { index: idle })).code, 'INDEX_EMPTY');
  const lastError = new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'EIO' });
  const host = createTestHost({ index: { ...idle, lastError } });
  const answers = await Promise.all([1, 2].map(() => host.dispatch('needs_all', {}, { signal: neverAborted })));
  assert.deepEqual(
    answers.map((answer) => errorOf(answer).code),
    ['VAULT_UNAVAILABLE', 'VAULT_UNAVAILABLE'],
  );
  for (const answer of answers) assertInvariants(host, 'needs_all', answer);
  assert.equal(successOf(await ask('echo', { index: idle }, { text: 'a' })).ok, true);
});

test('without an index and before the first job of another server: NOT_READY, and the answer once it has one', async () => {
  const { running: _, ...idle } = FIRST;
  const state = { ...idle, role: 'follower', isBeginning: true } as const;
  const error = errorOf(await ask('look_around', { index: { ...state, total: 5_000 } }));
  assert.deepEqual([error.code, error.details?.phase], ['NOT_READY', 'beginning']);
});

test('a cancel ends the wait for the index', async () => {
  const host = createTestHost({ index: SMALL });
  const client = new AbortController();
  const answer = host.dispatch('needs_all', {}, { signal: client.signal });
  client.abort();
  assert.equal(errorOf(await answer).code, 'CANCELLED');
});
