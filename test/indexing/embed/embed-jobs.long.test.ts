// Tests embed jobs over a real vault, store and thread.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexJob } from '../../../src/contracts/indexer.ts';
import { assertEach } from '../../assert-each.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { providerFailure } from '../../fakes/provider-failure.ts';
import { embedEnded, signal, withIndex } from '../index-under-test.ts';
import {
  activeGeneration,
  embedded,
  endedWith,
  fillNotes,
  generationOf,
  nearest,
  repeated,
  succeeded,
} from './embedding-under-test.ts';

const EMBEDDING = { capability: 'embedding', provider: 'fake', model: 'hashed-words' } as const;
const LLM = { capability: 'llm', provider: 'fake', model: 'script' } as const;

const MORE_THAN_A_REQUEST = 40;

describe('an embed job', () => {
  embedded('starts after an index job and embeds every note once', async ({ folder, store, embed, fake, sent }) => {
    fillNotes(folder, MORE_THAN_A_REQUEST);
    folder.put('empty.md', '');
    folder.put('books.base', 'views: []');
    const job = await embed();
    succeeded(job);
    assert.deepEqual([job.kind, job.phase], ['embed', 'ended']);
    assert.deepEqual(job.chunks, { embedded: 41, kept: 0, failed: 0, requests: 3 });
    assert.deepEqual([job.counts.listed, job.counts.changed, job.counts.done, job.counts.indexed], [41, 41, 41, 41]);
    assert.deepEqual([sent().length, repeated(sent())], [41, []]);
    assert.deepEqual(new Set(fake.requests.map(({ priority }) => priority)), new Set(['background']));
    const { embedded: notes, pending, total, chunks, activatedAt } = await activeGeneration(store);
    assert.deepEqual([notes, pending, total, chunks], [41, 0, 41, 41]);
    assert.ok(activatedAt);
    assert.equal(await nearest(store, 'text of topic17'), 'area 2/Note 17.md');
  });

  embedded('sends only changed texts, and nothing if nothing changed', async ({ folder, store, embed, sent }) => {
    fillNotes(folder, MORE_THAN_A_REQUEST);
    await embed();
    const before = sent().length;
    succeeded(await embed());
    assert.equal(sent().length, before);
    folder.put('area 1/Note 1.md', 'about harbours now');
    folder.put('New.md', 'brand new');
    folder.remove('area 2/Note 2.md');
    succeeded(await embed());
    assertEach(sent().slice(before), (text) => text.includes('harbours') || text.includes('brand new'), [true, true]);
    succeeded(await embed({ kind: 'notes', paths: ['New.md'] }));
    assert.equal(sent().length, before + 2);
    const { total, pending, chunks } = await activeGeneration(store);
    assert.deepEqual([total, pending, chunks], [40, 0, 40]);
    assert.equal(await nearest(store, 'harbours now'), 'area 1/Note 1.md');
  });

  embedded('does not send a text again that moved or also occurs elsewhere', async ({ folder, store, embed, sent }) => {
    fillNotes(folder, MORE_THAN_A_REQUEST);
    await embed();
    const before = sent().length;
    folder.move('area 1', 'elsewhere/area 1');
    folder.put('copies/Note 5.md', 'text of topic5\n');
    const job = await embed();
    succeeded(job);
    assert.equal(sent().length, before);
    assert.deepEqual(job.chunks, { embedded: 0, kept: 14, failed: 0, requests: 0 });
    assert.equal(await nearest(store, 'text of topic4'), 'elsewhere/area 1/Note 4.md');
    assert.equal((await activeGeneration(store)).pending, 0);
  });

  embedded('embeds one text of many notes once', async ({ folder, embed, sent }) => {
    for (let n = 0; n < 100; n += 1) folder.put(`${n}/Daily.md`, 'the same words each day');
    const job = await embed();
    assert.deepEqual([sent().length, job.chunks?.embedded, job.chunks?.kept], [1, 1, 99]);
  });

  embedded(
    'cuts no request larger than the provider takes',
    async ({ folder, embed, fake }) => {
      for (let n = 0; n < 30; n += 1) folder.put(`${n}.md`, `word${n} `.repeat(n * 3));
      succeeded(await embed());
      for (const { texts } of fake.requests) {
        const characters = texts.reduce((sum, text) => sum + text.length, 0);
        assert.ok(texts.length <= 5 && (texts.length === 1 || characters <= 700), `${texts.length} ${characters}`);
      }
      const titles = fake.requests.flatMap(({ texts }) => texts.map((text) => text.split(' | ')[0]));
      assert.equal(new Set(titles).size, 30);
    },
    { batch: { items: 5, characters: 700 }, documentPrefix: 'title: {title} | text: ' },
  );

  embedded('skips a note that changed since it was indexed, until the change is indexed', async (under) => {
    const { folder, store, indexer, run, sent } = under;
    fillNotes(folder, 3);
    succeeded(await run());
    folder.put('area 1/Note 1.md', 'changed behind its back');
    const first = await embedEnded(indexer);
    succeeded(first);
    const isAhead = sent().some((text) => text.includes('behind its back'));
    assert.equal(isAhead, false);
    succeeded(await under.embed());
    assert.equal(await nearest(store, 'changed behind its back'), 'area 1/Note 1.md');
    assert.equal((await activeGeneration(store)).pending, 0);
  });

  embedded('an empty vault has a complete, empty generation', async ({ store, embed, fake }) => {
    succeeded(await embed());
    const { total, pending, chunks } = await activeGeneration(store);
    assert.deepEqual([total, pending, chunks, fake.requests.length], [0, 0, 0, 0]);
  });

  embedded(
    'starts by itself on request, whole, and joins the one under way',
    async ({ folder, indexer, run, fake }) => {
      fake.become({ delayMs: 20 });
      fillNotes(folder, MORE_THAN_A_REQUEST);
      await run();
      const behind = indexer.state().embedJob;
      const joined = await indexer.start({ kind: 'embed' });
      assert.equal(joined.id, behind?.id);
      succeeded(await embedEnded(indexer));
      const another = await indexer.start({ kind: 'embed' });
      assert.notEqual(another.id, joined.id);
      succeeded(await embedEnded(indexer));
      assertEach(indexer.jobs(), ({ kind }) => kind, ['embed', 'embed', 'catch_up']);
    },
  );

  embedded('reports its progress in increasing counts', async ({ folder, indexer, run, fake }) => {
    fake.become({ delayMs: 60 });
    fillNotes(folder, 100);
    await run();
    const seen: IndexJob[] = [];
    void indexer.start({ kind: 'embed', onProgress: (job) => seen.push(job) });
    await embedEnded(indexer);
    const done = seen.map(({ counts }) => counts.done);
    assert.ok(new Set(done).size > 2, String(done));
    assert.deepEqual(
      done,
      done.toSorted((one, other) => one - other),
    );
    assert.deepEqual([...new Set(seen.map(({ phase }) => phase))], ['embedding', 'activating', 'ended']);
  });
});

