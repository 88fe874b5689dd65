// Keeps the vault, the store and the writer of a test open for the next test of this process, emptied, because opening them starts threads.
import { globSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createVaultFolder } from '../providers/filesystem/vault-folder.ts';
import { atEnd } from '../runner/at-end.ts';
import { type IndexOptions, type OpenParts, openParts, signal } from './index-under-test.ts';

atEnd(discardKept);

const kept = new Map<string, OpenParts[]>();

type Options = Pick<IndexOptions, 'writes' | 'exclude'>;
type Use = (parts: OpenParts) => Promise<void>;

export async function withFreshParts(use: Use, options: Options): Promise<void> {
  const parts = await openFresh(options);
  try {
    await use(parts);
  } finally {
    await discard(parts);
  }
}

export async function withKeptParts(use: Use, options: Options): Promise<void> {
  const key = JSON.stringify([options.writes ?? false, options.exclude ?? []]);
  const parts = kept.get(key)?.pop() ?? (await openFresh(options));
  let isEmpty = false;
  try {
    await use(parts);
    await empty(parts);
    isEmpty = true;
  } finally {
    if (isEmpty) kept.set(key, [...(kept.get(key) ?? []), parts]);
    else await discard(parts);
  }
}

async function discardKept(): Promise<void> {
  const all = [...kept.values()].flat();
  kept.clear();
  await Promise.all(all.map(discard));
}

function openFresh(options: Options): Promise<OpenParts> {
  const folder = createVaultFolder();
  return openParts(folder, join(folder.outside, 'data'), options);
}

async function empty({ folder, store }: OpenParts): Promise<void> {
  for (const name of readdirSync(folder.root)) rmSync(join(folder.root, name), { recursive: true });
  for (const file of changesIn(folder.outside)) rmSync(file);
  await store.reset(signal);
}

/** The files of the change log. */
const changesIn = (outside: string): string[] => globSync(join(outside, 'state/**/chg_*'));

async function discard(parts: OpenParts): Promise<void> {
  try {
    await parts.close();
  } finally {
    parts.folder.delete();
  }
}
