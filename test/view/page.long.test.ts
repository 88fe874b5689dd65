// Tests the graph page in a real browser: what a user sees and does, with no errors and no requests to other hosts.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { until as untilSo } from '../until.ts';
import { HOSTILE, HOSTILE_VAULT } from './hostile-vault.ts';
import { type Files, type Watched, withPage, withServedVault } from './page-under-test.ts';
import { discsSeen, unsafeParts } from './seen.ts';

const HARBOUR: Files = {
  'Harbour.md': '---\ntags: [place]\n---\n# Harbour\n\nShips come with the [[Tide]]. The [[Keeper]] counts them.\n',
  'Tide.md': 'The tide follows the [[Moon]] and lifts every ship. #nature/sea\n',
  'Moon.md': 'The moon pulls. #nature\n',
  'people/Keeper.md': 'The keeper lights the [[Lamp]], and writes to [[Nobody at all]].\n',
  'people/Lamp.md': 'A lamp of brass. It shines over the ships of the harbour.\n',
  'Alone.md': 'Nothing links here.\n',
};

const press = async (page: Page, ...keys: readonly string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key as 'Enter');
};

const find = async ({ page, until }: Watched, words: string, title: string): Promise<void> => {
  await press(page, '/');
  await page.type('#search', words);
  await until(
    `document.querySelector('.result[aria-selected="true"] .title')?.textContent === ${JSON.stringify(title)}`,
  );
  await press(page, 'Enter');
  await until(`document.querySelector('#panel h1')?.textContent === ${JSON.stringify(title)}`);
};

test('the graph is drawn; a note can be found, read, and its neighbours visited by mouse and keyboard', () =>
  withServedVault(HARBOUR, ({ server }) =>
    withPage(server.url, async (watched) => {
      const { page, until, text } = watched;
      assert.match(await text('#summary'), /6 notes {2}· {2}4 links {2}· {2}1 unresolved/);
      assert.match(await text('#legend'), /\d/);

      await find(watched, 'keep', 'Keeper');
      await until(
        `document.querySelector('#panel .note-body') !== null && document.querySelector('#panel').textContent.includes('Unresolved')`,
      );
      const panel = await text('#panel');
      for (const words of [
        'people/Keeper.md',
        'lights the Lamp',
        'Links to 1',
        'Linked from 1',
        'Unresolved 1',
        'Nobody at all',
      ])
        assert.ok(panel.includes(words), `${words} in ${panel}`);
      assert.ok(panel.includes('The Keeper counts them.'), 'the sentence with a link');

      await page.click('#panel .note-link');
      await until(`document.querySelector('#panel h1').textContent === 'Lamp'`);
      await until(`document.querySelector('#panel').textContent.includes('Linked from 1')`);

      await press(page, 'ArrowRight');
      await until(`document.querySelector('#spoken').textContent === 'Keeper'`);
      await press(page, 'Enter');
      await until(`document.querySelector('#panel h1').textContent === 'Keeper'`);
      await press(page, 'Escape');
      await until(`document.querySelector('#panel').hidden`);

      await press(page, 'f');
      await sleep(600);
      const [disc] = await discsSeen(page);
      assert.ok(disc !== undefined, 'a disc is seen');
      await page.mouse.click(disc.x, disc.y);
      await until(`!document.querySelector('#panel').hidden`);
    }),
  ));

test('search finds titles at once and text a moment later; no results are reported', () =>
  withServedVault(HARBOUR, ({ server }) =>
    withPage(server.url, async ({ page, until, text }) => {
      await page.type('#search', 'bras');
      await until(`document.querySelector('.result .snippet')?.textContent.includes('brass')`);
      assert.match(await text('#results'), /In the text/);
      assert.equal(await text('#spoken'), '1 found');
      await press(page, 'Escape');
      await until(`document.querySelector('#results').hidden && document.querySelector('#search').value === ''`);
      await page.type('#search', 'zzyzx');
      await until(`document.querySelector('#results').textContent.includes('No note matches')`);
    }),
  ));

