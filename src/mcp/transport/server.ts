// Serves MCP over stdio with the SDK.
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Implementation } from '@modelcontextprotocol/sdk/types.js';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { failureFields } from '../dispatch/call-journal.ts';
import type { ServerFeatures } from '../wire/method.ts';
import { watchProcessEnd } from './process-streams.ts';
import { createSessionServer } from './session-server.ts';
import { StatelessServer } from './stateless-server.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface ServeOptions {
  readonly identity: Implementation;
  readonly instructions: string;
  readonly offer: ServerFeatures;
  readonly stdin: Readable;
  /** The real stdout. */
  readonly stdout: Writable;
  readonly log: Log;
  /** Called with the name of the client after the handshake. */
  readonly onClient?: (name: string) => void;
  /** Bytes of the longest message that is read. */
  readonly maxMessageBytes: number;
  /** How long the client may leave its requests waiting and read nothing; a minute by default. */
  readonly maxStallMs?: number;
  /** How long running calls get to end by themselves; 800 ms by default. */
  readonly graceMs?: number;
  /** After this time the process ends although something is still open; 1.8 s by default. */
  readonly maxEndMs?: number;
  /** Ends the process; called when everything is closed or closing takes too long. */
  readonly exit: (code: number) => void;
  /** Closes everything that was opened, within about a second. */
  readonly close: () => Promise<void>;
}

/** A running call gets this long to end, and this long to answer after it is aborted. */
const GRACE_MS = 800;
const LAST_ANSWER_MS = 200;
/** SDK clients send SIGTERM two seconds after they close stdin, and SIGKILL two seconds later. */
const MAX_END_MS = 1_800;
const MAX_STALL_MS = 60_000;

/** Serves until the client disconnects or a signal arrives, then closes everything and ends the process. */
export async function serve(options: ServeOptions): Promise<void> {
  const { stdin, stdout, log, offer } = options;
  const end = watchProcessEnd(stdin, stdout);
  const ending = new AbortController();
  const { promise: stalled, resolve: onStalled } = Promise.withResolvers<'client_not_reading'>();
  const transport = createTransport(options, () => onStalled('client_not_reading'));
  const connection = connect(options, transport, ending);
  await connection.server.connect(transport);
  log('info', 'serving', { counts: offer.counts });
  const reason = await Promise.race([end, stalled]);
  const isStalled = reason === 'client_not_reading';
  log(isStalled ? 'error' : 'info', 'ending', {
    reason,
    ...(transport.isInLine ? { phase: 'cut off within a line' } : {}),
  });
  connection.stateless.close();
  offer.close();
  await endProcess(options, connection, isStalled ? 1 : 0);
}

function createTransport({ stdin, stdout, log, ...limits }: ServeOptions, onStalled: () => void): StdioTransport {
  const { maxMessageBytes, maxStallMs = MAX_STALL_MS } = limits;
  return new StdioTransport({
    stdin,
    stdout,
    maxMessageBytes,
    maxStallMs,
    onStalled,
    onMalformed: (reason) => log('warn', 'request_malformed', { reason }),
  });
}

type Connection = ReturnType<typeof connect>;

/** One set of methods serves both eras; which of them a client speaks is known with its first request. */
function connect(options: ServeOptions, transport: StdioTransport, ending: AbortController) {
  const { identity, instructions, offer, log, onClient } = options;
  const methods = offer.methods((method, params) => {
    if (transport.isStateless) return stateless.report(String(params.uri));
    if (!transport.hasRoom) return false;
    void server.notification({ method, params }).catch(() => undefined);
    return true;
  });
  const server = createSessionServer(options, methods, transport, ending.signal);
  const stateless = new StatelessServer({
    identity,
    instructions,
    capabilities: offer.capabilities,
    methods,
    transport,
    log,
    ending: ending.signal,
    ...(onClient && { onClient }),
  });
  transport.serveStateless(stateless);
  return { server, stateless, transport, ending };
}

/** @param code the exit code */
async function endProcess(options: ServeOptions, connection: Connection, code: number): Promise<void> {
  const { close, exit, log, stdout, graceMs = GRACE_MS, maxEndMs = MAX_END_MS } = options;
  const { server, transport, ending } = connection;
  const force = setTimeout(() => {
    log('warn', 'end_forced');
    exit(code);
  }, maxEndMs);
  await idleOrLate(transport, graceMs);
  ending.abort(new VaultgraphError('SHUTTING_DOWN', {}));
  await idleOrLate(transport, LAST_ANSWER_MS);
  await server.close();
  await close().catch((thrown: unknown) => log('error', 'close_failed', failureFields(toVaultgraphError(thrown))));
  await transport.flushed();
  await new Promise<void>((resolve) => stdout.end(resolve));
  clearTimeout(force);
  exit(code);
}

async function idleOrLate(transport: StdioTransport, waitMs: number): Promise<void> {
  await Promise.race([transport.idle(), sleep(waitMs, undefined, { ref: false })]);
}
