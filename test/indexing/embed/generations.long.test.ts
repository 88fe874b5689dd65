// Tests how embed jobs build, activate and keep apart generations, also those of a fallback.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Embedding } from '../../../src/contracts/embedding.ts';
import { resilientEmbedding } from '../../../src/lifecycle/resilience/model-client.ts';
import { type FakeEmbedding, fakeEmbedding } from '../../fakes/embedding.ts';
import type { FakeSettings } from '../../fakes/embedding-answers.ts';
import { providerFailure } from '../../fakes/provider-failure.ts';
import { embedEnded, type IndexUnderTest, signal, withIndex } from '../index-under-test.ts';
import {
  activeGeneration,
  type EmbeddingUnderTest,
  embedded,
  endedWith,
  fillNotes,
  generationOf,
  nearest,
  REINDEX,
  repeated,
  succeeded,
} from './embedding-under-test.ts';

const unavailable = () => providerFailure('PROVIDER_UNAVAILABLE', { cause_code: 'ECONNREFUSED' });

const PULLED_AGAIN = { digest: 'sha256:hashed-words-2' };

/** Changes that the config makes. */
const CHANGES: readonly (readonly [string, Partial<FakeSettings>, string])[] = [
  ['another model', { model: 'other' }, 'model'],
  ['another prefix for documents', { documentPrefix: 'passage: ' }, 'document_prefix'],
  ['another prefix for queries', { queryPrefix: 'query: ' }, 'query_prefix'],
  ['other dimensions', { dims: 32 }, 'dims'],
  ['chunks of another size', { contextTokens: 100 }, 'chunker'],
];

/** Embeds 20 notes, then changes the model and adds a note. `before`: the number of texts sent until then. */
async function modelChanges({ folder, store, embed, fake, sent }: EmbeddingUnderTest, change: Partial<FakeSettings>) {
  fillNotes(folder, 20);
  await embed();
  const old = await activeGeneration(store);
  const before = sent().length;
  fake.become(change);
  folder.put('New.md', 'new');
  return { old, before };
}

