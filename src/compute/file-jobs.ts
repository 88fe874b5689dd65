// Jobs over the bytes of files: parsing them, packing their words for the text index, and cutting them into chunks.
import { contentHash } from '../base/content-hash.ts';
import type { ErrorCode } from '../base/errors.ts';
import { EMPTY_NOTE, fileKindOf, type NotePath, type ParsedNote } from '../base/note.ts';
import { shrinkLargeHeap } from '../base/system/memory.ts';
import type { PackedWords } from '../contracts/change-set.ts';
import { type Chunk, chunksFor } from '../markdown/chunk/chunks.ts';
import { type TokenRates, USUAL_RATES } from '../markdown/chunk/token-rates.ts';
import { lineHashes } from '../markdown/excerpt/line-hashes.ts';
import { canvasOutline } from '../markdown/parse/canvas-outline.ts';
import { type DecodedText, decodeText } from '../markdown/parse/lines.ts';
import { type HashedNote, NotePacker } from '../markdown/parse/packed-notes.ts';
import { parseContent } from '../markdown/parse/parse-content.ts';
import { shownWords } from '../markdown/parse/shown-text.ts';
import type { NoteToIndex } from '../postings/note-texts.ts';
import { packWords } from '../postings/word-collector.ts';

export interface FileToParse {
  readonly path: NotePath;
  readonly bytes: Uint8Array;
}

interface ParsedFile extends DecodedText {
  readonly path: NotePath;
  readonly hash: string;
  readonly parsed: ParsedNote;
}

/** A file that cannot be parsed; `text` is as much of it as could be decoded. */
interface RefusedFile extends DecodedText {
  readonly path: NotePath;
  readonly hash: string;
  readonly code: ErrorCode;
  readonly reason: string;
}

type ParseRow = ParsedFile | RefusedFile;

/** Up to these limits, a round trip to another thread costs more than the work. */
const SMALL_FILES = 8;
const MAX_BYTES_PARSED_HERE = 256 * 1024;
const MAX_BYTES_CHUNKED_HERE = 64 * 1024;

/** The text is not indexed, so nothing of it is found until the file is converted. */
const WRONG_ENCODING = 'encoding: the file is UTF-16 text; convert it to UTF-8';

type Findings = Pick<ParsedFile, 'parsed'> | Pick<RefusedFile, 'code' | 'reason'>;

/** A file that cannot be parsed does not affect the others. */
export function parseFile({ path, bytes }: FileToParse): ParseRow {
  const content = { path, hash: contentHash(bytes), ...decodeText(bytes) };
  if (content.encoding === 'utf-16') return { ...content, text: '', code: 'FILE_UNREADABLE', reason: WRONG_ENCODING };
  try {
    return { ...content, ...findings(path, content.text) };
  } catch (thrown) {
    return { ...content, code: 'INTERNAL', reason: String(thrown) };
  }
}

/** The content by the rules of its kind. A base has no links; attachments are never parsed. */
function findings(path: NotePath, text: string): Findings {
  const kind = fileKindOf(path);
  if (kind === 'note') return { parsed: parseContent(path, text) };
  if (kind !== 'canvas') return { parsed: EMPTY_NOTE };
  const { fault, parsed } = canvasOutline(text);
  return fault === undefined ? { parsed } : { code: 'CANVAS_INVALID', reason: fault };
}

export const isSmall = (files: readonly FileToParse[]): boolean => areSmall(files, MAX_BYTES_PARSED_HERE);

function areSmall(files: readonly { readonly bytes: Uint8Array }[], maxBytes: number): boolean {
  return files.length <= SMALL_FILES && files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0) <= maxBytes;
}

/**
 * Files whose bytes can move to another thread. Bytes that share a buffer, as small ones share Node's pool, are copied first, because
 * only whole buffers can move.
 */
export function handOver<File extends { readonly bytes: Uint8Array }>(files: readonly File[]) {
  const input = files.map((file) => ({ ...file, bytes: ownBytes(file.bytes) }));
  return { input, transfer: [...new Set(input.map(({ bytes }) => bytes.buffer))] };
}

function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const fills = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return fills ? new Uint8Array(buffer) : Uint8Array.from(bytes);
}

