// Reads and parses one slice of files into the changes that the index has to apply.
import type { BatchResult } from '../../base/batch.ts';
import { contentHash } from '../../base/content-hash.ts';
import { type ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { isPdf } from '../../base/note.ts';
import type { IndexRow } from '../../compute/file-jobs.ts';
import { jobs } from '../../compute/jobs.ts';
import type {
  AttachmentContent,
  ChangedMs,
  ChangeSet,
  IndexedFile,
  QuarantineRow,
  Sampled,
  Sighting,
} from '../../contracts/change-set.ts';
import type { Compute } from '../../contracts/compute.ts';
import type { FileContent, FileEntry, Vault } from '../../contracts/vault.ts';
import { expectedPdf } from '../../markdown/parse/pdf-pages.ts';
import { isTouched, type Known } from './comparison.ts';
import type { PdfTexts } from './pdf-texts.ts';

export type ReadSlice = BatchResult<FileContent>;

export interface SliceResult {
  readonly changes: ChangeSet;
  readonly failures: readonly { readonly id: string; readonly error: VaultgraphError }[];
  /** Settled once the texts are kept; never rejects. */
  readonly kept?: Promise<void> | undefined;
}

/** @throws VAULT_UNAVAILABLE */
export function readSlice(files: readonly FileEntry[], vault: Vault, signal: AbortSignal): Promise<ReadSlice> {
  return vault.read(
    files.map(({ path }) => path),
    signal,
  );
}

interface SliceParts {
  readonly compute: Compute;
  readonly pdfs: PdfTexts | undefined;
  /** By path, of the files that were listed before they were read. */
  readonly changedAt: ReadonlyMap<string, ChangedMs>;
  /** Keeps changed texts, while they are parsed and written. Never rejects. */
  readonly keep: (changed: readonly FileContent[]) => Promise<void> | undefined;
}

/** A file that could not be read keeps its indexed content and gets a quarantine row. */
export async function parseSlice(
  { succeeded, failed }: ReadSlice,
  known: Known,
  { compute, pdfs, changedAt, keep }: SliceParts,
  signal: AbortSignal,
): Promise<SliceResult> {
  const contents = succeeded.map(({ result }) => withChangedMs(result, changedAt));
  const isSame = ({ path, bytes }: ReadFile): boolean => {
    const hash = known.files.get(path)?.hash ?? '';
    return hash !== '' && hash === contentHash(bytes);
  };
  const { same = [], changed = [] } = Object.groupBy(contents, (content) => (isSame(content) ? 'same' : 'changed'));
  // Each change of the index is a new revision, which makes caches and pages of it out of date.
  const isNews = (file: ReadFile): boolean =>
    known.quarantine.has(file.path) || isTouched(file, known.files.get(file.path));
  const { true: news = [], false: others = [] } = Object.groupBy(same, (file) => `${isNews(file)}`);
  const history = keep(changed);
  const attachments = await attachmentTexts(changed, pdfs, signal);
  const toParse = changed.map(({ path, bytes }) => ({ path, bytes: attachments.get(path)?.bytes ?? bytes }));
  const batch = changed.length > 0 ? await compute.run(jobs.index, toParse, signal) : undefined;
  const rows = (batch?.rows ?? []).map((row) => withAttachment(row, attachments.get(row.path)));
  return {
    changes: {
      added: [],
      removed: [],
      touched: news.map(({ bytes, ...file }) => ({ ...file, ...hashIn(known, file) })),
      sightings: others.flatMap((file) => sightingOf(file, known)),
      indexed: changed.flatMap((content, index) => indexedFile(content, rows[index], attachments.get(content.path))),
      parsed: batch?.parsed,
      words: batch?.words,
      quarantined: [...failed.map(readFault), ...rows.flatMap(parseFault)],
      released: contents.map(({ path }) => path).filter((path) => known.quarantine.has(path)),
    },
    failures: [...failed, ...rows.flatMap(refusal)],
    kept: history,
  };
}

/** With the time of its change as it is kept. */
type ReadFile = FileContent & { readonly changedMs?: ChangedMs };

function withChangedMs(content: FileContent, changedAt: SliceParts['changedAt']): ReadFile {
  const changedMs = changedAt.get(content.path);
  return changedMs === undefined ? content : { ...content, changedMs };
}

/** Nothing for a file that has to be read again all the same. */
function sightingOf({ path, changedMs = 0 }: ReadFile, { files }: Known): readonly Sighting[] {
  const { hash, changedMs: before } = files.get(path) ?? {};
  return hash && changedMs !== 0 && changedMs !== before ? [{ path, hash, changedMs }] : [];
}

function hashIn({ files }: Known, { path }: Pick<FileContent, 'path'>): Sampled {
  const hash = files.get(path)?.hash;
  return hash ? { hash } : {};
}

/** What is indexed of an attachment. */
interface ReadAttachment {
  readonly content: AttachmentContent;
  /** The bytes of the text. */
  readonly bytes: Uint8Array;
  /** The hash of the file. */
  readonly hash: string;
}

/** One after the other: each takes long and much memory. */
async function attachmentTexts(
  files: readonly FileContent[],
  pdfs: PdfTexts | undefined,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ReadAttachment>> {
  const texts = new Map<string, ReadAttachment>();
  for (const { path, bytes } of files) {
    if (pdfs === undefined || !isPdf(path)) continue;
    const hash = contentHash(bytes);
    const content = await pdfs.read(bytes, signal);
    texts.set(path, { content, bytes: new TextEncoder().encode(content.text), hash });
  }
  return texts;
}

function withAttachment(row: IndexRow, attachment: ReadAttachment | undefined): IndexRow {
  if (attachment === undefined) return row;
  const { hash, content } = attachment;
  if (content.fault === undefined) return { ...row, hash };
  return { path: row.path, encoding: row.encoding, hash, code: 'ATTACHMENT_INVALID', reason: content.fault };
}

/** Also one that cannot be parsed: it is indexed by its words, without links. */
function indexedFile(
  { bytes, ...file }: ReadFile,
  row: IndexRow | undefined,
  attachment: ReadAttachment | undefined,
): readonly IndexedFile[] {
  if (row === undefined) return [];
  const { hash, encoding } = row;
  return [{ ...file, hash, encoding, ...(attachment && { attachment: attachment.content }) }];
}

function readFault({ id, error }: BatchResult<FileContent>['failed'][number]): QuarantineRow {
  return { path: id, phase: 'read', code: error.code, reason: error.message };
}

function parseFault(row: IndexRow): readonly QuarantineRow[] {
  const { path, hash } = row;
  const at = { path, phase: 'parse', hash } as const;
  if ('code' in row) return [{ ...at, code: row.code, reason: row.reason }];
  const { propertiesFault } = row;
  return propertiesFault === undefined ? [] : [{ ...at, code: 'PROPERTIES_INVALID', ...propertiesFault }];
}

function refusal(row: IndexRow): SliceResult['failures'] {
  if (!('code' in row)) return [];
  const { path, code, reason } = row;
  return [{ id: path, error: errorOf(code, path, reason) }];
}

function errorOf(code: ErrorCode, path: string, reason: string): VaultgraphError {
  switch (code) {
    case 'ATTACHMENT_INVALID':
      return new VaultgraphError('ATTACHMENT_INVALID', { path, expected: expectedPdf(reason), of: 'pdf' });
    case 'CANVAS_INVALID':
      return new VaultgraphError('CANVAS_INVALID', { path, reason });
    case 'FILE_UNREADABLE':
      return new VaultgraphError('FILE_UNREADABLE', { path, errno: 'EILSEQ' }, { retry: 'U' });
    default:
      return new VaultgraphError('INTERNAL', { kind: code }, { cause: reason });
  }
}

const MAX_SLICE_FILES = 512;
export const MAX_SLICE_BYTES = 2 * 1024 * 1024;
/** Each of the next slices is twice as large: what is indexed first can be found soon, and the thread that writes begins soon. */
export const FIRST_SLICE_FILES = 64;

/** In the given order. A file above the limit is a slice of its own. */
export function slicesOf<F extends { readonly sizeBytes: number }>(files: readonly F[]): readonly (readonly F[])[] {
  const slices: F[][] = [];
  let slice: F[] = [];
  let bytes = 0;
  for (const file of files) {
    const maxFiles = Math.min(MAX_SLICE_FILES, FIRST_SLICE_FILES * 2 ** slices.length);
    const isFull = slice.length === maxFiles || bytes + file.sizeBytes > MAX_SLICE_BYTES;
    if (isFull && slice.length > 0) {
      slices.push(slice);
      slice = [];
      bytes = 0;
    }
    slice.push(file);
    bytes += file.sizeBytes;
  }
  return slice.length > 0 ? [...slices, slice] : slices;
}
