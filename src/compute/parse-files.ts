// Parses a batch of files: hash, text, and the links, tags and properties in it.
import { contentHash } from '../base/content-hash.ts';
import type { ErrorCode } from '../base/errors.ts';
import { EMPTY_NOTE, fileKindOf, type NotePath, type ParsedNote } from '../base/note.ts';
import { parseCanvas } from '../markdown/parse/canvas.ts';
import { type DecodedText, decodeText } from '../markdown/parse/lines.ts';
import { parseNote } from '../markdown/parse/parse-note.ts';

export interface FileToParse {
  readonly path: NotePath;
  readonly bytes: Uint8Array;
}

export interface ParsedFile extends DecodedText {
  readonly path: NotePath;
  readonly hash: string;
  readonly parsed: ParsedNote;
}

/** A file that cannot be parsed; `text` is as much of it as could be decoded. */
export interface RefusedFile extends DecodedText {
  readonly path: NotePath;
  readonly hash: string;
  readonly code: ErrorCode;
  readonly reason: string;
}

export type ParseRow = ParsedFile | RefusedFile;

/** Up to these limits, a round trip to another thread costs more than the work. */
const SMALL_FILES = 8;
const SMALL_BYTES = 256 * 1024;

/** The text is not indexed, so nothing of it is found until the file is converted. */
const WRONG_ENCODING = 'encoding: the file is UTF-16 text; convert it to UTF-8';

type Findings = Pick<ParsedFile, 'parsed'> | Pick<RefusedFile, 'code' | 'reason'>;

/** One row per file, in the given order. A file that cannot be parsed does not affect the others. */
export function parseFiles(files: readonly FileToParse[]): readonly ParseRow[] {
  return files.map(({ path, bytes }) => {
    const read = { path, hash: contentHash(bytes), ...decodeText(bytes) };
    if (read.encoding === 'utf-16') return { ...read, text: '', code: 'FILE_UNREADABLE', reason: WRONG_ENCODING };
    try {
      return { ...read, ...findings(path, read.text) };
    } catch (thrown) {
      return { ...read, code: 'INTERNAL', reason: String(thrown) };
    }
  });
}

/** The content by the rules of its kind. A base has no links; attachments are never parsed. */
function findings(path: NotePath, text: string): Findings {
  const kind = fileKindOf(path);
  if (kind === 'note') return { parsed: parseNote(text) };
  if (kind !== 'canvas') return { parsed: EMPTY_NOTE };
  const { fault, ...parsed } = parseCanvas(text);
  return fault === undefined ? { parsed } : { code: 'CANVAS_INVALID', reason: fault };
}

export function isSmall(files: readonly FileToParse[]): boolean {
  return files.length <= SMALL_FILES && files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0) <= SMALL_BYTES;
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
