// Measures the speed and recall of the store's vector search for a collection size. Calls the store directly, without provider or tool.
import assert from 'node:assert/strict';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Database from 'better-sqlite3';
import { load } from 'sqlite-vec';
import type { NoteFilter } from '../../src/contracts/note-filter.ts';
import type { Opened } from '../../src/contracts/provider.ts';
import type { Store } from '../../src/contracts/store.ts';
import type { VectorHit } from '../../src/contracts/vectors.ts';
import { signal } from '../contracts/store/law.ts';
import type { Ledger, VECTOR_FLOORS, VECTOR_MEASURES } from './figures.ts';
import type { VectorSize } from './goals.ts';
import { percentile, series, timed } from './statistics.ts';
import { changesOf, DEEP, type FilledStore, fillWithVectors, openStore, pathOf } from './vector-filling.ts';

export type VectorFloorLedger = Ledger<keyof typeof VECTOR_FLOORS>;
export type VectorLedger = Ledger<keyof typeof VECTOR_MEASURES>;

/** The time that the event loop needs to detect that it was blocked. */
const SETTLING_MS = 20;

export async function takeVectorMeasures(
  size: VectorSize,
  folder: string,
  floors: VectorFloorLedger,
  ledger: VectorLedger,
): Promise<void> {
  mkdirSync(join(folder, 'vault'), { recursive: true });
  let filled: FilledStore | undefined;
  await ledger.attempt(['insert'], async () => {
    const { setting, perSecond } = await fillWithVectors(size, folder);
    filled = setting;
    return { insert: perSecond };
  });
  const setting = (): FilledStore => filled ?? assert.fail('the store was not filled');
  await ledger.attempt(['disk'], async () => {
    const { chunks, dims } = setting();
    return { disk: statSync(join(folder, 'data', 'index.db')).size / (chunks * dims * 4) };
  });
  await floors.attempt(['look_at_bits'], async () => ({ look_at_bits: await lookAtBits(size) }));
  await floors.attempt(['look_at_floats'], async () => ({ look_at_floats: await lookAtFloats(setting()) }));
  await takeSearches(setting, ledger);
}

async function takeSearches(setting: () => FilledStore, ledger: VectorLedger): Promise<void> {
  let opened: Opened<Store> | undefined;
  const store = (): Store => opened?.capability ?? assert.fail('the store was not opened');
  const near =
    (limit: number, filter: NoteFilter = {}) =>
    (vector: Float32Array) =>
      store().nearestChunks(setting().generation, vector, filter, limit, signal);
  await ledger.attempt(['first', 'held_up', 'memory'], async () => {
    const before = await bufferBytes();
    opened = await openStore(setting().folder);
    const taken = await withLongestDelay(() => timed(() => near(10)(questionOf(setting(), 0))));
    const { chunks, dims } = setting();
    return { ...taken, memory: ((await bufferBytes()) - before) / ((chunks * dims) / 8) };
  });
  const p50 = async (ask: (vector: Float32Array) => Promise<unknown>) =>
    percentile(await requested(setting(), ask), 0.5);
  await ledger.attempt(['chunks_p50', 'chunks_p99'], async () => {
    const values = await requested(setting(), near(10));
    return { chunks_p50: percentile(values, 0.5), chunks_p99: percentile(values, 0.99) };
  });
  await ledger.attempt(['deep_p50'], async () => ({ deep_p50: await p50(near(DEEP)) }));
  await ledger.attempt(['folder_p50'], async () => ({ folder_p50: await p50(near(10, { folder: 'f7' })) }));
  await ledger.attempt(['recent_p50'], async () => ({ recent_p50: await p50(near(10, { sinceMs: 5 })) }));
  const notes = (vector: Float32Array) => store().nearestNotes(setting().generation, vector, {}, [], 10, signal);
  await ledger.attempt(['notes_p50'], async () => ({ notes_p50: await p50(notes) }));
  await ledger.attempt(['missed', 'missed_deep'], async () => ({
    missed: await missed(setting(), 10, near(10)),
    missed_deep: await missed(setting(), DEEP, near(DEEP)),
  }));
  await ledger.attempt(['change'], async () => ({ change: await afterChange(setting(), store(), near(10)) }));
  await opened?.close();
}

const questionOf = ({ questions }: FilledStore, at: number): Float32Array =>
  questions[at % questions.length] ?? assert.fail('there is no question');

function requested(setting: FilledStore, ask: (vector: Float32Array) => Promise<unknown>): Promise<number[]> {
  return series(2 * setting.questions.length, (run) => ask(questionOf(setting, run)));
}

/** Percentage of the true nearest notes that the results lack. */
async function missed(
  { questions, nearest }: FilledStore,
  limit: number,
  ask: (vector: Float32Array) => Promise<readonly VectorHit[]>,
): Promise<number> {
  let lacking = 0;
  for (const [question, vector] of questions.entries()) {
    const paths = new Set<string>((await ask(vector)).map(({ path }) => path));
    const wanted = (nearest[question] ?? []).slice(0, limit).map(pathOf);
    lacking += wanted.filter((path) => !paths.has(path)).length;
  }
  return (100 * lacking) / (limit * questions.length);
}

/** Before each query one note is embedded again, with other vectors. */
async function afterChange(
  setting: FilledStore,
  store: Store,
  ask: (vector: Float32Array) => Promise<unknown>,
): Promise<number> {
  const values: number[] = [];
  for (let run = 0; run < 20; run++) {
    const vectors = [0, 1, 2, 3].map((chunk) => ({ note: run, chunk, vector: questionOf(setting, run + chunk) }));
    await store.applyVectors(setting.generation, changesOf(vectors), signal);
    values.push(await timed(() => ask(questionOf(setting, run))));
  }
  return percentile(values, 0.5);
}

async function withLongestDelay(work: () => Promise<number>): Promise<{ first: number; held_up: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await setTimeout(SETTLING_MS);
  const first = await work();
  await setTimeout(SETTLING_MS);
  delay.disable();
  return { first, held_up: delay.max / 1e6 };
}

/** Bytes of typed arrays in use. */
async function bufferBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  await setTimeout(SETTLING_MS);
  collect();
  return process.memoryUsage().arrayBuffers;
}

async function lookAtBits({ chunks, dims }: VectorSize): Promise<number> {
  const words = Int32Array.from({ length: (chunks * dims) / 32 }, (_, at) => Math.imul(at, 0x9e3779b1));
  let bits = 0;
  const look = (): void => {
    for (let at = 0; at < words.length; at++) {
      let word = (words[at] as number) ^ 0x5bd1e995;
      word -= (word >>> 1) & 0x55555555;
      word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
      bits += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    }
  };
  const values = await series(50, look);
  assert.ok(bits > 0);
  return percentile(values, 0.5);
}

async function lookAtFloats(setting: FilledStore): Promise<number> {
  const database = new Database(join(setting.folder, 'data', 'index.db'), { readonly: true });
  load(database);
  const sql = 'SELECT id FROM vectors WHERE hash IS NOT NULL ORDER BY vec_distance_cosine(embedding, ?) LIMIT 10';
  const statement = database.prepare(sql);
  const values = await series(10, (run) => statement.all(new Uint8Array(questionOf(setting, run).buffer)), 3_000);
  database.close();
  return percentile(values, 0.5);
}