describe('a provider whose model changed', () => {
  for (const [what, change, differs] of CHANGES)
    embedded(
      `P14 ${what}: the incremental job names ${differs} and touches nothing; a whole one replaces all`,
      async (under) => {
        const { store, embed, sent } = under;
        const { old, before } = await modelChanges(under, change);
        const job = await embed({ kind: 'notes', paths: ['New.md'] });
        endedWith(job, 'failed', 'EMBEDDER_MISMATCH');
        const details = job.error?.details as { index: object; provider: object; differs: readonly string[] };
        assert.deepEqual(details.differs, differs.split(', '));
        assert.equal('samples' in details.index || 'samples' in details.provider, false);
        assert.deepEqual([sent().length, (await store.generations(signal)).length], [before, 1]);

        const replaced = await embed();
        succeeded(replaced);
        assert.deepEqual(replaced.replaces, differs.split(', '));
        const now = await activeGeneration(store);
        assert.notEqual(now.id, old.id);
        assert.deepEqual([now.embedded, now.pending, now.chunks], [21, 0, 21]);
        assert.equal((await generationOf(store, 'previous'))?.id, old.id);
        succeeded(await embed({ kind: 'notes', paths: ['New.md'] }));
      },
    );

  for (const [what, change, differs] of [
    ['a model pulled again under its name', PULLED_AGAIN, ['digest']],
    ['a server that no longer reports a digest', { digest: null }, ['truncation', 'digest']],
    [
      'a model pulled again, with another prefix in the config',
      { ...PULLED_AGAIN, queryPrefix: 'q: ' },
      ['query_prefix', 'digest'],
    ],
  ] as const)
    embedded(`P14 ${what}: no job embeds anything until one with renewVectors does`, async (under) => {
      const { store, embed, run, sent } = under;
      const { old, before } = await modelChanges(under, change);
      for (const job of [await embed(), await run({ kind: 'embed' })]) {
        endedWith(job, 'failed', 'EMBEDDER_MISMATCH');
        assert.deepEqual((job.error?.details as { differs: readonly string[] }).differs, differs);
      }
      assert.deepEqual([sent().length, (await store.generations(signal)).length], [before, 1]);
      succeeded(await embed(REINDEX));
      const now = await activeGeneration(store);
      assert.notEqual(now.id, old.id);
      assert.deepEqual([now.pending, sent().length], [0, before + 21]);
    });

  embedded('the model that made the vectors is back: only what changed meanwhile is embedded', async (under) => {
    const { store, embed, fake, sent } = under;
    const { old, before } = await modelChanges(under, PULLED_AGAIN);
    endedWith(await embed(), 'failed', 'EMBEDDER_MISMATCH');
    fake.become({ digest: old.fingerprint.digest });
    succeeded(await embed());
    const { id, pending } = await activeGeneration(store);
    assert.deepEqual([id, pending, sent().length], [old.id, 0, before + 1]);
  });

  embedded(
    'is the same one as long as its samples are, where it tells no digest',
    async (under) => {
      const { folder, store, embed, sent } = under;
      fillNotes(folder, 20);
      await embed();
      const { id } = await activeGeneration(store);
      const before = sent().length;
      succeeded(await embed());
      folder.put('New.md', 'new');
      succeeded(await embed({ kind: 'notes', paths: ['New.md'] }));
      assert.deepEqual([(await activeGeneration(store)).id, sent().length], [id, before + 1]);
    },
    { digest: null },
  );

  embedded(
    'the old vectors serve until the new ones are complete',
    async ({ folder, store, indexer, run, embed, fake }) => {
      fillNotes(folder, 100);
      await embed();
      const old = await activeGeneration(store);
      fake.become({ digest: 'sha256:next', delayMs: 30 });
      await run(REINDEX);
      const seen: string[] = [];
      const job = await indexer.start({
        kind: 'embed',
        onProgress: async ({ counts }) => {
          if (counts.done === 0 || counts.done >= 100 || seen.length > 0) return;
          seen.push(`${(await activeGeneration(store)).id} ${await nearest(store, 'text of topic9')}`);
        },
      });
      succeeded(await indexer.ended(job.id, signal));
      assert.deepEqual(seen, [`${old.id} area 0/Note 9.md`]);
      assert.notEqual((await activeGeneration(store)).id, old.id);
      assert.equal(await nearest(store, 'text of topic9'), 'area 0/Note 9.md');
    },
  );

  embedded('an unfinished generation of a replaced model is dropped when another is complete', async (under) => {
    const { folder, store, embed, fake } = under;
    fillNotes(folder, 100);
    fake.failNextEmbed(undefined, undefined, unavailable());
    endedWith(await embed(), 'interrupted', 'PROVIDER_UNAVAILABLE');
    const begun = await generationOf(store, 'building');
    fake.become({ digest: 'sha256:next' });
    succeeded(await embed());
    const generations = await store.generations(signal);
    assert.deepEqual(
      generations.map(({ state }) => state),
      ['active'],
    );
    assert.notEqual(generations[0]?.id, begun?.id);
  });

  embedded('an interrupted full job stays a full job', async ({ folder, store, indexer, embed, fake }) => {
    fillNotes(folder, 40);
    await embed();
    fake.become({ digest: 'sha256:next' });
    fake.failNextEmbed(unavailable());
    endedWith(await embed(REINDEX), 'interrupted', 'PROVIDER_UNAVAILABLE');
    succeeded(await embed({ kind: 'notes', paths: ['area 1/Note 1.md'] }));
    const { fingerprint, pending } = await activeGeneration(store);
    assert.deepEqual([fingerprint.digest, pending], ['sha256:next', 0]);
    indexer.providerAnswered();
    assert.equal(indexer.state().embedJob?.state, 'succeeded');
  });
});

interface WithFallback extends IndexUnderTest {
  readonly main: FakeEmbedding;
  readonly other: FakeEmbedding;
}

function withFallback(check: (under: WithFallback) => Promise<void>): Promise<void> {
  const main = fakeEmbedding();
  const other = fakeEmbedding({ model: 'small', digest: 'sha256:small', dims: 32 });
  const fallback = { provider: other.provider, useOn: ['PROVIDER_UNAVAILABLE'] } as const;
  const embedding: Embedding = { ...main.provider, fallback };
  return withIndex((under) => check({ ...under, main, other }), { embedding });
}

