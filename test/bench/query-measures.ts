// Measures how fast the idle product answers, and how much memory it uses.
import { setTimeout } from 'node:timers/promises';
import { type BenchSetting, middlingWord, questionRandom } from './bench-setting.ts';
import type { MEASURES } from './figures.ts';
import type { McpSession } from './mcp-session.ts';
import { processorMsOf } from './processes.ts';
import type { Random } from './random.ts';
import { percentile, series } from './statistics.ts';
import { STOP_WORDS } from './vocabulary.ts';

const CALLS = 300;
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
} as const satisfies Record<string, (setting: BenchSetting, random: Random) => string>;

type CallMeasure = Extract<keyof typeof MEASURES, 'neighbors_p50' | 'path_p50' | 'pagerank_then' | 'read_p50'>;

/** The tool of each measurement, with arguments that change from call to call. */
export const CALLS_OF: Readonly<
  Record<CallMeasure, (note: () => string) => [tool: string, given: Record<string, unknown>]>
> = {
  neighbors_p50: (note) => ['get_neighbors', { note: note() }],
  path_p50: (note) => ['find_path', { from: note(), to: note() }],
  pagerank_then: () => ['get_hubs', { metric: 'pagerank' }],
  read_p50: (note) => ['read_notes', { notes: [note()] }],
};

export async function calling(setting: BenchSetting, session: McpSession, measure: CallMeasure): Promise<number> {
  const random = questionRandom();
  const note = () => random.pick(setting.vault.plan.notes).path;
  const values = await series(CALLS, () => session.call(...CALLS_OF[measure](note)));
  return percentile(values, 0.5);
}

export async function idling(session: McpSession): Promise<number> {
  await setTimeout(IDLE_MS / 4);
  const before = processorMsOf(session.processId);
  await setTimeout(IDLE_MS);
  return processorMsOf(session.processId) - before;
}
