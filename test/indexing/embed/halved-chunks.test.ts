// Tests that a text that the model refuses as too long is embedded in parts, the same ones in every index.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { EmbeddingProvider } from '../../../src/contracts/embedding.ts';
import type { Store } from '../../../src/contracts/store.ts';
import { type OllamaServer, startOllama } from '../../fakes/ollama-server.ts';
import { openOllama, sentTexts } from '../../providers/ollama/ollama-under-test.ts';
import { type IndexUnderTest, openIndex, signal, withIndex } from '../index-under-test.ts';
import { activeGeneration, allFailedChunks, repeated, succeeded } from './embedding-under-test.ts';

const WORDS = ['harbour', 'tide', 'boat', 'net', 'rope', 'wall', 'garden', 'bean', 'number', 'list'];
/** A key or packed data: for most models a token a character. */
const packed = (seed: number): string =>
  Array.from({ length: 12 }, (_, at) => ((seed * 7_919 + at * 104_729) % 1_679_616).toString(36)).join('-');
const line = (seed: number): string =>
  seed % 4 === 0 ? packed(seed) : `${WORDS.map((_, at) => WORDS[(seed * 3 + at) % 10]).join(' ')}.`;
const note = (seed: number, lines: number): string =>
  Array.from({ length: lines }, (_, at) => line(seed * 31 + at)).join('\n\n');

const CONTEXT = 64;
const letters = (text: string): number => text.replace(/[\s>]/g, '').length / 4;

interface Refusing extends IndexUnderTest {
  readonly server: OllamaServer;
}

/** @param countTokens more than the chunker reckons with */
async function refusing(countTokens: (text: string) => number, check: (under: Refusing) => Promise<void>) {
  const server = await startOllama({ models: [{ contextTokens: CONTEXT, countTokens, usage: () => undefined }] });
  const section = { document_prefix: '', context: CONTEXT };
  const embedding: EmbeddingProvider = (await openOllama(server.origin, section)).capability;
  try {
    await withIndex((under) => check({ ...under, server }), { embedding });
  } finally {
    await server.close();
  }
}

const letterByLetter = (text: string): number => letters(text) * 4;

/** What a search can find: the vector of each note, and how many chunks there are. */
async function vectorsOf(store: Store): Promise<unknown> {
  const { id, chunks, failedChunks, embedded } = await activeGeneration(store);
  const vectors: Record<string, number[]> = {};
  for (const { path } of await store.names(signal))
    vectors[path] = [...((await store.noteVector(id, path, signal)) ?? [])].map((each) => Math.round(each * 1e5));
  return { chunks, failedChunks, embedded, vectors };
}

describe('a text that is too long for the model', () => {
  it('P16 is embedded in parts, and nothing is left out', () =>
    refusing(letterByLetter, async ({ folder, store, embed, server }) => {
      for (let n = 0; n < 12; n += 1) folder.put(`${n}.md`, note(n, 5));
      const job = await embed();
      succeeded(job);
      const { chunks, failedChunks } = await activeGeneration(store);
      assert.deepEqual([failedChunks, job.chunks?.failed, job.failures], [0, 0, []]);
      assert.equal(job.chunks?.embedded, chunks);
      const read = new Set(sentTexts(server).filter((text) => letterByLetter(text) <= CONTEXT));
      assert.ok(read.size >= chunks, 'each vector is of a whole text');
    }));

  it('P16 is left out only if 64 characters of it are refused', () =>
    refusing(
      (text) => (text.includes('secret') ? 1_000 : letters(text)),
      async ({ folder, store, embed }) => {
        folder.put('a.md', `${note(1, 3)}\n\nsecret\n\n${note(2, 3)}`);
        const job = await embed();
        succeeded(job);
        const { id, failedChunks } = await activeGeneration(store);
        assert.deepEqual([failedChunks, job.chunks?.failed], [1, 1]);
        const [row, ...others] = await allFailedChunks(store, id);
        assert.deepEqual([row?.code, others], ['PROVIDER_INPUT_TOO_LONG', []]);
        const [from = 0, to = 0] = row?.lines ?? [];
        assert.ok(from <= 7 && to >= 7 && to - from <= 2, `${from}-${to} is near line 7`);
      },
    ));

  it('has the same parts whether its note is indexed first or after a change', () =>
    refusing(letterByLetter, async (under) => {
      const { folder, store, embed, server } = under;
      for (let n = 0; n < 8; n += 1) folder.put(`${n}.md`, note(n, 5));
      succeeded(await embed());
      folder.put('3.md', `${note(3, 5)}\n\n${note(100, 2)}`);
      folder.put('copy of 4.md', note(4, 5));
      folder.move('5.md', 'moved/5.md');
      folder.remove('6.md');
      succeeded(await embed());
      const { capability } = await openOllama(server.origin, { document_prefix: '', context: CONTEXT });
      const cold = await openIndex(folder, join(folder.outside, 'cold'), { embedding: capability });
      succeeded(await cold.embed());
      assert.deepEqual(await vectorsOf(store), await vectorsOf(cold.store));
      await cold.close();
    }));

  it('is requested in parts once, although several notes contain it', () =>
    refusing(letterByLetter, async ({ folder, embed, server }) => {
      const same = `${packed(1)} ${packed(2)}`;
      for (let n = 0; n < 40; n += 1) folder.put(`${n}/Daily.md`, same);
      succeeded(await embed());
      const passed = sentTexts(server).filter((text) => letterByLetter(text) <= CONTEXT);
      const inBatch = repeated(passed);
      assert.ok(inBatch.length <= passed.length / 2, 'once in a refused request, once in one that passed');
    }));
});
