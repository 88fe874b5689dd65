// Tests that chunks are as large as the model's own count of tokens allows, measured once for each generation.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SCRIPT_SAMPLES, SCRIPTS } from '../../../src/markdown/chunk/token-rates.ts';
import { type OllamaServer, startOllama } from '../../fakes/ollama-server.ts';
import { startOpenai } from '../../fakes/openai-server.ts';
import { openOllama, sentTexts } from '../../providers/ollama/ollama-under-test.ts';
import { open as openOpenai } from '../../providers/openai-compatible/under-test.ts';
import { type IndexUnderTest, withIndex } from '../index-under-test.ts';
import { activeGeneration, REINDEX, succeeded } from './embedding-under-test.ts';

const CONTEXT = 128;

/** An English word list: four Latin letters a token, a token for each letter of any other script. */
const englishTokens = (text: string): number => {
  const latin = text.match(/[a-z]+/gi) ?? [];
  const others = text.match(/(?![a-z])[\p{L}\p{M}\p{N}]/giu) ?? [];
  return 2 + latin.reduce((sum, word) => sum + Math.ceil(word.length / 4), 0) + others.length;
};

const russian = (lines: number): string => Array.from({ length: lines }, () => SCRIPT_SAMPLES.cyrillic).join('\n\n');
const english = (lines: number): string => Array.from({ length: lines }, () => SCRIPT_SAMPLES.latin).join('\n\n');

interface Counting extends IndexUnderTest {
  readonly server: OllamaServer;
}

type Usage = (tokens: number) => number | undefined;

async function counting(usage: Usage, check: (under: Counting) => Promise<void>): Promise<void> {
  const server = await startOllama({ models: [{ contextTokens: CONTEXT, countTokens: englishTokens, usage }] });
  const { capability: embedding } = await openOllama(server.origin, { document_prefix: '', context: CONTEXT });
  try {
    await withIndex((under) => check({ ...under, server }), { embedding });
  } finally {
    await server.close();
  }
}

const SAMPLES: ReadonlySet<string> = new Set(Object.values(SCRIPT_SAMPLES));
const textsOfNotes = (server: OllamaServer): string[] =>
  sentTexts(server).filter((text) => !SAMPLES.has(text) && text !== 'a');

describe('the size of chunks', () => {
  it('P16 follows the measured tokens of a script, so that no text is refused', () =>
    counting(
      (tokens) => tokens,
      async ({ folder, store, embed, server }) => {
        for (let n = 0; n < 5; n += 1) folder.put(`${n}.md`, `${russian(8)}\n\nN ${n}`);
        folder.put('English.md', english(8));
        const job = await embed();
        succeeded(job);
        for (const text of textsOfNotes(server)) assert.ok(englishTokens(text) <= CONTEXT, text);
        const { fingerprint, failedChunks } = await activeGeneration(store);
        assert.equal(failedChunks, 0);
        assert.equal(fingerprint.rates?.cyrillic, 1);
        assert.equal(fingerprint.rates?.latin, undefined, 'no more than is usual');
      },
    ));

  it('is measured once for each generation, and stored with it', () =>
    counting(
      (tokens) => tokens,
      async ({ folder, store, embed, server }) => {
        const samples = (): number => sentTexts(server).filter((text) => SAMPLES.has(text)).length;
        folder.put('a.md', russian(3));
        succeeded(await embed());
        assert.equal(samples(), SCRIPTS.length);
        const { id } = await activeGeneration(store);
        server.change('embeddinggemma', { countTokens: (text) => englishTokens(text) * 2, contextTokens: CONTEXT * 2 });
        folder.put('b.md', russian(4));
        succeeded(await embed(REINDEX));
        assert.deepEqual([(await activeGeneration(store)).id, samples()], [id, SCRIPTS.length]);
        server.change('embeddinggemma', { digest: '99'.repeat(32) });
        succeeded(await embed(REINDEX));
        assert.equal(samples(), 2 * SCRIPTS.length);
      },
    ));

  for (const [what, usage] of [
    ['no counts', () => undefined],
    ['always the same count', () => 7],
    ['zero', () => 0],
    ['more tokens than a text has bytes', (tokens: number) => tokens * 50],
  ] as const)
    it(`is the usual one if the server reports ${what}`, () =>
      counting(usage, async ({ folder, store, embed }) => {
        folder.put('a.md', russian(3));
        succeeded(await embed());
        assert.deepEqual((await activeGeneration(store)).fingerprint.rates, {});
      }));

  it('is measured by the usage of an OpenAI-compatible server', async () => {
    const server = await startOpenai({ contextTokens: CONTEXT, countTokens: englishTokens });
    const section = { endpoint: server.endpoint, document_prefix: '', context: CONTEXT };
    const { capability: embedding } = await openOpenai(section);
    try {
      await withIndex(
        async ({ folder, store, embed }) => {
          folder.put('a.md', russian(8));
          succeeded(await embed());
          const { fingerprint, failedChunks } = await activeGeneration(store);
          assert.deepEqual([fingerprint.rates?.cyrillic, failedChunks], [1, 0]);
        },
        { embedding },
      );
    } finally {
      await server.close();
    }
  });
});