describe('cancelling and closing', () => {
  embedded('a cancelled job keeps what it embedded, and the next one does the rest', async (under) => {
    const { folder, store, indexer, run, fake, sent } = under;
    fake.become({ delayMs: 60 });
    fillNotes(folder, 200);
    await run();
    const { id } = await indexer.start({
      kind: 'embed',
      onProgress: ({ id, counts }) => {
        if (counts.done > 30) void indexer.cancel(id, signal);
      },
    });
    const job = await indexer.ended(id, signal);
    endedWith(job, 'cancelled', 'CANCELLED');
    const half = await generationOf(store, 'building');
    assert.ok(half && half.embedded >= 30 && half.pending > 0);
    fake.become({ delayMs: 0 });
    succeeded(await under.embed());
    assert.equal((await activeGeneration(store)).id, half.id);
    // What was under way, and the few answers whose vectors a slow disk had not taken yet.
    assert.ok(repeated(sent()).length <= 96, 'at most what was under way is sent twice');
    assert.equal(new Set(sent()).size, 200);
  });

  embedded('a job that waits in the queue is cancelled immediately', async ({ folder, indexer, run, fake }) => {
    fillNotes(folder, 3);
    fake.become({ hang: true });
    await run();
    await run();
    const [waiting, , under] = indexer.jobs();
    assert.deepEqual(
      [waiting?.kind, waiting?.state, under?.kind, under?.state],
      ['embed', 'queued', 'embed', 'running'],
    );
    const cancelled = await indexer.cancel(waiting?.id ?? '', signal);
    assert.equal(cancelled.state, 'cancelled');
    endedWith(await indexer.ended(cancelled.id, signal), 'cancelled', 'CANCELLED');
    void indexer.cancel(under?.id ?? '', signal);
    endedWith(await indexer.ended(under?.id ?? '', signal), 'cancelled', 'CANCELLED');
  });

  embedded('closes without waiting for a provider that hangs', async ({ folder, indexer, run, fake }) => {
    fillNotes(folder, 3);
    fake.become({ hang: true });
    await run();
    await run();
    indexer.startPull(() => new Promise(() => {}), EMBEDDING);
    const began = performance.now();
    await indexer.close();
    assert.ok(performance.now() - began < 20_000);
    assert.deepEqual(
      new Set(indexer.jobs().flatMap(({ kind, state }) => (kind === 'catch_up' ? [] : [state]))),
      new Set(['interrupted']),
    );
    await assert.rejects(indexer.start({ kind: 'embed' }), { code: 'SHUTTING_DOWN' });
    indexer.providerAnswered();
  });
});

