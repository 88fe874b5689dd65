// Reads lines from stdin while they are wanted, and pauses it otherwise.
import type { Readable } from 'node:stream';
import { type Line, LineReader } from './line-reader.ts';

/** Then other events get their turn, also within a chunk of many lines. */
const MAX_TURN_MS = 5;

export interface LineListener {
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
