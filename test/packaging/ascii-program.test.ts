// The built program is ASCII, and its escaped regular expressions match what the written ones match.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { escaped } from './ascii-program.ts';

const DIST = join(import.meta.dirname, '../../dist');

test('no file of the program has a character beyond ASCII', () => {
  const names = readdirSync(DIST).filter((file) => file.endsWith('.js'));
  const others = names.filter((name) => /[^\0-\x7f]/.test(readFileSync(join(DIST, name), 'utf8')));
  assert.ok(names.includes('main.js'));
  assert.deepEqual(others, []);
});

test('an escaped class matches the same characters, also those of two code units', () => {
  const written = /^[“📅🔺年]$/u;
  const read = new RegExp(escaped(written.source), 'u');
  for (const sign of ['“', '📅', '🔺', '年', '”', '📆', '\ud83d', 'u'])
    assert.equal(read.test(sign), written.test(sign), sign);
});
