// Tool: reads the current text of notes or parts of notes.
import * as z from 'zod';
import { runBatch } from '../../base/batch.ts';
import { contentHash } from '../../base/content-hash.ts';
import { VaultgraphError } from '../../base/errors.ts';
import {
  EMPTY_NOTE,
  fileKindOf,
  type Heading,
  isPdf,
  type Link,
  type NotePath,
  type ParsedNote,
} from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { jobs } from '../../compute/jobs.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { AttachmentText } from '../../contracts/change-set.ts';
import type { Store } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { cutToLines } from '../../markdown/excerpt/cut-to-lines.ts';
import { locatePart } from '../../markdown/links/locate-part.ts';
import { parseReference, type ReferencePart } from '../../markdown/links/reference.ts';
import { type LineSpan, textOfLines } from '../../markdown/links/section.ts';
import { lineCountOf, lineIndexAt, splitLines } from '../../markdown/parse/lines.ts';
import { expectedPdf, type PageSpan, pageReference, pagesOf } from '../../markdown/parse/pdf-pages.ts';
import { withoutData } from '../../markdown/parse/plugin-data.ts';
import { imageCalled, linkEmbeds, showImage } from './attachments.ts';
import { earlierNote } from './earlier-note.ts';
import { otherThanNote } from './file-names.ts';
import { inputRefusal } from './input-refusal.ts';
import { outlineOfContent, readContent, shownFile } from './note-content.ts';
import { locateNote, partOfText, RESOLVE_FAILURES } from './note-reference.ts';
import { fittingRows, inlineFields, linkViews } from './note-view.ts';
import { createPaging, cursorArgument } from './page.ts';

const input = z.strictObject({
  notes: z.array(z.string().min(1)).min(1).describe('path, name, alias, title or day'),
  include: z
    .array(z.enum(['content', 'outline', 'links', 'properties', 'source']))
    .min(1)
    .default(['content'])
    .describe('outline: headings; source: raw'),
  at: z.string().min(1).optional().describe('as it was then: 2026-03-01, change id, etag or commit'),
  max_chars: z.int().min(1).max(1_000_000).optional().describe('characters per note; default 20000'),
  cursor: cursorArgument,
});
const paging = createPaging('read_notes', input.shape);
type ReadArgs = z.infer<typeof input> & { readonly max_chars: number };
type Sources = Granted<'store' | 'vault'>;

export const readNotes = defineTool({
  name: 'read_notes',
  title: 'Read notes',
  summary:
    "Reads the user's Markdown notes (Obsidian vault) or parts of them: Note, Note#Heading, Note#^block, Note:10-20, @today (daily note), photo.png (shows it). Returns path, text, lines and etag of each.",
  others: { get_context: 'a topic', get_neighbors: 'backlinks' },
  words: 'open, show, daily note, journal, today, image',
  long: true,
  effect: 'reads',
  references: ['notes'],
  items: 'notes',
  needs: ['store', 'vault'],
  index: 'none',
  fails: [...RESOLVE_FAILURES, 'ATTACHMENT_INVALID', 'EARLIER_TEXT_MISSING', 'INVALID_QUERY'],
  input,
  run: (args, granted, call) => {
    const { max_chars = defaultChars(args.notes.length) } = args;
    return runBatch(args.notes, call.signal, (note) => readNote(note, { ...args, max_chars }, granted, call));
  },
});

const MAX_CHARS = 20_000;
/** The characters of all notes of a call, so that the answer stays below its limit in any script. */
const MAX_CHARS_IN_ALL = 150_000;

function defaultChars(notes: number): number {
  return Math.max(1, Math.min(MAX_CHARS, Math.floor(MAX_CHARS_IN_ALL / notes)));
}

