// Fills the small disk that holds an index in PostgreSQL, frees it again, and prints the result of each step.
import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { Store } from '../../../src/contracts/store.ts';
import { fill } from '../../contracts/store/law.ts';
import { serverAccount } from '../../postgresql/binaries.ts';
import { startServer } from '../../postgresql/server.ts';
import { pairsIn, writePair } from './pairs.ts';
import { openStore, storeConfig } from './postgres-index.ts';

const DISK_MEGABYTES = 24;
const FILLER_MEGABYTES = 6;

const [root = ''] = process.argv.slice(2);
const disk = join(root, 'disk');
mkdirSync(disk);
execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEGABYTES}m`, 'none', disk]);
const account = serverAccount();
if (account !== undefined) chownSync(disk, account.uid, account.gid);
const filler = join(disk, 'filler');
writeFileSync(filler, Buffer.alloc(FILLER_MEGABYTES * 1_048_576));
mkdirSync(join(disk, 'space'));
if (account !== undefined) chownSync(join(disk, 'space'), account.uid, account.gid);

const server = await startServer();
try {
  // A tablespace: a full disk of the server's own files would end the server, whatever its clients do.
  await server.sql(`CREATE TABLESPACE small LOCATION '${join(disk, 'space')}'`);
  await server.sql('CREATE DATABASE small TABLESPACE small');
  const config = storeConfig(server, 'small');
  const { store, close } = await openStore(config);
  await writePair(store, 1);
  say('full', await outcome(fillUntilFull(store)));
  say('found', (await pairsIn(store)).size);
  const late = await openStore(config);
  say('foundElsewhere', (await pairsIn(late.store)).size);
  say('sameRevision', (await store.counts(signal())).revision === (await late.store.counts(signal())).revision);
  await late.close();
  rmSync(filler);
  say('freed', await outcome(writePair(store, 2)));
  say('foundAgain', (await pairsIn(store)).size);
  await close();
} finally {
  await server.stop();
}

async function fillUntilFull(into: Store): Promise<void> {
  for (let number = 0; ; number += 1) {
    // Words that occur once, since a repeated text would be compressed.
    const words = Array.from({ length: 20_000 }, () => Math.random().toString(36).slice(2));
    await fill(into, { [`long ${number}.md`]: words.join(' ') });
  }
}

async function outcome(work: Promise<unknown>): Promise<string> {
  const [{ status, reason }] = (await Promise.allSettled([work])) as [{ status: string; reason?: unknown }];
  if (status === 'fulfilled') return 'done';
  return reason instanceof VaultgraphError ? reason.code : String(reason);
}

function say(what: string, value: unknown): void {
  process.stdout.write(`${what} ${value}\n`);
}

function signal(): AbortSignal {
  return AbortSignal.timeout(60_000);
}