describe('a fallback', () => {
  it('P19 has its own generation, embedded after the main one', () =>
    withFallback(async ({ folder, store, embed, other }) => {
      fillNotes(folder, 40);
      const job = await embed();
      succeeded(job);
      assert.deepEqual([job.counts.changed, job.counts.done, job.chunks?.embedded], [80, 80, 80]);
      const [first, second] = [await activeGeneration(store), await activeGeneration(store, 'fallback')];
      assert.deepEqual([first.fingerprint.dims, second.fingerprint.dims], [64, 32]);
      assert.deepEqual([first.chunks, second.chunks, second.pending], [40, 40, 0]);
      assert.equal(other.requests.length, 3);
    }));

  it('P19 a failure leaves the main generation unchanged, and is reported', () =>
    withFallback(async ({ folder, store, embed, other }) => {
      fillNotes(folder, 40);
      other.failNextEmbed(undefined, unavailable());
      const job = await embed();
      succeeded(job);
      assert.deepEqual(
        job.failures.map(({ id, error }) => [id, error.code]),
        [['providers.embedding.fallback', 'PROVIDER_UNAVAILABLE']],
      );
      assert.equal((await activeGeneration(store)).pending, 0);
      const half = await generationOf(store, 'building', 'fallback');
      assert.deepEqual([half?.embedded, half?.pending], [16, 24]);
      succeeded(await embed());
      const whole = await activeGeneration(store, 'fallback');
      assert.deepEqual([whole.id, whole.pending], [half?.id, 0]);
      assert.deepEqual(repeated(other.requests.flatMap(({ texts }) => texts)).length, 16, 'the request that failed');
    }));

  it('is embedded although the main provider is unreachable, which interrupts the job', () =>
    withFallback(async ({ folder, store, embed, main }) => {
      fillNotes(folder, 20);
      main.become({ down: true });
      endedWith(await embed(), 'interrupted', 'PROVIDER_UNAVAILABLE');
      assert.equal((await activeGeneration(store, 'fallback')).embedded, 20);
      assert.equal(await generationOf(store, 'building'), undefined);
      main.become({ down: false });
      succeeded(await embed());
      assert.equal((await activeGeneration(store)).embedded, 20);
    }));
});

/** The layers of the server round a fake, with waits that a test has over when it likes. */
function resilient(fake: FakeEmbedding) {
  const waits: (() => void)[] = [];
  const hooks = {
    log: () => {},
    count: () => {},
    onAnswered: () => {},
    storedIdentity: async () => undefined,
  };
  const { provider, close } = resilientEmbedding({
    endpoints: [fake.provider],
    limits: { identify: 30_000, embed: 30_000, loaded: 1_000, warmUp: 30_000 },
    settings: { retry: { attempts: 2, jobAttempts: 5 }, breaker: { enabled: false, failures: 5, cooldown: 15_000 } },
    hooks,
    clock: {
      now: () => performance.now(),
      random: () => 0.5,
      sleep: (_, stop) =>
        new Promise((resolve) => {
          waits.push(resolve);
          stop.addEventListener('abort', () => resolve(), { once: true });
        }),
    },
  });
  return { provider, close, waits };
}

it('P17 unreachable during the job: retries are reported, and no chunk is missing or embedded twice', async () => {
  const fake = fakeEmbedding({ delayMs: 20 });
  const { provider, close, waits } = resilient(fake);
  await withIndex(
    async ({ folder, store, indexer, run }) => {
      fillNotes(folder, 100);
      fake.failNextEmbed(undefined, undefined, unavailable(), unavailable());
      await run();
      const states: string[] = [];
      const job = await indexer.start({
        kind: 'embed',
        onProgress: ({ state, waiting }) => {
          states.push(state);
          if (waiting === undefined) return;
          assert.deepEqual([waiting.code, waiting.wait_ms > 0], ['PROVIDER_UNAVAILABLE', true]);
          assert.equal(indexer.state().embedJob?.state, 'retrying');
          setImmediate(() => waits.shift()?.());
        },
      });
      const ended = await indexer.ended(job.id, signal);
      succeeded(ended);
      assert.equal(states.filter((state) => state === 'retrying').length, 2);
      assert.equal(ended.waiting, undefined);
      const { chunks, pending } = await activeGeneration(store);
      assert.deepEqual([chunks, pending], [100, 0]);
      assert.deepEqual(ended.chunks, { embedded: 100, kept: 0, failed: 0, requests: 9 });
      assert.equal(repeated(fake.requests.flatMap(({ texts }) => texts)).length, 32, 'the request that failed twice');
    },
    { embedding: provider },
  ).finally(close);
});

it('a job that waits for the provider is cancelled immediately', async () => {
  const fake = fakeEmbedding({ down: true });
  const { provider, close } = resilient(fake);
  await withIndex(
    async ({ folder, indexer, run }) => {
      fillNotes(folder, 3);
      await run();
      const waiting = await new Promise<string>((resolve) => {
        void indexer.start({ kind: 'embed', onProgress: ({ id, state }) => state === 'retrying' && resolve(id) });
        const { embedJob } = indexer.state();
        if (embedJob?.state === 'retrying') resolve(embedJob.id);
      });
      void indexer.cancel(waiting, signal);
      endedWith(await embedEnded(indexer), 'cancelled', 'CANCELLED');
    },
    { embedding: provider },
  ).finally(close);
});
