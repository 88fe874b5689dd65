// Tests the map of the page in a real browser: what is drawn, framed and counted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { type Files, withPage, withServedVault } from './page-under-test.ts';
import { discsSeen } from './seen.ts';

const chain = (count: number): Files =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`Step ${at}.md`, `To [[Step ${at + 1}]].\n`]));

const WITH_BASES: Files = {
  ...chain(6),
  'Step 6.md': 'Its table is ![[Steps.base]], its picture ![[chart.png]].\n',
  'Steps.base': 'views:\n  - type: table\n    name: Steps\n',
  'chart.png': 'not really a picture',
};

const choose = async (page: Page, words: string): Promise<void> => {
  await page.keyboard.press('/');
  await page.type('#search', words);
  await page.waitForSelector('.result[aria-selected="true"]');
  await page.keyboard.press('Enter');
};

const rest = (): Promise<void> => sleep(700);

test('a base does not count as a note: not in the counts, the legend, the list or the search', () =>
  withServedVault(WITH_BASES, ({ server, core }) =>
    withPage(server.url, async ({ page, until, text }) => {
      const picture = await core.picture(new AbortController().signal);
      assert.deepEqual(
        picture.files.map(({ path, sources }) => [path, sources.map((node) => picture.notes[node]?.path)]),
        [
          ['Steps.base', ['Step 6.md']],
          ['chart.png', ['Step 6.md']],
        ],
      );
      assert.ok(Math.abs(picture.notes.reduce((sum, { rank }) => sum + rank, 0) - 1) < 1e-6, 'ranks of notes alone');
      assert.match(await text('#summary'), /7 notes/);
      await page.keyboard.press('l');
      assert.match(await text('#list h2'), /^7 notes/);
      await page.keyboard.press('Escape');
      await page.type('#search', 'Steps.base');
      await until(`document.querySelector('#results').textContent !== ''`);
      assert.doesNotMatch(await text('#results'), /Steps\.base$/);
    }),
  ));

test('a path that is found comes into view beside the panel, wherever the camera was', () =>
  withServedVault(chain(9), ({ server }) =>
    withPage(server.url, async ({ page, until }) => {
      await choose(page, 'Step 0');
      await rest();
      for (let turn = 0; turn < 6; turn++) await page.keyboard.press('+');
      await rest();
      await page.keyboard.press('p');
      await choose(page, 'Step 8');
      await until(`document.querySelectorAll('#chain .entry').length === 9`);
      await rest();
      // Dots in the panel are further right.
      const discs = (await discsSeen(page)).filter(({ x }) => x < 1200 - 420);
      assert.ok(discs.length >= 9, `${discs.length} discs are seen`);
    }),
  ));

test('if the server is gone a readable notice says so, and "Try again" asks again', () =>
  withServedVault(chain(3), ({ server }) =>
    withPage(server.url, async ({ page, until, text, problems }) => {
      await server.close();
      await until(`document.querySelector('#notice .fault') !== null`);
      assert.match(await text('#notice'), /no longer running.*Start `vaultgraph view` again/s);
      const asked = page.waitForRequest((request) => request.url().endsWith('api/state'));
      await page.click('#again');
      await asked;
      // The browser itself logs the requests that are refused or cut.
      const reported = problems.splice(0).filter((problem) => !problem.includes('resource: net::ERR_'));
      assert.deepEqual(reported, []);
    }),
  ));

test('the local graph shows the notes within the chosen number of links, and follows the chosen note', () =>
  withServedVault(chain(12), ({ server }) =>
    withPage(server.url, async ({ page, until, text }) => {
      await page.keyboard.press('g');
      await until(`document.querySelector('#banner').textContent.includes('Choose a note first')`);
      await choose(page, 'Step 5');
      await until(`document.querySelector('#panel h1')?.textContent === 'Step 5'`);
      await page.focus('#stage');
      await page.keyboard.press('g');
      await until(`!document.querySelector('#local').hidden`);
      assert.equal(await text('#local-title'), 'Step 5');
      assert.equal(await text('#local-count'), '3 notes');
      await rest();
      assert.ok(
        (await discsSeen(page)).some(({ x }) => x < 780),
        'it is drawn beside the panel',
      );
      await page.focus('#depth');
      await page.keyboard.press('ArrowRight');
      await until(`document.querySelector('#depth-shown').textContent === '2 links'`);
      assert.equal(await text('#local-count'), '5 notes');
      await page.reload();
      await until(`document.body.dataset.state === 'ready'`);
      assert.equal(await text('#local-count'), '5 notes', 'the address names it');
      await choose(page, 'Step 0');
      await until(`document.querySelector('#local-title').textContent === 'Step 0'`);
      assert.equal(await text('#local-count'), '3 notes');
      await page.keyboard.press('Escape');
      await until(`document.querySelector('#local').hidden`);
      assert.equal(await text('#panel h1'), 'Step 0', 'the note stays chosen');
    }),
  ));