test('a path between two notes is found and drawn, and a missing path is reported', () =>
  withServedVault(HARBOUR, ({ server }) =>
    withPage(server.url, async (watched) => {
      const { page, until, text } = watched;
      await find(watched, 'lamp', 'Lamp');
      await press(page, 'p');
      await until(`!document.querySelector('#banner').hidden`);
      const theme = await page.evaluate('document.documentElement.dataset.theme');
      // The letters of most names are keys as well.
      await page.keyboard.type('tamp');
      assert.equal(await page.$eval('#search', (input) => (input as HTMLInputElement).value), 'tamp');
      assert.equal(await page.evaluate('document.documentElement.dataset.theme'), theme);
      await page.$eval('#search', (input) => (input as HTMLInputElement).select());
      await page.keyboard.type('moon');
      await until(`document.querySelector('.result')`);
      await press(page, 'Enter');
      await until(`document.querySelectorAll('#chain .sentence').length === 4`);
      assert.equal(await text('#panel h1'), '4 links apart');
      const steps = await page.$$eval('#chain .entry', (rows) => rows.map((row) => (row as HTMLElement).innerText));
      assert.deepEqual(
        steps.map((step) => step.split('\n')),
        [
          ['Lamp'],
          ['Keeper', '← The keeper lights the Lamp, and writes to Nobody at all.'],
          ['Harbour', '← The Keeper counts them.'],
          ['Tide', '→ Ships come with the Tide.'],
          ['Moon', '→ The tide follows the Moon and lifts every ship.'],
        ],
      );
      await press(page, 'Escape', 'p');
      await page.keyboard.type('alone');
      await until(`document.querySelector('.result')`);
      await press(page, 'Enter');
      await until(`document.querySelector('#banner').textContent.includes('not connected')`);
    }),
  ));

test('filters, toggles, the list, light and dark theme', () =>
  withServedVault(HARBOUR, ({ server }) =>
    withPage(
      server.url,
      async ({ page, until, text }) => {
        const rows = () => page.$$eval('#list tbody tr', (found) => found.map((row) => row.firstChild?.textContent));
        assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
        await page.click('#theme');
        assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'light');
        assert.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(251, 250, 247)');

        await page.click('#options-button');
        await page.select('#folder', 'people');
        await press(page, 'Escape', 'l');
        assert.deepEqual((await rows()).toSorted(), ['Keeper', 'Lamp']);
        await press(page, 'Escape');
        await page.click('#options-button');
        await page.select('#folder', '');
        await page.select('#tag', '#nature');
        await press(page, 'Escape', 'l');
        assert.deepEqual((await rows()).toSorted(), ['Moon', 'Tide']);
        await press(page, 'Escape');
        await page.click('#options-button');
        await page.select('#tag', '');
        await page.select('#colour-by', 'folder');
        await until(`document.querySelector('#legend').textContent.includes('people')`);
        await page.select('#size-by', 'degree');
        await page.focus('#stage');
        await press(page, 'o', 'u');
        assert.deepEqual(
          await page.$eval('#orphans', (box) => (box as unknown as { checked: boolean }).checked),
          false,
        );
        assert.deepEqual(
          await page.$eval('#unresolved', (box) => (box as unknown as { checked: boolean }).checked),
          true,
        );
        await press(page, 'Escape', 'l');
        assert.equal((await rows()).includes('Alone'), false);
        assert.match(await text('#list h2'), /^5 notes/);
        await press(page, 'Escape', '?');
        assert.equal(await page.$eval('#help', (help) => (help as unknown as { open: boolean }).open), true);
      },
      { dark: true },
    ),
  ));