/** A file without its text and what it holds, which the thread that asks does not need. */
export type IndexRow =
  | (Omit<ParsedFile, 'text' | 'parsed'> & Pick<ParsedNote, 'propertiesFault'>)
  | Omit<RefusedFile, 'text'>;

export interface IndexedBatch {
  /** One per file, in the given order. */
  readonly rows: readonly IndexRow[];
  /** The note as in a set of changes; nothing for a file that cannot be parsed. */
  readonly parsed: Uint8Array;
  readonly words: PackedWords;
}

/** A file that cannot be parsed is indexed by its words. */
export async function indexFiles(files: readonly FileToParse[]): Promise<IndexedBatch> {
  const { packer, rows, notes } = parseAll(files);
  if (!isSmall(files)) await shrinkLargeHeap();
  const parsed = packer.pack();
  return { rows, parsed, words: packWords(notes) };
}

/** The links of a note can take most of its memory: they are packed before the next file is parsed, and the words are collected last. */
function parseAll(files: readonly FileToParse[]) {
  const packer = new NotePacker();
  const rows: IndexRow[] = [];
  const notes: NoteToIndex[] = [];
  for (const file of files) {
    const row = parseFile(file);
    const parsed = 'parsed' in row ? row.parsed : EMPTY_NOTE;
    packer.add(withLines(row, parsed));
    rows.push(indexRow(row));
    notes.push({ path: row.path, text: row.text, parsed: { ...parsed, links: [] } });
  }
  return { packer, rows, notes };
}

/** The lines of a text that could not be decoded are not known. */
function withLines({ text, encoding }: ParseRow, parsed: ParsedNote): HashedNote {
  const lines = encoding === 'utf-16' ? undefined : lineHashes(text, parsed.bodyOffset);
  return lines === undefined ? parsed : { ...parsed, lines };
}

function indexRow(row: ParseRow): IndexRow {
  if (!('parsed' in row)) {
    const { text: _, ...refused } = row;
    return refused;
  }
  const { path, hash, encoding, parsed } = row;
  const { propertiesFault } = parsed;
  return { path, hash, encoding, ...(propertiesFault && { propertiesFault }) };
}

// Cuts a batch of notes into chunks, each identified by the hash of its text.

export interface FileToChunk {
  readonly path: NotePath;
  readonly title: string;
  readonly bytes: Uint8Array;
}

export interface FilesToChunk {
  readonly files: readonly FileToChunk[];
  /** The rules and the size of chunks. */
  readonly chunker: string;
  readonly rates?: TokenRates;
}

interface ChunkedFile {
  readonly path: NotePath;
  /** Hash of the bytes. */
  readonly hash: string;
  /** `hash` is of the text of the chunk: 32 hexadecimal digits of SHA-256. */
  readonly chunks: readonly (Chunk & { readonly hash: string })[];
}

/** A file that cannot be cut into chunks. */
export interface UnchunkedFile {
  readonly path: NotePath;
  readonly hash: string;
  readonly code: ErrorCode;
  readonly reason: string;
}

export type ChunkedRow = ChunkedFile | UnchunkedFile;

/** One row per file, in the given order. A file that cannot be cut does not affect the others. */
export function chunkFiles({ files, chunker, rates = USUAL_RATES }: FilesToChunk): readonly ChunkedRow[] {
  // The constant is recognized by its identity, which a thread does not keep.
  const usable = Object.keys(rates).length === 0 ? USUAL_RATES : rates;
  return files.map(({ path, title, bytes }) => {
    const file = { path, hash: contentHash(bytes) };
    try {
      const { text, encoding } = decodeText(bytes);
      const chunks = encoding === 'utf-16' ? [] : chunksFor(chunker, title, shownWords(path, text), usable);
      return { ...file, chunks: chunks.map((chunk) => ({ ...chunk, hash: contentHash(Buffer.from(chunk.text)) })) };
    } catch (thrown) {
      return { ...file, code: 'INTERNAL', reason: String(thrown) };
    }
  });
}

export const isSmallText = ({ files }: FilesToChunk): boolean => areSmall(files, MAX_BYTES_CHUNKED_HERE);

/** Does what `handOver` does: the bytes move. */
export function handOverFiles({ files, ...rest }: FilesToChunk): { input: FilesToChunk; transfer: ArrayBuffer[] } {
  const { input, transfer } = handOver(files);
  return { input: { files: input, ...rest }, transfer };
}
