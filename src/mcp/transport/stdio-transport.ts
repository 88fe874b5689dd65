// The stdio transport: reads messages from lines of stdin, refuses what is not valid, and reads no faster than it can answer.
import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CancelledNotificationSchema,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { type Fault, INVALID_REQUEST } from '../wire/method.ts';
import { batchFault, type Incoming, incomingOf, parsedLine, unreadableResponse } from './jsonrpc-validator.ts';
import { type Line, StdinLines } from './line-reader.ts';
import { DISCOVER, initializeFault, ProtocolEra, type Route } from './protocol-era.ts';
import type { RequestMetadata } from './request-metadata.ts';
import { BatchReplies, type Replies, RequestQueue } from './request-queue.ts';

/** While more than this waits for stdout, no request begins. */
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
const LIGHT_METHODS: ReadonlySet<string> = new Set(['initialize', 'ping', DISCOVER]);
/** Clients that read lines as their language does, such as Node's readline, would cut a message here. In JSON only strings have them. */
const OTHER_LINE_ENDS = /[\u0085\u2028\u2029]/g;
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export interface TransportOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Bytes of the longest line that is read. */
  readonly maxMessageBytes: number;
  /** How long stdout may take nothing while stdin is paused. */
  readonly maxStallMs: number;
  /** Called for each message that is refused or dropped. @param reason the code of the refusal, or why it was dropped */
  readonly onMalformed: (reason: string) => void;
  /** Called when the client has not read for `maxStallMs`. */
  readonly onStalled: () => void;
}

/** What serves requests without a handshake. */
export interface StatelessRequests {
  begin(request: JSONRPCRequest, metadata: RequestMetadata): void;
  cancel(id: RequestId): void;
}

