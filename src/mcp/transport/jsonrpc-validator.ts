// Decides what a line of the client is: a request, a notification, a response, or something that is refused.
import { isUtf8 } from 'node:buffer';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCErrorResponse,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { isObject } from '../../base/plain-object.ts';
import { type Fault, INVALID_REQUEST, PARSE_ERROR } from '../wire/method.ts';

/** An answer repeats the id, and an error repeats no more than this of what the client sent. */
export const MAX_ID_CHARACTERS = 200;
const MAX_BATCH_MESSAGES = 100;
/** Later versions have no batches. */
const LAST_VERSION_WITH_BATCHES = '2025-03-26';
const REQUEST_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

/**
 * `dropped`: a malformed response or notification, which JSON-RPC never answers. `answered`: the id of our request, if one has it,
 * to which the message is a malformed response.
 */
export type Incoming =
  | { readonly kind: 'request'; readonly request: JSONRPCRequest }
  | { readonly kind: 'notification'; readonly notification: JSONRPCNotification }
  | { readonly kind: 'response'; readonly response: JSONRPCResponse }
  | { readonly kind: 'refused'; readonly id?: RequestId; readonly fault: Fault; readonly answered?: RequestId }
  | { readonly kind: 'dropped'; readonly reason: 'malformed_notification' }
  | { readonly kind: 'dropped'; readonly reason: 'response'; readonly answered?: RequestId };

/** The value of a line, or the fault of a line that has none. */
export function parsedLine(bytes: Buffer): { readonly value: unknown } | { readonly fault: Fault } {
  if (!isUtf8(bytes)) return { fault: { code: PARSE_ERROR, message: 'this line is not valid UTF-8' } };
  try {
    return { value: JSON.parse(bytes.toString('utf8')) };
  } catch {
    return { fault: { code: PARSE_ERROR, message: 'this line is not valid JSON' } };
  }
}

/** The kind of one message. Anything with a `result` or an `error` and no `method` counts as a response. */
export function incomingOf(message: unknown): Incoming {
  if (!isObject(message)) return refused(undefined, 'a message must be an object');
  const { id, method } = message;
  if (method === undefined && ('result' in message || 'error' in message)) {
    const isValid = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
    if (isValid) return { kind: 'response', response: message };
    return { kind: 'dropped', reason: 'response', ...(isRequestId(id) && { answered: id }) };
  }
  if (!('id' in message) && typeof method === 'string') {
    if (isJSONRPCNotification(message)) return { kind: 'notification', notification: message };
    return { kind: 'dropped', reason: 'malformed_notification' };
  }
  const fault = faultIn(message);
  if (fault !== undefined) {
    const refusal = refused(isRequestId(id) ? id : undefined, fault);
    return method === undefined && isRequestId(id) ? { ...refusal, answered: id } : refusal;
  }
  return { kind: 'request', request: message as JSONRPCRequest };
}

/** Takes the place of a response that cannot be read: nothing else will answer the request. */
export function unreadableResponse(id: RequestId): JSONRPCErrorResponse {
  return {
    jsonrpc: '2.0',
    id,
    error: { code: INVALID_REQUEST, message: 'the client answered with what is no response' },
  };
}

/** Why a list of messages is refused. @param version of the session; undefined before the handshake */
export function batchFault(messages: number, version: string | undefined): string | undefined {
  if (version === undefined || version > LAST_VERSION_WITH_BATCHES)
    return `send one message at a time: only protocol ${LAST_VERSION_WITH_BATCHES} and earlier ones have batches`;
  if (messages === 0) return 'a batch must have at least one message';
  return messages > MAX_BATCH_MESSAGES ? `a batch has at most ${MAX_BATCH_MESSAGES} messages` : undefined;
}

/** A larger number is not the one that the client wrote, because JSON.parse has rounded it. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' ? value.length <= MAX_ID_CHARACTERS : Number.isSafeInteger(value);
}

function refused(id: RequestId | undefined, message: string): Extract<Incoming, { readonly kind: 'refused' }> {
  return { kind: 'refused', ...(id !== undefined && { id }), fault: { code: INVALID_REQUEST, message } };
}

const ID_RULE = `must be a string of at most ${MAX_ID_CHARACTERS} characters or an integer between -(2^53-1) and 2^53-1`;

function faultIn(message: Readonly<Record<string, unknown>>): string | undefined {
  const { jsonrpc, id, method, params = {} } = message;
  if (jsonrpc !== '2.0') return 'jsonrpc: must be "2.0"';
  if (typeof method !== 'string') return 'method: must be a string';
  if (!isRequestId(id)) return `id: ${ID_RULE}`;
  if (!isObject(params)) return 'params: must be an object';
  const { _meta: meta = {} } = params;
  if (!isObject(meta)) return 'params._meta: must be an object';
  const { progressToken: token = '' } = meta;
  if (!isRequestId(token)) return `params._meta.progressToken: ${ID_RULE}`;
  const unknown = Object.keys(message).find((key) => !REQUEST_KEYS.has(key));
  if (unknown !== undefined) return 'a request has no members but jsonrpc, id, method and params';
  // What remains are the reserved keys of `_meta`, which the SDK checks.
  return isJSONRPCRequest(message) ? undefined : 'params._meta: a reserved key has a value of the wrong type';
}
