// Tests that no vector of a text that the server cut without an error gets into an index.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startOpenai } from '../../fakes/openai-server.ts';
import { open } from '../../providers/openai-compatible/under-test.ts';
import { withIndex } from '../index-under-test.ts';
import { activeGeneration, succeeded } from './embedding-under-test.ts';

const READ = 80;
const PARAGRAPHS = 8;
const note = (name: string): string =>
  Array.from({ length: PARAGRAPHS }, (_, at) =>
    Array.from({ length: 30 }, (_, word) => `${name}${at}x${word}`).join(' '),
  ).join('\n\n');

describe('an index over a server that reads less than the config says', () => {
  for (const flavour of ['ollama', 'tei'] as const)
    it(`has vectors of whole texts only, and nothing is left out (${flavour})`, async (test) => {
      const server = await startOpenai({ flavour, contextTokens: READ });
      test.after(() => server.close());
      const { capability: embedding } = await open({ endpoint: server.endpoint, document_prefix: '' });
      await withIndex(
        async ({ folder, store, embed }) => {
          for (const name of ['bay', 'cape', 'dune']) folder.put(`${name}.md`, note(name));
          const job = await embed();
          succeeded(job);
          const { chunks, failedChunks } = await activeGeneration(store);
          assert.equal(failedChunks, 0);
          assert.ok(chunks >= (3 * PARAGRAPHS * 30) / READ, `${chunks} chunks`);
          const whole = server
            .requestsTo('/v1/embeddings')
            .flatMap(({ body }): string[] => body.input)
            .filter((text) => text.split(/\s+/).length < READ);
          for (const name of ['bay', 'cape', 'dune'])
            for (const word of note(name).split(/\s+/))
              assert.ok(
                whole.some((text) => text.includes(word)),
                `${word} is in a text that was read whole`,
              );
        },
        { embedding },
      );
    });
});
