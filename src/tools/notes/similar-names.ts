// Finds the tags and properties of the vault that are spelled like one that no note has.
import { NearestNames } from '../../base/nearest.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Store } from '../../contracts/store.ts';

const MAX_SIMILAR = 3;
/** A longer name is not compared, so that each comparison is short. */
const MAX_LENGTH = 200;
/** Names processed before other calls run. */
const NAMES_PER_TURN = 2_000;

/** Lists tags as `#tag`, nearest first: by the whole tag, then by its last name, as `#herbs` for `#garden/herbs`. */
export async function similarTags(tag: string, store: Store, signal: AbortSignal): Promise<readonly string[]> {
  const bare = tag.replace(/^#/, '');
  const tags = (await store.listTags(undefined, {}, signal)).map((row) => row.tag.slice(1));
  const whole = await similarTo(bare, tags, (name) => name);
  const nested = await similarTo(lastName(bare), tags, lastName);
  return [...new Set([...whole, ...nested])].slice(0, MAX_SIMILAR).map((name) => `#${name}`);
}

export async function similarProperties(name: string, store: Store, signal: AbortSignal): Promise<readonly string[]> {
  return similarTo(name, await store.propertyNames(signal), (one) => one);
}

async function similarTo(
  sought: string,
  names: readonly string[],
  spellingOf: (name: string) => string,
): Promise<readonly string[]> {
  // Every name of one letter is one edit from every other.
  if (sought.length < 2 || sought.length > MAX_LENGTH) return [];
  const spellings = new Map<string, string[]>();
  const near = new NearestNames();
  for (const [at, name] of names.entries()) {
    if (at % NAMES_PER_TURN === 0) await letOthersRun();
    const spelling = spellingOf(name);
    const spelled = spellings.get(spelling);
    if (spelled === undefined) spellings.set(spelling, [name]);
    else spelled.push(name);
    near.add(spelling);
  }
  return near
    .near(sought, MAX_SIMILAR)
    .flatMap((one) => spellings.get(one.name) ?? [])
    .slice(0, MAX_SIMILAR);
}

function lastName(tag: string): string {
  return tag.slice(tag.lastIndexOf('/') + 1);
}
