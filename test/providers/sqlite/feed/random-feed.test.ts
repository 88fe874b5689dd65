// Readers that know the vault only from the feed of changes, each from its own position, know which files are there after random changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredFeed } from '../../../../src/contracts/feed.ts';
import type { Store } from '../../../../src/contracts/store.ts';
import { foldChanges } from '../../../../src/tools/changes/fold-changes.ts';
import { createSeededRandom, type Random } from '../../../bench/random.ts';
import { body, LIMITS, read } from '../../../contracts/feed.ts';
import { asPaths, changes, found, signal } from '../../../contracts/store/law.ts';
import { runs } from '../../../runner/effort.ts';
import { learn } from '../../../simulation/feed-follower.ts';
import { createIndexFolder } from '../database/index-folder.ts';

const PATHS = ['A/x.md', 'B/x.md', 'C/x.md', 'A/y.md', 'y.md', 'x.md'] as const;
const TEXTS = [body('a'), body('b'), body('c'), ''] as const;
const STEPS = 8;
const READERS = 3;

type Vault = Map<string, string>;

/** So few paths and texts that files come to the places of others, as copies of others. */
function meddle(vault: Vault, random: Random): void {
  const [one, other] = [random.pick(PATHS), random.pick(PATHS)];
  const text = vault.get(one);
  const deeds: readonly [() => void, ...(() => void)[]] = [
    () => vault.delete(one),
    () => vault.set(one, random.pick(TEXTS)),
    () => text !== undefined && vault.set(other, text),
    () => text !== undefined && one !== other && vault.set(other, text) && vault.delete(one),
    () => vault.delete(one) && vault.delete(other),
  ];
  random.pick(deeds)();
}

/** Looks at the vault as a watcher or a scan does: what is gone may be noticed before the rest, and the rest in two parts. */
async function look(store: Store, before: Vault, vault: Vault, random: Random): Promise<void> {
  const removed = asPaths(...[...before.keys()].filter((path) => !vault.has(path)));
  const notes = [...vault].filter(([path, text]) => before.get(path) !== text).map(([path, text]) => read(path, text));
  const isEarly = random.chance(0.5);
  if (isEarly) await store.apply(changes({ removed }), signal);
  const added = [...vault.keys()].map((path) => found(path));
  await store.apply(changes({ added, ...(!isEarly && { removed }) }), signal);
  const cut = random.below(notes.length + 1);
  for (const indexed of [notes.slice(0, cut), notes.slice(cut)]) await store.apply(changes({ indexed }), signal);
  await store.completeScan(new Date().toISOString(), signal);
}

interface Reader {
  after: number;
  readonly known: Set<string>;
}

async function ask(reader: Reader, feed: StoredFeed): Promise<void> {
  const { last: upTo = 0 } = (await feed.state(signal)) ?? {};
  const { records, taken } = await feed.read({ after: reader.after, upTo }, signal);
  const folded = await foldChanges(records, taken);
  learn(
    reader.known,
    folded.map(({ kind, ...change }) => ({ ...change, change: kind })),
  );
  reader.after = upTo;
}

async function check(seed: number): Promise<void> {
  const random = createSeededRandom(seed);
  const folder = createIndexFolder();
  const { capability: store, feed, close } = await folder.open({ feed: LIMITS });
  assert.ok(feed);
  const vault: Vault = new Map(PATHS.filter(() => random.chance(0.6)).map((path) => [path, random.pick(TEXTS)]));
  await look(store, new Map(), vault, random);
  const readers = Array.from({ length: READERS }, (): Reader => ({ after: 0, known: new Set(vault.keys()) }));
  for (let step = 1; step <= STEPS; step += 1) {
    const before = new Map(vault);
    for (let deeds = random.below(4); deeds >= 0; deeds -= 1) meddle(vault, random);
    await look(store, before, vault, random);
    for (const reader of readers) {
      if (step < STEPS && random.chance(0.6)) continue;
      await ask(reader, feed);
      assert.deepEqual([...reader.known].sort(), [...vault.keys()].sort(), `seed ${seed}, step ${step}`);
    }
  }
  await close();
  await folder.remove();
}

test('each reader knows the files after random changes', async () => {
  for (let seed = 1; seed <= runs(200); seed += 1) await check(seed);
});
