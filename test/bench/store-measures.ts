// Measures the product on one store: indexing, a second server, ten questions, and twenty servers that read at once.
import { cpSync } from 'node:fs';
import { type BenchSetting, bytesIn, middlingWord, newFolder, questionRandom } from './bench-setting.ts';
import type { Ledger } from './figures.ts';
import type { McpSession } from './mcp-session.ts';
import { memoryOf } from './processes.ts';
import { catchUp, openProduct, withProduct } from './product-session.ts';
import { QUERIES } from './query-measures.ts';
import { percentile, series, timed } from './statistics.ts';
import { STORE_CALLS } from './store-calls.ts';
import { ASKED_CALLS, ASKED_SEARCHES, type Asked, type StoreFigureName } from './store-figures.ts';

const CALLS = 300;
const COUNTED_CALLS = 50;
const ALL_ASKED = [...ASKED_SEARCHES, ...ASKED_CALLS];
const TOGETHER = 20;
const CALLS_EACH = 50;
/** A larger vault has larger indexes; twenty of them say more about the disk than about the store. */
const MAX_TOGETHER_NOTES = 10_000;

export interface MeasuredStore {
  readonly name: string;
  readonly setting: BenchSetting;
  /** Bytes of the index in the database server; absent if the store is a file. */
  serverBytes?(): Promise<number>;
  /** Round trips to the database server so far; absent if they are not counted. */
  roundTrips?(): number;
}

export type StoreLedger = Ledger<StoreFigureName>;

export async function takeStoreMeasures(store: MeasuredStore, ledger: StoreLedger): Promise<void> {
  const { setting } = store;
  const own = newFolder(setting, 'own');
  // A second server of a file has the same folder; that of a database server has a folder of its own.
  const second = store.serverBytes === undefined ? own : newFolder(setting, 'second');
  await ledger.attempt(['cold', 'local_disk'], async () => {
    const cold = await caughtUpIn(setting, own);
    return { cold, local_disk: bytesIn(own) / 1e6 };
  });
  const { serverBytes } = store;
  if (serverBytes !== undefined)
    await ledger.attempt(['server_disk'], async () => ({ server_disk: (await serverBytes()) / 1e6 }));
  await ledger.attempt(['second'], async () => ({ second: await caughtUpIn(setting, second) }));
  await ledger.attempt(['warm'], async () => ({ warm: await caughtUpIn(setting, own) }));
  await takeQuestions(store, own, ledger);
  if (setting.vault.plan.notes.length <= MAX_TOGETHER_NOTES)
    await ledger.attempt(['together_p50', 'together_p99', 'together_rate'], () => readingTogether(store, own));
}

/** Milliseconds from the spawn of a server until it has caught up. */
function caughtUpIn(setting: BenchSetting, dataFolder: string): Promise<number> {
  return withProduct(setting, dataFolder, async (session) => {
    await catchUp(session, setting);
    return performance.now() - session.spawnedAt;
  });
}

async function takeQuestions(store: MeasuredStore, dataFolder: string, ledger: StoreLedger): Promise<void> {
  const { setting } = store;
  const opened = openProduct(setting, dataFolder).then(async (session) => {
    await catchUp(session, setting);
    return session;
  });
  for (const asked of ALL_ASKED)
    await ledger.attempt([`${asked}_p50`, `${asked}_p99`], async () => asking(setting, await opened, asked));
  const { roundTrips } = store;
  if (roundTrips !== undefined)
    for (const asked of ALL_ASKED)
      await ledger.attempt([`${asked}_trips`], async () => tripsOf(setting, await opened, asked, roundTrips));
  await ledger.attempt(['serving'], async () => ({ serving: memoryOf((await opened).processId).now }));
  await opened.then((session) => session.close()).catch(() => undefined);
}

async function asking<Name extends Asked>(setting: BenchSetting, session: McpSession, asked: Name) {
  const values = await series(CALLS, questionOf(setting, session, asked));
  const found = { [`${asked}_p50`]: percentile(values, 0.5), [`${asked}_p99`]: percentile(values, 0.99) };
  return found as Record<`${Name}_${'p50' | 'p99'}`, number>;
}

/** Includes what the server asks beside the calls, such as for its lease. */
async function tripsOf<Name extends Asked>(
  setting: BenchSetting,
  session: McpSession,
  asked: Name,
  roundTrips: () => number,
) {
  const ask = questionOf(setting, session, asked);
  const before = roundTrips();
  for (let calls = 0; calls < COUNTED_CALLS; calls += 1) await ask();
  return { [`${asked}_trips`]: (roundTrips() - before) / COUNTED_CALLS } as Record<`${Name}_trips`, number>;
}

function questionOf(setting: BenchSetting, session: McpSession, asked: Asked): () => Promise<unknown> {
  const random = questionRandom();
  const search = ASKED_SEARCHES.find((name) => name === asked);
  if (search !== undefined) return () => session.call('search_text', { query: QUERIES[search](setting, random) });
  const drawn = {
    note: () => random.pick(setting.vault.plan.notes).path,
    word: () => middlingWord(setting, random),
  };
  const { given } = STORE_CALLS[asked as (typeof ASKED_CALLS)[number]];
  return () => session.call(...given(drawn));
}

/** Servers of a database server have a copy each, as on machines of their own. */
async function readingTogether({ setting, serverBytes }: MeasuredStore, dataFolder: string) {
  const folders = Array.from({ length: TOGETHER }, () => {
    if (serverBytes === undefined) return dataFolder;
    const copy = newFolder(setting, 'together');
    cpSync(dataFolder, copy, { recursive: true });
    return copy;
  });
  const sessions = await Promise.all(folders.map((folder) => openProduct(setting, folder)));
  try {
    // The index is complete; only one of them leads and compares it with the vault.
    for (const session of sessions) await session.call('search_text', { query: 'the' });
    const start = performance.now();
    const values = await Promise.all(sessions.map((session) => searchingAlone(setting, session)));
    const seconds = (performance.now() - start) / 1_000;
    const all = values.flat();
    return {
      together_p50: percentile(all, 0.5),
      together_p99: percentile(all, 0.99),
      together_rate: all.length / seconds,
    };
  } finally {
    await Promise.all(sessions.map((session) => session.close()));
  }
}

async function searchingAlone(setting: BenchSetting, session: McpSession): Promise<number[]> {
  const random = questionRandom();
  const values: number[] = [];
  while (values.length < CALLS_EACH) {
    const query = middlingWord(setting, random);
    values.push(await timed(() => session.call('search_text', { query })));
  }
  return values;
}