test('attachments and bases are drawn when they are switched on, and one can be chosen', () =>
  withServedVault(WITH_BASES, ({ server }) =>
    withPage(server.url, async ({ page, until, text }) => {
      await page.keyboard.press('a');
      await page.keyboard.press('?');
      assert.match(await text('#help'), /attachments/);
      await page.keyboard.press('Escape');
      await page.click('#options-button');
      assert.equal(await page.$eval('#files', (box) => (box as unknown as { checked: boolean }).checked), true);
      await page.keyboard.press('Escape');
      await choose(page, 'Step 6');
      await until(`document.querySelector('#panel .entry.file') !== null`);
      assert.match(await text('#panel'), /Files 2/);
    }),
  ));

const DATED: Files = {
  'sea/Tide.md':
    '---\ndate: 2024-01-01\ntags: [water]\n---\n# Tide\n\nRises with the ==[[Moon]]==, %%not shown%% twice a day.\n',
  'sea/Ebb.md': '---\ndate: 2024-03-01\ntags: [water/slow]\n---\nFalls after the [[Tide]].\n',
  'Moon.md': '---\ndate: 2024-06-01\n---\nPulls.\n',
  'Lamp.md': '---\ndate: 2024-09-01\n---\nShines.\n',
};

const legend = ({ page }: { readonly page: Page }): Promise<string[]> =>
  page.$$eval('#colours button', (rows) => rows.map(({ textContent }) => textContent ?? ''));

test('colour groups are set by queries, named in the legend and kept in the address', () =>
  withServedVault(DATED, ({ server }) =>
    withPage(server.url, async (watched) => {
      const { page, until } = watched;
      await page.click('#options-button');
      await page.select('#colour-by', 'query');
      await page.click('#add-query');
      await page.keyboard.type('tag:#water -file:ebb');
      await page.focus('#add-query');
      await page.keyboard.press('Enter');
      await until(`document.activeElement?.ariaLabel === 'Query of group 2'`);
      await page.keyboard.type('path:sea OR moon');
      await until(`document.querySelectorAll('#colours button').length === 2`);
      assert.deepEqual(
        await legend(watched),
        ['tag:#water -file:ebb1', 'path:sea OR moon2'],
        'the first group that matches counts',
      );
      await page.reload();
      await until(`document.querySelectorAll('#colours button').length === 2`);
      assert.deepEqual(await legend(watched), ['tag:#water -file:ebb1', 'path:sea OR moon2']);
      await page.click('#options-button');
      await page.click('#queries [aria-label="Remove group 1"]');
      await until(`document.querySelectorAll('#colours button').length === 1`);
      assert.deepEqual(await legend(watched), ['path:sea OR moon3']);
      assert.equal(await page.evaluate('document.activeElement.id'), 'add-query', 'the focus stays near');
    }),
  ));

test('the timeline shows the notes up to a day, by mouse and keyboard', () =>
  withServedVault(DATED, ({ server }) =>
    withPage(server.url, async ({ page, until, text }) => {
      await page.keyboard.press('d');
      await until(`!document.querySelector('#timeline').hidden`);
      assert.equal(await text('#until-shown'), '2024-09-01');
      assert.match(await text('#until-count'), /^4 of 4 notes, since 2024-01-01$/);
      await page.focus('#until');
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowLeft');
      await until(`document.querySelector('#until-shown').textContent === '2024-03-01'`);
      assert.match(await text('#until-count'), /^2 of 4 notes/);
      await page.reload();
      await until(`document.querySelector('#until-shown').textContent === '2024-03-01'`);
      await page.keyboard.press('l');
      await until(`!document.querySelector('#list').hidden`);
      assert.match(await text('#list h2'), /^2 notes/);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await until(`document.querySelector('#timeline').hidden`);
    }),
  ));

