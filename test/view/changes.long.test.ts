// Tests what the page shows as new: each kind of change with its sections and makers, while the vault changes, by keyboard, and without a feed.
import assert from 'node:assert/strict';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withPage, withServedVault } from './page-under-test.ts';
import { unsafeParts } from './seen.ts';

const body = (name: string): string => `# ${name}\n\nThe first line of ${name}.\n\n## Part\n\nA part of ${name}.\n`;
const VAULT = {
  'Hub.md': 'See [[Sea]], [[Land]] and [[Sky]].\n',
  'Sea.md': body('Sea'),
  'Land.md': body('Land'),
  'Sky.md': body('Sky'),
  'Deep/Cave.md': body('Cave'),
};
const HOSTILE = '<img src=x onerror=alert(1)>';

test('what is new is shown by day, follows the vault and the filters, and leads to the notes', () =>
  withServedVault(VAULT, ({ server, core, write, folder }) =>
    withPage(`${server.url}#/timeline`, async ({ page, until, text }) => {
      const rows = (): Promise<string[]> =>
        page.$$eval('#changes .change > div', (found) => found.map((row) => (row as HTMLElement).innerText));
      const catchUp = (): Promise<unknown> => core.indexer.catchUp(new AbortController().signal);
      await until(`document.querySelector('#changes').textContent.includes('Nothing has changed in the last 7 days')`);
      assert.match(await text('#changes-known'), /^0 files changed; changes are known since /);

      write({ 'New.md': body('New'), 'Sea.md': body('Sea').replace('A part', 'Some part') });
      rmSync(join(folder, 'Land.md'));
      renameSync(join(folder, 'Sky.md'), join(folder, 'Heaven.md'));
      renameSync(join(folder, 'Deep/Cave.md'), join(folder, 'Cave.md'));
      write({ 'Deep/Well.md': 'Deep.\n', 'Hub.md': `${VAULT['Hub.md']}\n## ${HOSTILE}\n\nMore.\n` });
      await catchUp();
      await until(`document.querySelectorAll('#changes .change').length === 7`);
      const shown = (await rows()).toSorted().map((row) => row.replaceAll(/\s+/g, ' '));
      for (const wanted of [
        /^New Created · by another program$/,
        /^Sea Edited · \+1 −1 lines · by another program Sea > Part \+1 −1 lines$/,
        /^Land Deleted · by another program Linked from Hub$/,
        /^Heaven Renamed from Sky\.md · by another program$/,
        /^Cave Moved from Deep\/Cave\.md · by another program$/,
      ])
        assert.equal(shown.filter((row) => wanted.test(row)).length, 1, `${wanted} in ${shown.join('\n')}`);
      assert.ok(shown.some((row) => row.includes(HOSTILE)));
      assert.deepEqual(await unsafeParts(page), []);
      assert.match(await text('#changes h3'), /^Today, /);

      await page.evaluate(`document.querySelector('#changes .change.edited button').click()`);
      await until(`document.querySelector('#panel h1')?.textContent === 'Sea'`);
      assert.equal(await page.$eval('#changes', (place) => (place as HTMLElement).hidden), true);
      await page.goBack();
      await until(`!document.querySelector('#changes').hidden`);
      await page.keyboard.press('Escape');
      await until(`document.querySelector('#changes').hidden && document.activeElement.id === 'stage'`);

      await page.select('#folder', 'Deep');
      await page.keyboard.press('n');
      // A note that left the folder is one of its changes.
      await until(`document.querySelectorAll('#changes .change').length === 2`);
      assert.match(await text('#changes-known'), /^2 files changed in Deep; /);
    }),
  ));

test('more changes than one answer has follow by a button; a change meanwhile leaves the reader where he is', () =>
  withServedVault({ 'Hub.md': 'All.\n' }, ({ server, core, write }) =>
    withPage(server.url, async ({ page, until }) => {
      const catchUp = (): Promise<unknown> => core.indexer.catchUp(new AbortController().signal);
      write(Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`n/${at}.md`, `Note ${at}.\n`])));
      await catchUp();
      await page.keyboard.press('n');
      await until(`document.querySelectorAll('#changes .change').length === 100`);
      await page.evaluate(`document.querySelector('#changes-days > .plain-button').click()`);
      await until(`document.querySelectorAll('#changes .change').length === 150`);
      await until(`document.activeElement === document.querySelectorAll('#changes .change')[100]`);
      write({ 'Last.md': 'Last of all.\n' });
      await catchUp();
      await until(`document.querySelectorAll('#changes .change').length === 151`);
      await until(`document.activeElement.id === 'changes'`);
    }),
  ));

test('without a record of changes the page says why, and how there would be one', () =>
  withServedVault(
    VAULT,
    ({ server }) =>
      withPage(`${server.url}#changes=1`, async ({ until, text, problems }) => {
        await until(`document.querySelector('#changes [role="alert"]') !== null`);
        assert.match(await text('#changes-days'), /list_changes is switched off in the config.*`tools\.except`/);
        // The browser logs the status of the answer.
        assert.equal(problems.splice(0).filter((problem) => !problem.includes('501')).length, 0);
      }),
    undefined,
    undefined,
    'tools: { except: [list_changes] }\n',
  ));
