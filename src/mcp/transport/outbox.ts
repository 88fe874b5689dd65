// Writes lines to stdout and counts the bytes that it has not taken yet.
import type { Writable } from 'node:stream';

/** Small enough to see that a slow client still reads within a long line. */
const PIECE_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

export class Outbox {
  readonly #stdout: Writable;
  readonly #onTaken: () => void;
  #lines: string[] = [];
  /** The encoded lines that are being written, and how much of them has been handed over. */
  #bytes: Buffer = NOTHING;
  #offset = 0;
  #isWriting = false;
  #unsentBytes = 0;
  #onEmpty: (() => void)[] = [];

  /** @param onTaken called whenever stdout has taken a piece */
  constructor(stdout: Writable, onTaken: () => void) {
    this.#stdout = stdout;
    this.#onTaken = onTaken;
  }

  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  /** @param text JSON, without a line end */
  write(text: string): void {
    const line = `${text}\n`;
    this.#lines.push(line);
    this.#unsentBytes += Buffer.byteLength(line);
    this.#writeNext();
  }

  /** Resolves once stdout has taken everything. */
  emptied(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#unsentBytes === 0) resolve();
      else this.#onEmpty.push(resolve);
    });
  }

  /** One piece at a time; small lines share a piece. */
  #writeNext(): void {
    if (this.#isWriting) return;
    if (this.#offset === this.#bytes.length) this.#encodeLines();
    const piece = this.#bytes.subarray(this.#offset, this.#offset + PIECE_BYTES);
    if (piece.length === 0) return;
    this.#offset += piece.length;
    this.#isWriting = true;
    // A failed write is an error event of the stream too, which ends the process.
    this.#stdout.write(piece, () => {
      this.#isWriting = false;
      this.#unsentBytes -= piece.length;
      if (this.#unsentBytes === 0) for (const resolve of this.#onEmpty.splice(0)) resolve();
      this.#onTaken();
      this.#writeNext();
    });
  }

  #encodeLines(): void {
    this.#bytes = this.#lines.length === 0 ? NOTHING : Buffer.from(this.#lines.join(''));
    this.#offset = 0;
    this.#lines = [];
  }
}
