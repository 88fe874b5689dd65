// Starts a real PostgreSQL server in a temporary folder, for tests.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { isLong } from '../runner/effort.ts';
import { type Account, type Binaries, findBinaries, type Source, serverAccount } from './binaries.ts';

export interface ServerOptions {
  /** Default: npm in `npm test`, the distribution's in `npm run test:long`. */
  readonly source?: Source;
  /** Settings of `postgresql.conf`, such as `max_connections`. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** The parent of the data folder, such as a small file system. Default: the system's temporary folder. */
  readonly within?: string;
}

export interface TestServer {
  readonly host: string;
  readonly port: number;
  /** Clients that give this folder as the host connect by its Unix socket. */
  readonly socketFolder: string;
  readonly user: string;
  readonly password: string;
  /** With the password; by TCP. */
  url(database?: string): string;
  /** A connection of the superuser, or of another role. The caller ends it. */
  connect(database?: string, user?: string, password?: string): Promise<pg.Client>;
  /** Runs statements as the superuser, over a connection of their own. @returns the rows of the last one */
  sql<Row extends object = Record<string, unknown>>(text: string, database?: string): Promise<Row[]>;
  /** A new, empty database, by name. */
  freshDatabase(): Promise<string>;
  /** Ends the server without a checkpoint. Resolves when its processes have ended. */
  kill(signal: 'SIGKILL' | 'SIGQUIT'): Promise<void>;
  /** Starts the server that `kill` ended, on the same port and data. */
  restart(): Promise<void>;
  /** Ends the server and removes its folder. */
  stop(): Promise<void>;
}

const USER = 'postgres';
/** Characters that a URL must encode, so that tests notice when one is not masked. */
const PASSWORD = 'pass word/4711?';
const MAX_LOG = 100_000;
const READY = 'ready to accept connections';
const PORT_TAKEN = 'Address already in use';
const MAX_TRIES = 5;

/** Nothing confirmed is lost when processes are killed, but all may be when the machine fails: tests need no more. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '32MB',
  max_connections: 100,
  listen_addresses: '127.0.0.1',
  logging_collector: 'off',
  log_destination: 'stderr',
};

/**
 * Ends the server and removes its folder when this process has ended, also by a signal: the pipe to it is then closed.
 * It is in its own group, so that an interrupt of the terminal does not end it first.
 */
const GUARD = 'cat >/dev/null; kill -QUIT $(head -n 1 "$1/data/postmaster.pid"); rm -rf "$1"';

export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const root = mkdtempSync(join(options.within ?? tmpdir(), 'vaultgraph-pg-'));
  const server = new RunningServer(root, options);
  try {
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

class RunningServer implements TestServer {
  readonly host = '127.0.0.1';
  readonly user = USER;
  readonly password = PASSWORD;
  readonly socketFolder: string;
  port = 0;
  readonly #root: string;
  readonly #data: string;
  readonly #options: ServerOptions;
  readonly #account: Account | undefined;
  readonly #binaries: Binaries;
  readonly #guard: ChildProcess;
  #process: { readonly child: ChildProcess; readonly ended: Promise<unknown> } | undefined;
  #databases = 0;

  constructor(root: string, options: ServerOptions) {
    this.#root = root;
    this.#data = join(root, 'data');
    this.socketFolder = join(root, 'socket');
    this.#options = options;
    this.#account = serverAccount();
    // Readable by the account that runs the programs.
    chmodSync(root, 0o755);
    const parts = join(root, 'parts');
    for (const folder of [this.#data, this.socketFolder, parts]) this.#createFolder(folder);
    this.#binaries = findBinaries(options.source ?? (isLong ? 'debian' : 'npm'), parts);
    this.#guard = spawn('sh', ['-c', GUARD, 'sh', root], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  }

  async start(): Promise<void> {
    this.#initialise();
    for (let attempt = 1; ; attempt += 1) {
      this.port = await freePort();
      try {
        return await this.restart();
      } catch (error) {
        if (attempt === MAX_TRIES || !String(error).includes(PORT_TAKEN)) throw error;
      }
    }
  }

  url(database = 'postgres'): string {
    return `postgresql://${USER}:${encodeURIComponent(PASSWORD)}@${this.host}:${this.port}/${database}`;
  }

  async connect(database = 'postgres', user = USER, password = PASSWORD): Promise<pg.Client> {
    const client = new pg.Client({ host: this.host, port: this.port, user, password, database });
    // A server that is killed ends the connection; the next query rejects.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async sql<Row extends object>(text: string, database?: string): Promise<Row[]> {
    const client = await this.connect(database);
    try {
      // Several statements have a result each.
      return [await client.query(text)].flat().at(-1)?.rows ?? [];
    } finally {
      await client.end();
    }
  }

  async freshDatabase(): Promise<string> {
    this.#databases += 1;
    const name = `test_${this.#databases}`;
    await this.sql(`CREATE DATABASE ${name}`);
    return name;
  }

  async kill(signal: 'SIGKILL' | 'SIGQUIT'): Promise<void> {
    const running = this.#process;
    if (running === undefined) return;
    this.#process = undefined;
    running.child.kill(signal);
    await running.ended;
  }

  async restart(): Promise<void> {
    rmSync(join(this.#data, 'postmaster.pid'), { force: true });
    const settings = { ...SETTINGS, ...this.#options.settings, port: this.port };
    const assigned = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(this.#binaries.postgres, ['-D', this.#data, '-k', this.socketFolder, ...assigned], {
      ...this.#account,
      env: { ...this.#binaries.env, LC_ALL: 'C' },
      cwd: this.#data,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    // "close" comes when every process of the server has closed the log, not only the first one.
    this.#process = { child, ended: new Promise((resolve) => child.once('close', resolve)) };
    await becomesReady(child);
  }

  async stop(): Promise<void> {
    await this.kill('SIGQUIT');
    this.#guard.kill('SIGKILL');
    this.#guard.stdin?.destroy();
    if (existsSync(this.#root)) rmSync(this.#root, { recursive: true });
  }

  #createFolder(folder: string): void {
    mkdirSync(folder, { mode: 0o755 });
    if (this.#account !== undefined) chownSync(folder, this.#account.uid, this.#account.gid);
  }

  #initialise(): void {
    chmodSync(this.#data, 0o700);
    const passwordFile = join(this.#root, 'password');
    writeFileSync(passwordFile, `${PASSWORD}\n`);
    const cluster = ['-D', this.#data, '-U', USER, '--encoding=UTF8', '--locale=C', '--no-sync'];
    const { status, stderr, error } = spawnSync(
      this.#binaries.initdb,
      [...cluster, '--auth=scram-sha-256', `--pwfile=${passwordFile}`],
      { ...this.#account, env: { ...this.#binaries.env, LC_ALL: 'C' }, cwd: this.#data, encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`initdb failed: ${error?.message ?? stderr}`);
  }
}

/** Rejects with the log when the server ends instead. */
function becomesReady(child: ChildProcess): Promise<void> {
  let log = '';
  return new Promise((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log = `${log}${text}`.slice(-MAX_LOG);
      if (log.includes(READY)) resolve();
    });
    child.once('error', reject);
    child.once('close', () => reject(new Error(`the PostgreSQL server ended:\n${log}`)));
  });
}

/** A port of the loopback interface on which no process listens at this moment. */
async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  listener.close();
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has no port');
  return address.port;
}
