// Finds the id of a JSON-RPC message in its bytes as they arrive, without holding the message.
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { isRequestId, MAX_ID_CHARACTERS } from './jsonrpc-validator.ts';

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