test('any title or text is shown as text: nothing runs, nothing is fetched', () =>
  withServedVault(
    { ...HOSTILE_VAULT, ...(process.platform === 'win32' ? {} : { '<b onclick=alert(8)>.md': '[[n0]]' }) },
    ({ server }) =>
      withPage(server.url, async (watched) => {
        const { page, until } = watched;
        await page.click('#options-button');
        await press(page, 'Escape', 'u');
        for (const [at] of HOSTILE.entries()) {
          await press(page, '/');
          await page.type('#search', `n${at}.md`);
          await until(`document.querySelector('.result')`);
          await press(page, 'Enter');
          await until(`document.querySelector('#panel .where')?.textContent === 'n${at}.md'`);
          await until(`document.querySelector('#panel .note-body')`);
        }
        const body = await page.$eval('#panel .note-body', ({ textContent }) => textContent);
        assert.ok(body?.includes(HOSTILE.at(-1) as string), String(body));
        await page.type('#search', 'onerror');
        await until(`document.querySelector('#results').children.length > 0`);
        await press(page, 'Escape', 'l');
        assert.deepEqual(await unsafeParts(page), []);
        const scripts = await page.$$eval('script', (found) =>
          found.map((script) => new URL(script.src).pathname.split('/').at(-1)),
        );
        assert.deepEqual(
          scripts.toSorted(),
          ['code.js', 'drawing.js', 'markdown.js', 'math.js', 'page.js'].filter((name) => scripts.includes(name)),
        );
      }),
  ));

test('the page updates with the vault, and reports when its server has stopped', () =>
  withServedVault(HARBOUR, ({ server, write, core }) =>
    withPage(server.url, async ({ until, text, problems }) => {
      write({ 'Nobody at all.md': 'Here I am, said [[Alone]].' });
      await core.indexer.catchUp(new AbortController().signal);
      await until(`document.querySelector('#summary').textContent.includes('7 notes')`);
      assert.doesNotMatch(await text('#summary'), /unresolved/);
      await server.close();
      await until(`document.querySelector('#notice').textContent.includes('SERVER_GONE')`);
      // The browser itself logs the refused connection.
      const reported = problems.splice(0).filter((problem) => !problem.includes('ERR_CONNECTION_REFUSED'));
      assert.deepEqual(reported, []);
    }),
  ));

test('an empty vault shows a message', () =>
  withServedVault({}, ({ server }) =>
    withPage(server.url, async ({ text }) => assert.match(await text('#notice'), /no notes/)),
  ));

test('a vault of 2,000 notes appears quickly, and can be searched during the layout', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, at) => {
      const targets = [Math.floor(at / 7), (at * 13) % 2_000, (at + 1) % 2_000];
      return [`f${at % 9}/note ${at}.md`, targets.map((target) => `[[note ${target}]]`).join(' ')];
    }),
  );
  await withServedVault(files, ({ server }) =>
    withPage(server.url, async (watched) => {
      assert.match(await watched.text('#summary'), /2,000 notes/);
      const discs = await discsSeen(watched.page);
      assert.ok(discs.length > 50);
      await find(watched, 'note 1234', 'note 1234');
      await press(watched.page, 'Escape', 'f');
      await watched.until(`document.body.dataset.layout === 'settled'`);
      await sleep(600);
      const [, , disc] = await discsSeen(watched.page);
      assert.ok(disc !== undefined);
      await watched.page.mouse.click(disc.x, disc.y);
      await watched.until(`!document.querySelector('#panel').hidden`);
    }),
  );
});

test('the places of notes are kept with the index, and change only where the graph changed', () =>
  withServedVault({ ...HARBOUR, 'One.md': '[[Two]]', 'Two.md': '[[Three]]', 'Three.md': '' }, async (vault) => {
    const { server, core, write } = vault;
    const kept = (): Record<string, readonly number[]> =>
      JSON.parse(readFileSync(join(core.config.dataFolder, 'layout.json'), 'utf8').split('\n')[1] ?? '');
    const file = join(core.config.dataFolder, 'layout.json');
    // The page sends the places when it has settled, and a page that is closed sends nothing.
    await withPage(server.url, () => untilSo(() => existsSync(file), 'the places are kept'));
    const before = kept();
    assert.deepEqual(Object.keys(before).length, 9);
    write({ 'Wharf.md': 'Beside the [[Alone]].' });
    await core.indexer.catchUp(new AbortController().signal);
    await withPage(server.url, () => untilSo(() => kept()['Wharf.md'] !== undefined, 'the new place is kept'));
    const { 'Wharf.md': _new, 'Alone.md': moved, ...others } = kept();
    const { 'Alone.md': alone, ...same } = before;
    assert.deepEqual(others, same);
    assert.notDeepEqual(moved, alone);
  }));
