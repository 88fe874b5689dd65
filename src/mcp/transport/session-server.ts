// Serves a session that begins with a handshake (protocol 2025-11-25 and older), with the SDK.
import { randomUUID } from 'node:crypto';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Implementation, JSONRPCRequest, Result } from '@modelcontextprotocol/sdk/types.js';
import type { Log } from '../../base/log.ts';
import { showsApps } from '../wire/graph-app.ts';
import type { Fault, Methods, OnChange, ServerFeatures } from '../wire/method.ts';
import { answerRequest, progressSender } from './answer-request.ts';
import { userAsker } from './ask-user.ts';
import { shownClientName } from './request-metadata.ts';
import type { StdioTransport } from './stdio-transport.ts';

export interface SessionOptions {
  readonly identity: Implementation;
  readonly instructions: string;
  readonly offer: Pick<ServerFeatures, 'capabilities'>;
  readonly log: Log;
  /** Called with the name of the client after the handshake. */
  readonly onClient?: (name: string) => void;
  /** Called with each change of the vault that a call made. */
  readonly onChange?: OnChange;
  /** Begins the ids of requests in the log, where several sessions write to it. */
  readonly label?: string;
}

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

/** The SDK would refuse a call with a `task`, but a server without tasks answers it as any other call. */
class McpServer extends Server {
  protected override assertTaskHandlerCapability(): void {
    // Nothing is required.
  }
}

/** Versions are dates. A client of an older one may refuse an answer with a part that it does not know. */
const FIRST_WITH_LINKS = '2025-06-18';

/** @param ending aborts the calls that run and those that begin later */
export function createSessionServer(
  { identity, instructions, offer, log, onClient, onChange, label }: SessionOptions,
  methods: Methods,
  transport: Pick<StdioTransport, 'hasRoom' | 'protocolVersion'>,
  ending: AbortSignal,
): Server {
  const server = new McpServer(identity, { capabilities: offer.capabilities, instructions });
  const session = randomUUID();
  const clientName = (): string => shownClientName(server.getClientVersion()?.name);
  // The SDK's own handlers would refuse malformed requests without listing what is available.
  server.fallbackRequestHandler = async ({ method, params }: JSONRPCRequest, extra: Extra): Promise<Result> => {
    const sendProgress = progressSender(transport, params?._meta?.progressToken, (progress) =>
      extra.sendNotification({ method: 'notifications/progress', params: progress }),
    );
    const signal = AbortSignal.any([extra.signal, ending]);
    const ask = userAsker(server, extra.requestId, log);
    const readsLinks = (transport.protocolVersion ?? '') >= FIRST_WITH_LINKS;
    const shown = { showsApps: showsApps(server.getClientCapabilities()), readsLinks };
    const clientParts = { ...sendProgress, ...shown, ...(ask && { ask }), ...(onChange && { onChange }) };
    const id = label === undefined ? String(extra.requestId) : `${label}:${extra.requestId}`;
    const reply = await answerRequest(
      methods,
      method,
      params,
      { id, signal, client: clientName(), session, ...clientParts },
      log,
    );
    if ('fault' in reply) throw protocolError(reply.fault);
    return reply.result as Result;
  };
  server.oninitialized = () => onClient?.(clientName());
  server.onerror = (fault) => log('warn', 'transport_fault', { cause: fault.name });
  return server;
}

/** The SDK sends the code and data of a plain error unchanged; its own error class would add a second prefix to the message. */
function protocolError({ code, message, data }: Fault): Error {
  return Object.assign(new Error(message), { code, ...(data === undefined ? {} : { data }) });
}
