// Assembles the part of the store that keeps vectors. A question about a generation that is gone is answered as if it held nothing.
import { setImmediate } from 'node:timers/promises';
import type { VectorStore } from '../../../contracts/vectors.ts';
import type { Rows } from '../database/rows.ts';
import { type Ask, bounded } from '../read/asking.ts';
import type { Writer } from '../write/writer.ts';
import { failedChunks, heldVectors, noteVector, unembedded } from './embedded-notes.ts';
import { createCounting, generations } from './generation-rows.ts';
import { type Coded, createKeptCodes } from './kept-codes.ts';
import { nearestChunks, nearestNotes } from './nearest.ts';
import { nearestPairs } from './nearest-pairs.ts';

export function createVectorStore(rows: Rows, ask: Ask, writer: Writer): VectorStore {
  const codes = createKeptCodes();
  const counting = createCounting();
  const readCodes = async (generation: number, coded: Coded, signal: AbortSignal): Promise<void> => {
    while (await ask('readCodes', signal, () => codes.readSome(rows, generation, coded))) await setImmediate();
  };
  const most = (limit: number): number => bounded({ limit, offset: 0 }).limit;
  return {
    openGeneration: (role, fingerprint, signal) => writer.run({ op: 'openGeneration', role, fingerprint }, signal),
    applyVectors: async (generation, changes, signal) => {
      await writer.run({ op: 'applyVectors', generation, changes }, signal);
    },
    activate: async (generation, signal) => {
      await writer.run({ op: 'activate', generation }, signal);
    },
    sweepVectors: async (kept, signal) => {
      await writer.run({ op: 'sweepVectors', kept }, signal);
    },
    generations: (signal) => ask('generations', signal, () => generations(rows, counting)),
    unembedded: (generation, after, limit, withFailures, signal) =>
      ask('unembedded', signal, () => unembedded(rows, generation, after, most(limit), withFailures)),
    heldVectors: (generation, hashes, signal) =>
      ask('heldVectors', signal, () => heldVectors(rows, generation, hashes)),
    failedChunks: (generation, page, signal) =>
      ask('failedChunks', signal, () => failedChunks(rows, generation, bounded(page))),
    noteVector: (generation, path, signal) => ask('noteVector', signal, () => noteVector(rows, generation, path)),
    nearestChunks: async (generation, vector, filter, limit, signal) => {
      await readCodes(generation, 'chunks', signal);
      const question = { generation, vector, filter, limit: most(limit) };
      return ask('nearestChunks', signal, () => nearestChunks(rows, codes, question));
    },
    nearestNotes: async (generation, vector, filter, without, limit, signal) => {
      await readCodes(generation, 'notes', signal);
      const question = { generation, vector, filter, limit: most(limit) };
      return ask('nearestNotes', signal, () => nearestNotes(rows, codes, question, without));
    },
    nearestPairs: (generation, path, others, signal) =>
      ask('nearestPairs', signal, () => nearestPairs(rows, generation, path, others)),
  };
}
