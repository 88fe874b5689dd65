// Texts made to drive edits too far: each is edited or refused, in time that grows with its length and no faster.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { NotePath } from '../../../src/base/note.ts';
import { editNote } from '../../../src/markdown/edit/note.ts';
import { editProperties } from '../../../src/markdown/edit/properties.ts';
import { createMovedFiles } from '../../../src/markdown/links/link-changes.ts';
import { rewriteLinks, targetedLinks } from '../../../src/markdown/links/rewrite-links.ts';
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

/** The shorter of two runs, in milliseconds. */
function measure(edit: (text: string) => void, text: string): number {
  const times = [1, 2].map(() => {
    const start = performance.now();
    attempt(edit, text);
    return performance.now() - start;
  });
  return Math.min(...times);
}

const SMALL = 5_000;
/** Eight times the text: a linear pass takes 8 times as long, a quadratic one 64 times. */
const GROWTH = 8;
const MAX_GROWTH = 32;
/** What takes less is lost in noise. */
const NOISE = 100;

function isGrown(edit: (text: string) => void, small: string, large: string): boolean {
  const time = measure(edit, large);
  return time > NOISE && time > MAX_GROWTH * measure(edit, small);
}

suite('on hostile texts', () => {
  const small = hostileTexts(SMALL);
  const large = hostileTexts(SMALL * GROWTH);
  for (const [name, edit] of Object.entries(EDITS)) {
    test(`${name}: made or refused, at no more cost than in proportion to the length`, () => {
      // What else the machine does may slow one measure, but not each of several.
      const grown = [...large].filter(([text, made]) =>
        [1, 2, 3].every(() => isGrown(edit, small.get(text) ?? '', made)),
      );
      assert.deepEqual(
        grown.map(([text]) => text),
        [],
      );
    });
  }
});
