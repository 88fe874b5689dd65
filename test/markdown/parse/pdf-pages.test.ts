// Finds the pages in the text of a PDF, and the best one for a snippet.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ratedSpans } from '../../../src/markdown/chunk/rated-spans.ts';
import { snippetOf } from '../../../src/markdown/excerpt/snippet.ts';
import { textOfLines } from '../../../src/markdown/links/section.ts';
import { PAGE_BREAK, pageAt, pagesOf } from '../../../src/markdown/parse/pdf-pages.ts';
import { assertEach } from '../../assert-each.ts';

const PAGES = ['one\ntwo', '', 'three fish', 'fish and a heron\nfour', ''];
const TEXT = PAGES.join(PAGE_BREAK);

describe('pages of a text', () => {
  it('have offsets, lines and numbers that agree', () => {
    const pages = pagesOf(TEXT);
    assertEach(pages, ({ from, to }) => TEXT.slice(from, to), PAGES);
    assertEach(pages, ({ line, endLine }) => textOfLines(TEXT, { line, endLine }), PAGES);
    for (const { page, from, to } of pages) {
      assert.equal(pageAt(TEXT, from), page);
      assert.equal(pageAt(TEXT, to), page);
    }
  });

  it('are one in a text without page breaks', () => {
    assert.deepEqual(pagesOf('a\nb'), [{ page: 1, from: 0, to: 3, line: 1, endLine: 2 }]);
    assert.deepEqual(pagesOf(''), [{ page: 1, from: 0, to: 0, line: 1, endLine: 1 }]);
  });
});

describe('a snippet of a text with pages', () => {
  const terms = ['fish', 'heron'].map((text) => ({ text, kind: 'word' as const }));
  const of = (...texts: string[]) =>
    snippetOf(
      { title: 'T', text: TEXT, isPaged: true },
      texts.map((text) => ({ text, kind: 'word' as const })),
      200,
    );

  it('is from the first page with most of the terms', () => {
    assert.deepEqual(snippetOf({ title: 'T', text: TEXT, isPaged: true }, terms, 200), {
      lines: [8, 9],
      snippet: 'fish and a heron four',
      page: 4,
    });
    assert.deepEqual([of('fish').page, of('fish').lines], [3, [6, 6]]);
    assert.deepEqual([of('two').page, of('absent').page], [1, 1]);
    assert.deepEqual(of('heron', 'absent').missing, ['absent']);
  });

  it('and a passage never crosses pages', () => {
    const passages = ratedSpans({
      ...{ title: 'T', text: TEXT, within: [0, TEXT.length], terms: [], tokens: 300, limit: 9 },
      isPaged: true,
    });
    assertEach(passages, ({ from, to }) => TEXT.slice(from, to), ['one\ntwo', 'three fish', 'fish and a heron\nfour']);
  });
});
