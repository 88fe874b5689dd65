// Generates the screenshot of the graph page for the README: `node test/view/readme-picture.ts`.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBrowser } from './browser.ts';
import { withServedVault } from './page-under-test.ts';

const ROOT = join(import.meta.dirname, '../..');
const file = process.argv[2] ?? join(ROOT, 'docs/graph-page.png');
const SHOWN_NOTE = process.argv[3] ?? 'Gannet';

await withServedVault(
  {},
  async ({ server }) => {
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      await page.setViewport({ width: 1280, height: 800, deviceScaleFactor: 1.2 });
      await page.goto(server.url);
      await page.waitForFunction(`document.body.dataset.layout === 'settled'`, {
        timeout: 60_000,
      });
      await page.keyboard.press('/');
      await page.type('#search', SHOWN_NOTE);
      await page.waitForSelector('.result');
      await page.keyboard.press('Enter');
      await page.waitForFunction(`document.querySelector('#panel')?.textContent.includes('Related')`);
      await page.evaluate('document.activeElement.blur()');
      await sleep(500);
      await sleep(1_000);
      await page.screenshot({ path: file as `${string}.png` });
    } finally {
      await browser.close();
    }
  },
  // The machine may have no fonts for notes in other scripts.
  async (folder) =>
    cpSync(join(ROOT, 'vault-fixtures/island'), join(folder), {
      recursive: true,
      filter: (path) => !/\p{Lo}/u.test(path),
    }),
  'island',
);
