// Reads lines from stdin while they are wanted, pauses it otherwise, and discards a line that is too long as it arrives.

import type { Readable } from 'node:stream';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { isRequestId, MAX_ID_CHARACTERS } from './jsonrpc-validator.ts';

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
  /** The scanner of a line that continues beyond its first piece. */
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

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
/** Each character of an id can be an escape of six bytes; a longer token is not an id. */
const MAX_TOKEN_BYTES = 6 * MAX_ID_CHARACTERS + 100;

/** Reads only the members of the outermost object: an `id` inside of a member is not the id of the message. */
export class IdScanner {
  #id: RequestId | undefined;
  #depth = 0;
  #isOver = false;
  #isInString = false;
  #isEscaped = false;
  /** The bytes of a key, or of the value of `id`; undefined while the bytes are of no interest. */
  #token: number[] | undefined;
  #isIdValue = false;

  /** The last `id` so far, as `JSON.parse` would take it; undefined if there is none or it is not valid. */
  get id(): RequestId | undefined {
    return this.#id;
  }

  push(bytes: Buffer): void {
    for (const byte of bytes) {
      if (this.#isOver) return;
      if (this.#isInString) this.#readInString(byte);
      else this.#readOutside(byte);
    }
  }

  #readInString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInString = false;
    this.#keep(byte);
  }

  #readOutside(byte: number): void {
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#open(byte);
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#close(byte);
    else if (this.#depth === 1 && byte === COLON) this.#endKey();
    else if (this.#depth === 1 && byte === COMMA) this.#endValue();
    else {
      this.#isInString = byte === QUOTE;
      this.#keep(byte);
    }
  }

  #open(byte: number): void {
    this.#keep(byte);
    this.#depth += 1;
    if (this.#depth > 1) return;
    this.#token = [];
    this.#isOver = byte === OPEN_LIST;
  }

  #close(byte: number): void {
    if (this.#depth === 1) this.#endValue();
    this.#depth -= 1;
    this.#isOver = this.#depth <= 0;
    this.#keep(byte);
  }

  #endKey(): void {
    this.#isIdValue = this.#parsedToken() === 'id';
    this.#token = this.#isIdValue ? [] : undefined;
  }

  #endValue(): void {
    const value = this.#isIdValue ? this.#parsedToken() : this.#id;
    this.#id = isRequestId(value) ? value : undefined;
    this.#isIdValue = false;
    this.#token = [];
  }

  #keep(byte: number): void {
    if (this.#token === undefined) return;
    if (this.#token.length < MAX_TOKEN_BYTES) this.#token.push(byte);
    else this.#token = undefined;
  }

  /** Undefined for bytes that are not JSON, and for more than an id can have. */
  #parsedToken(): unknown {
    if (this.#token === undefined) return undefined;
    try {
      return JSON.parse(Buffer.from(this.#token).toString('utf8'));
    } catch {
      return undefined;
    }
  }
}

/** Then other events get their turn, also within a chunk of many lines. */
const MAX_TURN_MS = 5;

interface LineListener {
  /** Whether another line is wanted now. */
  isReady(): boolean;
  onLine(line: Line): void;
  onError(error: Error): void;
}

export class StdinLines {
  readonly #stdin: Readable;
  readonly #reader: LineReader;
  readonly #listener: LineListener;
  #isReading = false;
  #isPaused = false;
  #nextTurn: NodeJS.Immediate | undefined;

  constructor(stdin: Readable, maxLineBytes: number, listener: LineListener) {
    this.#stdin = stdin;
    this.#reader = new LineReader(maxLineBytes);
    this.#listener = listener;
  }

  /** Whether the input so far ends within a line. */
  get isInLine(): boolean {
    return this.#reader.isInLine;
  }

  start(): void {
    this.#stdin.on('data', this.#onData);
    this.#stdin.on('error', this.#listener.onError);
  }

  stop(): void {
    this.#stdin.off('data', this.#onData);
    this.#stdin.off('error', this.#listener.onError);
    clearImmediate(this.#nextTurn);
  }

  /** Reads until no line is left, none is wanted or the turn is over; in the latter two cases stdin is paused. */
  readonly read = (): void => {
    // The listener calls this again while it receives a line.
    if (this.#isReading) return;
    this.#isReading = true;
    const endOfTurn = performance.now() + MAX_TURN_MS;
    let line: Line | undefined;
    do {
      line = this.#listener.isReady() ? this.#reader.next() : undefined;
      if (line !== undefined) this.#listener.onLine(line);
    } while (line !== undefined && performance.now() < endOfTurn);
    this.#isReading = false;
    if (line !== undefined) this.#nextTurn ??= setImmediate(this.#readOn);
    this.#pause(line !== undefined || !this.#listener.isReady());
  };

  readonly #onData = (chunk: Buffer): void => {
    this.#reader.push(chunk);
    this.read();
  };

  readonly #readOn = (): void => {
    this.#nextTurn = undefined;
    this.read();
  };

  #pause(isPaused: boolean): void {
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#stdin.pause();
    else this.#stdin.resume();
  }
}
