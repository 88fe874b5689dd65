// Tests that after random changes every vector result equals that of a brute-force model.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Store } from '../../../src/contracts/store.ts';
import type { NoteHit } from '../../../src/contracts/vectors.ts';
import { assertEach } from '../../assert-each.ts';
import { runs } from '../../runner/effort.ts';
import { ALL, asPath, fill, type Law, remove, rewrite, signal } from './law.ts';
import {
  activateModel,
  cosine,
  embedNote,
  type Model,
  type ModelGeneration,
  meanOf,
  newGeneration,
  presentChunks,
  removeNote,
  sweepModel,
  writeNote,
} from './vector-model.ts';
import { type Chunk, embed, embeddedNote, opened, vector } from './vector-vault.ts';

const PATHS = ['a.md', 'b/a.md', 'b/c.md', 'd.md'];
const TEXTS = ['one', 'two'];
const MODELS = ['small', 'large'];

/** Directions by the texts of chunks: some alike, some opposed. */
const VECTORS: Readonly<Record<string, Float32Array>> = {
  east: vector(1, 0, 0, 0),
  'also east': vector(2, 0, 0, 0),
  west: vector(-1, 0, 0, 0),
  north: vector(0.1, 0.9, -0.2, 0.3),
  steep: vector(0.3, -0.2, 7, 0.1),
  skew: vector(-0.5, -0.4, 0.1, 0.8),
};

const chunk: fc.Arbitrary<Chunk> = fc
  .record({ text: fc.constantFrom(...Object.keys(VECTORS)), fails: fc.integer({ min: 0, max: 2 }) })
  .map(({ text, fails }) => [text, fails === 0 ? 'refused' : (VECTORS[text] ?? 'no text')]);
const path = fc.constantFrom(...PATHS);
const text = fc.constantFrom(...TEXTS);
const role = fc.constantFrom('main' as const, 'fallback' as const);
const model = fc.constantFrom(...MODELS);
const chunks = fc.array(chunk, { maxLength: 4 });
const late = fc.integer({ min: 0, max: 4 }).map((number) => number === 0);

type Step =
  | { readonly does: 'write'; readonly path: string; readonly text: string }
  | { readonly does: 'remove'; readonly path: string }
  | {
      readonly does: 'embed';
      readonly role: 'main' | 'fallback';
      readonly model: string;
      readonly path: string;
      /** Cut from a text that the note does not have any more. */
      readonly late: boolean;
      readonly chunks: readonly Chunk[];
    }
  | { readonly does: 'activate'; readonly role: 'main' | 'fallback'; readonly model: string }
  | { readonly does: 'sweep'; readonly role: 'main' | 'fallback'; readonly model: string };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('write' as const), path, text }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('remove' as const), path }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('embed' as const), role, model, path, late, chunks }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('activate' as const), role, model }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('sweep' as const), role, model }) },
);

async function take(store: Store, known: Model, one: Step): Promise<void> {
  if (one.does === 'write') {
    await (known.texts.has(one.path) ? rewrite : fill)(store, { [one.path]: one.text });
    return writeNote(known, one.path, one.text);
  }
  if (one.does === 'remove') {
    await remove(store, one.path);
    return removeNote(known, one.path);
  }
  const { id } = await opened(store, { model: one.model, dims: 4 }, one.role);
  const generation = known.generations.get(id) ?? newGeneration(one.role, one.model);
  known.generations.set(id, generation);
  if (one.does === 'activate') {
    await store.activate(id, signal);
    return activateModel(known, id);
  }
  if (one.does === 'sweep') {
    await store.sweepVectors([id], signal);
    return sweepModel(known, [id]);
  }
  const text = one.late ? 'before' : (known.texts.get(one.path) ?? 'gone');
  await embed(store, { id }, { [one.path]: [text, ...one.chunks] });
  for (const [hash, held] of one.chunks) if (typeof held !== 'string') generation.vectors.set(hash, held);
  embedNote(known, generation, one.path, text, embeddedNote(one.path, text, one.chunks).chunks);
}

