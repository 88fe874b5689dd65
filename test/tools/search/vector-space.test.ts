// Which vectors are used while embed jobs run: real jobs over a real store with a paused provider.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { VaultgraphError } from '../../../src/base/errors.ts';
import type { EmbeddingProvider } from '../../../src/contracts/embedding.ts';
import { findSimilar } from '../../../src/tools/search/find_similar.ts';
import { createSearch } from '../../../src/tools/search/search.ts';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { type FakeEmbedding, fakeEmbedding } from '../../fakes/embedding.ts';
import { embedEnded } from '../../indexing/index-under-test.ts';
import { type ToolsUnderTest, withTools } from '../tools-under-test.ts';

const search = createSearch({ textOnly: false });
const FILES = { 'Tide.md': 'The tide rises.\n', 'Moon.md': 'The moon.\n', 'Hill.md': 'A hill under the moon.\n' };
/** A call with little time waits half of it. */
const HASTE = { msLeft: () => 4_000 };

interface Gate {
  /** Lets so many requests with documents pass, then holds the next. */
  pass(requests: number): void;
}

/** Questions pass always; documents wait at the gate. */
function gated(provider: EmbeddingProvider): { readonly embedding: EmbeddingProvider; readonly gate: Gate } {
  let passing = 0;
  const waiting: (() => void)[] = [];
  const atGate = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      if (passing > 0) {
        passing -= 1;
        resolve();
      } else waiting.push(resolve);
    });
  const gate: Gate = {
    pass: (requests) => {
      const now = waiting.splice(0, requests);
      passing += requests - now.length;
      for (const go of now) go();
    },
  };
  const embed: EmbeddingProvider['embed'] = async (inputs, purpose, call, signal) => {
    if (purpose === 'document') await atGate(signal);
    return provider.embed(inputs, purpose, call, signal);
  };
  const embedding = Object.defineProperty(Object.create(provider), 'embed', { value: embed, enumerable: true });
  return { embedding, gate };
}

function withGate(
  check: (under: ToolsUnderTest, gate: Gate, fake: FakeEmbedding) => Promise<void>,
  files: Readonly<Record<string, string>> = FILES,
  fake = fakeEmbedding({ batch: { items: 1, characters: 1_000 } }),
): Promise<void> {
  const { embedding, gate } = gated(fake.provider);
  return withTools(files, (under) => check(under, gate, fake), { embedding, embeds: true });
}

async function failureOf(answer: Promise<unknown>): Promise<VaultgraphError> {
  const [outcome] = await Promise.allSettled([answer]);
  assert.equal(outcome.status, 'rejected');
  return outcome.status === 'rejected' ? outcome.reason : assert.fail();
}

const vectorsIn = (answer: { hits: { scores: { vector?: object } }[] }): number =>
  answer.hits.filter(({ scores }) => scores.vector !== undefined).length;

test('a call waits for the first vectors, reports the wait, and uses all of them', () =>
  withGate(async ({ ask, reported }, gate) => {
    const progress: string[] = [];
    const answer = ask(search, { query: 'tide' }, { progress: (_done, _total, what) => void progress.push(what) });
    setTimeout(() => gate.pass(3), 100);
    assert.equal(vectorsIn(await answer), 3);
    assert.deepEqual([reported().part, reported().index?.embedded], [undefined, 3]);
    assert.ok(progress.includes('waiting for the first vectors'));
  }));

test('nothing embedded when the wait ends: INDEX_BUILDING with the job; search_text never waits', () =>
  withGate(async ({ ask, indexer }) => {
    const error = await failureOf(ask(search, { query: 'tide' }, HASTE));
    assert.equal(error.code, 'INDEX_BUILDING');
    const { embedJob } = indexer.state();
    assert.deepEqual(error.details, { job_id: embedJob?.id, done: 0, total: 3 });
    assert.equal((await ask(searchText, { query: 'tide' })).total, 1);
    const similar = await failureOf(ask(findSimilar, { note: 'Tide' }, HASTE));
    assert.equal(similar.code, 'INDEX_BUILDING');
  }));

