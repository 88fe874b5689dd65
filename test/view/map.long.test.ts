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
      // The browser itself logs the refused connections.
      const reported = problems.splice(0).filter((problem) => !/ERR_(CONNECTION|EMPTY)/.test(problem));
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
