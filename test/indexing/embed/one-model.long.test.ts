// Tests that a generation holds vectors of one model only, whatever the server does to its model during a job.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EmbeddingProvider } from '../../../src/contracts/embedding.ts';
import type { Store } from '../../../src/contracts/store.ts';
import { SCRIPTS } from '../../../src/markdown/chunk/token-rates.ts';
import type { Loopback } from '../../fakes/http/loopback.ts';
import { DIGEST_1, DIGEST_2 } from '../../fakes/ollama/model.ts';
import { startOllama } from '../../fakes/ollama-server.ts';
import { startOpenai } from '../../fakes/openai-server.ts';
import { textVector } from '../../fakes/text-vector.ts';
import { openOllama } from '../../providers/ollama/ollama-under-test.ts';
import { open as openOpenai } from '../../providers/openai-compatible/under-test.ts';
import { type IndexUnderTest, signal, withIndex } from '../index-under-test.ts';
import { activeGeneration, endedWith, fillNotes, generationOf, REINDEX, succeeded } from './embedding-under-test.ts';

const OLD = { weights: '', digest: DIGEST_1, dims: 64 };
const NEW = { weights: 'other', digest: DIGEST_2, dims: 64 };
type Weights = typeof OLD;

interface Replaceable {
  readonly server: Loopback;
  readonly provider: EmbeddingProvider;
  replace(by: Weights): void;
  replaceAt(nth: number, by: Weights): void;
}

const ollama = async (): Promise<Replaceable> => {
  const server = await startOllama();
  const name = 'embeddinggemma';
  return {
    server,
    provider: (await openOllama(server.origin, { document_prefix: '' })).capability,
    replace: (by) => server.change(name, by),
    replaceAt: (nth, by) => server.changeAt(nth, name, by),
  };
};

const openai = async (): Promise<Replaceable> => {
  const server = await startOpenai();
  return {
    server,
    provider: (await openOpenai({ endpoint: server.endpoint, document_prefix: '' })).capability,
    replace: server.change,
    replaceAt: server.changeAt,
  };
};

/** Whether each embedded note of the generation has the vector of these weights. */
async function assertOneModel(store: Store, generation: number, count: number, { weights, dims }: Weights) {
  let embedded = 0;
  for (const { path, title } of await store.names(signal)) {
    const vector = await store.noteVector(generation, path, signal);
    if (vector === null) continue;
    embedded += 1;
    const topic = /\d+/.exec(title)?.[0];
    const expected = textVector(`${title}\n\ntext of topic${topic}`, dims, weights);
    for (const [at, number] of expected.entries()) assert.ok(Math.abs(number - (vector[at] as number)) < 1e-5, path);
  }
  assert.equal(embedded, count);
}

const NOTES = 100;
/** Requests before the first vectors. */
const MEASURING = 1 + SCRIPTS.length;

for (const [type, start] of [
  ['a server that reports a digest', ollama],
  ['a server without a digest', openai],
] as const)
  describe(`P14 ${type} replaces its model under its name`, () => {
    const law = (title: string, check: (under: IndexUnderTest & Replaceable) => Promise<void>): void => {
      it(title, async () => {
        const replaceable = await start();
        try {
          await withIndex((under) => check({ ...under, ...replaceable }), { embedding: replaceable.provider });
        } finally {
          await replaceable.server.close();
        }
      });
    };

    for (const [what, next] of [
      ['vectors of the same length', NEW],
      ['vectors of another length', { ...NEW, dims: 32 }],
    ] as const)
      law(`during the first job, for ${what}: the job ends, and the old model completes its vectors`, async (under) => {
        const { folder, store, embed, replace, replaceAt } = under;
        fillNotes(folder, NOTES);
        replaceAt(MEASURING + 4, next);
        endedWith(await embed(), 'failed', 'EMBEDDER_MISMATCH');
        assert.equal(await generationOf(store, 'active'), undefined);
        const half = await generationOf(store, 'building');
        await assertOneModel(store, half?.id ?? 0, half?.embedded ?? -1, OLD);
        replace(OLD);
        succeeded(await embed());
        const { id } = await activeGeneration(store);
        assert.equal(id, half?.id);
        await assertOneModel(store, id, NOTES, OLD);
      });

    law('with the last request, so that only the comparison before the end shows it', async (under) => {
      const { folder, store, embed, replaceAt } = under;
      fillNotes(folder, 10);
      const identifying = type === 'a server without a digest' ? 1 : 0;
      replaceAt(identifying + MEASURING + 1, NEW);
      endedWith(await embed(), 'failed', 'EMBEDDER_MISMATCH');
      const { embedded = -1 } = (await generationOf(store, 'building')) ?? {};
      assert.equal(embedded, 0);
    });

    law('while changed notes are embedded: the active vectors stay of one model', async (under) => {
      const { folder, store, embed, replace, replaceAt } = under;
      fillNotes(folder, 20);
      succeeded(await embed());
      const { id } = await activeGeneration(store);
      fillNotes(folder, NOTES - 20, 20);
      replaceAt(3, NEW);
      endedWith(await embed(), 'failed', 'EMBEDDER_MISMATCH');
      const { embedded } = await activeGeneration(store);
      await assertOneModel(store, id, embedded, OLD);
      replace(OLD);
      succeeded(await embed());
      await assertOneModel(store, id, NOTES, OLD);
    });

    law('while the previous vectors come back: they are completed by their model before they serve', async (under) => {
      const { folder, store, embed, replace, replaceAt } = under;
      fillNotes(folder, 20);
      succeeded(await embed());
      const { id } = await activeGeneration(store);
      replace(NEW);
      succeeded(await embed(REINDEX));
      fillNotes(folder, NOTES - 20, 20);
      replace(OLD);
      replaceAt(3, NEW);
      endedWith(await embed(REINDEX), 'failed', 'EMBEDDER_MISMATCH');
      const previous = await generationOf(store, 'previous');
      assert.equal(previous?.id, id);
      await assertOneModel(store, id, previous?.embedded ?? -1, OLD);
      replace(OLD);
      succeeded(await embed(REINDEX));
      assert.equal((await activeGeneration(store)).id, id);
      await assertOneModel(store, id, NOTES, OLD);
    });
  });
