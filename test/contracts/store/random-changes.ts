// Tests that after random changes the index equals a new one of the same files, and a simple model.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fileKindOf, type NotePath } from '../../../src/base/note.ts';
import type { Store } from '../../../src/contracts/store.ts';
import { nameKeyOf } from '../../../src/markdown/links/fold.ts';
import { resolveLink } from '../../../src/markdown/links/resolve-link.ts';
import { runs } from '../../runner/effort.ts';
import { ALL, asPath, changes, filled, found, indexed, type Law, signal } from './law.ts';

const PATHS = [
  'Ebb.md',
  'ebb.md',
  'a/Ebb.md',
  'a/b/Ebb.md',
  'Flow.md',
  'a/Flow.md',
  'Σ/ΔΡΟΜΟΣ.md',
  'Ebb',
  'a/pic.png',
  'pic.png',
];
const PIECES = [
  ...['[[Ebb]]', '[[ebb#x|y]]', '[[a/Ebb]]', '[[../Ebb]]', '![[pic.png]]', '[f](Flow.md)', '[[δρομος]]', '[[#here]]'],
  ...['[[gone]]', '[[Ebb.md]]', '#tide', '#Tide/low', '#sea', '# Heading', 'water', '海'],
  ...['- [ ] row 📅 2026-11-20', '- [x] moor #tide'],
];

/** Files by path; a text of null was found, and is no note or not read yet. */
export type Files = Map<string, string | null>;
type Step = readonly { readonly path: string; readonly text: string | null }[];

const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => pieces.join('\n'));
export const step = fc.uniqueArray(
  fc.record({ path: fc.constantFrom(...PATHS), text: fc.option(text, { nil: null }) }),
  {
    selector: ({ path }) => path,
    minLength: 1,
    maxLength: 5,
  },
);

/** A path that is there and gets no text goes; one that is not there comes, and is read if it is a note with a text. */
export async function take(store: Store, files: Files, one: Step): Promise<void> {
  const removed = one.filter(({ path, text }) => files.has(path) && text === null);
  const added = one.filter(({ path }) => !files.has(path));
  const read = one.filter(({ path, text }) => text !== null && fileKindOf(path) === 'note');
  await store.apply(
    changes({
      removed: removed.map(({ path }) => asPath(path)),
      added: added.map(({ path }) => found(path)),
      indexed: read.map(({ path, text }) => indexed(path, text ?? '')),
    }),
    signal,
  );
  for (const { path } of added) files.set(path, null);
  for (const { path, text } of read) files.set(path, text);
  for (const { path } of removed) files.delete(path);
}

export async function everything(store: Store): Promise<object> {
  const states = await store.fileStates(signal);
  const paths = states.map(({ path }) => path);
  const { revision, ...counts } = await store.counts(signal);
  const { indexed, pending, quarantined, scannedAt } = counts;
  assert.deepEqual(await store.progress(signal), { revision, indexed, pending, quarantined, scannedAt });
  const { paths: nodes, offsets, targets, counts: weights } = await store.graph(signal);
  const search = { terms: [{ text: '海', kind: 'word', negated: false } as const], match: 'any' as const };
  const { hits } = await store.searchText(search, {}, ALL, signal);
  return {
    states,
    counts,
    graph: { nodes, offsets, targets, weights },
    records: await store.notes(paths, signal),
    properties: await store.fileProperties(paths, signal),
    out: await Promise.all(paths.map((path) => store.links(path, 'out', ALL, signal))),
    in: await Promise.all(paths.map((path) => store.links(path, 'in', ALL, signal))),
    unresolved: await store.unresolved({}, 10, ALL, signal),
    tags: await store.listTags(undefined, {}, signal),
    tasks: await store.listTasks({ status: 'any' }, ALL, signal),
    found: hits.map(({ path }) => path).sort(),
    mentions: await store.mentions('water', 100, signal),
  };
}

/** Where every link leads, and every tag's notes, by looking at all files each time. */
function modelled(files: Files): { links: string[]; tags: Record<string, number> } {
  const all = [...files.keys()].sort() as NotePath[];
  const candidates = (key: string) => all.filter((path) => nameKeyOf(path) === key);
  const tags: Record<string, number> = {};
  const links = all.flatMap((path) => {
    const written = files.get(path) ?? null;
    if (written === null) return [];
    const { parsed } = indexed(path, written);
    const named = parsed.tags.flatMap(({ tag }) => withParents(tag.toLowerCase()));
    for (const key of new Set(named)) tags[key] = (tags[key] ?? 0) + 1;
    return parsed.links.map(({ link }) => `${path}: ${link} -> ${resolveLink(link, path, candidates).path}`);
  });
  return { links, tags };
}

/** `#a/b` is also `#a`. */
function withParents(tag: string): string[] {
  const steps = tag.split('/');
  return steps.map((_, at) => steps.slice(0, at + 1).join('/'));
}

async function stored(store: Store): Promise<{ links: string[]; tags: Record<string, number> }> {
  const paths = (await store.fileStates(signal)).map(({ path }) => path).sort();
  const links = await Promise.all(paths.map((path) => store.links(path, 'out', ALL, signal)));
  const tags = await store.listTags(undefined, {}, signal);
  return {
    links: links.flat().map(({ source, link, target }) => `${source}: ${link} -> ${target}`),
    tags: Object.fromEntries(tags.map(({ tag, count }) => [tag.toLowerCase(), count])),
  };
}

export function randomChangeLaws(law: Law): void {
  law('after any changes the index equals a new one of the same files', async (store) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        const files: Files = new Map();
        await store.reset(signal);
        for (const one of steps) {
          await take(store, files, one);
          await store.graph(signal);
        }
        const model = modelled(files);
        assert.deepEqual((await stored(store)).links, model.links);
        assert.deepEqual((await stored(store)).tags, model.tags);
        const grown = await everything(store);
        await store.reset(signal);
        await store.apply(filled(Object.fromEntries(files)), signal);
        assert.deepEqual(grown, await everything(store));
        assert.deepEqual(await store.integrity(signal), []);
      }),
      { numRuns: runs(40) },
    );
  });
}
