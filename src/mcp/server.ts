// Speaks MCP over stdio: the only place that knows the SDK. Knows no tool, no capability and no error's meaning.
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { CallToolResult, JSONRPCRequest, ListToolsResult, Result } from '@modelcontextprotocol/sdk/types.js';
import { toVaultgraphError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Caller, Dispatch } from './dispatch.ts';
import { type Exposed, refuseUnlisted } from './expose.ts';
import { failureFields } from './failure-log.ts';
import { watchProcessEnd } from './process-end.ts';
import { openProgress, type ProgressNote } from './progress.ts';
import type { Answer } from './result.ts';
import { createRunningCalls, type RunningCalls } from './running-calls.ts';
import { escapeControls } from './shown-text.ts';
import type { StdoutGuard } from './stdout-guard.ts';
import { toolList } from './tool-list.ts';

export interface ServeOptions {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly instructions: string;
  readonly exposed: Exposed;
  readonly dispatch: Dispatch;
  /** False for clients that choke on the structured half of an answer. */
  readonly structuredContent: boolean;
  /** Whether the list tells the shape of the answers. */
  readonly outputSchemas?: boolean;
  readonly guard: StdoutGuard;
  readonly stdin: Readable;
  readonly log: Log;
  /** Ends the process; called once everything is closed, or when closing takes too long. */
  readonly exit: (code: number) => void;
  /** Ends everything that was opened; it is given about a second. */
  readonly close: () => Promise<void>;
}

/** A call that was read gets this long to end by itself, and this long to answer once it is aborted. */
const GRACE_MS = 800;
const LAST_ANSWER_MS = 200;
/** SDK clients send SIGTERM two seconds after they closed stdin and SIGKILL two seconds later; noticing the end took its time, too. */
const LONGEST_END_MS = 1_800;

const INVALID_PARAMS = -32602;
const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

interface Extra {
  readonly signal: AbortSignal;
  readonly requestId: string | number;
  readonly sendNotification: (note: { method: 'notifications/progress'; params: ProgressParams }) => Promise<void>;
}

type ProgressParams = ProgressNote & { readonly progressToken: string | number; readonly [key: string]: unknown };

/** Serves until the client has gone or the process is told to end; then everything is closed and the process ends. */
export async function serve(options: ServeOptions): Promise<void> {
  const { guard, stdin, log } = options;
  const end = watchProcessEnd(stdin, guard.stdout);
  const calls = createRunningCalls();
  const server = createServer(options, calls);
  const disconnected = new Promise<'connection_closed'>((resolve) => {
    server.onclose = () => resolve('connection_closed');
  });
  await server.connect(new StdioServerTransport(stdin, guard.stdout));
  log('info', 'serving', { counts: { tools: options.exposed.tools.size } });
  const reason = await Promise.race([end.reason, disconnected]);
  log('info', 'ending', { reason, ...(end.isCutOff() ? { phase: 'cut off within a line' } : {}) });
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
  }, LONGEST_END_MS);
  await calls.drain(GRACE_MS, LAST_ANSWER_MS);
  // The SDK sends an answer some turns after its handler returned it.
  await setImmediate();
  await server.close();
  await close().catch((thrown: unknown) => log('error', 'close_failed', failureFields(toVaultgraphError(thrown))));
  await new Promise<void>((resolve) => guard.stdout.end(resolve));
  clearTimeout(force);
  exit(0);
}

function createServer(options: ServeOptions, calls: RunningCalls): Server {
  const { name, title, version, instructions, log } = options;
  const server = new Server({ name, title, version }, { capabilities: { tools: {} }, instructions });
  let list: ListToolsResult | undefined;
  // The SDK's own handlers for these methods refuse malformed requests without saying what there is.
  server.fallbackRequestHandler = async ({ method, params }: JSONRPCRequest, extra: Extra): Promise<Result> => {
    if (method === 'tools/list') {
      list ??= { tools: toolList(options.exposed.tools.values(), options.outputSchemas) };
      return list;
    }
    if (method === 'tools/call') return callTool(options, calls, params, extra, clientName(server));
    throw protocolError(METHOD_NOT_FOUND, `no method ${JSON.stringify(method.slice(0, 100))}`);
  };
  server.onerror = (fault) => log('warn', 'transport_fault', { cause: fault.name });
  return server;
}

async function callTool(
  { exposed, dispatch, structuredContent, log }: ServeOptions,
  calls: RunningCalls,
  params: JSONRPCRequest['params'],
  extra: Extra,
  client: string,
): Promise<CallToolResult> {
  const name = listedName(exposed, params?.name);
  const progress = progressFor(name, params?._meta?.progressToken, extra);
  const caller: Omit<Caller, 'signal'> = {
    ...{ requestId: String(extra.requestId), client },
    ...(progress === undefined ? {} : { progress: progress.report }),
  };
  try {
    const answer = await calls.run(extra.signal, (signal) => dispatch(name, params?.arguments, { ...caller, signal }));
    return toolResult(answer, structuredContent);
  } catch (thrown) {
    // The dispatcher answers every failure, so this is a bug in it; the SDK would send its raw message.
    const error = toVaultgraphError(thrown);
    log('error', 'call_broken', { tool: name, ...failureFields(error) });
    throw protocolError(INTERNAL_ERROR, error.message, { error_id: error.errorId });
  } finally {
    progress?.close();
  }
}

const LONGEST_CLIENT_NAME = 100;

/** As the client named itself when it connected; foreign text, so it is kept short and on one line. */
function clientName(server: Server): string {
  const name = server.getClientVersion()?.name ?? '';
  return escapeControls(name.slice(0, LONGEST_CLIENT_NAME).toWellFormed());
}

/** @throws a protocol error that says what there is */
function listedName(exposed: Exposed, name: unknown): string {
  if (typeof name === 'string' && exposed.tools.has(name)) return name;
  if (typeof name === 'string') {
    const { message, data } = refuseUnlisted(exposed, name);
    throw protocolError(INVALID_PARAMS, message, data);
  }
  const available = [...exposed.tools.keys()];
  throw protocolError(INVALID_PARAMS, 'tools/call needs the name of a tool', { available });
}

/** Only a client that gave a token is told of progress. */
function progressFor(
  tool: string,
  token: unknown,
  { sendNotification }: Extra,
): ReturnType<typeof openProgress> | undefined {
  if (typeof token !== 'string' && typeof token !== 'number') return undefined;
  // A note that cannot be sent means that the connection is closing, which has its own watch.
  const send = (note: ProgressNote): void =>
    void sendNotification({ method: 'notifications/progress', params: { progressToken: token, ...note } }).catch(
      () => undefined,
    );
  return openProgress(tool, send);
}

function toolResult({ text, structured, isError }: Answer, structuredContent: boolean): CallToolResult {
  const content: CallToolResult['content'] = [{ type: 'text', text }];
  return structuredContent ? { content, structuredContent: { ...structured }, isError } : { content, isError };
}

/** The SDK sends a plain error's integer code and data as they are; its own error class would double the message's prefix. */
function protocolError(code: number, message: string, data?: object): Error {
  return Object.assign(new Error(message), { code, ...(data === undefined ? {} : { data }) });
}
