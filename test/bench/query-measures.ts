// Measures how fast the idle product answers, and how much memory it uses.
import { setTimeout } from 'node:timers/promises';
import { type BenchSetting, middlingWord, misspelledWord, questionRandom } from './bench-setting.ts';
import type { McpSession } from './mcp-session.ts';
import { memoryOf, processorMsOf } from './processes.ts';
import type { Random } from './random.ts';
import { percentile, series, timed } from './statistics.ts';
import { STORE_CALLS, type StoreCallName, type StoreFigure } from './store-calls.ts';
import { STOP_WORDS } from './vocabulary.ts';

const CALLS = 300;
const PINGED_CALLS = 20;
const IDLE_MS = 2_000;

/** Median and 99th percentile of searches with one kind of query. */
export async function searching<Kind extends string>(
  setting: BenchSetting,
  session: McpSession,
  kind: Kind,
  query: (setting: BenchSetting, random: Random) => string,
): Promise<Record<`${Kind}_p50` | `${Kind}_p99`, number>> {
  const random = questionRandom();
  const values = await series(CALLS, () => session.call('search_text', { query: query(setting, random) }));
  const found = { [`${kind}_p50`]: percentile(values, 0.5), [`${kind}_p99`]: percentile(values, 0.99) };
  return found as Record<`${Kind}_p50` | `${Kind}_p99`, number>;
}

export const QUERIES = {
  search_word: middlingWord,
  search_three: (setting: BenchSetting, random: Random) => [1, 2, 3].map(() => middlingWord(setting, random)).join(' '),
  search_stop: (_setting: BenchSetting, random: Random) => STOP_WORDS[random.below(10)] ?? 'the',
  search_prefix: ({ vault }: BenchSetting, random: Random) => `${vault.plan.vocabulary.drawRare(random).slice(0, 2)}*`,
  search_misspelled: misspelledWord,
} as const satisfies Record<string, (setting: BenchSetting, random: Random) => string>;

/** Median, 99th percentile and the longest ping meanwhile of calls of one tool. */
export async function calling<Name extends StoreCallName>(
  setting: BenchSetting,
  session: McpSession,
  name: Name,
): Promise<Record<StoreFigure<Name>, number>> {
  const random = questionRandom();
  const drawn = {
    note: () => random.pick(setting.vault.plan.notes).path,
    word: () => middlingWord(setting, random),
  };
  const call = () => session.call(...STORE_CALLS[name].given(drawn));
  const values = await series(CALLS, call);
  const pings: number[] = [];
  for (let count = 0; count < PINGED_CALLS; count++) pings.push(await longestPing(session, call()));
  const found = {
    [`${name}_p50`]: percentile(values, 0.5),
    [`${name}_p99`]: percentile(values, 0.99),
    [`${name}_held`]: percentile(pings, 1),
  };
  return found as Record<StoreFigure<Name>, number>;
}

/** One ping after the other until the call ends. */
async function longestPing(session: McpSession, call: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = call.finally(() => {
    isOver = true;
  });
  let longest = 0;
  while (!isOver) longest = Math.max(longest, await timed(() => session.client.ping()));
  await over;
  return longest;
}

export async function idling(session: McpSession): Promise<number> {
  await setTimeout(IDLE_MS / 4);
  const before = processorMsOf(session.processId);
  await setTimeout(IDLE_MS);
  return processorMsOf(session.processId) - before;
}

/** The server gives memory back after half a minute without a call. */
const UNTIL_RELEASED_MS = 45_000;

export async function released({ vault }: BenchSetting, session: McpSession) {
  await setTimeout(UNTIL_RELEASED_MS);
  const { now } = memoryOf(session.processId);
  const note = questionRandom().pick(vault.plan.notes).path;
  return { released: now, after_release: await timed(() => session.call('get_neighbors', { note })) };
}
