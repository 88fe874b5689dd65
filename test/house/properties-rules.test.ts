// Checks that the rules by which properties are read change only together with the version of the parser's rules.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { PARSER_RULES } from '../../src/base/note.ts';
import { importsOf, type SourceFile } from './rules.ts';
import { tokensOf } from './tokens.ts';

const ROOM = 'src/markdown/properties/';
const PARSER = 'src/markdown/parse/parse-note.ts';
const KEPT = join(import.meta.dirname, 'properties-rules.json');

function sourceFile(path: string): SourceFile {
  return { path, text: readFileSync(join(import.meta.dirname, '../..', path), 'utf8') };
}

/** The files of the room that the parser of notes loads, directly or through others of the room. */
function readingFiles(): SourceFile[] {
  const found = new Map<string, SourceFile>();
  const add = (file: SourceFile): void => {
    for (const { from } of importsOf(file)) {
      const path = posix.join(posix.dirname(file.path), from);
      if (!from.startsWith('.') || !path.startsWith(ROOM) || found.has(path)) continue;
      const reached = sourceFile(path);
      found.set(path, reached);
      add(reached);
    }
  };
  add(sourceFile(PARSER));
  return [...found.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Hashes the code without comments, layout and the paths of imports. */
function hashOf(files: readonly SourceFile[]): string {
  const hash = createHash('sha256');
  for (const { text } of files)
    for (const token of tokensOf(text))
      if (!/^\.{1,2}\//.test(token.text)) hash.update(`${token.isText ? "'" : ''}${token.text}\n`);
  return hash.digest('hex');
}

test('the rules of properties change only with a new version of the parser rules', () => {
  const files = readingFiles();
  assert.ok(files.length >= 3, `${files.length} files`);
  assert.deepEqual(
    { version: PARSER_RULES, hash: hashOf(files) },
    JSON.parse(readFileSync(KEPT, 'utf8')),
    `the reading of properties changed: raise PARSER_RULES, and keep both values in ${KEPT}`,
  );
});

test('comments and the places of files are no change, an operator is', () => {
  const [file] = readingFiles();
  assert.ok(file);
  const changed = (text: string) => hashOf([{ path: file.path, text }]) !== hashOf([file]);
  assert.equal(changed(`// Another sentence.\n${file.text}`), false);
  assert.equal(changed(file.text.replaceAll("'../", "'../../")), false);
  assert.equal(changed(file.text.replace('===', '!==')), true);
});
