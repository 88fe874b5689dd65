// Starts a headless Chromium with WebGL for the page tests: from an npm package on Linux, an installed Chrome elsewhere.
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, PuppeteerNode } from 'puppeteer-core';
import { fetchedPackage } from '../packages/fetched.ts';

interface Chromium {
  readonly args: readonly string[];
  executablePath(): Promise<string>;
}

const { LOCALAPPDATA = '', PROGRAMFILES = '' } = process.env;
const INSTALLED: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
  win32: [PROGRAMFILES, LOCALAPPDATA].map((folder) => join(folder, 'Google/Chrome/Application/chrome.exe')),
};

/** The caller closes it. @throws if no browser is found, because a test without one would prove nothing */
export async function openBrowser(): Promise<Browser> {
  const [executablePath, args] = await browserHere();
  return fetchedPackage<Pick<PuppeteerNode, 'launch'>>('puppeteer', 'puppeteer-core').launch({
    executablePath,
    args: [...args],
    headless: 'shell',
  });
}

async function browserHere(): Promise<readonly [string, readonly string[]]> {
  const named = process.env.CHROME_PATH;
  if (named !== undefined) return [named, ['--enable-unsafe-swiftshader']];
  if (process.platform === 'linux') {
    const chromium = fetchedPackage<Chromium>('chromium', '@sparticuz/chromium');
    return [await unpacked(chromium), chromium.args];
  }
  const found = INSTALLED[process.platform]?.find((path) => existsSync(path));
  if (found === undefined) throw new Error('no Chrome was found: name one by CHROME_PATH to test the page');
  return [found, ['--enable-unsafe-swiftshader']];
}

const LOCK = join(tmpdir(), 'vaultgraph-test-chromium.lock');
/** A process that holds the lock longer has died. */
const MAX_UNPACKING_MS = 120_000;

/** The package unpacks itself into the temporary folder; the lock keeps others from starting a half-unpacked file. */
async function unpacked(chromium: Chromium): Promise<string> {
  while (!isTaken()) await sleep(100);
  try {
    return await chromium.executablePath();
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
}

function isTaken(): boolean {
  try {
    mkdirSync(LOCK);
    return true;
  } catch {
    const since = statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > MAX_UNPACKING_MS) rmSync(LOCK, { recursive: true, force: true });
    return false;
  }
}
