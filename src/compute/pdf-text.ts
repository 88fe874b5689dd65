// Reads the text of a PDF. Only the thread that is for PDFs loads this module, and with it pdf.js.
import { limitedBuffers } from './pdf-globals.ts';
import 'pdfjs-dist/legacy/build/pdf.worker.mjs';
import { getDocument, type PDFDocumentLoadingTask, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { PAGE_BREAK } from '../markdown/parse/pdf-pages.ts';

export interface PdfToRead {
  readonly bytes: Uint8Array;
  readonly maxPages: number;
  /** UTF-16 units. */
  readonly maxLength: number;
}

/** `fault` says why there is no text, as in `it is encrypted`; then the text is empty. */
export interface PdfText {
  readonly text: string;
  readonly fault?: string;
}

/** Text needs neither fonts of the system nor scripts, images or the network. */
const OPTIONS = {
  verbosity: 0,
  disableFontFace: true,
  useSystemFonts: false,
  useWorkerFetch: false,
  useWasm: false,
  enableXfa: false,
  isOffscreenCanvasSupported: false,
  isImageDecoderSupported: false,
  disableRange: true,
  disableStream: true,
  disableAutoFetch: true,
} as const;

export async function textOfPdf(pdf: PdfToRead): Promise<PdfText> {
  limitedBuffers.isPassed = false;
  const task = getDocument({ data: pdf.bytes, ...OPTIONS });
  try {
    return await textOfDocument(task, pdf);
  } finally {
    await task.destroy();
  }
}

async function textOfDocument(task: PDFDocumentLoadingTask, { maxPages, maxLength }: PdfToRead): Promise<PdfText> {
  const opened = await Promise.allSettled([task.promise]);
  const [first] = opened;
  if (first.status === 'rejected') return refused(faultOf(first.reason));
  const { numPages } = first.value;
  if (numPages > maxPages) return refused(`it has ${numPages} pages, the limit is ${maxPages}`);
  const { pages, fault } = await readPages(first.value, maxLength);
  if (pages === undefined) return refused(`it has more than ${maxLength} characters`);
  if (pages.some((text) => text !== '')) return { text: pages.join(PAGE_BREAK).normalize('NFC') };
  if (limitedBuffers.isPassed) return refused('what it contains is too large');
  return refused(fault ?? 'its pages are images, or empty');
}

const refused = (fault: string): PdfText => ({ text: '', fault });

function faultOf(reason: unknown): string {
  const { name = 'Error', message = '' } = reason as Partial<Error>;
  if (name === 'PasswordException') return 'it is encrypted, and opens only with a password';
  return `it cannot be parsed: ${message === '' ? name : message}`;
}

/** A page that cannot be read is empty. `pages` is undefined above the limit; `fault` is that of the first page with one. */
async function readPages(pdf: PDFDocumentProxy, maxLength: number) {
  const pages: string[] = [];
  let fault: string | undefined;
  let length = 0;
  for (let page = 1; page <= pdf.numPages; page += 1) {
    const [outcome] = await Promise.allSettled([textOfPage(pdf, page)]);
    if (outcome.status === 'rejected') fault ??= faultOf(outcome.reason);
    const text = outcome.status === 'fulfilled' ? outcome.value : '';
    length += text.length;
    if (length > maxLength) return { pages: undefined, fault };
    pages.push(text);
  }
  return { pages, fault };
}

async function textOfPage(pdf: PDFDocumentProxy, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  return plainText(items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join(''));
}

/** A word that is hyphenated at the end of a line is put together, because it would not be found otherwise. */
function plainText(text: string): string {
  return text
    .replace(/[\0\v\f\r]/g, ' ')
    .replace(/[ \t]+$/gm, '')
    .replace(/(\p{L})[-\u00ad]\n(\p{Ll})/gu, '$1$2')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
