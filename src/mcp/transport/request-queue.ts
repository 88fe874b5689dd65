// Decides when a request begins: a limited number runs at once, and none begins while stdout is full.
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';

/** More would only wait for each other, each with a half-built answer in memory. */
const MAX_RUNNING = 32;
const MAX_WAITING = 1_000;
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

export interface QueuedRequest {
  /** Undefined for a refusal, which is answered by beginning. */
  readonly id: RequestId | undefined;
  /** The length of its line. */
  readonly bytes: number;
  /** Whether it is answered without work; then it does not wait for the requests that run. */
  readonly isLight: boolean;
  readonly begin: () => void;
  readonly replies: Replies;
}

export class RequestQueue {
  readonly #hasRoom: () => boolean;
  readonly #onLeave: () => void;
  readonly #light: QueuedRequest[] = [];
  readonly #heavy: QueuedRequest[] = [];
  #waitingBytes = 0;
  /** What has begun and is not answered; lists, because a client may use one id twice. */
  readonly #running = new Map<RequestId, QueuedRequest[]>();
  #runningCount = 0;
  #nextTurn: NodeJS.Immediate | undefined;
  #onIdle: (() => void)[] = [];

  /** @param hasRoom whether stdout takes more answers. @param onLeave called when a request has begun or was cancelled before */
  constructor(hasRoom: () => boolean, onLeave: () => void) {
    this.#hasRoom = hasRoom;
    this.#onLeave = onLeave;
  }

  get waiting(): number {
    return this.#light.length + this.#heavy.length;
  }

  get isFull(): boolean {
    return this.waiting >= MAX_WAITING || this.#waitingBytes >= MAX_WAITING_BYTES;
  }

  add(request: QueuedRequest): void {
    (request.isLight ? this.#light : this.#heavy).push(request);
    this.#waitingBytes += request.bytes;
    this.advance();
  }

  /** Begins what can begin; of the requests with work one in each turn of the event loop, so that they do not block it together. */
  advance(): void {
    while (this.#light.length > 0 && this.#hasRoom()) this.#begin(this.#light.shift() as QueuedRequest);
    if (this.#heavy.length === 0 || this.#nextTurn !== undefined) return;
    if (this.#runningCount >= MAX_RUNNING || !this.#hasRoom()) return;
    this.#nextTurn = setImmediate(() => {
      this.#nextTurn = undefined;
      this.advance();
    });
    this.#begin(this.#heavy.shift() as QueuedRequest);
  }

  /** Takes out the request with this id, the newest of several: it is the one that the SDK aborts. */
  cancel(id: RequestId): void {
    const request = this.#takeWaiting(id) ?? this.#takeRunning(id, -1);
    request?.replies.drop();
    this.#afterTaking();
  }

  /** Sends an answer, unless the client has cancelled the request meanwhile. */
  answer(id: RequestId, json: string): void {
    this.#takeRunning(id, 0)?.replies.add(json);
    this.#afterTaking();
  }

  /** Resolves once every request is answered or cancelled. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle.push(resolve);
      this.#reportIdle();
    });
  }

  /** Drops what waits. */
  close(): void {
    clearImmediate(this.#nextTurn);
    for (const waiting of [this.#light, this.#heavy]) waiting.length = 0;
    this.#waitingBytes = 0;
  }

  #begin(request: QueuedRequest): void {
    const { id, bytes, begin } = request;
    this.#waitingBytes -= bytes;
    if (id !== undefined) {
      this.#running.set(id, [...(this.#running.get(id) ?? []), request]);
      this.#runningCount += 1;
    }
    begin();
    this.#onLeave();
    this.#reportIdle();
  }

  #takeWaiting(id: RequestId): QueuedRequest | undefined {
    for (const waiting of [this.#heavy, this.#light]) {
      const at = waiting.findLastIndex((request) => request.id === id);
      const [request] = at === -1 ? [] : waiting.splice(at, 1);
      if (request === undefined) continue;
      this.#waitingBytes -= request.bytes;
      this.#onLeave();
      return request;
    }
    return undefined;
  }

  /** @param at 0 for the oldest of several with this id, -1 for the newest */
  #takeRunning(id: RequestId, at: 0 | -1): QueuedRequest | undefined {
    const running = this.#running.get(id);
    const [request] = running?.splice(at, 1) ?? [];
    if (running?.length === 0) this.#running.delete(id);
    if (request !== undefined) this.#runningCount -= 1;
    return request;
  }

  #afterTaking(): void {
    this.advance();
    this.#reportIdle();
  }

  #reportIdle(): void {
    if (this.waiting > 0 || this.#runningCount > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}

export interface Replies {
  /** @param json one answer */
  add(json: string): void;
  /** One message gets no answer: a notification, or a request that the client cancelled. */
  drop(): void;
}

/** Sends the answers of a batch as one list once every message of it has been answered or dropped; nothing if there are none. */
export class BatchReplies implements Replies {
  readonly #send: (json: string) => void;
  readonly #answers: string[] = [];
  #open: number;

  constructor(messages: number, send: (json: string) => void) {
    this.#open = messages;
    this.#send = send;
  }

  add(json: string): void {
    this.#answers.push(json);
    this.drop();
  }

  drop(): void {
    this.#open -= 1;
    if (this.#open === 0 && this.#answers.length > 0) this.#send(`[${this.#answers.join(',')}]`);
  }
}
