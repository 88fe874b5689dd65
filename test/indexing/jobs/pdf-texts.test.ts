// Reads the texts of PDFs in their thread, from sound, broken and hostile files.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createCompute } from '../../../src/compute/offload.ts';
import { PDF_HEAP_MIB, type PdfLimits, PdfTexts } from '../../../src/indexing/jobs/pdf-texts.ts';
import {
  circularPdf,
  encryptedPdf,
  pdfBomb,
  pdfOf,
  pdfWithoutText,
  pdfWithPages,
  slowPdf,
} from '../../pdf/pdf-files.ts';

const compute = createCompute({ maxHeapMib: PDF_HEAP_MIB });
const { signal } = new AbortController();
after(() => compute.close());

const SOUND = pdfOf(['A hyphen-\nated word (in brackets)', 'Второй лист\n日本語', '', 'last']);
const SOUND_TEXT = 'A hyphenated word (in brackets)\n\f\nВторой лист\n日本語\n\f\n\n\f\nlast';

/** The thread takes the bytes. */
const textOf = (file: Uint8Array, limits: Partial<PdfLimits> = {}) =>
  new PdfTexts(compute, limits).read(Uint8Array.from(file), signal);

describe('the text of a PDF', () => {
  it('has a line between pages, and letters of any script', async () => {
    assert.deepEqual(await textOf(SOUND), { text: SOUND_TEXT });
  });

  const refused: readonly (readonly [string, Uint8Array, RegExp, Partial<PdfLimits>?])[] = [
    ['nothing', new Uint8Array(0), /^it cannot be parsed: .*empty/],
    ['another file', Buffer.from('plain text'), /^it cannot be parsed: Invalid PDF structure/],
    ['the first half', SOUND.slice(0, 400), /^it cannot be parsed: /],
    ['pages in a circle', circularPdf(), /^it cannot be parsed: .*circular/],
    ['a password', encryptedPdf(), /^it is encrypted/],
    ['pages without text', pdfWithoutText(), /^its pages are images, or empty$/],
    ['too many pages', pdfWithPages(100_000), /^it has 100000 pages, the limit is 2000$/],
    ['too much text', SOUND, /^it has more than 20 characters$/, { maxLength: 20 }],
    ['much more than it seems', pdfBomb(200_000_000), /^what it contains is too large$/],
    [
      'more memory than it may take',
      slowPdf(3_000_000),
      /^reading it takes more than 16 MiB of memory$/,
      { maxBytes: 2 ** 24 },
    ],
    ['more time than it may take', slowPdf(300_000), /^reading it takes longer than 0.05 seconds$/, { maxMs: 50 }],
  ];
  for (const [what, file, fault, limits] of refused) {
    it(`is not there, with a reason, for ${what}; the next file is read`, async () => {
      const read = await textOf(file, limits);
      assert.equal(read.text.length, 0);
      assert.match(read.fault ?? '', fault);
      assert.deepEqual(await textOf(SOUND), { text: SOUND_TEXT });
    });
  }

  it('is no longer read once its caller has gone', async () => {
    const gone = new AbortController();
    const read = new PdfTexts(compute).read(slowPdf(300_000), gone.signal);
    gone.abort(new Error('gone'));
    await assert.rejects(read, /gone/);
  });

  it('is what is left of a file whose end is missing', async () => {
    const { text } = await textOf(SOUND.slice(0, -8));
    assert.equal(text, SOUND_TEXT);
  });
});
