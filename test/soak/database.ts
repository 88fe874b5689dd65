// The PostgreSQL server of a soak test: it is killed, cut, dumped and restored to earlier points while servers use it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../bench/random.ts';
import { installDebianServer } from '../postgresql/debian-server.ts';
import { startServer } from '../postgresql/server.ts';

export interface SoakDatabase {
  /** The lines of `providers` in a config. */
  readonly section: string;
  /** Does one thing to the database. @returns its name */
  meddle(random: Random): Promise<string>;
  stop(): Promise<void>;
}

const DATABASE = 'soak';
const SCHEMA = 'vault';
const MAX_AWAY_MS = 4_000;
/** Of each kind, the newest and some older ones, so that a restore goes back by seconds or by minutes. */
const MAX_BACKUPS = 4;
const CUT = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = '${DATABASE}'`;

const DROP = `DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`;
const DEADLOCK = '40P01';
const MAX_TRIES = 10;

/** @param folder where backups are kept */
export async function startSoakDatabase(folder: string): Promise<SoakDatabase> {
  // Its `pg_dump` must be of the version of the server.
  installDebianServer();
  const server = await startServer({ source: 'debian' });
  const { host, port, user, password, socketFolder } = server;
  const data = join(dirname(socketFolder), 'data');
  const [dumps, copies]: [string[], string[]] = [[], []];
  let serial = 0;
  await server.sql(`CREATE DATABASE ${DATABASE}`);

  const run = async (tool: string, ...args: string[]): Promise<void> => {
    const env = { PATH: process.env.PATH, PGPASSWORD: password, PGHOST: host, PGPORT: String(port), PGUSER: user };
    const child = spawn(tool, args, { env });
    const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    // `--clean` drops tables while servers make them again: what it then reports is of that race.
    if (status !== 0 && !args.includes('--clean')) throw new Error(`${tool} ${args.join(' ')}: ${stderr}`);
  };
  const away = async (random: Random, meanwhile = async (): Promise<void> => undefined): Promise<void> => {
    await server.kill(random.chance(0.5) ? 'SIGKILL' : 'SIGQUIT');
    await meanwhile();
    await sleep(random.below(MAX_AWAY_MS));
    await server.restart();
  };
  /** With owners, as root; the event loop must go on, since the fake provider runs in it. */
  const copy = (from: string, to: string): Promise<void> => run('cp', '-a', from, to);
  const keep = (kept: string[], name: string): string => {
    serial += 1;
    kept.push(join(folder, `${name}-${serial}`));
    if (kept.length > MAX_BACKUPS) rmSync(kept.splice(1, 1)[0] as string, { recursive: true });
    return kept.at(-1) as string;
  };
  /** Servers hold locks on the same tables, so that it may end as a deadlock. */
  const change = async (statement: string, tries = MAX_TRIES): Promise<void> => {
    const [outcome] = await Promise.allSettled([server.sql(statement, DATABASE)]);
    if (outcome.status === 'fulfilled') return;
    if (outcome.reason.code !== DEADLOCK || tries === 1) throw outcome.reason;
    await change(statement, tries - 1);
  };
  const restoreDump = (random: Random, ...args: string[]): Promise<void> =>
    run('pg_restore', '-d', DATABASE, ...args, random.pick(dumps as [string, ...string[]]));

  const backups: Readonly<Record<string, (random: Random) => Promise<void>>> = {
    dump: () => run('pg_dump', '-Fc', '-n', SCHEMA, '-f', keep(dumps, 'dump'), DATABASE),
    copyFolder: (random) => away(random, () => copy(data, keep(copies, 'copy'))),
  };
  const restores: Readonly<Record<string, (random: Random) => Promise<void>>> = {
    restoreClean: (random) => restoreDump(random, '--clean', '--if-exists'),
    restoreSchema: async (random) => {
      await change(DROP);
      await sleep(random.below(MAX_AWAY_MS));
      await change(DROP);
      await restoreDump(random, '--clean', '--if-exists', '-1');
    },
    restoreDatabase: async (random) => {
      await server.sql(`DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
      await sleep(random.below(MAX_AWAY_MS));
      await server.sql(`CREATE DATABASE ${DATABASE}`);
      await restoreDump(random, '--clean', '--if-exists', '-1');
    },
    restoreFolder: (random) =>
      away(random, async () => {
        rmSync(data, { recursive: true });
        await copy(random.pick(copies as [string, ...string[]]), data);
      }),
  };
  const others: Readonly<Record<string, (random: Random) => Promise<void>>> = {
    crash: (random) => away(random),
    cut: () => server.sql(CUT).then(() => undefined),
    empty: () => change(`TRUNCATE ${SCHEMA}.files`),
  };

  return {
    section: `  store: { type: postgresql, host: ${host}, port: ${port}, database: ${DATABASE}, user: ${user}, password: ${JSON.stringify(password)}, schema: ${SCHEMA}, tls: off }`,
    meddle: async (random) => {
      const isReady = dumps.length > 0 && copies.length > 0;
      const kinds = isReady ? { ...backups, ...restores, ...others } : backups;
      const name = random.pick(Object.keys(kinds) as [string, ...string[]]);
      await kinds[name]?.(random);
      return name;
    },
    stop: () => server.stop(),
  };
}