async function readNote(reference: string, args: ReadArgs, granted: Sources, call: CallContext) {
  if (args.at !== undefined) return readEarlier(reference, { ...args, at: args.at }, granted, call);
  const image = await imageCalled(reference, granted.store, call);
  if (image !== undefined) return showImage(image, granted.vault, call);
  const pdf = await pdfCalled(reference, granted.store, call);
  if (pdf !== undefined) return readPdf(pdf, args, call);
  const { path, match, part } = await locateNote(reference, 'notes', granted, call);
  const read = await readContent(path, granted.vault, call.signal);
  const { bytes, text: written, encoding, differsHere } = read;
  const etag = contentHash(bytes);
  call.writes.rememberText(etag, written);
  await letOthersRun(call.signal);
  const isRaw = args.include.includes('source');
  const outline = await shownFile(path, written, 'lines', call);
  const lines = isRaw ? written : outline;
  const lineCount = lineCountOf(lines);
  await letOthersRun(call.signal);
  const span =
    isRaw && lines !== outline
      ? rawSpan(path, part, lineCount)
      : await partOfText(path, written, part, 'notes', call, outline);
  await letOthersRun(call.signal);
  const { text, shown, leftOut } = await shownOf(path, lines, span, args, call);
  const excerpt = wantedOf(text, part, shown, span);
  const content = readsText(args) ? contentField(excerpt, shown, path, args, call) : undefined;
  if (content !== undefined) {
    const [line, endLine] = content.lines;
    await linkEmbeds({ path, text: written, span: { line, endLine } }, granted.store, call);
  }
  return {
    path,
    etag,
    match,
    ...(differsHere ? { differs_here: true } : {}),
    ...(encoding === 'utf-8' ? {} : { encoding }),
    ...(args.include.includes('properties')
      ? propertiesOf(await outlineOfContent(path, written, PROPERTIES, call))
      : {}),
    ...(args.include.includes('outline') ? await outlineField(written, span, path, args, call) : {}),
    ...(args.include.includes('links') ? await linksField(written, span, path, args, granted.store, call) : {}),
    total_lines: lineCount,
    ...(leftOut.length === 0 ? {} : { left_out: leftOut }),
    ...(content ?? { lines: [span.line, span.endLine] }),
  };
}

/** A whole note keeps the line break at its end. */
function wantedOf(text: string, part: ReferencePart, shown: LineSpan, span: LineSpan): string {
  return part.kind === 'whole' && shown.endLine === span.endLine ? text : textOfLines(text, shown);
}

/** Without an etag, because nothing can be changed in it. */
async function readEarlier(
  reference: string,
  args: ReadArgs & { readonly at: string },
  granted: Sources,
  call: CallContext,
) {
  if (args.include.includes('links'))
    throw inputRefusal('read_notes', Object.keys(input.shape), {
      path: 'include',
      rule: 'links are those of today: leave them out with `at`',
    });
  const { path, part, text: written, ...as } = await earlierNote(reference, args.at, granted, call);
  const span = await partOfText(path, written, part, 'notes', call);
  const lines = args.include.includes('source') ? written : await shownFile(path, written, 'lines', call);
  const { text, shown, leftOut } = await shownOf(path, lines, span, args, call);
  return {
    path,
    ...as,
    ...(args.include.includes('properties')
      ? propertiesOf(await outlineOfContent(path, written, PROPERTIES, call))
      : {}),
    ...(args.include.includes('outline') ? await outlineField(written, span, path, args, call) : {}),
    total_lines: lineCountOf(lines),
    ...(leftOut.length === 0 ? {} : { left_out: leftOut }),
    ...(readsText(args)
      ? contentField(wantedOf(text, part, shown, span), shown, path, args, call)
      : { lines: [span.line, span.endLine] }),
  };
}

/** A part of a canvas is no part of its JSON. */
function rawSpan(path: NotePath, part: ReferencePart, lineCount: number): LineSpan {
  return locatePart(
    { path, outline: EMPTY_NOTE, lineCount },
    part.kind === 'subpath' ? { kind: 'whole' } : part,
    'notes',
  );
}

const readsText = ({ include }: ReadArgs): boolean => include.includes('content') || include.includes('source');

