// Faults of any HTTP server, with the failure that each gives a call of a provider.
import type { ErrorCode } from '../../../src/base/errors.ts';
import type { Fault } from './exchange.ts';
import { brokenJson, html, raw, reset } from './faults.ts';

export interface FailureCase {
  readonly title: string;
  readonly fault: Fault;
  readonly code: ErrorCode;
  readonly details?: object;
}

/** Of the whole request, and of one of its texts. */
export const call = { level: 'call' };
export const item = { level: 'item' };

const NOT_HTTP = { level: 'call', expected: 'an HTTP response' };
/** In the body, after a valid first chunk. */
const INVALID_CHUNK = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\nzz\r\n';

export const HTTP_FAILURES: readonly FailureCase[] = [
  { title: 'P3 reset', fault: reset(), code: 'PROVIDER_UNAVAILABLE', details: { cause_code: 'ECONNRESET' } },
  { title: 'P5 not HTTP', fault: raw('220 mail.example.test\r\n'), code: 'PROVIDER_BAD_RESPONSE', details: NOT_HTTP },
  { title: 'P5 an invalid chunk', fault: raw(INVALID_CHUNK), code: 'PROVIDER_BAD_RESPONSE', details: NOT_HTTP },
  { title: 'P5 200 HTML', fault: html(200), code: 'PROVIDER_BAD_RESPONSE', details: call },
  { title: 'P5 broken JSON', fault: brokenJson(), code: 'PROVIDER_BAD_RESPONSE', details: call },
  { title: 'P5 502 HTML', fault: html(502), code: 'PROVIDER_ERROR', details: { ...call, status: 502 } },
];
