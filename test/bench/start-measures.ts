// Measures how long the product takes to start: until `initialize`, until the first answer, and until the index is up to date.
import { type BenchSetting, middlingWord, newFolder, questionRandom } from './bench-setting.ts';
import { catchUp, openProduct, withProduct } from './product-session.ts';
import { median, timed } from './statistics.ts';

/** One warm-up start, then five. */
const STARTS = 6;

export async function coldStart(setting: BenchSetting): Promise<{ initialize_cold: number; close_busy: number }> {
  const starts: number[] = [];
  const closes: number[] = [];
  while (starts.length < STARTS) {
    const session = await openProduct(setting, newFolder(setting, 'start'));
    starts.push(session.initializeMs);
    closes.push(await timed(() => session.close()));
  }
  return { initialize_cold: median(starts.slice(1)), close_busy: median(closes.slice(1)) };
}

export async function warmStart(
  setting: BenchSetting,
  dataFolder: string,
): Promise<{ initialize_warm: number; warm_answer: number }> {
  const random = questionRandom();
  const initialized: number[] = [];
  const answered: number[] = [];
  while (answered.length < STARTS) {
    await withProduct(setting, dataFolder, async (session) => {
      await session.call('search_text', { query: middlingWord(setting, random) });
      answered.push(performance.now() - session.spawnedAt);
      initialized.push(session.initializeMs);
    });
  }
  return { initialize_warm: median(initialized.slice(1)), warm_answer: median(answered.slice(1)) };
}

/** Each start also requests the hubs, which no earlier call can have prepared. */
export async function warmCatchUp(
  setting: BenchSetting,
  dataFolder: string,
): Promise<{ warm_fresh: number; pagerank_first: number }> {
  const fresh: number[] = [];
  const pagerank: number[] = [];
  while (fresh.length < STARTS) {
    await withProduct(setting, dataFolder, async (session) => {
      await catchUp(session, setting);
      fresh.push(performance.now() - session.spawnedAt);
      pagerank.push(await timed(() => session.call('get_hubs', { metric: 'pagerank' })));
    });
  }
  return { warm_fresh: median(fresh.slice(1)), pagerank_first: median(pagerank.slice(1)) };
}