/** The text without the data of plugins, whose lines stay, what is left out of the lines, and those that remain before the end. */
async function shownOf(
  path: NotePath,
  written: string,
  { line, endLine }: LineSpan,
  { include }: ReadArgs,
  { compute, signal }: CallContext,
) {
  const asWritten = include.includes('source');
  const data = asWritten ? [] : await compute.run(jobs.hidden, { path, text: written }, signal);
  if (data.length === 0) return { text: written, shown: { line, endLine }, leftOut: [] };
  const lines = splitLines(written);
  const leftOut = data.flatMap(({ kind: is, from, to }) => {
    const [first, last] = [lineIndexAt(lines, from) + 1, lineIndexAt(lines, to - 1) + 1];
    return is === 'mark' || first > endLine || last < line ? [] : [{ is, lines: [first, last] as const }];
  });
  const text = withoutData(written, data);
  if (leftOut.length === 0) return { text, shown: { line, endLine }, leftOut };
  const count = lineCountOf(textOfLines(text, { line, endLine }).trimEnd());
  return { text, shown: { line, endLine: Math.max(line, line + count - 1) }, leftOut };
}

/** A PDF has only a text. */
function readPdf(pdf: NamedPdf, args: ReadArgs, call: CallContext) {
  const { path, hash: etag } = pdf.file;
  const { text, span, lineCount, pages, page, ref } = partOfPdf(pdf);
  return {
    path,
    etag,
    page,
    ref,
    total_pages: pages,
    total_lines: lineCount,
    ...(readsText(args) ? contentField(text, span, path, args, call) : { lines: [span.line, span.endLine] }),
  };
}

interface ShownContent {
  readonly lines: readonly [first: number, last: number];
  readonly truncated?: { readonly shown: number; readonly total: number; readonly next?: string };
  readonly content: string;
}

/** The text as far as it fits, with its lines and where to continue. */
function contentField(
  excerpt: string,
  span: LineSpan,
  path: string,
  { max_chars }: ReadArgs,
  call: CallContext,
): ShownContent {
  const { text, wholeLines } = cutToLines(excerpt, max_chars);
  if (text.length === excerpt.length) return { lines: [span.line, span.endLine], content: excerpt };
  const last = span.line + Math.max(wholeLines, 1) - 1;
  const next = wholeLines === 0 ? {} : { next: `${path}:${last + 1}-${span.endLine}` };
  call.warn({ code: 'TRUNCATED', message: `${path} is cut to ${text.length} of ${excerpt.length} characters` });
  return {
    lines: [span.line, last],
    truncated: { shown: text.length, total: excerpt.length, ...next },
    content: text,
  };
}

const PROPERTIES = ['properties', 'fields', 'propertiesFault', 'notices', 'aliases', 'tags'] as const;

function propertiesOf({
  properties,
  fields,
  propertiesFault,
  notices,
  aliases,
  tags,
}: Pick<ParsedNote, (typeof PROPERTIES)[number]>) {
  return {
    properties,
    ...inlineFields(fields),
    ...(propertiesFault === undefined ? {} : { properties_fault: propertiesFault }),
    ...(notices.length === 0 ? {} : { notices }),
    aliases,
    tags: [...new Set(tags.map(({ tag }) => tag))],
  };
}

/** The headings as far as they fit. */
async function outlineField(text: string, span: LineSpan, path: NotePath, { max_chars }: ReadArgs, call: CallContext) {
  const page = { of: 'headings', span, from: 0, limit: Math.ceil(max_chars / MIN_ROW) } as const;
  const { rows, total } = await call.compute.run(jobs.rows_within, { path, text, ...page }, call.signal);
  const all = (rows as Heading[]).map(({ level, text, line }) => ({ line, level, text }));
  const outline = all.slice(0, fittingRows(all, max_chars));
  if (outline.length < total) warnOfRows(path, 'headings', outline.length, total, call);
  if (fileKindOf(path) !== 'canvas') return { outline };
  const cards = await call.compute.run(jobs.cards, { text, span, limit: page.limit }, call.signal);
  // By its id a card can be read and edited: `Board.canvas#^id`.
  const views = cards.rows.map(({ id, type, line, endLine }) => ({ id, type, lines: [line, endLine] as const }));
  const shown = views.slice(0, fittingRows(views, max_chars));
  if (shown.length < cards.total) warnOfRows(path, 'cards', shown.length, cards.total, call);
  return { outline, cards: shown };
}

