// Tests embed jobs over a real store when the provider fails.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { VaultgraphError } from '../../../src/base/errors.ts';
import { SAMPLE_SENTENCES } from '../../../src/contracts/embedding.ts';
import { assertEach } from '../../assert-each.ts';
import { providerFailure } from '../../fakes/provider-failure.ts';
import { textVector } from '../../fakes/text-vector.ts';
import { embedEnded, signal } from '../index-under-test.ts';
import {
  activeGeneration,
  allFailedChunks,
  embedded,
  endedWith,
  fillNotes,
  generationOf,
  nearest,
  REINDEX,
  repeated,
  succeeded,
} from './embedding-under-test.ts';

const SECTIONS = 4;
const crash = (): VaultgraphError => providerFailure('PROVIDER_ERROR', { status: 400, said: 'EOF' });
const unavailable = (): VaultgraphError => providerFailure('PROVIDER_UNAVAILABLE', { cause_code: 'ECONNREFUSED' });

/** A note of four chunks, each of its own words. */
function longNote(n: number, poisoned: readonly number[]): string {
  const section = (at: number): string => {
    const words = Array.from({ length: 70 }, (_, word) => lettersOf((n * SECTIONS + at) * 37 + word * 11)).join(' ');
    return `## Part ${at}\n\n${poisoned.includes(at) ? 'poison ' : ''}${words}\n`;
  };
  return Array.from({ length: SECTIONS }, (_, at) => section(at)).join('\n');
}

const lettersOf = (number: number): string => [...`${number}`].map((digit) => 'abcdefghij'[Number(digit)]).join('');

