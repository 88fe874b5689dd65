// The entry point of the one-click bundle: starts the server on this Node, or on one of the user where this one is too old.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { replaceFileSync } from '../base/atomic-write.ts';
import { isErrno } from '../base/errno.ts';
import { passEndSignals } from '../base/system/process.ts';
import { nodePlaces } from './node-places.ts';
import { configText } from './settings.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
const PROGRAM = join(HERE, 'main.js');
/** In the bundle's own folder, so that the application removes it with the bundle. */
const CONFIG = join(HERE, '..', 'settings.yaml');
const OLDEST_NODE = 22;
/** Asks whether the Node that runs this can run the server. */
const PROBE = '--probe';
const MAX_PROBE_MS = 10_000;
const NO_NODE = `vaultgraph cannot start: the Node ${process.versions.node} of this application has no node:sqlite (22.13 and newer) and cannot load the program's native parts, and no other Node ${OLDEST_NODE} or newer was found on this computer; install Node from nodejs.org and start the application again.\n`;

if (process.argv.includes(PROBE)) process.exitCode = canRun() ? 0 : 1;
else await start();

async function start(): Promise<void> {
  const args = ['serve', '--config', writtenConfig()];
  if (canRun()) return runHere(args);
  const node = nodeOfUser();
  if (node !== undefined) return runOn(node, args);
  process.stderr.write(NO_NODE);
  process.exitCode = 1;
}

/** On macOS an application that is signed may refuse to load binaries of others: then the index runs on node:sqlite. */
function canRun(): boolean {
  if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) return false;
  return isBuiltin('node:sqlite') || loadsNative();
}

function loadsNative(): boolean {
  const requireModule = createRequire(import.meta.url);
  try {
    const database = new (requireModule('better-sqlite3'))(':memory:');
    requireModule('sqlite-vec').load(database);
    database.close();
    return true;
  } catch (thrown) {
    // Without a code it is a fault of this program.
    if (thrown instanceof Error && ('code' in thrown || thrown.name === 'SqliteError')) return false;
    throw thrown;
  }
}

function writtenConfig(): string {
  const text = configText(process.env);
  if (!existsSync(CONFIG) || readFileSync(CONFIG, 'utf8') !== text) replaceFileSync(CONFIG, text, 0o600);
  return CONFIG;
}

async function runHere(args: readonly string[]): Promise<void> {
  process.argv = [process.execPath, PROGRAM, ...args];
  await import(pathToFileURL(PROGRAM).href);
}

function nodeOfUser(): string | undefined {
  const { platform, env } = process;
  const places = nodePlaces({ platform, env, home: homedir(), list: namesIn });
  return places.find((node) => node !== process.execPath && existsSync(node) && passesProbe(node));
}

function passesProbe(node: string): boolean {
  const { status } = spawnSync(node, [fileURLToPath(import.meta.url), PROBE], {
    stdio: 'ignore',
    timeout: MAX_PROBE_MS,
  });
  return status === 0;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) return [];
    throw thrown;
  }
}

/** The server has the application's pipes, so that it ends with them. */
function runOn(node: string, args: readonly string[]): void {
  const server = spawn(node, [PROGRAM, ...args], { stdio: 'inherit', windowsHide: true });
  passEndSignals(server);
  server.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 130);
  });
}
