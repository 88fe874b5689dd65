// Measures the baseline costs of the machine: processes, the SDK, files, SQLite, and a reference pipeline.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type BenchSetting, bytesIn, middlingWord, newFolder, questionRandom } from './bench-setting.ts';
import { bundlePrograms } from './bundle.ts';
import type { FLOORS, Ledger } from './figures.ts';
import { openMcpSession } from './mcp-session.ts';
import { npxFloor } from './packed-start.ts';
import { runToFirstLine } from './processes.ts';
import { median, medianOfFive, percentile, series } from './statistics.ts';
import { statAll, walk } from './walk.ts';

export type FloorLedger = Ledger<keyof typeof FLOORS>;

const CALLS = 1_000;
/** The client gets faster during its first thousands of calls, so a baseline needs this many warm-up calls. */
const CALLS_BEFORE = 3_000;
const REFERENCE_RUNS = 3;

/** Measures every baseline. If one fails, its reason is recorded and the others are still measured. */
export async function takeFloors(setting: BenchSetting, ledger: FloorLedger): Promise<void> {
  const programs = newFolder(setting, 'programs');
  await bundlePrograms(programs, ['floor-server.ts', 'reference-index.ts', 'reference-parser.ts']);
  await takeProcessFloors(setting, programs, ledger);
  await takeFileFloors(setting, ledger);
  await ledger.attempt(['sqlite'], async () => ({ sqlite: await sqliteFloor(setting) }));
  await takeReference(setting, join(programs, 'bundled', 'reference-index.js'), ledger);
}

async function takeProcessFloors(setting: BenchSetting, programs: string, ledger: FloorLedger): Promise<void> {
  const { workFolder } = setting;
  await ledger.attempt(['spawn_node'], async () => {
    const values: number[] = [];
    while (values.length < 6) values.push((await runToFirstLine(['-e', "process.stdout.write('up\\n')"])).ms);
    return { spawn_node: median(values.slice(1)) };
  });
  const server = (kind: string) => join(programs, kind, 'floor-server.js');
  await ledger.attempt(['spawn_server'], async () => ({
    spawn_server: await initializeFloor(server('bundled'), workFolder),
  }));
  await ledger.attempt(['spawn_server_unbundled'], async () => ({
    spawn_server_unbundled: await initializeFloor(server('unbundled'), workFolder),
  }));
  await ledger.attempt(['spawn_npx'], async () => ({ spawn_npx: await npxFloor(setting, server('bundled')) }));
  await ledger.attempt(['call_50', 'call_10k'], () => callFloors(server('bundled'), workFolder));
}

async function initializeFloor(server: string, home: string): Promise<number> {
  const values: number[] = [];
  while (values.length < 6) {
    const session = await openMcpSession([server], home);
    values.push(session.initializeMs);
    await session.close();
  }
  return median(values.slice(1));
}

async function callFloors(server: string, home: string): Promise<{ call_50: number; call_10k: number }> {
  const session = await openMcpSession([server], home);
  try {
    const p50 = async (bytes: number) => percentile(await series(CALLS, () => session.call('fill', { bytes })), 0.5);
    for (let call = 0; call < CALLS_BEFORE; call++) await session.call('fill', { bytes: 10_000 });
    return { call_50: await p50(50), call_10k: await p50(10_000) };
  } finally {
    await session.close();
  }
}

async function takeFileFloors({ vault: { folder, plan } }: BenchSetting, ledger: FloorLedger): Promise<void> {
  const paths = walk(folder);
  await ledger.attempt(['walk'], async () => ({ walk: await medianOfFive(() => walk(folder)) }));
  await ledger.attempt(['stat'], async () => ({ stat: await medianOfFive(() => statAll(folder, paths)) }));
  await ledger.attempt(['read'], async () => ({
    read: await medianOfFive(() => {
      for (const { path } of plan.notes) readFileSync(join(folder, path));
    }),
  }));
}

/** The third of three runs, each into a new file; the texts are read before. */
async function sqliteFloor(setting: BenchSetting): Promise<number> {
  const { folder, plan } = setting.vault;
  const texts = plan.notes.map(({ path }) => [path, readFileSync(join(folder, path), 'utf8')] as const);
  let ms = 0;
  for (let run = 0; run < 3; run++) ms = insertAll(join(newFolder(setting, 'sqlite'), 'floor.sqlite'), texts);
  return ms;
}

function insertAll(file: string, texts: readonly (readonly [string, string])[]): number {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.exec(
    "CREATE TABLE note (id INTEGER PRIMARY KEY, path TEXT); CREATE VIRTUAL TABLE text USING fts5(body, content='', contentless_delete=1)",
  );
  const start = performance.now();
  database.exec('BEGIN');
  const addNote = database.prepare('INSERT INTO note (id, path) VALUES (?, ?)');
  const addText = database.prepare('INSERT INTO text (rowid, body) VALUES (?, ?)');
  for (const [at, [path, text]] of texts.entries()) {
    addNote.run(at + 1, path);
    addText.run(at + 1, text);
  }
  database.exec('COMMIT');
  const ms = performance.now() - start;
  database.close();
  return ms;
}

async function takeReference(setting: BenchSetting, program: string, ledger: FloorLedger): Promise<void> {
  const word = middlingWord(setting, questionRandom());
  const run = async (index: string) => {
    const { ms, text } = await runToFirstLine([program, setting.vault.folder, join(index, 'reference.sqlite'), word]);
    return { ms, ...(JSON.parse(text) as { changed: number; peak: number | null }) };
  };
  const indexes = Array.from({ length: REFERENCE_RUNS }, () => newFolder(setting, 'reference'));
  const colds: Awaited<ReturnType<typeof run>>[] = [];
  await ledger.attempt(['reference_cold', 'reference_disk'], async () => {
    for (const index of indexes) colds.push(await run(index));
    return { reference_cold: median(colds.map(({ ms }) => ms)), reference_disk: bytesIn(indexes[0] ?? '') / 1e6 };
  });
  await ledger.attempt(['reference_peak'], async () => {
    const peaks = colds.flatMap(({ peak }) => (peak === null ? [] : [peak]));
    return { reference_peak: median(peaks) };
  });
  await ledger.attempt(['reference_warm'], async () => {
    const values: number[] = [];
    while (values.length < 6) {
      const { ms, changed } = await run(indexes[0] ?? '');
      assert.equal(changed, 0, 'the reference pipeline found changes where there were none');
      values.push(ms);
    }
    return { reference_warm: median(values.slice(1)) };
  });
}
