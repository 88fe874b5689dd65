// Fetches the large packages of a folder here when a test or a check first needs them: pinned by its lock file, once for a clone.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { npm } from './npm.ts';

export type Group = 'check' | 'chromium' | 'onnx' | 'postgresql' | 'protocol' | 'puppeteer';

const LOCK_FILE = 'package-lock.json';
const INTO = join(import.meta.dirname, '../../.test-packages');

/** The folder `node_modules` with the packages. It waits for another process that fetches them. @throws Error with npm's output */
export function fetched(group: Group, into = INTO): string {
  const folder = join(into, group);
  while (!isWhole(folder, group)) {
    mkdirSync(into, { recursive: true });
    withLock(`${folder}.lock`, () => {
      if (!isWhole(folder, group)) fetchGroup(group, folder);
    });
  }
  return join(folder, 'node_modules');
}

/** What a package of the folder exports. */
export function fetchedPackage<Exported>(group: Group, name: string): Exported {
  return createRequire(join(fetched(group), 'from-here'))(name) as Exported;
}

const pinned = (group: Group, file: string): string => join(import.meta.dirname, group, file);

/** Only a finished folder gets its name; after a change of the lock file it is another one. */
function isWhole(folder: string, group: Group): boolean {
  const file = join(folder, LOCK_FILE);
  return existsSync(file) && readFileSync(file, 'utf8') === readFileSync(pinned(group, LOCK_FILE), 'utf8');
}

function fetchGroup(group: Group, folder: string): void {
  const unfinished = mkdtempSync(`${folder}-`);
  // The server of PostgreSQL runs as another account.
  chmodSync(unfinished, 0o755);
  try {
    for (const file of ['package.json', LOCK_FILE]) copyFileSync(pinned(group, file), join(unfinished, file));
    installTwice(unfinished, group);
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** A registry may fail once. */
function installTwice(folder: string, group: Group): void {
  const install = () => npm(folder, ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']);
  try {
    install();
  } catch (first) {
    process.stderr.write(`test/packages/${group} is fetched once more: ${first}\n`);
    try {
      install();
    } catch (cause) {
      const hint = 'they are fetched once for a clone, which needs the network';
      throw new Error(`the packages of test/packages/${group} could not be fetched; ${hint}. ${cause}`, { cause });
    }
  }
}

const WAIT_MS = 100;
const waiting = new Int32Array(new SharedArrayBuffer(4));

/** Returns without doing the work after it has waited for another process. */
function withLock(lock: string, work: () => void): void {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (isHeld(lock)) Atomics.wait(waiting, 0, 0, WAIT_MS);
    else rmSync(lock, { force: true });
    return;
  }
  try {
    work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** A process that was killed left its lock. */
function isHeld(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    // The holder may be about to write its number.
    return pid === 0 || process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