/** Everything but what is near. */
async function checkHeld(store: Store, known: Model, id: number, generation: ModelGeneration): Promise<void> {
  const paths = [...known.texts.keys()].sort();
  const lacking = paths.filter((one) => presentChunks(known, generation, one) === undefined);
  const all = paths.flatMap((one) => presentChunks(known, generation, one) ?? []);
  const failed = paths.flatMap((one) =>
    (presentChunks(known, generation, one) ?? []).flatMap(({ failure, hash }, at) =>
      failure === undefined ? [] : [`${one} ${at} ${generation.failures.get(one)?.get(hash)}`],
    ),
  );
  const reported = (await store.generations(signal)).find((other) => other.id === id) ?? assert.fail('is gone');
  assert.deepEqual(
    [
      reported.role,
      reported.state,
      reported.embedded,
      reported.pending,
      reported.total,
      reported.chunks,
      reported.failedChunks,
    ],
    [
      ...[generation.role, generation.state, paths.length - lacking.length, lacking.length, paths.length],
      ...[all.length - failed.length, failed.length],
    ],
  );
  const pending = (withFailures: boolean) => store.unembedded(id, '', 100, withFailures, signal);
  assertEach(await pending(false), (note) => note.path, lacking);
  const unfinished = new Set([...lacking, ...failed.map((row) => row.split(' ')[0])]);
  assert.deepEqual(
    (await pending(true)).map((note) => note.path),
    paths.filter((one) => unfinished.has(one)),
  );
  assert.deepEqual(await store.heldVectors(id, Object.keys(VECTORS), signal), new Set(generation.vectors.keys()));
  const rows = await store.failedChunks(id, ALL, signal);
  assertEach(rows, (row) => `${row.path} ${row.chunk} ${row.attempts}`, failed);
}

/** The vectors of a note's chunks, by their lines. */
function vectorsOf(known: Model, generation: ModelGeneration, one: string): Map<string, Float32Array> {
  const present = presentChunks(known, generation, one) ?? [];
  return new Map(
    present.flatMap(({ lines, hash, failure }) =>
      failure === undefined ? [[lines.join('-'), generation.vectors.get(hash) ?? vector()]] : [],
    ),
  );
}

const TO = [vector(1, 0, 0, 0), vector(0.2, 0.5, 0.1, -0.4), vector(-1, 2, 3, 1)];

/** Hits are in order, each with the cosine that the model computes, and the page holds the best. */
function checkHits(hits: readonly NoteHit[], cosines: ReadonlyMap<string, number>, limit: number): void {
  const best = [...cosines.values()].sort((one, other) => other - one).slice(0, limit);
  assert.equal(hits.length, best.length);
  for (const [at, hit] of hits.entries()) {
    assert.ok(Math.abs(hit.cosine - (cosines.get(hit.path) ?? 9)) < 1e-5, `${hit.path} ${hit.cosine}`);
    assert.ok(Math.abs(hit.cosine - (best[at] ?? 9)) < 1e-5);
    const before = hits[at - 1];
    if (before === undefined) continue;
    assert.ok(before.cosine > hit.cosine || (before.cosine === hit.cosine && before.path < hit.path));
  }
}

async function checkNear(store: Store, known: Model, id: number, generation: ModelGeneration): Promise<void> {
  for (const to of TO) {
    const byChunk = new Map<string, number>();
    const byMean = new Map<string, number>();
    for (const one of known.texts.keys()) {
      const vectors = vectorsOf(known, generation, one);
      if (vectors.size === 0) continue;
      byChunk.set(one, Math.max(...[...vectors.values()].map((held) => cosine(held, to))));
      const mean = meanOf([...vectors.values()]);
      const reported = (await store.noteVector(id, asPath(one), signal)) ?? assert.fail('has no mean');
      assert.ok(Math.abs(Math.hypot(...reported) - 1) < 1e-5);
      if (Math.hypot(...mean) > 1e-6) assert.ok(cosine(mean, reported) > 1 - 1e-5);
      byMean.set(one, cosine(reported, to));
    }
    for (const limit of [2, 10]) {
      const chunkHits = await store.nearestChunks(id, to, {}, limit, signal);
      const noteHits = await store.nearestNotes(id, to, {}, [], limit, signal);
      checkHits(chunkHits, byChunk, limit);
      checkHits(noteHits, byMean, limit);
      for (const { path: one, lines } of chunkHits) {
        const at = vectorsOf(known, generation, one).get(lines.join('-')) ?? assert.fail('no such lines');
        assert.ok(Math.abs(cosine(at, to) - (byChunk.get(one) ?? 9)) < 1e-5);
      }
    }
  }
}

export function randomVectorLaws(law: Law): void {
  law('after any changes every vector result equals that of a simple model', async (store) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        await store.reset(signal);
        const known: Model = { texts: new Map(), generations: new Map() };
        for (const one of steps) await take(store, known, one);
        assert.deepEqual(
          (await store.generations(signal)).map(({ id }) => id),
          [...known.generations.keys()].sort((one, other) => other - one),
        );
        for (const [id, generation] of known.generations) {
          await checkHeld(store, known, id, generation);
          await checkNear(store, known, id, generation);
        }
        assert.deepEqual(await store.integrity(signal), []);
      }),
      { numRuns: runs(60) },
    );
  });
}
