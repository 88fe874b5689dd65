// The README and the example config say what the code does: each table is held against the code, both ways.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { VERSION } from '../src/base/version.ts';
import { README, TABLES, tableIn } from './manual.ts';

const readme = readFileSync(README, 'utf8');
const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));

for (const [name, rows] of Object.entries(TABLES)) {
  test(`the README's table of ${name} is the code's (node test/manual.ts writes it)`, () => {
    assert.equal(tableIn(readme, name), rows);
  });
}

test('every npm script that the README names exists', () => {
  const named = [...readme.matchAll(/npm (?:run )?(start|test|demo|check|bench|build)\b/g)].map(
    (match) => match[1] ?? '',
  );
  assert.ok(named.length > 5);
  for (const script of named) assert.ok(manifest.scripts[script], `npm run ${script}`);
});

test('the version stands once: package, build and changelog agree', () => {
  assert.equal(VERSION, manifest.version);
  assert.match(
    readFileSync(join(import.meta.dirname, '../CHANGELOG.md'), 'utf8'),
    new RegExp(`^## ${VERSION.replaceAll('.', '\\.')}$`, 'm'),
  );
});

test('the tests run on the Node that the project pins, and every user is told the oldest that works', () => {
  assert.equal(process.versions.node, manifest.devDependencies.node);
  assert.equal(manifest.engines.node, '>=22');
  assert.ok(existsSync(join(import.meta.dirname, '../LICENSE')));
});
