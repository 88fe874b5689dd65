// Finds the PDF that a reference names, and the page or the lines of its indexed text.
import { VaultgraphError } from '../../base/errors.ts';
import { EMPTY_NOTE, isPdf, type NotePath } from '../../base/note.ts';
import type { AttachmentText } from '../../contracts/change-set.ts';
import type { Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { parseReference, type ReferencePart } from '../../markdown/links/reference.ts';
import { type LineSpan, lineCountOf, textOfLines } from '../../markdown/links/section.ts';
import { expectedPdf, type PageSpan, pageReference, pagesOf } from '../../markdown/parse/pdf-pages.ts';
import { otherThanNote } from './file-names.ts';
import { locatePart } from '../../markdown/links/locate-part.ts';

export interface NamedPdf {
  readonly file: AttachmentText;
  readonly part: ReferencePart;
}

/** Undefined for anything else than a PDF whose text is indexed. @param reference `Paper.pdf`, `Paper.pdf#page=3` or `Paper.pdf:10-20` */
export async function pdfCalled(reference: string, store: Store, call: CallContext): Promise<NamedPdf | undefined> {
  const { name, part } = parseReference(reference);
  if (!isPdf(name)) return undefined;
  const other = await otherThanNote(name, store, call);
  if (other?.is !== 'attachment') return undefined;
  const [file] = await store.attachmentTexts([other.path as NotePath], call.signal);
  return file && { file, part };
}

/** `wanted` has a line with the number of the page in place of each page break. */
export interface PartOfPdf {
  readonly wanted: string;
  readonly span: LineSpan;
  readonly lineCount: number;
  readonly pages: number;
  readonly page: number;
  readonly ref: string;
}

/** @throws ATTACHMENT_INVALID if the text cannot be read; NOTE_PART_NOT_FOUND */
export function partOfPdf({ file, part }: NamedPdf): PartOfPdf {
  const { path, text, fault } = file;
  if (fault !== undefined)
    throw new VaultgraphError('ATTACHMENT_INVALID', { path, expected: expectedPdf(fault), of: 'pdf' });
  const pages = pagesOf(text);
  const lineCount = lineCountOf(text);
  const named = part.kind === 'subpath' ? pageNamed(part.subpath, path, pages) : undefined;
  const span = named ?? locatePart({ path, outline: EMPTY_NOTE, lineCount }, part, 'notes');
  const { page } = pages.findLast(({ line }) => line <= span.line) ?? { page: 1 };
  const wanted = named === undefined ? textOfLines(text, span) : text.slice(named.from, named.to);
  const numbered = named === undefined ? withPageNumbers(wanted, page) : wanted;
  return { wanted: numbered, span, lineCount, pages: pages.length, page, ref: pageReference(path, page) };
}

/** Obsidian may add more after the page, as in `#page=3&selection=1,2,3,4`. */
function pageNamed(subpath: string, path: NotePath, pages: readonly PageSpan[]): PageSpan {
  const page = Number(/^#page=(\d+)(?:&.*)?$/i.exec(subpath)?.[1] ?? 0);
  const found = pages[page - 1];
  if (found !== undefined) return found;
  const outline = [`page=1 to page=${pages.length}`];
  throw new VaultgraphError('NOTE_PART_NOT_FOUND', { path, part: subpath, outline });
}

function withPageNumbers(text: string, first: number): string {
  let page = first;
  return text.replace(/^\f$/gm, () => {
    page += 1;
    return `--- page ${page} ---`;
  });
}
