// Measures whether the product answers other calls while it indexes a vault, from nothing or again.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type BenchSetting, middlingWord, newFolder, questionRandom } from './bench-setting.ts';
import type { McpSession } from './mcp-session.ts';
import { catchUp, jobEnded, withProduct } from './product-session.ts';
import { percentile, timed } from './statistics.ts';

const PING_EVERY_MS = 10;

export interface BusyFigures {
  readonly ping_busy_p99: number;
  readonly ping_busy_worst: number;
  readonly search_busy_p99: number;
}

/**
 * Sends pings at a fixed interval, answered or not: waiting for each answer would hide how long a pause was.
 * Sends searches one after the other, because a server may delay them until it has something to answer from.
 */
export async function asking(setting: BenchSetting): Promise<BusyFigures> {
  return withProduct(setting, newFolder(setting, 'busy'), async (session) => {
    const pings: Promise<number>[] = [];
    const beat = setInterval(() => pings.push(timed(() => session.client.ping())), PING_EVERY_MS);
    const over = new AbortController();
    const searches = searching(setting, session, over.signal);
    await catchUp(session, setting).finally(() => {
      clearInterval(beat);
      over.abort();
    });
    const [pingMs, searchMs] = [await Promise.all(pings), await searches];
    return {
      ping_busy_p99: percentile(pingMs, 0.99),
      ping_busy_worst: percentile(pingMs, 1),
      search_busy_p99: percentile(searchMs, 0.99),
    };
  });
}

/**
 * Searches while a complete index is brought up to date, so that no search has to wait. Changes every note,
 * so this measurement comes last.
 */
export async function askingAgain(
  setting: BenchSetting,
  dataFolder: string,
): Promise<{ search_catch_up_p50: number; search_catch_up_p99: number }> {
  return withProduct(setting, dataFolder, async (session) => {
    await catchUp(session, setting);
    const { folder, plan } = setting.vault;
    for (const { path } of plan.notes) appendFileSync(join(folder, path), '\nOnce more.\n');
    const { data } = await session.call('reindex', { wait_ms: 0 });
    const over = new AbortController();
    const searches = searching(setting, session, over.signal);
    await jobEnded(session, (data as { job_id: string }).job_id, setting).finally(() => over.abort());
    const searchMs = await searches;
    return { search_catch_up_p50: percentile(searchMs, 0.5), search_catch_up_p99: percentile(searchMs, 0.99) };
  });
}

/** Milliseconds of each search until `over`; an INDEX_BUILDING error counts as an answer. */
async function searching(setting: BenchSetting, session: McpSession, over: AbortSignal): Promise<number[]> {
  const random = questionRandom();
  const values: number[] = [];
  while (!over.aborted) {
    values.push(await timed(() => session.ask('search_text', { query: middlingWord(setting, random) })));
    await setTimeout(PING_EVERY_MS);
  }
  return values;
}
