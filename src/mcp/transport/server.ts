// Serves MCP over stdio with the SDK.
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Implementation, JSONRPCRequest, Result } from '@modelcontextprotocol/sdk/types.js';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { failureFields } from '../dispatch/call-journal.ts';
import { escapeControls } from '../render/safe-text.ts';
import {
  bugFault,
  type Fault,
  METHOD_NOT_FOUND,
  type Methods,
  type Notify,
  quotedName,
  type Reply,
  type ServerFeatures,
  type WireRequest,
} from '../wire/method.ts';
import { userAsker } from './ask-user.ts';
import { initializeFault } from './initialize.ts';
import { watchProcessEnd } from './process-streams.ts';
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

interface Extra {
  readonly signal: AbortSignal;
  readonly requestId: string | number;
  readonly sendNotification: (note: { method: 'notifications/progress'; params: ProgressParams }) => Promise<void>;
}

type ProgressParams = {
  readonly progressToken: string | number;
  readonly progress: number;
  readonly [key: string]: unknown;
};

/** Serves until the client disconnects or a signal arrives, then closes everything and ends the process. */
export async function serve(options: ServeOptions): Promise<void> {
  const { stdin, stdout, log, offer } = options;
  const end = watchProcessEnd(stdin, stdout);
  const ending = new AbortController();
  const { promise: stalled, resolve: onStalled } = Promise.withResolvers<'client_not_reading'>();
  const transport = createTransport(options, () => onStalled('client_not_reading'));
  const server = createServer(options, transport, ending.signal);
  await server.connect(transport);
  log('info', 'serving', { counts: offer.counts });
  const reason = await Promise.race([end, stalled]);
  const isStalled = reason === 'client_not_reading';
  log(isStalled ? 'error' : 'info', 'ending', {
    reason,
    ...(transport.isInLine ? { phase: 'cut off within a line' } : {}),
  });
  offer.close();
  await endProcess(options, { server, transport, ending, code: isStalled ? 1 : 0 });
}

function createTransport({ stdin, stdout, log, ...limits }: ServeOptions, onStalled: () => void): StdioTransport {
  const { maxMessageBytes, maxStallMs = MAX_STALL_MS } = limits;
  return new StdioTransport({
    ...{ stdin, stdout, maxMessageBytes, maxStallMs, onStalled },
    faultOf: ({ method, params }) => (method === 'initialize' ? initializeFault(params) : undefined),
    onMalformed: (reason) => log('warn', 'request_malformed', { reason }),
  });
}

interface Connection {
  readonly server: Server;
  readonly transport: StdioTransport;
  /** Aborts the calls that run and those that begin later. */
  readonly ending: AbortController;
  /** The exit code. */
  readonly code: number;
}

async function endProcess(options: ServeOptions, connection: Connection): Promise<void> {
  const { close, exit, log, stdout, graceMs = GRACE_MS, maxEndMs = MAX_END_MS } = options;
  const { server, transport, ending, code } = connection;
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

/** The SDK would refuse a call with a `task`, but a server without tasks answers it as any other call. */
class McpServer extends Server {
  protected override assertTaskHandlerCapability(): void {
    // Nothing is required.
  }
}

function createServer(
  { identity, instructions, offer, log, onClient }: ServeOptions,
  transport: StdioTransport,
  ending: AbortSignal,
): Server {
  const server = new McpServer(identity, { capabilities: offer.capabilities, instructions });
  const notify: Notify = (method, params) => {
    if (!transport.hasRoom) return false;
    void server.notification({ method, params }).catch(() => undefined);
    return true;
  };
  const methods = offer.methods(notify);
  // The SDK's own handlers would refuse malformed requests without listing what is available.
  server.fallbackRequestHandler = async ({ method, params }: JSONRPCRequest, extra: Extra): Promise<Result> => {
    const sendProgress = progressSender(transport, extra, params?._meta?.progressToken);
    const signal = AbortSignal.any([extra.signal, ending]);
    const ask = userAsker(server, log);
    const caller = { signal, client: clientName(server), ...sendProgress, ...(ask && { ask }) };
    const request = { id: String(extra.requestId), ...caller };
    const reply = await answerOf(methods, method, params, request, log);
    if ('fault' in reply) throw protocolError(reply.fault);
    return reply.result as Result;
  };
  server.oninitialized = () => onClient?.(clientName(server));
  server.onerror = (fault) => log('warn', 'transport_fault', { cause: fault.name });
  return server;
}

async function answerOf(
  methods: Methods,
  name: string,
  params: JSONRPCRequest['params'],
  request: WireRequest,
  log: Log,
): Promise<Reply> {
  const method = methods.get(name);
  if (method === undefined) return { fault: { code: METHOD_NOT_FOUND, message: `no method ${quotedName(name)}` } };
  try {
    return await method(params, request);
  } catch (thrown) {
    // Methods return failures, so this is a bug; the SDK would send its raw message.
    const { fault, error } = bugFault(thrown);
    log('error', 'method_broken', { tool: name, ...failureFields(error) });
    return { fault };
  }
}

/** Progress is sent only if the client gave a token, and dropped while the client does not read. */
function progressSender(transport: StdioTransport, extra: Extra, token: unknown): Pick<WireRequest, 'progress'> {
  if (typeof token !== 'string' && typeof token !== 'number') return {};
  const progress: WireRequest['progress'] = (note) => {
    if (!transport.hasRoom) return;
    const params = { progressToken: token, ...note };
    // A notification fails only when the connection closes, which is handled elsewhere.
    void extra.sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  return { progress };
}

const MAX_CLIENT_NAME_LENGTH = 100;

/** The name that the client gave in the handshake, cut short and on one line because it is foreign text. */
function clientName(server: Server): string {
  const name = server.getClientVersion()?.name ?? '';
  return escapeControls(name.slice(0, MAX_CLIENT_NAME_LENGTH).toWellFormed());
}

/** The SDK sends the code and data of a plain error unchanged; its own error class would add a second prefix to the message. */
function protocolError({ code, message, data }: Fault): Error {
  return Object.assign(new Error(message), { code, ...(data === undefined ? {} : { data }) });
}
