// Provider calls of a waiting client: their time limit and the reported metadata.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newTrace } from '../../../src/contracts/provider-call.ts';
import type { AnswerNotes, CallContext, Warning } from '../../../src/contracts/tool.ts';
import { interactiveCalls, reportProvider } from '../../../src/tools/search/provider-call.ts';
import { assertEach } from '../../assert-each.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';

/** Of a call only what is asked of it here. */
function callWith(given: Partial<CallContext>): CallContext {
  return given as CallContext;
}

test('provider calls share the time of the tool call, minus the time reserved for the answer', () => {
  let left = 55_000;
  const begin = interactiveCalls(callWith({ msLeft: () => left }));
  const first = begin();
  assert.equal(first.msLeft(), 54_000);
  left = 5_000;
  assert.equal(begin().msLeft(), 4_000);
  left = 800;
  assert.equal(first.msLeft(), 0);
  left = 400;
  assert.equal(interactiveCalls(callWith({ msLeft: () => left }))().msLeft(), 360);
  assert.equal(interactiveCalls(callWith({ msLeft: () => Number.POSITIVE_INFINITY }))().msLeft(), Infinity);
});

test('each call is interactive, has its own trace, and reports waits as progress', () => {
  const reported: unknown[] = [];
  const progress: CallContext['progress'] = (...note) => void reported.push(note);
  const begin = interactiveCalls(callWith({ msLeft: () => 1_000, progress }));
  const [one, other] = [begin(), begin()];
  assert.equal(one.priority, 'interactive');
  assert.notEqual(one.trace, other.trace);
  one.onWait('retry 2/2: server busy');
  assert.deepEqual(reported, [[0, 0, 'retry 2/2: server busy']]);
});

test('the metadata has the last call and the retries of all calls', () => {
  const reported: AnswerNotes[] = [];
  const warnings: Warning[] = [];
  const call = callWith({
    annotate: (notes) => void reported.push(notes),
    warn: (warning) => void warnings.push(warning),
  });
  const { provider } = fakeEmbedding({ type: 'ollama', model: 'm' });
  const retry = { code: 'PROVIDER_BUSY', waited_ms: 300 } as const;
  const identified = { ...newTrace(), attempts: 4, servedBy: 'ollama@a:1', retries: [retry] };
  const embedded = { ...newTrace(), attempts: 2, servedBy: 'ollama@b:1', retries: [retry], failedOver: true };
  reportProvider('embedding', provider, [identified, embedded], call);
  assert.deepEqual(reported, [
    {
      provider: {
        capability: 'embedding',
        served_by: 'ollama@b:1',
        model: 'm',
        attempts: 3,
        retries: [retry, retry],
      },
    },
  ]);
  assertEach(warnings, ({ code }) => code, ['FAILOVER']);
  reportProvider('llm', provider, [{ ...newTrace(), attempts: 1 }], call);
  assert.deepEqual(reported[1], { provider: { capability: 'llm', served_by: 'ollama', model: 'm', attempts: 1 } });
  assert.equal(warnings.length, 1);
});
