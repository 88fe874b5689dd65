// Compares the README, docs/ and the example config with the code, both ways.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ERRORS } from '../src/base/errors.ts';
import { VERSION } from '../src/base/version.ts';
import { createProgram } from '../src/cli/command-line.ts';
import { toolCatalog } from '../src/tools/catalog.ts';
import { ROOT, TABLES, tableIn } from './manual.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const PAGES = ['README.md', 'CHANGELOG.md', ...globSync('docs/**/*.md', { cwd: ROOT })];
const manifest = JSON.parse(read('package.json'));

for (const [page, tables] of Object.entries(TABLES)) {
  for (const [name, rows] of Object.entries(tables)) {
    test(`${page}: the table of ${name} matches the code (node test/manual.ts writes it)`, () => {
      assert.equal(tableIn(read(page), name), rows);
    });
  }
}

test('no meaning of a config key holds a part of another comment', () => {
  for (const row of (TABLES['docs/configuration.md']?.config ?? '').split('\n'))
    assert.doesNotMatch(row, /: #|# [A-Z]/);
});

test('docs/tools.md counts the tools as they are', () => {
  const page = read('docs/tools.md').replace(/\s+/g, ' ');
  const alone = toolCatalog.filter(({ needs }) =>
    needs.every((need) => ['vault', 'store', 'indexer', 'feed'].includes(need)),
  );
  assert.match(page, new RegExp(`with the store alone \\(${alone.length} tools\\)`));
  assert.match(page, new RegExp(`with everything \\(${toolCatalog.length} tools\\)`));
});

test('docs/errors.md explains every error code and no other', () => {
  const documented = [...read('docs/errors.md').matchAll(/^### `(\w+)`\n\n(\S.+)/gm)];
  assert.deepEqual(documented.map(([, code]) => code).sort(), Object.keys(ERRORS).sort());
  for (const [, code, meaning = ''] of documented) assert.ok(meaning.length > 20, code);
});

test('the page of the command line lists every command of the program and no other', () => {
  const names = createProgram()
    .commands.map((command) => command.name())
    .filter((name) => name !== 'help');
  const table = tableIn(read('docs/command-line.md'), 'commands') ?? '';
  const documented = [...table.matchAll(/`(?:vaultgraph )?([a-z]+)/g)].map(([, name]) => name);
  const rows = [...table.matchAll(/^\| `vaultgraph ([a-z]+)/gm)].map(([, name = '']) => name);
  for (const name of names) assert.ok(documented.includes(name), `${name} is missing from the page`);
  for (const name of rows) assert.ok(names.includes(name), `${name} is on the page but does not exist`);
});

test('every npm script named in the pages exists', () => {
  const named = PAGES.flatMap((page) => [...read(page).matchAll(/npm (?:run ([a-z:]+)|(start|test)\b)/g)]);
  assert.ok(named.length > 5);
  for (const [all, script, short] of named) assert.ok(manifest.scripts[script ?? short ?? ''], all);
});

test('every link between the pages has a target', () => {
  for (const page of PAGES) {
    for (const [, to = ''] of read(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      const [path = '', anchor] = to.split('#');
      if (/^[a-z]+:/.test(path)) continue;
      const file = path === '' ? page : join(dirname(page), path);
      assert.ok(existsSync(join(ROOT, file)), `${page} links to ${to}`);
      if (anchor !== undefined) assert.ok(anchorsOf(read(file)).includes(anchor), `${page} links to ${to}`);
    }
  }
});

test('each promise names a test that exists', () => {
  const rows = read('docs/promises.md')
    .split('\n')
    .filter((line) => /^\| [^-|]/.test(line) && !line.startsWith('| promise'));
  assert.ok(rows.length > 25);
  for (const row of rows) {
    const links = [...row.matchAll(/\[(.+?)\]\(\.\.\/(test\/\S+?)\)(?:, | \|$)/g)];
    assert.ok(links.length > 0, row);
    for (const [, title = '', path = ''] of links) {
      const begins = ['test', 'it', 'describe', 'suite'].flatMap((call) =>
        [...`"'\``].map((quote) => `${call}(${quote}${title}`),
      );
      assert.ok(
        begins.some((beginning) => read(path).includes(beginning)),
        `${path}: ${title}`,
      );
    }
  }
});

test('every source file and folder named in the pages for developers exists', () => {
  const text = [
    'docs/developing.md',
    'docs/releasing.md',
    'docs/design/simulated-vault.md',
    'docs/design/tests.md',
    'docs/design/two-eras.md',
    'docs/design/other-systems.md',
  ].map(read);
  const named = [...text.join('\n').matchAll(/`((?:[a-z\d-]+\/)+(?:[a-z\d_-]+\.ts)?)`/g)].map(([, path = '']) => path);
  assert.ok(named.length > 60);
  for (const path of named) assert.ok(existsSync(join(ROOT, 'src', path)) || existsSync(join(ROOT, path)), path);
});

test('the page for developers can be read in one go', () => {
  const page = read('docs/developing.md');
  assert.ok(page.split('\n').length <= 150, 'a page of its own has room for details');
  const [, glossary = ''] = page.split('## Glossary');
  assert.ok(
    glossary.split('\n').filter((line) => line.startsWith('|')).length <= 42,
    'a term of one room belongs there',
  );
});

/** The anchors of the headings as code hosts render them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('the package, the build and the changelog have the same version', () => {
  assert.equal(VERSION, manifest.version);
  assert.match(
    read('CHANGELOG.md'),
    new RegExp(`^## ${VERSION.replaceAll('.', '\\.')} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, 'm'),
  );
});

test('the tests run on the pinned Node, and the README names the oldest supported one', () => {
  assert.equal(process.versions.node, manifest.devDependencies.node);
  assert.equal(manifest.engines.node, '>=22');
  assert.match(read('README.md'), /Node\.js 22 or newer/);
  assert.ok(existsSync(join(ROOT, 'LICENSE')));
});
