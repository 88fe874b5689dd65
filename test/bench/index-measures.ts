// Measures the cost of indexing: a whole vault from nothing, and a change of one note or of a hundred.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchSetting, bytesIn, misspelledWord, newFolder, newWord, questionRandom } from './bench-setting.ts';
import type { McpSession } from './mcp-session.ts';
import { memoryOf, writtenBytesOf } from './processes.ts';
import { catchUp, withProduct } from './product-session.ts';
import { median, medianOfFive, timed } from './statistics.ts';

const COLD_RUNS = 3;
const WAIT_MS = 20_000;
/** The product's default limit of notes per call. */
const MAX_BATCH_LENGTH = 50;

export interface ColdRun {
  readonly ms: number;
  readonly dataFolder: string;
  readonly diskBytes: number;
  /** Of the process when everything was queryable; throws on systems that do not report it. */
  readonly peak: () => number;
  readonly written: () => number;
}

/** Indexes the vault from nothing three times, each in a new process and data folder. */
export async function coldRuns(setting: BenchSetting): Promise<ColdRun[]> {
  const runs: ColdRun[] = [];
  while (runs.length < COLD_RUNS) runs.push(await coldRun(setting));
  return runs;
}

async function coldRun(setting: BenchSetting): Promise<ColdRun> {
  const dataFolder = newFolder(setting, 'cold');
  const taken = await withProduct(setting, dataFolder, async (session) => {
    await catchUp(session, setting);
    const ms = performance.now() - session.spawnedAt;
    const peak = attempted(() => memoryOf(session.processId).peak);
    const written = attempted(() => writtenBytesOf(session.processId) / 1e6);
    return { ms, peak, written };
  });
  return { ...taken, dataFolder, diskBytes: bytesIn(dataFolder) };
}

/** Reads the value now, because the process will have exited, and throws only when the figure is used. */
function attempted(read: () => number): () => number {
  try {
    const value = read();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

export function coldFigures(runs: readonly ColdRun[]): { cold: number; disk: number } {
  return { cold: median(runs.map(({ ms }) => ms)), disk: median(runs.map(({ diskBytes }) => diskBytes)) / 1e6 };
}

/** Medians of five runs: appends text to one note and to a hundred, and searches for it after a `reindex` of them. */
export async function editing(
  setting: BenchSetting,
  dataFolder: string,
): Promise<{ edit_one: number; edit_hundred: number; edit_misspelled: number }> {
  const paths = setting.vault.plan.notes.map(({ path }) => path);
  return withProduct(setting, dataFolder, async (session) => {
    await catchUp(session, setting);
    let from = 0;
    const edited = (count: number) => {
      const start = from % Math.max(1, paths.length - count);
      from += count;
      return editAndFind(setting, session, paths.slice(start, start + count));
    };
    const [edit_one, edit_hundred] = [await medianOfFive(() => edited(1)), await medianOfFive(() => edited(100))];
    return { edit_one, edit_hundred, edit_misspelled: await misspelledAfter(() => edited(1), setting, session) };
  });
}

const MISSPELLED_RUNS = 5;

/** The median of several searches for a word that no note has, each right after a change of the index. */
async function misspelledAfter(
  change: () => Promise<void>,
  setting: BenchSetting,
  session: McpSession,
): Promise<number> {
  const random = questionRandom();
  const taken: number[] = [];
  while (taken.length < MISSPELLED_RUNS) {
    await change();
    taken.push(await timed(() => session.call('search_text', { query: misspelledWord(setting, random) })));
  }
  return median(taken);
}

async function editAndFind({ vault }: BenchSetting, session: McpSession, paths: readonly string[]): Promise<void> {
  const word = newWord();
  for (const path of paths) appendFileSync(join(vault.folder, path), `\nSince then ${word}.\n`);
  for (let from = 0; from < paths.length; from += MAX_BATCH_LENGTH) {
    await session.call('reindex', { notes: paths.slice(from, from + MAX_BATCH_LENGTH), wait_ms: WAIT_MS });
  }
  const { data } = await session.call('search_text', { query: word, limit: 100 });
  const { hits } = data as { hits: readonly unknown[] };
  assert.equal(hits.length, paths.length, `${hits.length} of ${paths.length} edited notes were found`);
}
