// Splits the bytes of stdin into lines, and discards a line that is too long as it arrives.
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { IdScanner } from './id-scanner.ts';

const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);
/** Smaller pieces are merged: a client that writes single bytes would fill the memory with pieces. */
const MIN_PIECE_BYTES = 16 * 1024;

/** `discarded`: the line was too long; `id` is what could be read of its request. */
export type Line =
  | { readonly bytes: Buffer }
  | { readonly discarded: { readonly length: number; readonly id: RequestId | undefined } };

export class LineReader {
  readonly #maxBytes: number;
  /** Bytes that `next` has not read yet. */
  #unread: Buffer = NOTHING;
  /** The pieces of a line whose end has not arrived; empty for one that is discarded. */
  #pieces: Buffer[] = [];
  #length = 0;
  /** Of a line that continues beyond its first piece. */
  #scanner: IdScanner | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether the input so far ends within a line. */
  get isInLine(): boolean {
    return this.#length + this.#unread.length > 0;
  }

  push(chunk: Buffer): void {
    this.#unread = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
  }

  /** Undefined until the end of the next line arrives. */
  next(): Line | undefined {
    const end = this.#unread.indexOf(NEWLINE);
    this.#hold(end === -1 ? this.#unread : this.#unread.subarray(0, end));
    this.#unread = end === -1 ? NOTHING : this.#unread.subarray(end + 1);
    return end === -1 ? undefined : this.#takeLine();
  }

  #hold(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#scan(bytes);
    this.#length += bytes.length;
    if (this.#length > this.#maxBytes) this.#pieces = [];
    else this.#pieces.push(this.#merged(bytes));
  }

  /** Takes the pieces that are not larger than the new one, so that each byte is copied a few times only. */
  #merged(bytes: Buffer): Buffer {
    let piece = bytes;
    for (let last = this.#pieces.at(-1); last !== undefined; last = this.#pieces.at(-1)) {
      if (last.length > Math.min(piece.length, MIN_PIECE_BYTES)) break;
      piece = Buffer.concat([last, piece]);
      this.#pieces.pop();
    }
    return piece;
  }

  /** Piece by piece, because to scan all of a long line at its end would block the process. */
  #scan(bytes: Buffer): void {
    if (this.#length === 0 && bytes.length <= this.#maxBytes) return;
    if (this.#scanner === undefined) {
      this.#scanner = new IdScanner();
      for (const piece of this.#pieces) this.#scanner.push(piece);
    }
    this.#scanner.push(bytes);
  }

  #takeLine(): Line {
    const [pieces, length, id] = [this.#pieces, this.#length, this.#scanner?.id];
    this.#pieces = [];
    this.#length = 0;
    this.#scanner = undefined;
    if (length > this.#maxBytes) return { discarded: { length, id } };
    return { bytes: pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces) };
  }
}
