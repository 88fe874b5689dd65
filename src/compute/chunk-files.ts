// Cuts a batch of notes into chunks, each named by the hash of its text.
import { contentHash } from '../base/content-hash.ts';
import type { ErrorCode } from '../base/errors.ts';
import type { NotePath } from '../base/note.ts';
import { type Chunk, chunkNote } from '../markdown/chunk/chunks.ts';
import { decodeText } from '../markdown/parse/lines.ts';
import { handOver } from './parse-files.ts';

export interface FileToChunk {
  readonly path: NotePath;
  readonly title: string;
  readonly bytes: Uint8Array;
}

export interface FilesToChunk {
  readonly files: readonly FileToChunk[];
  /** As for `chunkNote`. */
  readonly maxTokens: number;
}

export interface ChunkedFile {
  readonly path: NotePath;
  /** Of the bytes. */
  readonly hash: string;
  /** `hash` is of the chunk's text: 32 hexadecimal digits of SHA-256. */
  readonly chunks: readonly (Chunk & { readonly hash: string })[];
}

/** A file that makes the rules throw. */
export interface UnchunkedFile {
  readonly path: NotePath;
  readonly hash: string;
  readonly code: ErrorCode;
  readonly reason: string;
}

export type ChunkedRow = ChunkedFile | UnchunkedFile;

/** Up to here a hop to another thread and back costs more than the work. */
const SMALL_FILES = 8;
const SMALL_BYTES = 64 * 1024;

/** One row a file, in the order given. A file that makes the rules throw is one refused row and costs the others nothing. */
export function chunkFiles({ files, maxTokens }: FilesToChunk): readonly ChunkedRow[] {
  return files.map(({ path, title, bytes }) => {
    const read = { path, hash: contentHash(bytes) };
    try {
      const chunks = chunkNote(title, decodeText(bytes).text, maxTokens);
      return { ...read, chunks: chunks.map((chunk) => ({ ...chunk, hash: contentHash(Buffer.from(chunk.text)) })) };
    } catch (thrown) {
      return { ...read, code: 'INTERNAL', reason: String(thrown) };
    }
  });
}

export function isSmallText({ files }: FilesToChunk): boolean {
  return files.length <= SMALL_FILES && files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0) <= SMALL_BYTES;
}

/** As for files to parse: their bytes move. */
export function handOverFiles({ files, maxTokens }: FilesToChunk): { input: FilesToChunk; transfer: ArrayBuffer[] } {
  const { input, transfer } = handOver(files);
  return { input: { files: input, maxTokens }, transfer };
}
