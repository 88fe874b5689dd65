// Drives the page into each of its states, light and dark: a checker of accessibility finds nothing, and no text is cut off.
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, HTTPRequest, Page } from 'puppeteer-core';
import { openBrowser } from './browser.ts';
import { axeBreaches, cutTexts } from './page-faults.ts';
import { type ServedVault, withServedVault } from './page-under-test.ts';
import { STATES_VAULT } from './states-vault.ts';

/** A folder that keeps the screenshots, to look at them. */
const KEPT = process.env.VAULTGRAPH_SCREENSHOTS;
/** The camera and the panel have come to rest after this. */
const REST_MS = 600;
const REPAINT_MS = 150;
/** Colours do not depend on the size of a window. */
const LIGHT = ['light'] as const;
const LIGHT_AND_DARK = ['light', 'dark'] as const;
/** A window of 1280 by 800 at a zoom of 200 %. */
export const ZOOMED = 640;

/** Width and height of a window. */
export type Size = readonly [width: number, height: number];

interface State {
  /** What the address names. */
  readonly address?: string;
  /** Leads to the state, after the page is ready. */
  reach?(page: Page): Promise<void>;
  /** True in the page when the state is reached. */
  readonly shown: string;
  /** Only where the window is narrow. */
  readonly isNarrow?: true;
}

const seen = (selector: string): string => `document.querySelector('${selector}')?.checkVisibility() === true`;
const press =
  (...keys: readonly string[]) =>
  async ({ keyboard }: Page): Promise<void> => {
    for (const key of keys) await keyboard.press(key as 'Enter');
  };
const note = 'selected=Essay.md';
const READ = `document.querySelector('.note-body math') && document.querySelector('.hljs-keyword') && document.querySelectorAll('.embed .note-body').length === 3`;
const MARKED = 'marked=Essay.md&marked=Moon.md&marked=tide%2FThe+tide+3.md';

const STATES: Readonly<Record<string, State>> = {
  map: { shown: seen('#tools') },
  unresolved: { address: 'unresolved=1&files=1', shown: seen('#tools') },
  search: {
    reach: async (page) => {
      await page.keyboard.press('/');
      await page.type('#search', 'the tide');
    },
    shown: `document.querySelectorAll('.result .snippet').length > 0`,
  },
  'nothing found': {
    reach: async (page) => {
      await page.keyboard.press('/');
      await page.type('#search', 'zzyzx');
    },
    shown: `document.querySelector('#results').textContent.includes('No note matches')`,
  },
  options: { reach: (page) => page.click('#options-button'), shown: seen('#options') },
  'colour groups': {
    address: 'colourBy=query&queries=tag%3A%23tide&queries=path%3Aorchard&queries=',
    reach: (page) => page.click('#options-button'),
    shown: seen('#queries input'),
  },
  timeline: { reach: press('d'), shown: seen('#until') },
  local: { address: `${note}&local=1&depth=2`, shown: `${seen('#depth')} && ${READ}` },
  note: { address: note, shown: READ },
  wide: { address: `${note}&wide=1`, shown: READ },
  menu: {
    address: note,
    reach: (page) => page.click('#menu-button'),
    shown: `${seen('#copy-path')} && ${READ}`,
    isNarrow: true,
  },
  'unresolved name': { address: 'selected=%3F%3F%2FA+note+to+write', shown: seen('#panel .entry') },
  collected: { address: MARKED, shown: seen('#panel .marked') },
  'collected note': { address: `${MARKED}&${note}`, shown: `${seen('#collected')} && ${READ}` },
  path: {
    address: 'chain=Keeper.md&chain=Essay.md&chain=tide%2FThe+tide+0.md&selected=Keeper.md',
    shown: seen('#chain'),
  },
  'end of a path': { address: note, reach: press('p'), shown: `${seen('#banner')} && ${READ}` },
  colour: { address: 'colour=1', shown: `document.querySelector('#colours [aria-pressed="true"]') !== null` },
  preview: { address: 'selected=Keeper.md', reach: press('ArrowRight'), shown: seen('#preview') },
  new: { address: '/timeline', shown: `document.querySelectorAll('#changes .change').length === 5` },
  'nothing new': {
    address: 'changes=1&folder=harbour',
    shown: `document.querySelector('#changes .nothing')?.textContent.includes('Nothing has changed')`,
  },
  list: { reach: press('l'), shown: seen('#list tbody tr') },
  keys: { reach: press('?'), shown: `document.querySelector('#help').open` },
  legend: { reach: (page) => page.click('#legend-button'), shown: seen('#legend-close'), isNarrow: true },
};

let browser: Browser;

