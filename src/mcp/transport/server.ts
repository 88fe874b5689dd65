// Serves MCP over stdio with the SDK.
import type { Readable } from 'node:stream';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Implementation, JSONRPCRequest, Notification, Result } from '@modelcontextprotocol/sdk/types.js';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { failureFields } from '../dispatch/call-journal.ts';
import { escapeControls } from '../render/safe-text.ts';
import {
  bugFault,
  type Fault,
  METHOD_NOT_FOUND,
  type Methods,
  quotedName,
  type Reply,
  type ServerFeatures,
  type WireRequest,
} from '../wire/method.ts';
import { type StdoutGuard, watchProcessEnd } from './process-streams.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface ServeOptions {
  readonly identity: Implementation;
  readonly instructions: string;
  readonly offer: ServerFeatures;
  readonly guard: StdoutGuard;
  readonly stdin: Readable;
  readonly log: Log;
  /** Called with the name of the client after the handshake. */
  readonly onClient?: (name: string) => void;
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
  const { guard, stdin, log, offer } = options;
  const end = watchProcessEnd(stdin, guard.stdout);
  const calls = createRunningCalls();
  const server = createServer(options, calls);
  const disconnected = new Promise<'connection_closed'>((resolve) => {
    server.onclose = () => resolve('connection_closed');
  });
  await server.connect(new StdioTransport(stdin, guard.stdout, () => log('warn', 'request_malformed')));
  log('info', 'serving', { counts: offer.counts });
  const reason = await Promise.race([end.reason, disconnected]);
  log('info', 'ending', { reason, ...(end.isCutOff() ? { phase: 'cut off within a line' } : {}) });
  offer.close();
  await endProcess(options, server, calls);
}

async function endProcess(
  { close, exit, guard, log }: ServeOptions,
  server: Server,
  calls: RunningCalls,
): Promise<void> {
  const force = setTimeout(() => {
    log('warn', 'end_forced');
    exit(0);
  }, MAX_END_MS);
  await calls.drain(GRACE_MS, LAST_ANSWER_MS);
  // The SDK sends an answer a few event loop turns after the handler returns it.
  await setImmediate();
  await server.close();
  await close().catch((thrown: unknown) => log('error', 'close_failed', failureFields(toVaultgraphError(thrown))));
  await new Promise<void>((resolve) => guard.stdout.end(resolve));
  clearTimeout(force);
  exit(0);
}

function createServer({ identity, instructions, offer, log, onClient }: ServeOptions, calls: RunningCalls): Server {
  const server = new Server(identity, { capabilities: offer.capabilities, instructions });
  const notify = (method: string, params: Notification['params']): void =>
    void server.notification({ method, ...(params && { params }) }).catch(() => undefined);
  const methods = offer.methods(notify);
  // The SDK's own handlers would refuse malformed requests without listing what is available.
  server.fallbackRequestHandler = async ({ method, params }: JSONRPCRequest, extra: Extra): Promise<Result> => {
    const token = params?._meta?.progressToken;
    const answer = (signal: AbortSignal): Promise<Reply> =>
      answerOf(methods, method, params, wireRequest(server, extra, token, signal), log);
    const reply = await calls.run(extra.signal, answer);
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

/** Progress is sent only if the client gave a token. */
function wireRequest(server: Server, extra: Extra, token: unknown, signal: AbortSignal): WireRequest {
  const request = { id: String(extra.requestId), signal, client: clientName(server) };
  if (typeof token !== 'string' && typeof token !== 'number') return request;
  // A notification fails only when the connection closes, which is handled elsewhere.
  const progress: WireRequest['progress'] = (note) =>
    void extra
      .sendNotification({ method: 'notifications/progress', params: { progressToken: token, ...note } })
      .catch(() => undefined);
  return { ...request, progress };
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

interface RunningCalls {
  /** Runs `work` with a signal that the client aborts, and the server when it shuts down. */
  run<T>(client: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Waits `graceMs` for running calls, then aborts them and every later one with SHUTTING_DOWN. */
  drain(graceMs: number, lastMs: number): Promise<void>;
}

function createRunningCalls(): RunningCalls {
  const running = new Set<Promise<unknown>>();
  const ending = new AbortController();
  const allEnded = (waitMs: number): Promise<unknown> =>
    Promise.race([Promise.allSettled(running), sleep(waitMs, undefined, { ref: false })]);
  return {
    run: async (client, work) => {
      const call = work(AbortSignal.any([client, ending.signal]));
      running.add(call);
      return call.finally(() => running.delete(call));
    },
    drain: async (graceMs, lastMs) => {
      await allEnded(graceMs);
      ending.abort(new VaultgraphError('SHUTTING_DOWN', {}));
      await allEnded(lastMs);
    },
  };
}