test('notes are collected by click and key, listed, opened, copied and taken out', () =>
  withServedVault(DATED, ({ server }) =>
    withPage(server.url, async ({ page, until, text }) => {
      await until(`document.body.dataset.layout === 'settled'`);
      await rest();
      const [one, ...others] = (await discsSeen(page)).filter(({ x }) => x < 740);
      assert.ok(one !== undefined);
      // A large disc is seen as several spots.
      const other = others.find(({ x, y }) => Math.hypot(x - one.x, y - one.y) > 80);
      assert.ok(other !== undefined);
      await page.keyboard.down('Shift');
      await page.mouse.click(one.x, one.y);
      await until(`document.querySelectorAll('.marked li').length === 1`);
      assert.equal(await text('#panel h1'), '1 note');
      await page.mouse.click(other.x, other.y);
      await until(`document.querySelectorAll('.marked li').length === 2`);
      await page.mouse.click(other.x, other.y);
      await until(`document.querySelectorAll('.marked li').length === 1`);
      await page.keyboard.up('Shift');
      await page.click('#unmark');
      await until(`document.querySelector('#panel').hidden`);
      await choose(page, 'Moon');
      await until(`document.querySelector('#panel h1')?.textContent === 'Moon'`);
      await page.click('#mark');
      await until(`document.querySelector('#collected').textContent === 'Collected 1'`);
      await choose(page, 'Lamp');
      await until(`document.querySelector('#panel h1')?.textContent === 'Lamp'`);
      await page.keyboard.press('m');
      await until(`document.querySelector('#banner').textContent === 'Collected: 2 notes'`);
      await page.keyboard.press('Escape');
      await until(`document.querySelector('#panel h1')?.textContent === '2 notes'`);
      await page
        .browserContext()
        .overridePermissions(new URL(server.url).origin, [
          'clipboard-read',
          'clipboard-write',
          'clipboard-sanitized-write',
        ]);
      await page.click('#copy-marked');
      await until(`document.querySelector('#banner').textContent === 'Links copied'`);
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), '- [[Moon]]\n- [[Lamp]]\n');
      await page.goBack();
      await until(`document.querySelectorAll('.marked li').length < 2`);
      await page.goForward();
      await until(`document.querySelectorAll('.marked li').length === 2`);
      await page.click('.marked .icon-button');
      await until(`document.querySelectorAll('.marked li').length === 1`);
    }),
  ));

test('the first lines of a note are shown under the pointer, and for the note that the arrow keys are on', () =>
  withServedVault(DATED, ({ server }) =>
    withPage(server.url, async ({ page, until, text }) => {
      await choose(page, 'Ebb');
      await until(`document.querySelector('#panel .note-body') !== null`);
      await page.focus('#stage');
      await page.keyboard.press('ArrowRight');
      await until(`!document.querySelector('#preview').hidden`);
      assert.equal(await text('#preview strong'), 'Tide');
      assert.match(await text('#preview .note-body'), /^\s*Rises with the Moon, +twice a day\.\s*$/);
      assert.match(await text('#spoken'), /^Tide\. Rises with the Moon/);
      await page.keyboard.press('Escape');
      await until(`document.querySelector('#preview').hidden`);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await until(`document.querySelector('#panel').hidden`);
      await page.keyboard.press('f');
      await rest();
      const [disc] = await discsSeen(page);
      assert.ok(disc !== undefined);
      await page.mouse.move(disc.x, disc.y);
      await until(`!document.querySelector('#preview').hidden`);
      await page.mouse.move(disc.x, 780);
      await until(`document.querySelector('#preview').hidden`);
    }),
  ));

test('on a phone the legend is a sheet, and the graph takes the shape of the window', () =>
  withServedVault({ ...chain(12), 'Step 3.md': CROWDED }, ({ server }) =>
    withPage(server.url, async ({ page, until }) => {
      await page.setViewport({ width: 390, height: 844 });
      await until(`!document.querySelector('#colours').checkVisibility()`);
      await page.focus('#legend-button');
      await page.keyboard.press('Enter');
      await until(`document.querySelector('#colours').checkVisibility()`);
      assert.equal(await page.evaluate('document.activeElement.id'), 'legend-close');
      await page.keyboard.press('Escape');
      await until(`!document.querySelector('#colours').checkVisibility()`);
      assert.equal(await page.evaluate('document.activeElement.id'), 'legend-button');
    }),
  ));

/** Properties, tags and headings, which come before the text. */
const CROWDED = `---
tags: [one, two]
${Array.from({ length: 9 }, (_, at) => `key${at}: value ${at}`).join('\n')}
---
It leads to [[Step 4]].

# One

# Two

# Three
`;

test('on a phone the text begins in the first third, the actions are a menu, and results lie above the note', () =>
  withServedVault(chain(12), ({ server }) =>
    withPage(server.url, async ({ page, until }) => {
      await page.setViewport({ width: 390, height: 844 });
      await choose(page, 'Step 3');
      await until(
        `document.querySelector('.note-body')?.firstElementChild.getBoundingClientRect().top < innerHeight / 3`,
      );
      assert.equal(await page.$eval('#copy-path', (action) => action.checkVisibility()), false);
      await page.click('#menu-button');
      await until(`document.querySelector('#copy-path').checkVisibility()`);
      await page.keyboard.press('Escape');
      await until(`!document.querySelector('#copy-path').checkVisibility()`);
      assert.equal(await page.$eval('#panel h1', ({ textContent }) => textContent), 'Step 3');
      await page.click('#search');
      await page.keyboard.type('Step');
      await until(`document.querySelectorAll('.result').length > 7`);
      const top = `(({ left, bottom }) => document.elementFromPoint(left + 40, bottom - 20))`;
      const above = await page.evaluate(
        `${top}(document.querySelector('#results').getBoundingClientRect()).closest('#results') !== null`,
      );
      assert.equal(above, true);
    }),
  ));

