// Asks the server to end the statement that runs on a connection.
import { connect } from 'node:net';
import type { ConnectionSettings } from './settings.ts';

/** What the server gave the connection when it began. */
export interface BackendKey {
  readonly processID: number;
  readonly secretKey: number;
}

const CANCEL_CODE = 80_877_102;
const REQUEST_BYTES = 16;
const MAX_REQUEST_MS = 5_000;

/**
 * Without waiting for the outcome: the connection is closed as well, and the server's own time limit holds if the request is lost.
 * Servers take this request on a connection without encryption; the key in it is of use for this one connection only.
 */
export function cancelStatement({ host, port }: ConnectionSettings, { processID, secretKey }: BackendKey): void {
  const request = Buffer.alloc(REQUEST_BYTES);
  for (const [at, value] of [REQUEST_BYTES, CANCEL_CODE, processID, secretKey].entries())
    request.writeInt32BE(value | 0, at * 4);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(MAX_REQUEST_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.end(request);
  socket.unref();
}