it('closes although the provider ignores the abort', () => {
  const deaf = { ...fakeEmbedding().provider, embed: () => new Promise<never>(() => {}) };
  return withIndex(
    async ({ folder, indexer, run }) => {
      fillNotes(folder, 3);
      await run();
      while (indexer.state().embedJob?.phase !== 'embedding') await sleep(5);
      const began = performance.now();
      await indexer.close();
      assert.ok(performance.now() - began < 20_000);
      endedWith(await embedEnded(indexer), 'interrupted', 'SHUTTING_DOWN');
    },
    { embedding: deaf },
  );
});

describe('a provider that hangs', () => {
  embedded('delays neither index jobs nor the state of the index', async ({ folder, store, indexer, run, fake }) => {
    fake.become({ hang: true });
    fillNotes(folder, 30);
    await run();
    const hanging = indexer.state().embedJob;
    assert.equal(hanging?.state, 'running');
    fillNotes(folder, 30, 30);
    succeeded(await run());
    succeeded(await run({ kind: 'notes', paths: ['area 1/Note 1.md'] }));
    const { freshness, pending, running, embedJob, lastError } = indexer.state();
    assert.deepEqual([freshness, pending, running, lastError], ['fresh', 0, undefined, undefined]);
    assert.equal(embedJob?.id, hanging?.id);
    const queued = indexer.jobs().filter(({ state }) => state === 'queued');
    assert.equal(queued.length, 1, 'what is to be embedded behind waits in one job');
    fake.become({ hang: false });
    void indexer.cancel(hanging?.id ?? '', signal);
    succeeded(await indexer.ended(queued[0]?.id ?? '', signal));
    assert.equal((await activeGeneration(store)).embedded, 60);
  });

  embedded(
    'does not keep a rebuild from forgetting everything',
    async ({ folder, store, indexer, run, embed, fake }) => {
      fillNotes(folder, 30);
      await embed();
      fake.become({ hang: true });
      folder.put('New.md', 'new');
      await run();
      const hanging = indexer.state().embedJob;
      fake.become({ hang: false });
      succeeded(await embed({ kind: 'rebuild' }));
      endedWith(await indexer.ended(hanging?.id ?? '', signal), 'cancelled', 'CANCELLED');
      const { embedded: notes, pending } = await activeGeneration(store);
      assert.deepEqual([notes, pending, (await store.generations(signal)).length], [31, 0, 1]);
    },
  );
});

embedded('a reset of the index by another process does not fail the job', async (under) => {
  const { folder, store, indexer, run, embed, fake } = under;
  fillNotes(folder, 100);
  fake.become({ delayMs: 20 });
  await run();
  let isReset = false;
  const { id } = await indexer.start({
    kind: 'embed',
    onProgress: ({ counts }) => {
      if (counts.done === 0 || isReset) return;
      isReset = true;
      void store.reset(signal);
    },
  });
  succeeded(await indexer.ended(id, signal));
  assert.ok(isReset);
  succeeded(await embed());
  const { embedded: notes, pending } = await activeGeneration(store);
  assert.deepEqual([notes, pending], [100, 0]);
});

