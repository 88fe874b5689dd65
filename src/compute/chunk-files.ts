// Cuts a batch of notes into chunks, each identified by the hash of its text.
import { contentHash } from '../base/content-hash.ts';
import type { ErrorCode } from '../base/errors.ts';
import type { NotePath } from '../base/note.ts';
import type { Chunk } from '../markdown/chunk/chunks.ts';
import { chunksFor } from '../markdown/chunk/embedded-text.ts';
import { type TokenRates, USUAL_RATES } from '../markdown/chunk/token-rates.ts';
import { withoutDataUris } from '../markdown/parse/data-uris.ts';
import { decodeText } from '../markdown/parse/lines.ts';
import { handOver } from './parse-files.ts';

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

export interface ChunkedFile {
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

/** Up to these limits, a round trip to another thread costs more than the work. */
const SMALL_FILES = 8;
const SMALL_BYTES = 64 * 1024;

/** One row per file, in the given order. A file that cannot be cut does not affect the others. */
export function chunkFiles({ files, chunker, rates = USUAL_RATES }: FilesToChunk): readonly ChunkedRow[] {
  // The constant is recognized by its identity, which a thread does not keep.
  const usable = Object.keys(rates).length === 0 ? USUAL_RATES : rates;
  return files.map(({ path, title, bytes }) => {
    const read = { path, hash: contentHash(bytes) };
    try {
      const { text, encoding } = decodeText(bytes);
      const chunks = encoding === 'utf-16' ? [] : chunksFor(chunker, title, withoutDataUris(text), usable);
      return { ...read, chunks: chunks.map((chunk) => ({ ...chunk, hash: contentHash(Buffer.from(chunk.text)) })) };
    } catch (thrown) {
      return { ...read, code: 'INTERNAL', reason: String(thrown) };
    }
  });
}

export function isSmallText({ files }: FilesToChunk): boolean {
  return files.length <= SMALL_FILES && files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0) <= SMALL_BYTES;
}

/** Does what `handOver` does: the bytes move. */
export function handOverFiles({ files, ...rest }: FilesToChunk): { input: FilesToChunk; transfer: ArrayBuffer[] } {
  const { input, transfer } = handOver(files);
  return { input: { files: input, ...rest }, transfer };
}