async function openPage(width: number, height: number): Promise<Page> {
  const page = await browser.newPage();
  await page.setViewport({ width, height });
  await page.setBypassCSP(true);
  return page;
}

const until = async (page: Page, words: string): Promise<void> =>
  void (await page.waitForFunction(words, { timeout: 60_000, polling: 50 }));

/** Looks at the page, light and dark, when nothing moves any more. @returns its faults */
async function faultsOf(page: Page, name: string, width: number): Promise<string[]> {
  const faults: string[] = [];
  for (const scheme of width === ZOOMED ? LIGHT : LIGHT_AND_DARK) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await sleep(scheme === 'light' ? REST_MS : REPAINT_MS);
    const state = `${name}-${width}-${scheme}`;
    if (KEPT !== undefined) await page.screenshot({ path: join(KEPT, `${state}.png`) as `${string}.png` });
    // The scheme changes colours only, so the second look needs no other rule.
    const isDark = scheme === 'dark';
    const cut = await cutTexts(page);
    faults.push(...[...cut, ...(await axeBreaches(page, isDark))].map((fault) => `${state}: ${fault}`));
  }
  return faults;
}

/** A note is created, another edited, moved, renamed and deleted, each. */
async function changeSome({ write, folder, core }: ServedVault): Promise<void> {
  write({
    'tide/What I wrote this morning about the tide, at some length.md': 'About [[The tide 1]].\n',
    'orchard/The orchard 9.md': '# The orchard 9\n\nAnother beginning.\n\n## A part with a name\n\nWords.\n',
  });
  renameSync(join(folder, 'granite/The granite 13.md'), join(folder, 'tide/The granite 13.md'));
  renameSync(join(folder, 'granite/The granite 12.md'), join(folder, 'granite/The granite twelve.md'));
  rmSync(join(folder, 'lantern/The lantern 13.md'));
  await core.indexer.catchUp(new AbortController().signal);
}

async function checkEachState(sizes: readonly Size[]): Promise<void> {
  await withServedVault(STATES_VAULT, async (vault) => {
    const { server } = vault;
    await changeSome(vault);
    const faults: string[] = [];
    for (const [width, height] of sizes) {
      const page = await openPage(width, height);
      for (const [name, { address = '', reach, shown, isNarrow }] of Object.entries(STATES)) {
        if (isNarrow && width > 800) continue;
        await page.goto('about:blank');
        await page.goto(`${server.url}#${address}`);
        await until(page, `document.body.dataset.state === 'ready' && document.body.dataset.layout === 'settled'`);
        await reach?.(page);
        await until(page, shown);
        faults.push(...(await faultsOf(page, name, width)));
      }
      await page.close();
    }
    assert.deepEqual(faults, []);
  });
}

/** The server answers as it does while it indexes for the first time. */
function answerAsIndexing(request: HTTPRequest): void {
  if (!request.url().endsWith('api/state')) return void request.continue();
  const data = { revision: 1, complete: false, building: { done: 3_210, total: 10_000 } };
  void request.respond({ contentType: 'application/json', body: JSON.stringify({ ok: true, data }) });
}

async function checkNotices(sizes: readonly Size[]): Promise<void> {
  const faults: string[] = [];
  for (const [width, height] of sizes) {
    await withServedVault({}, async ({ server }) => {
      const page = await openPage(width, height);
      await page.goto(server.url);
      await until(page, `document.querySelector('#notice').textContent.includes('no notes')`);
      faults.push(...(await faultsOf(page, 'empty', width)));
      await page.setRequestInterception(true);
      page.on('request', answerAsIndexing);
      await page.goto('about:blank');
      await page.goto(server.url);
      await until(page, seen('#notice progress'));
      faults.push(...(await faultsOf(page, 'indexing', width)));
      await page.close();
    });
    await withServedVault({ 'One.md': '[[Two]]', 'Two.md': '' }, async ({ server }) => {
      const page = await openPage(width, height);
      await page.goto(server.url);
      await until(page, `document.body.dataset.state === 'ready'`);
      await server.close();
      await until(page, seen('#notice .fault'));
      faults.push(...(await faultsOf(page, 'gone', width)));
      await page.close();
    });
  }
  assert.deepEqual(faults, []);
}

/** Registers the tests of a file. */
export function testStates(sizes: readonly Size[]): void {
  before(async () => {
    if (KEPT !== undefined) mkdirSync(KEPT, { recursive: true });
    browser = await openBrowser();
  });
  after(() => browser.close());
  test('each state of the page', () => checkEachState(sizes));
  test('the notices: an empty vault, a first index, and a server that is gone', () => checkNotices(sizes));
}
