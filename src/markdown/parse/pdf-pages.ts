// The pages in the text of a PDF: between two of them is a line with a form feed alone.

export const PAGE_BREAK = '\n\f\n';

export interface PageSpan {
  /** From 1, as readers of PDFs and links count. */
  readonly page: number;
  /** Offsets in the whole text. */
  readonly from: number;
  readonly to: number;
  /** First and last line, from 1. */
  readonly line: number;
  readonly endLine: number;
}

/** In their order; at least one. @param separator what is between two of them; of the cards of a canvas `CARD_BREAK` */
export function pagesOf(text: string, separator = PAGE_BREAK): readonly PageSpan[] {
  const pages: PageSpan[] = [];
  let from = 0;
  let line = 1;
  for (const part of text.split(separator)) {
    const endLine = line + linesIn(part);
    pages.push({ page: pages.length + 1, from, to: from + part.length, line, endLine });
    from += part.length + separator.length;
    line = endLine + linesIn(separator);
  }
  return pages;
}

function linesIn(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** The number of the page that an offset is on. */
export function pageAt(text: string, offset: number): number {
  let page = 1;
  for (let at = text.indexOf(PAGE_BREAK); at !== -1 && at < offset; at = text.indexOf(PAGE_BREAK, at + 2)) page += 1;
  return page;
}

/** Writes a link to a page as Obsidian does. */
export function pageReference(path: string, page: number): string {
  return `${path}#page=${page}`;
}

/** For ATTACHMENT_INVALID. @param fault why the text cannot be read, as in `it is encrypted` */
export function expectedPdf(fault: string): string {
  return `a PDF with readable text: ${fault}`;
}
