// Measures how long the product takes to start: until `initialize`, until the first answer, and until the index is up to date.
import { type BenchSetting, middlingWord, misspelledWord, newFolder, questionRandom } from './bench-setting.ts';
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
  const { initialized, answered } = await firstAnswers(setting, dataFolder, middlingWord);
  return { initialize_warm: initialized, warm_answer: answered };
}

/** Of a word for which the names and words of all notes are looked through. */
export async function warmMisspelled(setting: BenchSetting, dataFolder: string): Promise<{ warm_misspelled: number }> {
  const { answered } = await firstAnswers(setting, dataFolder, misspelledWord);
  return { warm_misspelled: answered };
}

async function firstAnswers(setting: BenchSetting, dataFolder: string, wordOf: typeof middlingWord) {
  const random = questionRandom();
  const initialized: number[] = [];
  const answered: number[] = [];
  while (answered.length < STARTS) {
    await withProduct(setting, dataFolder, async (session) => {
      await session.call('search_text', { query: wordOf(setting, random) });
      answered.push(performance.now() - session.spawnedAt);
      initialized.push(session.initializeMs);
    });
  }
  return { initialized: median(initialized.slice(1)), answered: median(answered.slice(1)) };
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