test('some notes embedded when the wait ends: a partial result with counts', () =>
  withGate(async ({ ask, reported }, gate) => {
    gate.pass(2);
    const answer = await ask(search, { query: 'moon' }, HASTE);
    const { embedded = 0, total } = reported().index ?? {};
    assert.equal(vectorsIn(answer), embedded);
    assert.ok(embedded === 1 || embedded === 2, String(embedded));
    assert.equal(total, 3);
    assert.equal(reported().part, `${embedded}/3 notes are embedded so far`);
    gate.pass(3);
    assert.equal(vectorsIn(await ask(search, { query: 'moon' })), 3);
    assert.equal(reported().part, undefined);
  }));

test('P14 while vectors of the current model are made the old vectors are not used, and the job is named', () =>
  withGate(async ({ ask, indexer, run, reported }, gate, fake) => {
    gate.pass(3);
    assert.equal((await embedEnded(indexer)).state, 'succeeded');
    const old = (await ask(search, { query: 'tide' })) && reported().index?.generation;
    fake.become({ digest: 'sha256:pulled-again' });
    const idle = await failureOf(ask(search, { query: 'tide' }));
    assert.equal((idle.details as { job_id?: string }).job_id, undefined);
    const { id } = await indexer.start({ kind: 'embed', renewVectors: true });
    while (indexer.state().embedJob?.phase !== 'embedding') await sleep(1);
    const busy = await failureOf(ask(search, { query: 'tide' }));
    assert.equal(busy.code, 'EMBEDDER_MISMATCH');
    const { differs, job_id, total } = busy.details as unknown as { differs: string[]; job_id: string; total: number };
    assert.deepEqual([differs, job_id], [['digest'], id]);
    assert.ok(total === 0 || total === 3, String(total));
    gate.pass(3);
    assert.equal((await embedEnded(indexer)).state, 'succeeded');
    assert.equal(vectorsIn(await ask(search, { query: 'tide' })), 3);
    assert.notEqual(reported().index?.generation, old);
    await run();
  }));

test('a first job that fails while a call waits for it fails the call, with its cause', () =>
  withGate(
    async ({ ask }, gate) => {
      const answer = failureOf(ask(search, { query: 'sand' }));
      setTimeout(() => gate.pass(100), 100);
      const error = await answer;
      assert.equal(error.code, 'INDEX_JOB_FAILED');
      assert.match(error.message, /PROVIDER_REJECTED_INPUT/);
      assert.equal((await failureOf(ask(search, { query: 'sand' }))).code, 'INDEX_EMPTY');
    },
    FILES,
    fakeEmbedding({ batch: { items: 1, characters: 1_000 }, poison: { tide: 'rejected', moon: 'rejected' } }),
  ));

test('a call waits for a changed note, and names it while it has no vector', () =>
  withGate(async ({ ask, folder, indexer, run, reported }, gate) => {
    gate.pass(3);
    await embedEnded(indexer);
    folder.put('Moon.md', 'The moon pulls the tide.\n');
    await run();
    const error = await failureOf(ask(findSimilar, { note: 'Moon' }, HASTE));
    assert.equal(error.code, 'INDEX_BUILDING');
    assert.match(error.message, /the index for Moon\.md is being built/);
    await ask(search, { query: 'tide' });
    assert.deepEqual([reported().index?.embedded, reported().index?.total], [2, 3]);
    const answer = ask(findSimilar, { note: 'Moon' });
    setTimeout(() => gate.pass(1), 50);
    assert.equal((await answer).related[0].path, 'Tide.md');
  }));

test('an empty vault gives an empty result, not an error', () =>
  withGate(async ({ ask, reported }) => {
    assert.deepEqual((await ask(search, { query: 'tide' })).hits, []);
    assert.equal(reported().part, undefined);
  }, {}));
