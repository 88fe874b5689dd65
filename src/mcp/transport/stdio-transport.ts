// The stdio transport: parses each line of the input once, and answers malformed requests, which the SDK would drop.
import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { VaultgraphError } from '../../base/errors.ts';

const INVALID_REQUEST = -32600;

const NEWLINE = 0x0a;
const MAX_LINE_BYTES = 10 * 1024 * 1024;
const REQUEST_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

/** Calls `onMalformed` for each request that it answers itself. */
export class StdioTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #onMalformed: () => void;
  /** The pieces of a line whose end has not arrived. */
  #pieces: Buffer[] = [];
  #pieceBytes = 0;

  constructor(stdin: Readable, stdout: Writable, onMalformed: () => void) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#onMalformed = onMalformed;
  }

  async start(): Promise<void> {
    this.#stdin.on('data', this.#read);
    this.#stdin.on('error', this.#report);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#stdout.write(`${JSON.stringify(message)}\n`)) return;
    await new Promise((resolve) => this.#stdout.once('drain', resolve));
  }

  async close(): Promise<void> {
    this.#stdin.off('data', this.#read);
    this.#stdin.off('error', this.#report);
    this.#pieces = [];
    this.onclose?.();
  }

  readonly #report = (error: Error): void => this.onerror?.(error);

  readonly #read = (chunk: Buffer): void => {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#hold(chunk.subarray(from, at));
      from = at + 1;
      this.#receive(this.#takeLine());
    }
    this.#hold(chunk.subarray(from));
    if (this.#pieceBytes <= MAX_LINE_BYTES) return;
    const details = { field: 'the length of a line in bytes', limit: MAX_LINE_BYTES, actual: this.#pieceBytes };
    this.onerror?.(new VaultgraphError('LIMIT_EXCEEDED', details));
    void this.close();
  };

  #hold(bytes: Buffer): void {
    this.#pieces.push(bytes);
    this.#pieceBytes += bytes.length;
  }

  #takeLine(): string {
    const line = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#pieceBytes = 0;
    return line.toString('utf8');
  }

  #receive(line: string): void {
    try {
      const message: unknown = JSON.parse(line);
      const refusal = refusalOf(message);
      if (refusal === undefined) this.onmessage?.(message as JSONRPCMessage);
      else this.#refuse(refusal);
    } catch (thrown) {
      this.onerror?.(thrown as Error);
    }
  }

  #refuse(refusal: JSONRPCMessage): void {
    this.#onMalformed();
    void this.send(refusal);
  }
}

/** Undefined for anything but a malformed request with an id: the SDK reports other invalid messages. */
function refusalOf(message: unknown): JSONRPCMessage | undefined {
  if (!isPlainObject(message) || !('method' in message)) return undefined;
  const { id } = message;
  if (typeof id !== 'string' && !Number.isInteger(id)) return undefined;
  const fault = faultIn(message);
  if (fault === undefined) return undefined;
  return { jsonrpc: '2.0', id: id as string | number, error: { code: INVALID_REQUEST, message: fault } };
}

function faultIn(message: Readonly<Record<string, unknown>>): string | undefined {
  const { jsonrpc, method, params = {} } = message;
  if (jsonrpc !== '2.0') return 'jsonrpc: must be "2.0"';
  if (typeof method !== 'string') return 'method: must be a string';
  if (!isPlainObject(params)) return 'params: must be an object';
  const { _meta: meta = {} } = params;
  if (!isPlainObject(meta)) return 'params._meta: must be an object';
  const { progressToken: token = '' } = meta;
  if (typeof token !== 'string' && !Number.isInteger(token))
    return 'params._meta.progressToken: must be a string or an integer';
  const unknown = Object.keys(message).find((key) => !REQUEST_KEYS.has(key));
  return unknown === undefined ? undefined : 'a request has no members but jsonrpc, id, method and params';
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