describe('texts that the provider refuses', () => {
  embedded(
    '2,000 chunks with 37 poisoned: 1,963 searchable, 37 listed with reasons',
    async (under) => {
      const { folder, store, embed, indexer, sent } = under;
      const isPoisoned = (n: number, at: number): boolean => n % 13 === 0 && at === n % SECTIONS && n < 481;
      for (let n = 0; n < 500; n += 1)
        folder.put(
          `${n}.md`,
          longNote(
            n,
            [0, 1, 2, 3].filter((at) => isPoisoned(n, at)),
          ),
        );
      const job = await embed();
      succeeded(job);
      assert.deepEqual([job.chunks?.embedded, job.chunks?.failed], [1_963, 37]);
      assert.deepEqual([job.counts.done, job.counts.indexed, job.counts.failed], [500, 463, 37]);
      assert.equal(job.failures.length, 37);
      const { id, chunks, failedChunks, pending, embedded: notes } = await activeGeneration(store);
      assert.deepEqual([chunks, failedChunks, pending, notes], [1_963, 37, 0, 500]);
      const rows = await allFailedChunks(store, id);
      assert.equal(rows.length, 37);
      for (const { path, chunk, lines, code, reason } of rows) {
        assert.deepEqual([code, isPoisoned(Number.parseInt(path, 10), chunk)], ['PROVIDER_REJECTED_INPUT', true]);
        assert.notEqual(reason, '');
        assert.ok(job.failures.some((failure) => failure.id === `${path}:${lines[0]}-${lines[1]}`));
      }
      // The sentences that measure how the model suits the notes have no title before them.
      const good = new Set(sent().filter((text) => text.includes(' > ') && !text.includes('poison')));
      assert.equal(good.size, 1_963);
      for (const text of [...good].filter((_, at) => at % 7 === 0)) {
        const [hit] = await store.nearestChunks(id, textVector(text), {}, 1, signal);
        assert.ok(hit && hit.cosine > 0.999 && text.startsWith(`${hit.title} > `), hit?.title);
      }
      assert.equal(indexer.state().embedJob?.state, 'succeeded');
    },
    { poison: { poison: 'rejected' } },
  );

  embedded('P16 one bad chunk in sixteen: fifteen stored, one quarantined, seventeen requests', async (under) => {
    const { folder, store, embed, fake } = under;
    fillNotes(folder, 16);
    fake.become({ poison: { topic7: 'rejected' } });
    const job = await embed();
    succeeded(job);
    assert.deepEqual(job.chunks, { embedded: 15, kept: 0, failed: 1, requests: 17 });
    const { id, chunks, failedChunks } = await activeGeneration(store);
    assert.deepEqual([chunks, failedChunks], [15, 1]);
    const [row] = await allFailedChunks(store, id);
    assert.deepEqual(
      [row?.path, row?.chunk, row?.code, row?.attempts],
      ['area 1/Note 7.md', 0, 'PROVIDER_REJECTED_INPUT', 1],
    );
  });

  embedded('P13 a single bad vector is quarantined and never stored', async ({ folder, store, embed, fake }) => {
    fillNotes(folder, 16);
    fake.become({ poison: { topic7: 'nan' } });
    const job = await embed();
    assert.deepEqual(job.chunks, { embedded: 15, kept: 0, failed: 1, requests: 2 });
    const { id } = await activeGeneration(store);
    assertEach(await allFailedChunks(store, id), ({ code }) => code, ['PROVIDER_BAD_RESPONSE']);
  });

  embedded('a refused text is retried only on request or after it changed', async (under) => {
    const { folder, store, embed, fake, sent } = under;
    fillNotes(folder, 20);
    fake.become({ poison: { topic7: 'rejected', topic8: 'rejected' } });
    await embed();
    const failed = async () => allFailedChunks(store, (await activeGeneration(store)).id);
    const before = sent().length;
    await embed();
    await embed({ kind: 'notes', paths: ['area 1/Note 7.md'], renewVectors: true });
    assert.equal(sent().length, before);
    await embed(REINDEX);
    assertEach(await failed(), ({ attempts }) => attempts, [2, 2]);
    folder.put('area 1/Note 7.md', 'harmless now');
    await embed();
    assertEach(await failed(), ({ path }) => path, ['area 2/Note 8.md']);
    fake.become({ poison: {} });
    const job = await embed(REINDEX);
    succeeded(job);
    assert.deepEqual([job.chunks?.embedded, job.counts.changed, job.counts.done], [1, 1, 1]);
    assert.deepEqual(await failed(), []);
    assert.equal(await nearest(store, 'text of topic8'), 'area 2/Note 8.md');
  });

  embedded(
    'texts too long are quarantined however many they are, for a sentence passes',
    async (under) => {
      const { folder, store, embed, sent } = under;
      fillNotes(folder, 60);
      const job = await embed();
      succeeded(job);
      assert.deepEqual([job.chunks?.embedded, job.chunks?.failed], [0, 60]);
      assert.equal(sent().filter((text) => text === SAMPLE_SENTENCES[0]).length, 2, 'in the middle and at the end');
      const { embedded: notes, failedChunks } = await activeGeneration(store);
      assert.deepEqual([notes, failedChunks], [60, 60]);
    },
    { poison: { topic: 'too long' } },
  );
});

