// Runs `vaultgraph export --format site` as a user: what it publishes, that its links work, and what it refuses.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { type TestContext, test } from 'node:test';
import { TRICKS } from '../view/hostile-vault.ts';
import { runProgram, temporaryFolder } from './session.ts';

const PUBLISH = '---\npublish: true\n---\n';
const NOTES: Readonly<Record<string, string>> = {
  'Home.md': `${PUBLISH}# Home\n\nTo [[Tide#High water|the tide]], [[Diary]], [[index]] and [[Nobody]]. ![[sea.png]] ![[deep/Cave]] ![[Diary]] ![[log.pdf]]\n`,
  'Tide.md': `${PUBLISH}Low.\n\n## High water\n\nIt rises. [[Home]] ![[Home]]\n`,
  'deep/Cave.md': `${PUBLISH}A cave & a [[Home|way]] out. ![[sea.png|40]] ^c\n`,
  'index.md': `${PUBLISH}Not the list of the site. ![[Tide#High water]]\n`,
  'Diary.md': 'A secret diary. [[Home]]\n',
  'Kept back.md': '---\npublish: false\ntags: [garden]\n---\nNever.\n',
  'Rose.md': '---\ntags: [garden/flowers]\n---\nA rose. [[Home]]\n',
  'sea.png': 'not a real image',
  'secret.png': 'not published',
  'log.pdf': '%PDF',
};

function vaultOf(context: TestContext, files: Readonly<Record<string, string>>): string {
  const vault = temporaryFolder(context);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(vault, path)), { recursive: true });
    writeFileSync(join(vault, path), text);
  }
  return vault;
}

function exportSite(context: TestContext, vault: string, ...more: readonly string[]) {
  const out = join(temporaryFolder(context), 'site');
  return { out, ...runProgram(context, ['export', '--vault', vault, '--format', 'site', '--out', out, ...more]) };
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.relative(folder, posix.join(entry.parentPath, entry.name)))
    .toSorted();

/** The addresses of a page that lead to no file, or to no place in it. */
function brokenLinks(out: string): string[] {
  const pages = filesIn(out).filter((name) => name.endsWith('.html'));
  return pages.flatMap((page) => {
    const addresses = [...readFileSync(join(out, page), 'utf8').matchAll(/ (?:href|src)="([^"]*)"/g)];
    return addresses.flatMap(([, address = '']) => {
      if (/^[a-z]+:/.test(address)) return [];
      const [path = '', place] = address.split('#').map(decodeURIComponent);
      const target = path === '' ? page : posix.join(posix.dirname(page), path);
      const isThere = existsSync(join(out, target));
      const hasPlace =
        place === undefined || (isThere && readFileSync(join(out, target), 'utf8').includes(` id="${place}"`));
      return isThere && hasPlace ? [] : [`${page}: ${address}`];
    });
  });
}

test('it publishes what is marked, with working links, and nothing of any other note', (context) => {
  const vault = vaultOf(context, NOTES);
  const { out, status, stdout } = exportSite(context, vault);
  assert.deepEqual([status, stdout], [0, `${out}: 4 notes and 2 files\n`]);
  assert.deepEqual(filesIn(out), [
    ...['Home.html', 'Tide.html', 'deep/Cave.html', 'index 2.html', 'index.html', 'log.pdf', 'sea.png', 'site.css'],
  ]);
  assert.deepEqual(brokenLinks(out), []);
  const all = filesIn(out)
    .map((name) => readFileSync(join(out, name), 'utf8'))
    .join('\n');
  for (const hidden of ['secret diary', 'Never.', 'A rose', 'Diary.html', 'Rose.html', 'secret.png'])
    assert.ok(!all.includes(hidden), hidden);
  const home = readFileSync(join(out, 'Home.html'), 'utf8');
  assert.match(home, /<a href="Tide\.html#highwater">the tide<\/a>/);
  assert.match(
    home,
    /<div class="embed">.*A cave &amp; a <a href="Home\.html">way<\/a> out\. <img src="sea\.png" alt="" width="40"/,
  );
  assert.match(home, /Linked from.*Tide.*deep\/Cave|Linked from.*Cave.*Tide/s);
  assert.match(readFileSync(join(out, 'deep/Cave.html'), 'utf8'), /href="\.\.\/site\.css".*<img src="\.\.\/sea\.png"/s);
  assert.match(
    readFileSync(join(out, 'index 2.html'), 'utf8'),
    /class="embed">.*<h2 id="e1-highwater">High water<\/h2>.*It rises/s,
  );
  assert.equal(home.match(/<h1[ >]/g)?.length, 1, 'the title is not there twice');
});

