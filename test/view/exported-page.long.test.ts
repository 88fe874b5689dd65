// Checks the page exported as one file: opened from disk it shows the same graph and loads nothing else.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { htmlOf, notePaths, noteTexts } from '../../src/cli/export/export-text.ts';
import { pageFilesIn } from '../../src/cli/view/page-files.ts';
import { seedPlaces } from '../../src/picture/seed-places.ts';
import { shapeOf } from '../../src/picture/shape.ts';
import { HOSTILE, HOSTILE_VAULT } from './hostile-vault.ts';
import { axeBreaches, cutTexts } from './page-faults.ts';
import { type Files, type ServedVault, withPage, withServedVault } from './page-under-test.ts';
import { discsSeen, unsafeParts } from './seen.ts';

const FILES: Files = { 'Home.md': 'Goes to [[Tide]].', 'Tide.md': 'A secret word: brass.', 'Moon.md': '[[Tide]]' };

async function exported(
  { core, pageFolder, folder }: ServedVault,
  withText: boolean,
): Promise<{ html: string; url: string }> {
  const { signal } = new AbortController();
  const picture = await core.picture(signal);
  const places = [...seedPlaces(shapeOf(picture))];
  const texts = withText ? { texts: Object.fromEntries(await noteTexts(notePaths(picture), core)) } : {};
  const html = await htmlOf({ picture, places, ...texts }, pageFilesIn(pageFolder));
  const file = join(folder, '../graph of it.html');
  writeFileSync(file, html);
  return { html, url: pathToFileURL(file).href };
}

test('it contains no text of notes unless requested, refers to no other file, and its policy matches its contents', () =>
  withServedVault(FILES, async (vault) => {
    const { html } = await exported(vault, false);
    assert.doesNotMatch(html, /secret word/);
    assert.doesNotMatch(html, /(?:src|href)="(?!data:)/);
    const policy = /http-equiv="content-security-policy" content="([^"]+)"/.exec(html)?.[1] ?? '';
    assert.match(
      policy,
      /^default-src 'none'; script-src(?: 'sha256-[\w+/=]+'){2}; style-src 'sha256-[\w+/=]+'; img-src data:;/,
    );
    for (const [, script = ''] of html.matchAll(/<script>([\s\S]*?)<\/script>/g))
      assert.ok(policy.includes(createHash('sha256').update(script).digest('base64')));
    assert.match((await exported(vault, true)).html, /secret word/);
  }));

test('opened from disk it shows, searches and connects notes without a server', () =>
  withServedVault(FILES, async (vault) => {
    const { url } = await exported(vault, true);
    await withPage(url, async ({ page, until, text }) => {
      assert.match(await text('#summary'), /3 notes/);
      assert.ok((await discsSeen(page)).length > 0);
      await page.type('#search', 'brass');
      await until(`document.querySelector('.result .snippet')?.textContent.includes('brass')`);
      await page.keyboard.press('Enter');
      await until(`document.querySelector('#panel')?.textContent.includes('Linked from 2')`);
      assert.match(await text('#panel'), /A secret word: brass\./);
      assert.deepEqual([await cutTexts(page), await axeBreaches(page)], [[], []]);
      await page.click('#panel .entry');
      await until(`document.querySelector('#panel h1').textContent === 'Home'`);
      await page.keyboard.press('p');
      await page.keyboard.type('moon');
      await page.keyboard.press('Enter');
      await until(`document.querySelector('#panel h1').textContent === '2 links apart'`);
    });
  }));

test('hostile titles and texts are shown as text', () =>
  withServedVault(HOSTILE_VAULT, async (vault) => {
    const { url, html } = await exported(vault, true);
    assert.equal(
      html.match(/<script/g)?.length,
      6,
      'the data, the drawing, the page, and the three parts of its reader',
    );
    await withPage(url, async ({ page, until }) => {
      for (const at of HOSTILE.keys()) {
        await page.keyboard.press('/');
        await page.type('#search', `n${at}.md`);
        await page.keyboard.press('Enter');
        await until(`document.querySelector('#panel .where')?.textContent === 'n${at}.md'`);
      }
      assert.deepEqual(await unsafeParts(page), []);
    });
  }));
