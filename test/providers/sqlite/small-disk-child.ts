// Fills a disk that is too small for its index, makes it read-only, and prints the result of each step.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { Store } from '../../../src/contracts/store.ts';
import { sqliteProvider } from '../../../src/providers/sqlite/provider.ts';
import { ALL, fill, signal } from '../../contracts/store/law.ts';

const [root = ''] = process.argv.slice(2);
const disk = join(root, 'disk');
mkdirSync(disk);
execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'none', disk]);
const context = { vaultRoot: root, dataFolder: disk, stateFolder: disk, log: () => undefined };
const outside = { ...context, vaultRoot: join(root, 'vault') };

const { capability: store, close } = await sqliteProvider.open({}, outside, signal);
await fill(store, { 'first.md': 'water #tide' });
say('full', await outcome(fillUntilFull(store)));
say('found', await found(store, 'water'));
say('sound', (await store.integrity(signal)).length);
await close();
execFileSync('mount', ['-o', 'remount,ro', disk]);
say('again', await outcome(sqliteProvider.open({}, outside, signal)));
say('new', await outcome(sqliteProvider.open({ path: join(disk, 'new', 'index.db') }, outside, signal)));
say('newInFolder', await outcome(sqliteProvider.open({ path: join(disk, 'new.db') }, outside, signal)));

async function fillUntilFull(into: Store): Promise<void> {
  for (let i = 0; ; i++) {
    const words = Array.from({ length: 5_000 }, (_, word) => `w${i}x${word}`);
    await fill(into, { [`second${i}.md`]: words.join(' ') });
  }
}

async function found(inStore: Store, text: string): Promise<number> {
  const query = { terms: [{ text, kind: 'word', negated: false } as const], match: 'any' } as const;
  return (await inStore.searchText(query, {}, ALL, signal)).total;
}

async function outcome(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (thrown) {
    return thrown instanceof VaultgraphError ? thrown.code : String(thrown);
  }
}

function say(step: string, what: string | number): void {
  process.stdout.write(`${step} ${what}\n`);
}