test('a hub can be left out, and the address keeps it so', () =>
  withServedVault(
    {
      ...Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`Leaf ${at}.md`, `In the [[Index]].\n`])),
      'Index.md': 'All of them.\n',
    },
    ({ server }) =>
      withPage(server.url, async ({ page, until }) => {
        const listed = async (): Promise<readonly string[]> => {
          await page.keyboard.press('l');
          await until(`document.querySelector('#list tbody tr')`);
          const titles = await page.$$eval('#list .note-link', (links) =>
            links.map(({ textContent }) => textContent ?? ''),
          );
          await page.keyboard.press('l');
          return titles;
        };
        await page.focus('#stage');
        assert.ok((await listed()).includes('Index'));
        await page.keyboard.press('h');
        assert.ok(!(await listed()).includes('Index'));
        assert.match(page.url(), /hubs=0/);
        await page.reload();
        await until(`document.body.dataset.state === 'ready'`);
        assert.equal(await page.$eval('#hubs', (box) => (box as HTMLInputElement).checked), false);
      }),
  ));

test('every control is reached by Tab in the order of the page, and the graph moves by keys', () =>
  withServedVault(chain(12), ({ server }) =>
    withPage(server.url, async ({ page, until }) => {
      await until(`document.body.dataset.layout === 'settled'`);
      await rest();
      const reached: string[] = [];
      while (reached.at(-1) !== 'help-button' && reached.length < 40) {
        await page.keyboard.press('Tab');
        reached.push(
          String(await page.evaluate('document.activeElement.id || document.activeElement.parentElement.id')),
        );
      }
      const tools = [
        'zoom-in',
        'zoom-out',
        'fit',
        'local-button',
        'timeline-button',
        'list-button',
        'changes-button',
        'theme',
        'help-button',
      ];
      assert.deepEqual([...new Set(reached)], ['stage', 'search', 'options-button', 'colours', ...tools]);
      await page.focus('#stage');
      const top = async (): Promise<number> => Math.min(...(await discsSeen(page)).map(({ y }) => y));
      const before = await top();
      await page.keyboard.down('Shift');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.up('Shift');
      await rest();
      assert.ok((await top()) > before + 50, 'what was above the window comes into view');
    }),
  ));

const MANY = 180;
const WITH_MANY_LINKS: Files = Object.fromEntries(
  Array.from({ length: MANY }, (_, at) => {
    const others = Array.from({ length: MANY / 2 }, (__, turn) => `[[Note ${(at + turn + 1) % MANY}]]`);
    return [`Note ${at}.md`, `${others.join(' ')}\n`];
  }),
);

/** Whether the picture differs from one without links. */
async function areLinksSeen(page: Page): Promise<boolean> {
  const pictureWithout = async (...layers: readonly string[]): Promise<string> => {
    await page.$$eval(
      '#stage canvas',
      (canvases, hidden) => {
        for (const { classList, style } of canvases)
          style.visibility = hidden.some((layer) => classList.contains(`sigma-${layer}`)) ? 'hidden' : '';
      },
      layers,
    );
    return page.screenshot({ encoding: 'base64', clip: { x: 400, y: 100, width: 380, height: 500 } });
  };
  const others = ['nodes', 'labels', 'hovers', 'hoverNodes'];
  return (await pictureWithout(...others)) !== (await pictureWithout(...others, 'edges'));
}

test('the links of a large graph are drawn once its notes rest, or when a note is chosen', () =>
  withServedVault(WITH_MANY_LINKS, async ({ server }) => {
    const still = 'window.Worker = class { addEventListener() {} postMessage() {} terminate() {} }';
    await withPage(server.url, async ({ page, until }) => {
      await page.evaluateOnNewDocument(still);
      await page.reload();
      await until(`document.body.dataset.state === 'ready'`);
      assert.equal(await areLinksSeen(page), false);
      await choose(page, 'Note 7');
      await rest();
      assert.equal(await areLinksSeen(page), true);
    });
    await withPage(server.url, async ({ page, until }) => {
      await until(`document.body.dataset.layout === 'settled'`);
      await rest();
      assert.equal(await areLinksSeen(page), true);
    });
  }));
