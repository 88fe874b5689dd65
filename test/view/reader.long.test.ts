// Tests how notes are read in the page: their content, addresses and history, in a real browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HTTPRequest } from 'puppeteer-core';
import { TRICKS } from './hostile-vault.ts';
import { type Watched, withPage, withServedVault } from './page-under-test.ts';
import { READING_VAULT } from './reading-vault.ts';
import { unsafeParts } from './seen.ts';

const address = (url: string, note: string): string => `${url}#selected=${encodeURIComponent(note)}`;

const shown = ({ until }: Watched, title: string): Promise<void> =>
  until(`document.querySelector('#panel h1')?.textContent === ${JSON.stringify(title)}`);

const READY = `document.querySelector('.note-body math') && document.querySelector('.hljs-keyword') && document.querySelectorAll('.embed .note-body').length === 3`;

test('a note is shown as Obsidian shows it', () =>
  withServedVault(READING_VAULT, ({ server }) =>
    withPage(address(server.url, 'Essay.md'), async ({ page, until, text }) => {
      await until(READY);
      const count = (selector: string): Promise<number> => page.$$eval(`#panel ${selector}`, (found) => found.length);
      const counts = {
        strong: await count('.note-body p > strong'),
        highlight: await count('mark'),
        strike: await count('s'),
        formulas: await count('math'),
        tables: await count('.note-body table'),
        embedded: await count('.embed table'),
        right: await count('td[align="right"]'),
        callouts: await count('[data-callout]'),
        folded: await count('details[data-callout="tip"]:not([open])'),
        tasks: await count('.note-body li[data-task] > input:disabled'),
        done: await count('.note-body li[data-task] > input:checked'),
        numbered: await count('.note-body ol > li'),
        footnotes: await count('[data-footnotes] li'),
        headings: await count('.note-body > h2 > .anchor'),
        images: await count('img[src="file/sea.svg"][width="60"]'),
        files: await count('a.file-link[href="file/log.pdf"][target="_blank"]'),
        missing: await count('.no-note'),
        web: await count('a.web-link[rel="noopener noreferrer"][target="_blank"]'),
      };
      assert.deepEqual(counts, {
        ...{
          strong: 1,
          highlight: 1,
          strike: 1,
          formulas: 2,
          tables: 2,
          embedded: 1,
          right: 2,
          callouts: 2,
          folded: 1,
        },
        ...{ tasks: 3, done: 2, numbered: 3, footnotes: 1, headings: 4, images: 1, files: 1, missing: 2, web: 2 },
      });
      const body = await text('#panel .note-body');
      for (const hidden of ['a comment%%', '%%', '==', 'Not embedded', '[^1]', '^pull'])
        assert.ok(!body.includes(hidden), `${hidden} in ${body}`);
      for (const part of ['New and full.', 'The moon pulls.', '$5 or $6', 'the tide', 'example.com'])
        assert.ok(body.includes(part), `${part} in ${body}`);
      assert.match(await text('.properties'), /authorKeeper.*rating4.*sourcesone, two/);
      assert.equal(
        await page.$eval('.note-body img', (image) => (image as unknown as { naturalWidth: number }).naturalWidth),
        60,
      );
      assert.equal(await count('.embed .embed'), 0, 'an embed inside an embed is a link');
      assert.match(await text('.outline'), /Outline 3.*Lists and tasks.*A table.*Embeds/);
    }),
  ));

test('the text of a note appears before its links and related notes are known', () =>
  withServedVault(READING_VAULT, ({ server }) =>
    withPage(server.url, async ({ page, until, text }) => {
      const held: HTTPRequest[] = [];
      const isSlow = (request: HTTPRequest): boolean => /call\/(?:find_related|get_neighbors)/.test(request.url());
      await page.setRequestInterception(true);
      page.on('request', (request) => (isSlow(request) ? void held.push(request) : void request.continue()));
      await page.evaluate(`location.hash = '#selected=Tide.md'`);
      await until(`document.querySelector('#panel .note-body')?.textContent.includes('The tide follows')`);
      assert.doesNotMatch(await text('#panel'), /Linked from/);
      assert.equal(held.length, 2);
      for (const request of held) await request.continue();
      await until(`document.querySelector('#panel').textContent.includes('Linked from 2')`);
    }),
  ));

