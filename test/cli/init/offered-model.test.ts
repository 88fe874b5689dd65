// Which model `init` offers: by the language of the notes in the folder and the free memory.
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { offeredModel } from '../../../src/cli/models/catalogue.ts';
import { areNotesEnglish } from '../../../src/indexing/embed/notes-language.ts';
import { temporaryFolder } from '../../journeys/session.ts';

function vaultOf(context: TestContext, notes: Readonly<Record<string, string>>): string {
  const vault = temporaryFolder(context);
  for (const [path, text] of Object.entries(notes)) {
    mkdirSync(join(vault, path, '..'), { recursive: true });
    writeFileSync(join(vault, path), text);
  }
  return vault;
}

const ENGLISH = '# Tide\n\nThe tide turns at noon, and this is what we have learned about it.\n';
const GERMAN = '---\ntags: [meer]\n---\nDie Flut kommt am Mittag, und das ist nicht so wie im Hafen für die Boote.\n';
const JAPANESE = '# 灯台\n\n灯台は港の入り口に立っていて、夜になると光を放ちます。\n';

const VAULTS = {
  English: [{ 'Tide.md': ENGLISH, 'Quotes/Meer.md': ENGLISH }, true],
  German: [{ 'Flut.md': GERMAN, 'sub/deep/Hafen.markdown': GERMAN }, false],
  Japanese: [{ '灯台.md': JAPANESE, 'README.md': 'TODO\n' }, false],
  'English with settings in German': [{ 'Tide.md': ENGLISH, '.obsidian/Flut.md': GERMAN, 'flut.txt': GERMAN }, true],
  empty: [{}, undefined],
  'notes without a sentence': [{ 'List.md': '- a\n- b\n', 'Empty.md': '' }, undefined],
} as const;

for (const [what, [notes, expected]] of Object.entries(VAULTS))
  test(`the language of a vault: ${what}`, (context) => {
    assert.equal(areNotesEnglish(vaultOf(context, notes)), expected);
  });

test('the language of a vault: what cannot be read is passed over', (context) => {
  const vault = vaultOf(context, { 'Tide.md': ENGLISH });
  symlinkSync(join(vault, 'absent.md'), join(vault, 'dead.md'));
  symlinkSync(vault, join(vault, 'circle'));
  assert.equal(areNotesEnglish(vault), true);
  assert.equal(areNotesEnglish(join(vault, 'absent')), undefined);
});

test('a model for the language, and a smaller one where little memory is free', () => {
  const offered = [true, false].flatMap((english) => [4_000, 500].map((mib) => offeredModel(english, mib)));
  assert.deepEqual(offered, [
    ...['potion-retrieval-32M', 'potion-base-8M'],
    ...['potion-multilingual-128M', 'potion-multilingual-128M-int8'],
  ]);
});
