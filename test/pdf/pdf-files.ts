// Writes small PDFs for tests: pages of text, and files that are broken, encrypted or hostile.
import { deflateSync } from 'node:zlib';

/** The text of a page; `\n` begins a new line. */
export type PageText = string;

/** The objects of a file, from number 1 on; a stream is a dictionary with its bytes. */
type PdfObject = string | { readonly dictionary: string; readonly bytes: Uint8Array };

const CATALOG = 1;
const PAGES = 2;
const LATIN_FONT = 3;
const UNICODE_FONT = 4;
/** The fonts and what they refer to. */
const FIRST_FREE = 8;
const FONTS = `/Resources << /Font << /F1 ${LATIN_FONT} 0 R /F2 ${UNICODE_FONT} 0 R >> >>`;

/** Every page has its text as a compressed stream; what is not ASCII is shown in a font whose codes only `/ToUnicode` explains. */
export function pdfOf(pages: readonly PageText[], { trailer = '' } = {}): Uint8Array {
  const kids = pages.map((_, at) => FIRST_FREE + 2 * at);
  const pageObjects = pages.flatMap((text, at): PdfObject[] => [
    `<< /Type /Page /Parent ${PAGES} 0 R /MediaBox [0 0 612 792] ${FONTS} /Contents ${FIRST_FREE + 2 * at + 1} 0 R >>`,
    stream(Buffer.from(contentOf(text))),
  ]);
  return fileOf([...base(kids, pages.length), ...pageObjects], trailer);
}

/** Of a page that shows nothing, as a scanned one without its image. */
export const pdfWithoutText = (): Uint8Array => pdfOf(['']);

/** Nothing in it is encrypted, but it says so. */
export const encryptedPdf = (): Uint8Array => {
  const key = `<${'5a'.repeat(32)}>`;
  return pdfOf(['hidden'], {
    trailer: `/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /O ${key} /U ${key} /P -44 >> /ID [<00> <00>]`,
  });
};

/** Its single page is named as often as it says to have pages. */
export function pdfWithPages(count: number): Uint8Array {
  const kids = Array.from({ length: count }, () => FIRST_FREE);
  return fileOf([...base(kids, count), pageWith(FIRST_FREE + 1), stream(Buffer.from(contentOf('again')))]);
}

/** The tree of its pages is a circle. */
export const circularPdf = (): Uint8Array => fileOf([...base([PAGES], 1), pageWith(FIRST_FREE)]);

/** Its page consists of blanks that are so many bytes once they are decompressed. */
export function pdfBomb(bytes: number): Uint8Array {
  const once = deflateSync(Buffer.alloc(bytes, ' '), { level: 9 });
  return fileOf([...base([FIRST_FREE], 1), pageWith(FIRST_FREE + 1), compressed(once)]);
}

/** Reading its page takes as long as running so many operators. */
export function slowPdf(operators: number): Uint8Array {
  const content = deflateSync(Buffer.from('BT /F1 9 Tf (a) Tj ET\n'.repeat(operators)));
  return fileOf([...base([FIRST_FREE], 1), pageWith(FIRST_FREE + 1), compressed(content)]);
}

function pageWith(content: number): string {
  return `<< /Type /Page /Parent ${PAGES} 0 R /MediaBox [0 0 612 792] ${FONTS} /Contents ${content} 0 R >>`;
}

function base(kids: readonly number[], count: number): PdfObject[] {
  return [
    `<< /Type /Catalog /Pages ${PAGES} 0 R >>`,
    `<< /Type /Pages /Count ${count} /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    '<< /Type /Font /Subtype /Type0 /BaseFont /Sample /Encoding /Identity-H /DescendantFonts [5 0 R] /ToUnicode 7 0 R >>',
    '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Sample /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 6 0 R >>',
    '<< /Type /FontDescriptor /FontName /Sample /Flags 4 /ItalicAngle 0 /Ascent 800 /Descent -200 /StemV 80 >>',
    stream(Buffer.from(SHIFTED)),
  ];
}

/** The code of each character in the second font is its number plus one, so that nothing is right by accident. */
const SHIFT = 1;
const SHIFTED = `/CIDInit /ProcSet findresource begin begincmap
1 begincodespacerange <0000> <ffff> endcodespacerange
1 beginbfrange <0001> <ffff> <0000> endbfrange
endcmap end`;

function contentOf(text: PageText): string {
  const lines = text.split('\n').map((line) => `${shown(line)} T*`);
  return `BT 14 TL 72 720 Td ${lines.join('\n')} ET`;
}

function shown(line: string): string {
  const isLatin = /^[\x20-\x7e]*$/.test(line);
  if (isLatin) return `/F1 12 Tf (${line.replace(/[()\\]/g, '\\$&')}) Tj`;
  const codes = Array.from({ length: line.length }, (_, at) => line.charCodeAt(at) + SHIFT);
  return `/F2 12 Tf <${codes.map((code) => code.toString(16).padStart(4, '0')).join('')}> Tj`;
}

const stream = (bytes: Uint8Array): PdfObject => compressed(deflateSync(bytes));

const compressed = (bytes: Uint8Array): PdfObject => ({ dictionary: '/Filter /FlateDecode', bytes });

function fileOf(objects: readonly PdfObject[], trailer = ''): Uint8Array {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const add = (bytes: Uint8Array): void => {
    parts.push(Buffer.from(bytes));
    length += bytes.length;
  };
  for (const [at, object] of objects.entries()) {
    offsets.push(length);
    add(Buffer.from(`${at + 1} 0 obj\n`));
    add(bodyOf(object));
    add(Buffer.from('\nendobj\n'));
  }
  const start = length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  add(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join('')}`));
  add(Buffer.from(`trailer\n<< /Size ${objects.length + 1} /Root ${CATALOG} 0 R ${trailer} >>\n`));
  add(Buffer.from(`startxref\n${start}\n%%EOF\n`));
  return Buffer.concat(parts);
}

function bodyOf(object: PdfObject): Buffer {
  if (typeof object === 'string') return Buffer.from(object);
  const { dictionary, bytes } = object;
  const head = Buffer.from(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`);
  return Buffer.concat([head, bytes, Buffer.from('\nendstream')]);
}