test('--tag selects instead, --force writes over, and everything else is refused before a file is written', (context) => {
  const vault = vaultOf(context, NOTES);
  const { out, stdout } = exportSite(context, vault, '--tag', 'garden', '--json');
  assert.deepEqual(JSON.parse(stdout), { folder: out, notes: 1, files: 0 });
  assert.deepEqual(filesIn(out), ['Rose.html', 'index.html', 'site.css']);
  const again = (...more: readonly string[]) =>
    runProgram(context, ['export', '--vault', vault, '--format', 'site', '--out', out, '--tag', '#Garden', ...more]);
  assert.match(again().stderr, /is not empty\. Use --force/);
  assert.deepEqual([again().status, again('--force').status], [64, 0]);
  const nothing = exportSite(context, vault, '--tag', 'nothing');
  assert.deepEqual([nothing.status, existsSync(nothing.out)], [64, false]);
  assert.match(nothing.stderr, /No note is selected/);
  const without = runProgram(context, ['export', '--vault', vault, '--format', 'site']);
  assert.deepEqual([without.status, /--out FOLDER/.test(without.stderr)], [64, true]);
  const misplaced = runProgram(context, ['export', '--vault', vault, '--out', out]);
  assert.deepEqual([misplaced.status, /only with --format site/.test(misplaced.stderr)], [64, true]);
  const file = join(temporaryFolder(context), 'file');
  writeFileSync(file, '');
  const inFile = runProgram(context, [
    'export',
    '--vault',
    vault,
    '--format',
    'site',
    '--out',
    join(file, 'x'),
    '--tag',
    'garden',
  ]);
  assert.deepEqual([inFile.status, /FILE_WRITE_FAILED/.test(inFile.stderr)], [78, true]);
});

test('hostile notes become text', (context) => {
  const vault = vaultOf(context, Object.fromEntries(TRICKS.map((trick, at) => [`t${at}.md`, `${PUBLISH}${trick}\n`])));
  const { out, status } = exportSite(context, vault);
  assert.equal(status, 0);
  for (const name of filesIn(out).filter((file) => file.endsWith('.html'))) {
    const page = readFileSync(join(out, name), 'utf8');
    const tags = [...page.replace(/^[\s\S]*<main>/, '').matchAll(/<[a-z][^>]*>/g)].map(([tag]) => tag);
    for (const tag of tags) {
      assert.doesNotMatch(
        tag,
        /^<(?:script|style|iframe|object|embed|form|svg|link|meta|base|video|audio|template)\b/,
        name,
      );
      assert.doesNotMatch(tag.replaceAll(/"[^"]*"/g, ''), / (?:on\w+|style|srcdoc)=/, name);
      const [, address = ''] = / (?:href|src)="([^"]*)"/.exec(tag) ?? [];
      assert.match(address, /^(?!javascript|vbscript|data:text|file|blob|\/\/)/, name);
    }
  }
});

test('a vault of 1,000 notes becomes 1,000 pages', (context) => {
  const files = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, at) => [
      `f${at % 20}/n${at}.md`,
      `${PUBLISH}# Note ${at}\n\n[[n${(at * 7) % 1_000}]] and [[n${(at + 1) % 1_000}#Note ${(at + 1) % 1_000}]].\n`,
    ]),
  );
  const { out, status } = exportSite(context, vaultOf(context, files));
  assert.equal(status, 0);
  assert.equal(filesIn(out).length, 1_002);
  assert.deepEqual(brokenLinks(out), []);
});
