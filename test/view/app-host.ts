// The page of an application that shows MCP Apps: embeds the page of an answer and speaks the host's side of the protocol.

import type { CallToolResult } from '@modelcontextprotocol/client';
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

export interface Shown {
  readonly html: string;
  readonly result: CallToolResult;
  readonly theme: 'light' | 'dark';
  /** Capabilities of the host that the page may use. */
  readonly offers: readonly ('message' | 'serverTools')[];
}

/** What this page uses of a browser: the other tests have no types of it. */
interface Frame {
  srcdoc: string;
  readonly style: { height: string };
  readonly contentWindow: never;
}

declare const document: { querySelector(selector: string): Frame };

interface HostPage {
  /** Set by the test: calls a tool of the server. */
  callServer(params: object): Promise<CallToolResult>;
  show(shown: Shown): Promise<void>;
  setTheme(theme: 'light' | 'dark'): void;
  /** What the page put into the chat. */
  messages: string[];
}

const host = globalThis as unknown as HostPage;

/** The policy that the extension prescribes for a page that names no domains. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'self'";

host.messages = [];

host.show = async ({ html, result, theme, offers }: Shown): Promise<void> => {
  const frame = document.querySelector('iframe');
  const capabilities = Object.fromEntries(offers.map((name) => [name, name === 'message' ? { text: {} } : {}]));
  const bridge = new AppBridge(null, { name: 'test host', version: '1' }, capabilities, {
    hostContext: { theme, displayMode: 'inline', availableDisplayModes: ['inline'] },
  });
  bridge.oncalltool = (params) => host.callServer(params);
  bridge.onmessage = async ({ content }) => {
    for (const block of content) if (block.type === 'text') host.messages.push(block.text);
    return {};
  };
  bridge.addEventListener('sizechange', ({ height }) => {
    if (height !== undefined) frame.style.height = `${height}px`;
  });
  bridge.addEventListener('initialized', () => {
    void bridge.sendToolInput({ arguments: {} }).then(() => bridge.sendToolResult(result));
  });
  host.setTheme = (next) =>
    bridge.setHostContext({ theme: next, displayMode: 'inline', availableDisplayModes: ['inline'] });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html.replace('<head>', `<head><meta http-equiv="content-security-policy" content="${POLICY}">`);
};
