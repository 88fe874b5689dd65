// Measures everything of the product in order, and records each figure or the reason why it is missing.
import assert from 'node:assert/strict';
import { type BenchSetting, newFolder } from './bench-setting.ts';
import { asking, askingAgain } from './busy-measures.ts';
import type { Ledger, MEASURES } from './figures.ts';
import { indexBytes } from './index-bytes.ts';
import { type ColdRun, coldFigures, coldRuns, editing } from './index-measures.ts';
import type { McpSession } from './mcp-session.ts';
import { memoryOf } from './processes.ts';
import { catchUp, openProduct } from './product-session.ts';
import { calling, idling, QUERIES, released, searching } from './query-measures.ts';
import { twoVaults } from './several-measures.ts';
import { coldStart, warmCatchUp, warmMisspelled, warmStart } from './start-measures.ts';
import { median, timed } from './statistics.ts';
import { storeCallNames } from './store-calls.ts';
import { THREAD_FIGURES, threadHeaps } from './thread-measures.ts';
import { tokensOfCall, tokensOfList, tokensOfListWithEmbedding, tokensOfSearch } from './token-measures.ts';

export type MeasureLedger = Ledger<keyof typeof MEASURES>;

/** Takes every measurement. A failure is recorded, and the rest is still measured. */
export async function takeMeasures(setting: BenchSetting, ledger: MeasureLedger): Promise<void> {
  await ledger.attempt(['initialize_cold', 'close_busy'], () => coldStart(setting));
  const dataFolder = await takeCold(setting, ledger);
  await ledger.attempt(['initialize_warm', 'warm_answer'], () => warmStart(setting, dataFolder));
  await ledger.attempt(['warm_misspelled'], () => warmMisspelled(setting, dataFolder));
  await ledger.attempt(['warm_fresh', 'pagerank_first'], () => warmCatchUp(setting, dataFolder));
  await takeServing(setting, dataFolder, ledger);
  await ledger.attempt(THREAD_FIGURES, () => threadHeaps(setting, dataFolder));
  await ledger.attempt(['vault_first', 'vault_second'], () => twoVaults(setting));
  await ledger.attempt(['ping_busy_p99', 'ping_busy_worst', 'search_busy_p99'], () => asking(setting));
  await ledger.attempt(['edit_one', 'edit_hundred', 'edit_misspelled'], () => editing(setting, dataFolder));
  await ledger.attempt(['search_catch_up_p50', 'search_catch_up_p99'], () => askingAgain(setting, dataFolder));
}

/** The data folder that the warm measurements use. */
async function takeCold(setting: BenchSetting, ledger: MeasureLedger): Promise<string> {
  let runs: ColdRun[] = [];
  await ledger.attempt(['cold', 'disk'], async () => {
    runs = await coldRuns(setting);
    return coldFigures(runs);
  });
  const medianOver = (figure: (run: ColdRun) => number): number => {
    assert.ok(runs.length > 0, 'no index was built from nothing');
    return median(runs.map(figure));
  };
  await ledger.attempt(['peak_cold'], async () => ({ peak_cold: medianOver(({ peak }) => peak()) }));
  await ledger.attempt(['disk_words', 'disk_terms', 'disk_links', 'disk_properties', 'disk_checksums'], async () => {
    assert.ok(runs[0], 'no index was built from nothing');
    return indexBytes(runs[0].dataFolder);
  });
  await ledger.attempt(['written'], async () => ({ written: medianOver(({ written }) => written()) }));
  return runs[0]?.dataFolder ?? newFolder(setting, 'cold');
}

async function takeServing(setting: BenchSetting, dataFolder: string, ledger: MeasureLedger): Promise<void> {
  let opened: Promise<McpSession> | undefined;
  // Opened on first use; if that fails, it fails for all measurements.
  const session = (): Promise<McpSession> => {
    opened ??= openCaughtUp(setting, dataFolder);
    return opened;
  };
  await takeSearches(setting, session, ledger);
  await takeCalls(setting, session, ledger);
  await takeTokens(setting, session, ledger);
  await ledger.attempt(['serving', 'serving_peak'], async () => {
    const { now, peak } = memoryOf((await session()).processId);
    return { serving: now, serving_peak: peak };
  });
  await ledger.attempt(['idle_processor'], async () => ({ idle_processor: await idling(await session()) }));
  await ledger.attempt(['released', 'after_release'], async () => released(setting, await session()));
  await ledger.attempt(['close_idle'], async () => ({
    close_idle: await timed(async () => (await session()).close()),
  }));
  // The time for the whole bench may have been over before.
  await opened?.then((one) => one.close()).catch(() => undefined);
}

async function openCaughtUp(setting: BenchSetting, dataFolder: string): Promise<McpSession> {
  const session = await openProduct(setting, dataFolder);
  try {
    await catchUp(session, setting);
    return session;
  } catch (error) {
    await session.close();
    throw error;
  }
}

type Opening = () => Promise<McpSession>;

async function takeSearches(setting: BenchSetting, session: Opening, ledger: MeasureLedger): Promise<void> {
  for (const kind of Object.keys(QUERIES) as (keyof typeof QUERIES)[]) {
    const names = [`${kind}_p50`, `${kind}_p99`] as const;
    await ledger.attempt(names, async () => searching(setting, await session(), kind, QUERIES[kind]));
  }
}

async function takeCalls(setting: BenchSetting, session: Opening, ledger: MeasureLedger): Promise<void> {
  for (const name of storeCallNames) {
    const names = [`${name}_p50`, `${name}_p99`, `${name}_held`] as const;
    await ledger.attempt(names, async () => calling(setting, await session(), name));
  }
}

async function takeTokens(setting: BenchSetting, session: Opening, ledger: MeasureLedger): Promise<void> {
  const call = async (tool: string, given: (note: string) => Record<string, unknown>) =>
    tokensOfCall(setting, await session(), tool, given);
  await ledger.attempt(['tokens_list'], async () => ({ tokens_list: await tokensOfList(await session()) }));
  await ledger.attempt(['tokens_list_embedding'], async () => ({
    tokens_list_embedding: await tokensOfListWithEmbedding(setting),
  }));
  await ledger.attempt(['tokens_search', 'tokens_search_structured'], async () =>
    tokensOfSearch(setting, await session()),
  );
  await ledger.attempt(['tokens_neighbors'], async () => ({
    tokens_neighbors: await call('get_neighbors', (note) => ({ note, limit: 10 })),
  }));
  await ledger.attempt(['tokens_read'], async () => ({
    tokens_read: await call('read_notes', (note) => ({ notes: [note] })),
  }));
  await ledger.attempt(['tokens_hubs'], async () => ({
    tokens_hubs: await call('get_hubs', () => ({ metric: 'pagerank', limit: 10 })),
  }));
}