describe('fetching a model', () => {
  embedded('is a separate job, and embeds after it', async ({ folder, indexer, run, fake }) => {
    fillNotes(folder, 3);
    fake.become({ down: true });
    await run();
    endedWith(await embedEnded(indexer), 'interrupted', 'PROVIDER_UNAVAILABLE');
    const shares: number[] = [];
    const pulled = indexer.startPull(async (onProgress) => {
      for (const share of [0.25, 0.5]) {
        onProgress(share);
        shares.push(indexer.jobs().find(({ kind }) => kind === 'pull')?.counts.done ?? -1);
        await sleep(5);
      }
      fake.become({ down: false });
    }, EMBEDDING);
    assert.deepEqual([pulled.kind, pulled.state, pulled.phase], ['pull', 'running', 'pulling']);
    const again = indexer.startPull(async () => assert.fail('one pull at a time'), EMBEDDING);
    assert.equal(again.id, pulled.id);
    const ended = await indexer.ended(pulled.id, signal);
    assert.deepEqual([ended.state, ended.counts.done, ended.counts.changed, shares], ['succeeded', 100, 100, [25, 50]]);
    succeeded(await embedEnded(indexer));
  });

  embedded('ends on a failure, a cancel and its limit', async ({ indexer, fake }) => {
    const failure = providerFailure('PROVIDER_MODEL_MISSING', { installed: [], auto_pull: 'failed' });
    const failed = indexer.startPull(async () => {
      throw failure;
    }, EMBEDDING);
    endedWith(await indexer.ended(failed.id, signal), 'failed', failure.code);
    const hanging = indexer.startPull(() => new Promise(() => {}), EMBEDDING);
    const beside = indexer.startPull(async () => undefined, LLM);
    assert.equal((await indexer.ended(beside.id, signal)).state, 'succeeded', 'one model does not wait for another');
    void indexer.cancel(hanging.id, signal);
    endedWith(await indexer.ended(hanging.id, signal), 'cancelled', 'CANCELLED');
    assert.equal(fake.requests.length, 0);
  });

  it('P10 a pull that stalls ends with its own limit', () => {
    const options = { embedding: fakeEmbedding().provider, pullLimitMs: 50 };
    return withIndex(async ({ indexer }) => {
      let stopped: unknown;
      const stalled = indexer.startPull((_, stop) => {
        stop.addEventListener('abort', () => {
          stopped = stop.reason;
        });
        return new Promise(() => {});
      }, LLM);
      const { state, error } = await indexer.ended(stalled.id, signal);
      assert.deepEqual([state, error?.code, error], ['failed', 'PROVIDER_TIMEOUT', stopped]);
      assert.partialDeepStrictEqual(error?.details, LLM);
    }, options);
  });

  it('P10 the model of a language-model provider is pulled without an embedding provider, and no embedding follows', () =>
    withIndex(async ({ indexer }) => {
      const pulled = indexer.startPull(async (onProgress) => onProgress(1), LLM);
      assert.equal((await indexer.ended(pulled.id, signal)).state, 'succeeded');
      assert.deepEqual(
        indexer.jobs().filter(({ kind }) => kind === 'embed'),
        [],
      );
    }));
});

describe('a server for which larger requests are faster', () => {
  embedded(
    'gets larger ones, two at a time, and every vector is of its own text',
    async ({ folder, store, embed, fake }) => {
      const count = 900;
      fillNotes(folder, count);
      const job = await embed();
      succeeded(job);
      assert.deepEqual([job.chunks?.embedded, (await activeGeneration(store)).chunks], [count, count]);
      assert.ok(Math.max(...fake.requests.map(({ texts }) => texts.length)) >= 64);
      assert.ok(fake.requests.length < count / 20, `${fake.requests.length} requests`);
      assert.ok(fake.mostUnderWay() === 2, `${fake.mostUnderWay()} under way`);
      assert.deepEqual(repeated(fake.requests.flatMap(({ texts }) => texts)), []);
      for (const n of [0, 17, 500, 899])
        assert.equal(await nearest(store, `text of topic${n}`), `area ${n % 3}/Note ${n}.md`);
    },
    { delayMs: 150, batch: { items: 16, characters: 32_000, maxItems: 128 } },
  );

  embedded(
    'and fails one of two: the job ends, and the next one sends what was not written',
    async ({ folder, store, embed, fake, sent }) => {
      fillNotes(folder, 900);
      const unavailable = () => providerFailure('PROVIDER_UNAVAILABLE', { cause_code: 'ECONNREFUSED' });
      fake.failNextEmbed(...Array.from({ length: 12 }, () => undefined), unavailable());
      endedWith(await embed(), 'interrupted', 'PROVIDER_UNAVAILABLE');
      const { embedded: notes = 0 } = (await generationOf(store, 'building')) ?? {};
      assert.ok(notes > 0 && notes < 900, `${notes}`);
      const before = sent().length;
      fake.become({ delayMs: 0 });
      succeeded(await embed());
      assert.deepEqual([(await activeGeneration(store)).chunks, sent().length - before], [900, 900 - notes]);
    },
    { delayMs: 100, batch: { items: 16, characters: 32_000, maxItems: 128 } },
  );
});
