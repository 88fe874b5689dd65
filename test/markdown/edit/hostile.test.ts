// Tests edits of malicious texts: each applies or is refused, in time that grows linearly with the length.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { NotePath } from '../../../src/base/note.ts';
import { editNote } from '../../../src/markdown/edit/note.ts';
import { createMovedFiles } from '../../../src/markdown/links/link-changes.ts';
import { rewriteLinks, targetedLinks } from '../../../src/markdown/links/rewrite-links.ts';
import { editProperties } from '../../../src/markdown/properties/edit-properties.ts';
import { assertEach } from '../../assert-each.ts';
import { isLong } from '../../runner/effort.ts';
import { growsTooFast } from '../cpu-growth.ts';
import { hostileTexts } from '../hostile-texts.ts';

const NOTE = 'S.md' as NotePath;
const [BEFORE, AFTER] = ['a.md', 'b c.md'] as NotePath[];
const only =
  (path: NotePath | undefined) =>
  (key: string): readonly NotePath[] =>
    path === key ? [path] : [];

function followMove(text: string): void {
  const moved = createMovedFiles(new Map([[BEFORE as NotePath, AFTER as NotePath]]), only(AFTER));
  const { text: written, refused } = rewriteLinks(NOTE, text, targetedLinks(NOTE, text, only(BEFORE)), moved);
  const lost = targetedLinks(NOTE, written, only(AFTER)).filter(({ link, target }) => link === 'a' && target === null);
  assert.ok(lost.length <= refused.length, `${lost.length} links were left behind, ${refused.length} were refused`);
}

const EDITS: Readonly<Record<string, (text: string) => void>> = {
  append: (text) => editNote(NOTE, text, [{ op: 'append', text: 'x' }]),
  'insert at a heading': (text) => editNote(NOTE, text, [{ op: 'insert_after', target: '#a', text: '- x' }]),
  'replace a block': (text) => editNote(NOTE, text, [{ op: 'replace_section', target: '#^a', text: 'x' }]),
  'replace a text': (text) => editNote(NOTE, text, [{ op: 'replace_text', target: 'a', text: 'b' }]),
  'replace a text that is not there': (text) =>
    editNote(NOTE, text, [{ op: 'replace_text', target: 'gone a', text: '' }]),
  'set and remove': (text) => editProperties(NOTE, text, { set: { new: [1] }, remove: ['a1'], addTags: ['t'] }),
  'follow a move': followMove,
};

function attempt(edit: (text: string) => void, text: string): void {
  try {
    edit(text);
  } catch (refused) {
    assert.ok(refused instanceof VaultgraphError && refused.code !== 'INTERNAL', String(refused));
  }
}

const SMALL = 5_000;
/** Eight times the text: a linear pass takes 8 times as long, a quadratic one 64 times. */
const GROWTH = 8;
const LIMIT = { noiseMs: 100, maxGrowth: 32 };

suite('on malicious texts', () => {
  const small = hostileTexts(SMALL);
  for (const [name, edit] of Object.entries(EDITS)) {
    test(`${name}: applies or is refused`, () => {
      for (const text of small.values()) attempt(edit, text);
    });

    if (isLong)
      test(`${name}: takes time proportional to the length`, () => {
        const grown = [...hostileTexts(SMALL * GROWTH)].filter(([text, made]) =>
          growsTooFast(
            () => attempt(edit, small.get(text) ?? ''),
            () => attempt(edit, made),
            LIMIT,
          ),
        );
        assertEach(grown, ([text]) => text, []);
      });
  }
});