describe('a provider that fails', () => {
  for (const poison of ['rejected', 'nan', 'too long'] as const)
    embedded(`P16 every chunk ${poison}: the job fails early, no flood of rows`, async (under) => {
      const { folder, store, embed, fake } = under;
      fillNotes(folder, 500);
      const everything = Object.fromEntries([...'aeiou'].map((letter) => [letter, poison]));
      fake.become({ poison: everything });
      const job = await embed();
      const codes = {
        rejected: 'PROVIDER_REJECTED_INPUT',
        nan: 'PROVIDER_BAD_RESPONSE',
        'too long': 'PROVIDER_INPUT_TOO_LONG',
      };
      endedWith(job, 'failed', codes[poison]);
      assert.deepEqual([job.failures, job.chunks?.failed, job.counts.done], [[], 0, 0]);
      assert.equal((job.error?.details as { level: string }).level, 'call');
      assert.ok(fake.requests.length <= 3 * 17 + 1, String(fake.requests.length));
      const building = await generationOf(store, 'building');
      assert.deepEqual([building?.chunks, building?.failedChunks, building?.embedded], [0, 0, 0]);
      fake.become({ poison: {} });
      succeeded(await embed());
      assert.equal((await activeGeneration(store)).chunks, 500);
    });

  embedded(
    'P17 gone for good in mid-index: interrupted, kept, the old vectors serve, resumed without sending twice',
    async (under) => {
      const { folder, store, indexer, embed, fake, sent } = under;
      fillNotes(folder, 20);
      await embed();
      const old = await activeGeneration(store);
      const before = sent().length;
      fillNotes(folder, 180, 20);
      fake.become({ digest: 'sha256:another' });
      fake.failNextEmbed(undefined, undefined, undefined, undefined, unavailable());
      const job = await embed(REINDEX);
      endedWith(job, 'interrupted', 'PROVIDER_UNAVAILABLE');
      assert.equal(job.phase, 'embedding');
      const half = await generationOf(store, 'building');
      assert.deepEqual([half?.embedded, half?.pending], [64, 136]);
      assert.equal((await activeGeneration(store)).id, old.id);
      assert.equal(await nearest(store, 'text of topic7'), 'area 1/Note 7.md');
      indexer.providerAnswered();
      const resumed = await embedEnded(indexer);
      assert.notEqual(resumed.id, job.id);
      succeeded(resumed);
      const { id, embedded: notes, chunks } = await activeGeneration(store);
      assert.deepEqual([id, notes, chunks], [half?.id, 200, 200]);
      assert.equal((await generationOf(store, 'previous'))?.id, old.id);
      const twice = repeated(sent().slice(before));
      assert.equal(twice.length, 16, 'only the request that failed is sent again');
    },
  );

  embedded('keeps the results before a failure in the middle of a request', async (under) => {
    const { folder, store, embed, fake } = under;
    fillNotes(folder, 16);
    fake.become({ poison: { topic9: 'too long' } });
    const pass = Array.from({ length: 6 }, () => undefined);
    fake.failNextEmbed(...pass, crash());
    const job = await embed();
    endedWith(job, 'interrupted', 'PROVIDER_ERROR');
    assert.deepEqual([job.chunks?.embedded, job.chunks?.requests], [5, 7]);
    assert.equal((await generationOf(store, 'building'))?.embedded, 5);
  });

  embedded('a provider that answers other calls but not the job is not retried endlessly', async (under) => {
    const { folder, indexer, embed, fake } = under;
    fillNotes(folder, 3);
    fake.become({ down: true });
    endedWith(await embed(), 'interrupted', 'PROVIDER_UNAVAILABLE');
    indexer.providerAnswered();
    endedWith(await embedEnded(indexer), 'interrupted', 'PROVIDER_UNAVAILABLE');
    const { length } = indexer.jobs();
    for (let times = 0; times < 100; times += 1) indexer.providerAnswered();
    assert.equal(indexer.jobs().length, length);
    fake.become({ down: false });
    succeeded(await embed({ kind: 'notes', paths: ['area 1/Note 1.md'] }));
    indexer.providerAnswered();
    assert.equal(indexer.state().embedJob?.state, 'succeeded', 'nothing is left to be taken up again');
  });

  embedded('an error that only the user can fix fails the job, and the index stays unchanged', async (under) => {
    const { folder, indexer, embed, fake } = under;
    fillNotes(folder, 3);
    fake.failNext(providerFailure('PROVIDER_MODEL_MISSING', { installed: [], auto_pull: 'never' }));
    const job = await embed();
    endedWith(job, 'failed', 'PROVIDER_MODEL_MISSING');
    assert.equal(job.phase, 'identifying');
    const { freshness, lastError } = indexer.state();
    assert.deepEqual([freshness, lastError], ['fresh', undefined]);
    indexer.providerAnswered();
    assert.equal(indexer.state().embedJob?.id, job.id, 'an answer to another request does not fix it');
  });

  embedded('an unavailable vault interrupts the job like other jobs', async (under) => {
    const { folder, indexer, run, fake } = under;
    fillNotes(folder, 3);
    fake.become({ delayMs: 100 });
    await run();
    folder.vanish();
    endedWith(await embedEnded(indexer), 'interrupted', 'VAULT_UNAVAILABLE');
    folder.comeBack();
    succeeded(await under.embed());
  });
});
