// Measures the page's speed with a large generated vault, and prints the figures: `node test/view/speed.ts [notes]`.
import { generateVault } from '../bench/generate-vault.ts';
import { openBrowser } from './browser.ts';
import { withServedVault } from './page-under-test.ts';

const notes = Number(process.argv[2] ?? 10_000);
const say = (words: string): void => void process.stdout.write(`${words}\n`);
const since = (began: number): string => `${Math.round(performance.now() - began)} ms`;

await withServedVault(
  {},
  async ({ server, core }) => {
    let began = performance.now();
    const picture = await core.picture(new AbortController().signal);
    const bytes = JSON.stringify(picture).length;
    say(
      `picture: ${since(began)}, ${Math.round(bytes / 1024)} KiB, ${picture.notes.length} notes, ${picture.links.length / 3} links`,
    );
    const browser = await openBrowser();
    const page = await browser.newPage();
    await page.setViewport({ width: 1440, height: 900 });
    began = performance.now();
    await page.goto(server.url);
    await page.waitForSelector('body[data-state=ready]', { timeout: 120_000 });
    await page.evaluate('new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))');
    say(`first frame: ${since(began)} after the address was opened`);
    say(`while it settles: ${await framesWhilePanning(page)} frames a second`);
    await page.waitForFunction(`document.body.dataset.layout === 'settled'`, {
      timeout: 240_000,
    });
    say(`settled: ${since(began)}`);
    say(`settled: ${await framesWhilePanning(page)} frames a second while panning`);
    began = performance.now();
    await page.reload();
    await page.waitForSelector('body[data-state=ready]', { timeout: 120_000 });
    say(`again: ${since(began)}`);
    if (process.argv[3] !== undefined) await page.screenshot({ path: process.argv[3] as `${string}.png` });
    await browser.close();
  },
  (folder) => generateVault(folder, notes),
);

/** Pans the graph for two seconds. */
async function framesWhilePanning(
  page: Awaited<ReturnType<Awaited<ReturnType<typeof openBrowser>>['newPage']>>,
): Promise<number> {
  await page.evaluate('window.frames0 = 0; (function count() { window.frames0++; requestAnimationFrame(count); })()');
  await page.mouse.move(720, 450);
  await page.mouse.down();
  const began = performance.now();
  const before = (await page.evaluate('window.frames0')) as number;
  for (let step = 0; performance.now() - began < 2_000; step++)
    await page.mouse.move(720 + 150 * Math.sin(step / 9), 450 + 100 * Math.cos(step / 9));
  const frames = ((await page.evaluate('window.frames0')) as number) - before;
  const seconds = (performance.now() - began) / 1_000;
  await page.mouse.up();
  return Math.round(frames / seconds);
}
