// Speaks with the application that shows the page, by messages between the two windows (MCP Apps, SEP-1865).
import type { McpUiHostCapabilities, McpUiHostContext } from '@modelcontextprotocol/ext-apps';
import { VERSION } from '../../base/version.ts';
import { PageError } from '../source/graph-source.ts';

/** The package's own client is 650 kB of the page; these are its messages. */
const PROTOCOL_VERSION = '2026-01-26';

/** The result of a tool call, as the application forwards it. */
export interface ToolResult {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface HostEvents {
  /** With the whole context at first, later with what changed. */
  context(context: McpUiHostContext): void;
  result(result: ToolResult): void;
  cancelled(): void;
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

type Waiting = ReturnType<typeof Promise.withResolvers<unknown>>;

export type Host = Awaited<ReturnType<typeof connectHost>>;

/** Resolves after the handshake. @throws PageError if the application refuses it */
export async function connectHost(events: HostEvents) {
  const waiting = new Map<unknown, Waiting>();
  const send = (message: object): void => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  let lastId = 0;
  const request = (method: string, params: object): Promise<unknown> => {
    lastId += 1;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(lastId, answer);
    send({ id: lastId, method, params });
    return answer.promise;
  };
  window.addEventListener('message', ({ source, data }: MessageEvent<Message | null>) => {
    if (source !== window.parent || typeof data !== 'object' || data === null) return;
    if (data.method === undefined) settle(data, waiting);
    else if (data.id === undefined) notified(data, events);
    else send(replyTo(data));
  });
  const { hostContext, hostCapabilities } = (await request('ui/initialize', {
    appInfo: { name: 'vaultgraph', version: VERSION },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    protocolVersion: PROTOCOL_VERSION,
  })) as { readonly hostContext?: McpUiHostContext; readonly hostCapabilities?: McpUiHostCapabilities };
  events.context(hostContext ?? {});
  send({ method: 'ui/notifications/initialized', params: {} });
  return Object.freeze({
    capabilities: hostCapabilities ?? {},
    callTool: async (name: string, args: object) =>
      (await request('tools/call', { name, arguments: args })) as ToolResult,
    /** Puts words of the user into the chat. */
    say: async (text: string) => (await request('ui/message', messageOf(text))) as { readonly isError?: boolean },
    display: async (mode: 'inline' | 'fullscreen') => void (await request('ui/request-display-mode', { mode })),
    /** In pixels. */
    resized: (width: number, height: number) =>
      send({ method: 'ui/notifications/size-changed', params: { width, height } }),
  });
}

const messageOf = (text: string): object => ({ role: 'user', content: [{ type: 'text', text }] });

function settle({ id, result, error }: Message, waiting: Map<unknown, Waiting>): void {
  const answer = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) answer?.resolve(result);
  else answer?.reject(new PageError({ code: 'HOST', message: error.message ?? 'The application refused.', hint: '' }));
}

function notified({ method, params }: Message, events: HostEvents): void {
  if (method === 'ui/notifications/tool-result') events.result(params as ToolResult);
  if (method === 'ui/notifications/tool-cancelled') events.cancelled();
  if (method === 'ui/notifications/host-context-changed') events.context(params as McpUiHostContext);
}

const METHOD_NOT_FOUND = -32601;

function replyTo({ id, method }: Message): object {
  if (method === 'ping' || method === 'ui/resource-teardown') return { id, result: {} };
  return { id, error: { code: METHOD_NOT_FOUND, message: `no method ${method}` } };
}