export class StdioTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  readonly #options: TransportOptions;
  readonly #input: StdinLines;
  readonly #outbox: Outbox;
  readonly #queue: RequestQueue;
  /** Answers to requests that are not part of a batch. */
  readonly #lines: Replies;
  /** Ids of our own requests that the client has not answered. */
  readonly #asked = new Set<RequestId>();
  /** Ids of the client's requests that stay open. */
  readonly #open = new Set<RequestId>();
  readonly #era = new ProtocolEra();
  #stateless: StatelessRequests | undefined;
  #isFirstLine = true;
  #stallTimer: NodeJS.Timeout | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#input = new StdinLines(options.stdin, options.maxMessageBytes, {
      isReady: () => !this.#queue.isFull,
      onLine: (line) => {
        this.#receive(line);
        this.#watchStall();
      },
      onError: (error) => this.onerror?.(error),
    });
    this.#outbox = new Outbox(options.stdout, this.#onTaken);
    this.#queue = new RequestQueue(() => this.hasRoom, this.#input.read);
    this.#lines = { add: (json) => this.#outbox.write(json), drop: () => undefined };
  }

  /** Whether stdout takes more; a notification that can be sent later waits until then. */
  get hasRoom(): boolean {
    return this.#outbox.unsentBytes <= MAX_UNSENT_BYTES;
  }

  /** Whether the input so far ends within a line. */
  get isInLine(): boolean {
    return this.#input.isInLine;
  }

  /** The version of the handshake; undefined before it. */
  get protocolVersion(): string | undefined {
    return this.#era.sessionVersion;
  }

  /** Whether the client has opened with a request that carries its own metadata. */
  get isStateless(): boolean {
    return this.#era.isStateless;
  }

  /** To be called before `start`. */
  serveStateless(requests: StatelessRequests): void {
    this.#stateless = requests;
  }

  async start(): Promise<void> {
    this.#input.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const json = JSON.stringify(message);
    if ('method' in message) {
      this.#noteAsked(message);
      this.#outbox.write(json);
    } else if (this.#open.delete(message.id as RequestId)) this.#outbox.write(json);
    else this.#queue.answer(message.id as RequestId, json);
  }

  /** The request is answered much later, and no other one waits for it. */
  keepOpen(id: RequestId): void {
    this.#queue.cancel(id);
    this.#open.add(id);
  }

  /** Resolves once every request that was read is answered or cancelled. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** Resolves once stdout has taken every answer. */
  flushed(): Promise<void> {
    return this.#outbox.emptied();
  }

  async close(): Promise<void> {
    this.#input.stop();
    clearTimeout(this.#stallTimer);
    this.#queue.close();
    this.onclose?.();
  }

  readonly #onTaken = (): void => {
    this.#stallTimer?.refresh();
    this.#queue.advance();
    this.#watchStall();
  };

  /** Called whenever the queue or the outbox may have become full or empty. */
  #watchStall(): void {
    const { maxStallMs, onStalled } = this.#options;
    const isBlocked = this.#queue.isFull && this.#outbox.unsentBytes > 0;
    if (!isBlocked) clearTimeout(this.#stallTimer);
    this.#stallTimer = isBlocked ? (this.#stallTimer ?? setTimeout(onStalled, maxStallMs)) : undefined;
  }

  #receive(line: Line): void {
    const isFirst = this.#isFirstLine;
    this.#isFirstLine = false;
    if ('discarded' in line) this.#refuseTooLong(line.discarded);
    else this.#receiveBytes(isFirst ? withoutMark(line.bytes) : line.bytes);
  }

  #receiveBytes(bytes: Buffer): void {
    if (bytes.every(isBlank)) return;
    const parsed = parsedLine(bytes);
    if ('fault' in parsed) this.#refuse(parsed.fault, undefined, this.#lines);
    else if (Array.isArray(parsed.value)) this.#receiveBatch(parsed.value, bytes.length);
    else this.#receiveMessage(incomingOf(parsed.value), bytes.length, this.#lines);
  }

  #refuseTooLong({ length, id }: { readonly length: number; readonly id: RequestId | undefined }): void {
    const { maxMessageBytes } = this.#options;
    const message = `this message has ${length} bytes, and limits.message allows ${maxMessageBytes}`;
    const data = { limit: maxMessageBytes, actual: length };
    this.#refuse({ code: INVALID_REQUEST, message, data }, id, this.#lines);
  }

  #receiveBatch(messages: readonly unknown[], bytes: number): void {
    const message = batchFault(messages.length, this.#era.sessionVersion);
    if (message !== undefined) {
      this.#refuse({ code: INVALID_REQUEST, message }, undefined, this.#lines);
      return;
    }
    const replies = new BatchReplies(messages.length, (json) => this.#outbox.write(json));
    for (const one of messages) this.#receiveMessage(incomingOf(one), bytes / messages.length, replies);
  }

  #receiveMessage(incoming: Incoming, bytes: number, replies: Replies): void {
    if (incoming.kind === 'request') this.#receiveRequest(incoming.request, bytes, replies);
    else if (incoming.kind === 'refused') {
      this.#refuse(incoming.fault, incoming.id, replies);
      if (incoming.answered !== undefined) this.#endQuestions([incoming.answered]);
    } else {
      if (incoming.kind === 'notification') this.#receiveNotification(incoming.notification);
      else if (incoming.kind === 'response') this.#receiveResponse(incoming.response);
      else this.#drop(incoming);
      replies.drop();
    }
  }

  #receiveNotification(notification: JSONRPCNotification): void {
    const { data } = CancelledNotificationSchema.safeParse(notification);
    if (this.#era.isStateless) this.#cancelStateless(data?.params.requestId);
    else {
      // The SDK does not cancel 0 and the empty string.
      if (data?.params.requestId) this.#queue.cancel(data.params.requestId);
      this.onmessage?.(notification);
    }
  }

  #cancelStateless(id: RequestId | undefined): void {
    if (id === undefined) return;
    this.#open.delete(id);
    this.#queue.cancel(id);
    this.#stateless?.cancel(id);
  }

  /** A request is open until it is answered or withdrawn. */
  #noteAsked(message: JSONRPCRequest | JSONRPCNotification): void {
    if ('id' in message) this.#asked.add(message.id);
    else if (message.method === 'notifications/cancelled') this.#asked.delete(message.params?.requestId as RequestId);
  }

  /** A late answer, or one to no question, does nothing. An error without an id is about a request that the client could not read. */
  #receiveResponse(response: JSONRPCResponse): void {
    const { id } = response;
    if (id === undefined) this.#drop({ kind: 'dropped', reason: 'response' });
    else if (this.#asked.delete(id)) this.onmessage?.(response);
    else this.#options.onMalformed('response');
  }

  /** Without an id it may be the response to any question that waits. */
  #drop(dropped: Extract<Incoming, { readonly kind: 'dropped' }>): void {
    this.#options.onMalformed(dropped.reason);
    if (dropped.reason !== 'response') return;
    this.#endQuestions(dropped.answered === undefined ? [...this.#asked] : [dropped.answered]);
  }

  /** Nothing else would end them before their time. */
  #endQuestions(ids: readonly RequestId[]): void {
    for (const id of ids) if (this.#asked.delete(id)) this.onmessage?.(unreadableResponse(id));
  }

  #receiveRequest(request: JSONRPCRequest, bytes: number, replies: Replies): void {
    const { id, method } = request;
    const fault = replies === this.#lines ? undefined : faultInBatch(request);
    const route: Route = fault === undefined ? this.#era.route(request) : { kind: 'refused', fault };
    if (route.kind === 'refused') this.#refuse(route.fault, id, replies);
    else {
      const begin = (): void => this.#begin(request, route);
      this.#queue.add({ id, bytes, isLight: LIGHT_METHODS.has(method), begin, replies });
    }
  }

  #begin(request: JSONRPCRequest, route: Exclude<Route, { readonly kind: 'refused' }>): void {
    if (route.kind === 'session') this.onmessage?.(request);
    else this.#stateless?.begin(request, route.metadata);
  }

  /** Through the queue, because a refusal needs room too. */
  #refuse(error: Fault, id: RequestId | undefined, replies: Replies): void {
    this.#options.onMalformed(String(error.code));
    const json = JSON.stringify({ jsonrpc: '2.0', ...(id !== undefined && { id }), error });
    this.#queue.add({ id: undefined, bytes: json.length, isLight: true, begin: () => replies.add(json), replies });
  }
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;
}

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d;

function faultInBatch({ method, params }: JSONRPCRequest): Fault | undefined {
  if (method !== 'initialize') return undefined;
  return initializeFault(params) ?? { code: INVALID_REQUEST, message: 'initialize: must not be part of a batch' };
}

/** Small enough to see that a slow client still reads within a long line. */
const PIECE_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

class Outbox {
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
    const line = `${text.replace(OTHER_LINE_ENDS, escaped)}\n`;
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
