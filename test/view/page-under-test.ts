// Serves a vault's page from the sources and opens it in a browser that reports every error.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { build, type OutputFile } from 'esbuild';
import type { Page } from 'puppeteer-core';
import { type GraphCore, openGraphCore } from '../../src/app/graph-core.ts';
import { readConfigFrom } from '../../src/app/read-configs.ts';
import { createPageAnswers } from '../../src/cli/view/page-answers.ts';
import { pageFilesIn } from '../../src/cli/view/page-files.ts';
import { openPageServer, type PageServer } from '../../src/cli/view/page-server.ts';
import { openBrowser } from './browser.ts';

const PAGE_SOURCES = join(import.meta.dirname, '../../src/page');

export type Files = Readonly<Record<string, string>>;

export interface ServedVault {
  readonly folder: string;
  readonly core: GraphCore;
  readonly server: PageServer;
  /** The page as built. */
  readonly pageFolder: string;
  write(files: Files): void;
}

/** Closed and removed when `work` is done. */
export async function withServedVault(
  files: Files,
  work: (vault: ServedVault) => Promise<void>,
  fill: (folder: string) => Promise<unknown> = async () => undefined,
  name = 'vault',
  settings = '',
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'vaultgraph-view-'));
  const [folder, pageFolder] = [join(home, name), join(home, 'page')];
  mkdirSync(folder);
  const write = (written: Files): void => {
    for (const [path, text] of Object.entries(written)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };
  write(files);
  await fill(folder);
  await writePage(pageFolder);
  const file = join(home, 'config.yaml');
  writeFileSync(file, `vault: { path: ${JSON.stringify(folder)} }\n${settings}`);
  const flags = { config: file, dataDir: join(home, 'data'), stateDir: join(home, 'state') };
  const config = await readConfigFrom({ flags, env: {}, platform: process.platform, home, cwd: home });
  const core = await openGraphCore(config, () => undefined);
  try {
    await core.ready;
    core.attend();
    await core.indexer.catchUp(new AbortController().signal);
    const server = await openPageServer(createPageAnswers(core), pageFilesIn(pageFolder), 0);
    try {
      await work({ folder, core, server, pageFolder, write });
    } finally {
      await server.close();
    }
  } finally {
    await core.close();
    rmSync(home, { recursive: true, force: true });
  }
}

let built: Promise<readonly OutputFile[]> | undefined;

/** Built once for all vaults of the process, from the sources as they are now. */
async function writePage(folder: string): Promise<void> {
  mkdirSync(folder);
  built ??= buildPage();
  for (const { path, contents } of await built) writeFileSync(join(folder, basename(path)), contents);
}

/** With the settings of `build:page`. */
async function buildPage(): Promise<readonly OutputFile[]> {
  const parts = ['markdown.ts', 'math.ts', 'code.ts'].map((name) => `reader/${name}`);
  const names = ['page.ts', 'graph/drawing.ts', 'graph/layout-thread.ts', ...parts, 'page.css', 'page.html'];
  const { outputFiles } = await build({
    ...{ entryPoints: names.map((name) => join(PAGE_SOURCES, name)), outdir: 'page', entryNames: '[name]' },
    ...{ bundle: true, format: 'iife', target: 'es2022', minify: true, loader: { '.html': 'copy' } },
    ...{ write: false, logLevel: 'warning' },
  });
  return outputFiles;
}

export interface Watched {
  readonly page: Page;
  /** Errors of the page and requests to other addresses; must be empty at the end of each test. */
  readonly problems: string[];
  /** Waits until the expression is true in the page. */
  until(words: string, ...values: unknown[]): Promise<void>;
  text(selector: string): Promise<string>;
}

interface Setting {
  readonly dark?: boolean;
}

/** Records the page's errors and requests from the start, and fails at the end if there were any. */
export async function withPage(
  url: string,
  work: (watched: Watched) => Promise<void>,
  { dark = false }: Setting = {},
): Promise<void> {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    const problems = watchProblems(page, url.replace(/#.*$/, ''));
    await page.setViewport({ width: 1200, height: 800 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]);
    await page.goto(url);
    const until = async (words: string, ...values: unknown[]): Promise<void> =>
      void (await page.waitForFunction(words, { timeout: 30_000, polling: 50 }, ...values));
    const text = (selector: string): Promise<string> => page.$eval(selector, ({ textContent }) => textContent ?? '');
    await until(`document.body.dataset.state === 'ready'`);
    await work({ page, problems, until, text });
    assert.deepEqual(problems, []);
  } finally {
    await browser.close();
  }
}

function watchProblems(page: Page, url: string): string[] {
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`error: ${error instanceof Error ? error.message : error}`));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(url) || request.url().startsWith('data:');
    if (!isOwn) problems.push(`request: ${request.url()}`);
  });
  return problems;
}
