// Answers a request that is malformed as a message, which the SDK would drop without a word.
import { Transform } from 'node:stream';

export const INVALID_REQUEST = -32600;

const NEWLINE = 0x0a;
/** The SDK ends the connection over a longer line, so such a one goes by unread. */
const MAX_LINE_BYTES = 10 * 1024 * 1024;
const KNOWN_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

/** Lets all bytes through but the lines it answers itself. @param answer sends one message */
export function createRequestSieve(answer: (message: object) => void): Transform {
  let held: Buffer[] = [];
  let heldBytes = 0;

  function hold(bytes: Buffer): void {
    held.push(bytes);
    heldBytes += bytes.length;
  }

  function takeHeld(): Buffer {
    const line = held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held);
    held = [];
    heldBytes = 0;
    return line;
  }

  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        hold(chunk.subarray(from, at + 1));
        from = at + 1;
        const line = takeHeld();
        const refusal = refusalOf(line);
        if (refusal === undefined) this.push(line);
        else answer(refusal);
      }
      if (from < chunk.length) hold(chunk.subarray(from));
      if (heldBytes > MAX_LINE_BYTES) this.push(takeHeld());
      done();
    },
    flush(done) {
      if (heldBytes > 0) this.push(takeHeld());
      done();
    },
  });
}

/** Undefined for whatever is no request with an id to answer: that is for the SDK to log. */
function refusalOf(line: Buffer): object | undefined {
  const message = parsed(line);
  if (!isPlainObject(message) || !('method' in message)) return undefined;
  const { id } = message;
  if (typeof id !== 'string' && !Number.isInteger(id)) return undefined;
  const fault = faultIn(message);
  return fault === undefined ? undefined : { jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message: fault } };
}

function faultIn(message: Readonly<Record<string, unknown>>): string | undefined {
  const { jsonrpc, method, params = {} } = message;
  if (jsonrpc !== '2.0') return 'jsonrpc: must be "2.0"';
  if (typeof method !== 'string') return 'method: must be a text';
  if (!isPlainObject(params)) return 'params: must be an object';
  const { _meta: meta = {} } = params;
  if (!isPlainObject(meta)) return 'params._meta: must be an object';
  const { progressToken: token = '' } = meta;
  if (typeof token !== 'string' && !Number.isInteger(token))
    return 'params._meta.progressToken: must be a text or integer';
  const unknown = Object.keys(message).find((key) => !KNOWN_KEYS.has(key));
  return unknown === undefined ? undefined : 'a request has no members but jsonrpc, id, method and params';
}

function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    // No message at all: nobody can be answered, and the SDK tells of it.
    return undefined;
  }
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