test('links open notes here and places in them; Back, Forward and reload work', () =>
  withServedVault(READING_VAULT, ({ server }) =>
    withPage(address(server.url, 'Essay.md'), async (watched) => {
      const { page, until, text } = watched;
      await until(READY);
      await page.evaluate(`[...document.querySelectorAll('.note-body td a')].at(-1).click()`);
      await shown(watched, 'Moon');
      await until(`document.activeElement?.dataset.slug === 'phases'`);
      assert.match(page.url(), /#selected=Moon.md&subpath=%23Phases$/);
      await page.evaluate(`document.querySelector('.note-body p a.note-link').click()`);
      await shown(watched, 'Tide');
      await page.keyboard.press('l');
      await until(`!document.querySelector('#list').hidden`);
      await page.goBack();
      await until(`document.querySelector('#list').hidden`);
      await page.goBack();
      await shown(watched, 'Moon');
      await page.goBack();
      await shown(watched, 'Essay');
      await page.goForward();
      await shown(watched, 'Moon');
      await page.evaluate(
        `document.querySelector('#folder').value = ''; document.querySelector('#unresolved').click()`,
      );
      await page.reload();
      await until(`document.body.dataset.state === 'ready'`);
      await shown(watched, 'Moon');
      assert.equal(await page.$eval('#unresolved', (box) => (box as unknown as { checked: boolean }).checked), true);
      await page.goto(address(server.url, 'Nowhere.md'));
      await page.reload();
      await until(`document.querySelector('#banner').textContent.includes('no note Nowhere.md')`);
      assert.equal(await text('#panel'), '');
    }),
  ));

test('copied links and paths hold no secret', () =>
  withServedVault(READING_VAULT, ({ server }) =>
    withPage(address(server.url, 'Essay.md'), async ({ page, until, text }) => {
      await until(READY);
      await page
        .browserContext()
        .overridePermissions(new URL(server.url).origin, [
          'clipboard-read',
          'clipboard-write',
          'clipboard-sanitized-write',
        ]);
      const copied = async (id: string): Promise<unknown> => {
        await page.evaluate(`document.querySelector('#banner').replaceChildren()`);
        await page.click(id);
        await until(`document.querySelector('#banner').textContent !== ''`);
        assert.match(await text('#banner'), /copied$/);
        return page.evaluate('navigator.clipboard.readText()');
      };
      assert.equal(await copied('#copy-link'), 'obsidian://open?vault=vault&file=Essay.md');
      assert.equal(await copied('#copy-path'), 'Essay.md');
      const secret = new URL(server.url).pathname.slice(1, -1);
      const addresses = await page.$$eval('#panel a[href]', (found) =>
        found.map((link) => link.getAttribute('href') ?? ''),
      );
      assert.ok(addresses.length > 5);
      assert.deepEqual(
        addresses.filter((one) => one.includes(secret) || one.startsWith('#')),
        [],
      );
    }),
  ));

test('no trick of a hostile note runs, loads or takes the place of the page', () =>
  withServedVault(
    Object.fromEntries(TRICKS.map((trick, at) => [`t${at}.md`, `${trick}\n\nThe end of ${at}.\n`])),
    ({ server }) =>
      withPage(server.url, async (watched) => {
        const { page, until } = watched;
        for (const at of TRICKS.keys()) {
          await page.evaluate(`location.hash = '#selected=t${at}.md'`);
          await until(
            `document.querySelector('#panel .where')?.textContent === 't${at}.md' && document.querySelector('#panel .note-body')`,
          );
          assert.deepEqual([at, await unsafeParts(page)], [at, []]);
        }
        const shownLast = await page.$eval('#panel .note-body', ({ textContent }) => textContent ?? '');
        assert.match(shownLast, /The end of/);
      }),
  ));
