// Shows answers of the built server as an application does: in a sandboxed frame, in a real browser.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Frame, Page } from 'puppeteer-core';
import type { Session } from '../journeys/session.ts';
import type { Shown } from './app-host.ts';
import { openBrowser } from './browser.ts';

export const APP_URI = 'ui://vaultgraph/graph.html';
/** What a client announces that shows MCP Apps. */
export const SHOWS_APPS = {
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};

export interface AppUnderTest {
  readonly page: Page;
  readonly frame: Frame;
  /** Waits until the expression is true in the app. */
  until(words: string): Promise<void>;
  text(selector: string): Promise<string>;
  /** What the app put into the chat. */
  messages(): Promise<string[]>;
  setTheme(theme: 'light' | 'dark'): Promise<void>;
}

export interface Showing {
  readonly tool: string;
  readonly args: object;
  readonly theme?: 'light' | 'dark';
  readonly size?: { readonly width: number; readonly height: number };
  readonly offers?: Shown['offers'];
}

export interface AppHost {
  show(showing: Showing, work: (app: AppUnderTest) => Promise<void>): Promise<void>;
}

/** One browser for all pictures; every error of a page and every request to another address fails the test. */
export async function withAppHost({ client }: Session, work: (host: AppHost) => Promise<void>): Promise<void> {
  const html = await appOf(client);
  const server = createServer(async (_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(await hostPage());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const browser = await openBrowser();
  try {
    await work({
      show: async ({ tool, args, theme = 'light', size = { width: 720, height: 560 }, offers = [] }, look) => {
        const result = await client.callTool({ name: tool, arguments: { ...args } });
        const page = await browser.newPage();
        const problems = watchProblems(page, url);
        await page.setViewport(size);
        await page.exposeFunction('callServer', (params: { readonly name: string }) => client.callTool(params));
        await page.goto(url);
        const shown: Shown = { html, result: result as Shown['result'], theme, offers };
        await page.evaluate(`show(${JSON.stringify(shown)})`);
        const frame = await page.waitForFrame((one) => one !== page.mainFrame());
        const until = async (words: string): Promise<void> =>
          void (await frame.waitForFunction(words, { timeout: 60_000, polling: 50 }));
        await until(`document.body?.dataset.state === 'ready'`);
        await look({
          ...{ page, frame, until },
          text: (selector) => frame.$eval(selector, ({ textContent }) => textContent ?? ''),
          messages: async () => (await page.evaluate('messages')) as string[],
          setTheme: async (next) => void (await page.evaluate(`setTheme('${next}')`)),
        });
        assert.deepEqual(problems, []);
        await page.close();
      },
    });
  } finally {
    await browser.close();
    server.close();
  }
}

async function appOf(client: Session['client']): Promise<string> {
  const [content] = (await client.readResource({ uri: APP_URI })).contents;
  assert.ok(content !== undefined && 'text' in content);
  return content.text;
}

let bundled: Promise<string> | undefined;

async function hostPage(): Promise<string> {
  bundled ??= build({
    entryPoints: [join(import.meta.dirname, 'app-host.ts')],
    ...{ bundle: true, write: false, format: 'iife', target: 'es2022', logLevel: 'warning' },
  }).then(({ outputFiles: [file] }) => (file?.text ?? '').replaceAll('</script', '<\\/script'));
  return `<!doctype html><link rel="icon" href="data:,"><style>body{margin:0}iframe{display:block;border:0;width:100%;height:150px}</style>
<iframe sandbox="allow-scripts"></iframe><script>${await bundled}</script>`;
}

function watchProblems(page: Page, url: string): string[] {
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`error: ${error instanceof Error ? error.message : error}`));
  page.on('request', (request) => {
    const isOwn = [url, 'data:', 'about:'].some((own) => request.url().startsWith(own));
    if (!isOwn) problems.push(`request: ${request.url()}`);
  });
  return problems;
}
