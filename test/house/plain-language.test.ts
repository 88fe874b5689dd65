// Keeps phrases that a reader must translate out of the source and the documentation.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PHRASES, phrasesIn } from './phrases.ts';

const ROOT = join(import.meta.dirname, '../..');
const TEXTS = ['src/**/*.{ts,css,html}', 'docs/**/*.md', 'README.md', 'config.example.yaml'];
/** Phrases in prompts of language models, which change only together with the version of their task. */
const IN_PROMPTS: readonly string[] = [
  'src/tools/llm/ask_vault.ts "Know nothing"',
  'src/tools/llm/ask_vault.ts "letter by letter"',
  'src/tools/llm/extract_entities.ts "letter by letter"',
  'src/tools/llm/extract_entities.ts "stand in"',
  'src/tools/llm/extract_entities.ts "stands in"',
  'src/tools/llm/suggest_links.ts "letter by letter"',
  'src/tools/llm/suggest_tags.ts "letter by letter"',
  'src/tools/llm/summarize_notes.ts "somebody"',
];

const paths = globSync(TEXTS, { cwd: ROOT })
  .map((path) => path.replaceAll('\\', '/'))
  .sort();

test('the source and the documentation are found', () => {
  assert.ok(paths.length > 100, `${paths.length} files`);
  for (const path of ['README.md', 'config.example.yaml', 'src/main.ts']) assert.ok(paths.includes(path), path);
});

test('no text has a phrase of the list', () => {
  const found = paths.flatMap((path) => phrasesIn(path, readFileSync(join(ROOT, path), 'utf8')));
  assert.deepEqual(
    found.filter((finding) => !IN_PROMPTS.includes(finding.replace(/:\d+ (".*"): write .*/, ' $1'))),
    [],
  );
});

for (const { pattern, caught, allowed = [] } of PHRASES) {
  test(`${pattern}: catches the phrase and nothing like it`, () => {
    for (const line of caught) assert.match(line, pattern);
    for (const line of allowed) assert.doesNotMatch(line, pattern);
  });
}

const PLAIN = [
  'a standard in use, a stand-alone program behind a proxy',
  'a reader understands in a moment',
  'the standby in place',
  'we recommend it',
];

test('plain sentences pass', () => {
  assert.deepEqual(
    PLAIN.flatMap((line) => phrasesIn('text', line)),
    [],
  );
});