/** A row has at least this many characters. */
const MIN_ROW = 40;

/** The links as far as they fit, from where the cursor names on; the first links to it. */
async function linksField(
  text: string,
  span: LineSpan,
  path: NotePath,
  { max_chars, cursor }: ReadArgs,
  store: Store,
  call: CallContext,
) {
  const query = { limit: 0, path, lines: [span.line, span.endLine] };
  const [from = 0] = paging.placeOf({ ...query, cursor });
  const page = { of: 'links', span, from, limit: Math.ceil(max_chars / MIN_ROW) } as const;
  const { rows, first, total } = await call.compute.run(jobs.rows_within, { path, text, ...page }, call.signal);
  const views = await linkViews(path, rows as Link[], first, store, call);
  const shown = views.links.slice(0, fittingRows(views.links, max_chars));
  const to = from + shown.length;
  if (to < total) warnOfRows(path, 'links', to, total, call);
  return { ...views, links: shown, ...paging.nextPlace(query, to < total ? [to] : undefined) };
}

function warnOfRows(path: string, what: string, shown: number, total: number, call: CallContext): void {
  call.warn({ code: 'TRUNCATED', message: `${path}: ${shown} of ${total} ${what} are listed`, count: total - shown });
}

interface NamedPdf {
  readonly file: AttachmentText;
  readonly part: ReferencePart;
}

/** Undefined for anything else than a PDF whose text is indexed. @param reference `Paper.pdf`, `Paper.pdf#page=3` or `Paper.pdf:10-20` */
async function pdfCalled(reference: string, store: Store, call: CallContext): Promise<NamedPdf | undefined> {
  const { name, part } = parseReference(reference);
  if (!isPdf(name)) return undefined;
  const attachment = await otherThanNote(name, store, call);
  if (attachment?.is !== 'attachment') return undefined;
  const [file] = await store.attachmentTexts([attachment.path as NotePath], call.signal);
  return file && { file, part };
}

/** `text` has a line with the number of the page in place of each page break. */
interface PartOfPdf {
  readonly text: string;
  readonly span: LineSpan;
  readonly lineCount: number;
  readonly pages: number;
  readonly page: number;
  readonly ref: string;
}

/** @throws ATTACHMENT_INVALID if the text cannot be read; NOTE_PART_NOT_FOUND */
function partOfPdf({ file, part }: NamedPdf): PartOfPdf {
  const { path, text, fault } = file;
  if (fault !== undefined)
    throw new VaultgraphError('ATTACHMENT_INVALID', { path, expected: expectedPdf(fault), of: 'pdf' });
  const pages = pagesOf(text);
  const lineCount = lineCountOf(text);
  const named = part.kind === 'subpath' ? pageNamed(part.subpath, path, pages) : undefined;
  const span = named ?? locatePart({ path, outline: EMPTY_NOTE, lineCount }, part, 'notes');
  const { page } = pages.findLast(({ line }) => line <= span.line) ?? { page: 1 };
  const excerpt = named === undefined ? textOfLines(text, span) : text.slice(named.from, named.to);
  const numbered = named === undefined ? withPageNumbers(excerpt, page) : excerpt;
  return { text: numbered, span, lineCount, pages: pages.length, page, ref: pageReference(path, page) };
}

/** Obsidian may add more after the page, as in `#page=3&selection=1,2,3,4`. */
function pageNamed(subpath: string, path: NotePath, pages: readonly PageSpan[]): PageSpan {
  const page = Number(/^#page=(\d+)(?:&.*)?$/i.exec(subpath)?.[1] ?? 0);
  const shownPage = pages[page - 1];
  if (shownPage !== undefined) return shownPage;
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
