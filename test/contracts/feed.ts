// Registers the tests of a feed of changes: what it records, what it does not, and what it outlives, whichever store keeps it.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FeedRecord, StoredFeed } from '../../src/contracts/feed.ts';
import type { FeedSettings } from '../../src/contracts/provider.ts';
import type { Store } from '../../src/contracts/store.ts';
import { lineHashes } from '../../src/markdown/excerpt/line-hashes.ts';
import { foldChanges } from '../../src/tools/changes/fold-changes.ts';
import { asPaths, changes, found, indexed, signal } from './store/law.ts';

export interface OpenFeed {
  readonly store: Store;
  readonly feed: StoredFeed;
  close(): Promise<void>;
}

/** A vault with an index and a feed, which stay when the store is closed. */
export interface FeedHome {
  open(limits?: Partial<FeedSettings>): Promise<OpenFeed>;
  /** Of the index alone, while no store is open. */
  loseIndex(): Promise<void>;
  whileLocked(work: () => Promise<void>): Promise<void>;
  /** Statements on the tables of the feed. */
  run(...sql: readonly string[]): Promise<void>;
  remove(): Promise<void>;
}

export const LIMITS: FeedSettings = { days: 90, bytes: 64 * 1024 * 1024 };

/** As the parser gives it: with the hashes of its lines. */
export function read(path: string, text: string) {
  const note = indexed(path, text);
  const lines = lineHashes(text, note.parsed.bodyOffset);
  return { ...note, parsed: { ...note.parsed, ...(lines && { lines }) } };
}

const paths = (texts: Readonly<Record<string, string>>): string[] => Object.keys(texts);

/** What a scan does with a whole vault: first all files, then their contents. */
export async function scan(
  store: Store,
  texts: Readonly<Record<string, string>>,
  removed: string[] = [],
): Promise<void> {
  await store.apply(changes({ added: paths(texts).map((path) => found(path)), removed: asPaths(...removed) }), signal);
  const notes = Object.entries(texts).map(([path, text]) => read(path, text));
  await store.apply(changes({ indexed: notes }), signal);
  await store.completeScan(new Date().toISOString(), signal);
}

export async function edit(store: Store, path: string, text: string): Promise<void> {
  await store.apply(changes({ indexed: [read(path, text)] }), signal);
}

export async function records(feed: StoredFeed, after = 0): Promise<readonly FeedRecord[]> {
  const state = await feed.state(signal);
  return (await feed.read({ after, upTo: state?.last ?? 0 }, signal)).records;
}

const short = ({ kind, path, from }: FeedRecord): string => [kind, ...(from ? [from] : []), path].join(' ');
export const told = async (feed: StoredFeed): Promise<string[]> => (await records(feed)).map(short);

export const body = (word: string): string =>
  `# ${word}\n\none ${word}\ntwo ${word}\n\n## Part\n\nthree ${word}\nfour ${word}\n`;
export const TEXTS = { 'A.md': body('a'), 'B.md': `${body('b')}[[A]]\n`, 'C/D.md': body('d') };

/** @param create one without notes */
export function feedLaws(name: string, create: () => FeedHome): void {
  describe(`${name} meets the contract of a feed of changes`, () => {
    let home: FeedHome;
    beforeEach(() => {
      home = create();
    });
    afterEach(() => home.remove());

    it('takes the first scan for what was there, and knows changes from its end on', async () => {
      const { store, feed, close } = await home.open();
      await store.apply(changes({ added: [found('A.md')] }), signal);
      assert.equal((await feed.state(signal))?.knownSince, null);
      await scan(store, TEXTS);
      assert.deepEqual(await told(feed), []);
      assert.ok(Math.abs(Date.now() - ((await feed.state(signal))?.knownSince ?? 0)) < 60_000);
      await close();
    });

    it('records an edit with its sections and lines', async () => {
      const { store, feed, close } = await home.open();
      await scan(store, TEXTS);
      await edit(store, 'A.md', body('a').replace('three a', 'changed').replace('two a\n', ''));
      const [record] = await records(feed);
      assert.deepEqual(record?.lines, {
        added: 1,
        removed: 2,
        sections: [
          { heading: 'a', added: 0, removed: 1 },
          { heading: 'a > Part', added: 1, removed: 1 },
        ],
        sectionCount: 2,
      });
      await close();
    });

    it('records a deletion with title, tags and who linked to it', async () => {
      const { store, feed, close } = await home.open();
      await scan(store, { ...TEXTS, 'A.md': `---\ntitle: First\ntags: [x/y]\n---\n${body('a')}` });
      await store.apply(changes({ removed: asPaths('A.md') }), signal);
      const [record] = await records(feed);
      assert.deepEqual(
        [record?.kind, record?.title, record?.tags, record?.linkedFrom],
        ['deleted', 'First', ['#x/y'], { paths: ['B.md'], count: 1 }],
      );
      await close();
    });

    const moved = body('a').replace('four a', 'five a');
    const MOVES: Readonly<Record<string, (store: Store) => Promise<void>>> = {
      'in one set': (store) => scan(store, { 'New.md': body('a') }, ['A.md']),
      'removed first': async (store) => {
        await store.apply(changes({ removed: asPaths('A.md') }), signal);
        await scan(store, { 'New.md': body('a') });
      },
      'created first': async (store) => {
        await scan(store, { 'New.md': body('a') });
        await store.apply(changes({ removed: asPaths('A.md') }), signal);
      },
      'and edited': (store) => scan(store, { 'New.md': moved }, ['A.md']),
      'and edited, read long after it was found': async (store) => {
        await store.apply(changes({ added: [found('New.md')], removed: asPaths('A.md') }), signal);
        await sleep(400);
        await edit(store, 'New.md', moved);
        await store.completeScan(new Date().toISOString(), signal);
      },
      'read while it was written': async (store) => {
        await scan(store, { 'New.md': '' }, ['A.md']);
        await edit(store, 'New.md', moved);
      },
    };
    for (const [how, move] of Object.entries(MOVES))
      it(`recognizes a moved note: ${how}`, async () => {
        const { store, feed, close } = await home.open();
        await scan(store, TEXTS);
        await move(store);
        const all = await records(feed);
        assert.equal(short(all.at(-1) as FeedRecord), 'moved A.md New.md');
        const firstHalf = all.slice(0, -1).find(({ seq }) => seq === all.at(-1)?.replaces);
        assert.equal(firstHalf === undefined, all.length === 1);
        const listed = (await foldChanges(all)).map(({ kind, from, path }) => [kind, from, path]);
        assert.deepEqual(listed, [['moved', 'A.md', 'New.md']]);
        await close();
      });

    it('records that a note is gone before it records another one at its path', async () => {
      const { store, feed, close } = await home.open();
      await scan(store, TEXTS);
      await store.apply(changes({ added: [found('Slow.md')], removed: asPaths('A.md') }), signal);
      await store.apply(changes({ added: [found('A.md')] }), signal);
      await edit(store, 'A.md', 'quite another text\n');
      await edit(store, 'Slow.md', 'slow\n');
      await store.completeScan(new Date().toISOString(), signal);
      assert.deepEqual(await told(feed), ['deleted A.md', 'created A.md', 'created Slow.md']);
      await close();
    });

    it('takes notes with nothing in common but a template or emptiness for others', async () => {
      const { store, feed, close } = await home.open();
      await scan(store, { ...TEXTS, 'Empty.md': '', 'T1.md': '# Day\n\n## Log\n\nate well\nslept\nwalked\nread\n' });
      await scan(store, { 'Void.md': '', 'T2.md': '# Day\n\n## Log\n\nworked\ntalked\nwent\nsat\n' }, [
        'Empty.md',
        'T1.md',
      ]);
      assert.deepEqual((await told(feed)).sort(), [
        'created T2.md',
        'created Void.md',
        'deleted Empty.md',
        'deleted T1.md',
      ]);
      await close();
    });

    it('takes no note for moved to one that was made from the same template, nor to one that is back', async () => {
      const template = (what: string) => `# Log\n\n## Weather\n\n## Work\n\n## Food\n\n## Sleep\n\nall ${what}\n`;
      const { store, feed, close } = await home.open();
      await scan(store, { 'T1.md': template('well'), 'T2.md': template('bad'), 'Back.md': template('odd') });
      await store.apply(changes({ removed: asPaths('Back.md') }), signal);
      await scan(store, { 'Back.md': template('odd'), 'T3.md': template('new') });
      await sleep(400);
      for (const path of ['T1.md', 'T2.md']) await store.apply(changes({ removed: asPaths(path) }), signal);
      assert.deepEqual(await told(feed), [
        'deleted Back.md',
        'created Back.md',
        'created T3.md',
        'deleted T1.md',
        'deleted T2.md',
      ]);
      await close();
    });

    it('takes a note that is back at its path for itself, also where a copy of it was gone', async () => {
      const { store, feed, close } = await home.open();
      const text = '# Log\n\nsunny\n';
      await scan(store, { 'A/Log.md': text, 'B/Log.md': text });
      await store.apply(changes({ removed: asPaths('A/Log.md', 'B/Log.md') }), signal);
      await scan(store, { 'B/Log.md': text, 'C/Log.md': text });
      assert.deepEqual(await told(feed), [
        'deleted A/Log.md',
        'deleted B/Log.md',
        'created B/Log.md',
        'moved A/Log.md C/Log.md',
      ]);
      await close();
    });

    const hidden = (...all: string[]) => changes({ added: all.map((path) => found(path, { excluded: true })) });
    const shown = (...all: string[]) => changes({ added: all.map((path) => found(path)) });

    it('takes a note that is excluded from now on for deleted, and one that no longer is for created', async () => {
      const { store, feed, close } = await home.open();
      await scan(store, TEXTS);
      await store.apply(hidden('A.md'), signal);
      const [record] = await records(feed);
      assert.deepEqual([record?.kind, record?.linkedFrom], ['deleted', { paths: ['B.md'], count: 1 }]);
      await edit(store, 'A.md', body('x'));
      await store.completeScan(new Date().toISOString(), signal);
      assert.deepEqual(await told(feed), ['deleted A.md']);
      await store.apply(shown('A.md'), signal);
      await edit(store, 'A.md', body('y'));
      await store.completeScan(new Date().toISOString(), signal);
      assert.deepEqual(await told(feed), ['deleted A.md', 'created A.md', 'edited A.md']);
      await close();
    });

    it('reads a note again that is no longer excluded, and takes it for one', async () => {
      const { store, feed, close } = await home.open();
      await scan(store, TEXTS);
      await store.apply(hidden('C/D.md', 'New.md'), signal);
      await store.apply(changes({ ...shown('C/D.md', 'New.md'), indexed: [read('C/D.md', body('x'))] }), signal);
      await edit(store, 'New.md', body('new'));
      assert.deepEqual((await told(feed)).sort(), [
        'created C/D.md',
        'created New.md',
        'deleted C/D.md',
        'edited C/D.md',
      ]);
      await close();
    });

    const RENAMES: Readonly<Record<string, readonly [from: string, to: string, isHidden: boolean, all: string[]]>> = {
      'into an excluded folder': ['A.md', 'Private/A.md', true, ['deleted A.md']],
      'within one': ['Private/E.md', 'Private/F.md', true, []],
      'out of one': ['Private/E.md', 'E.md', false, ['created E.md']],
    };
    for (const [how, [from, to, isHidden, all]] of Object.entries(RENAMES))
      for (const isCreatedFirst of [false, true])
        it(`records of a rename what is seen of it: ${how}, ${isCreatedFirst ? 'created' : 'removed'} first`, async () => {
          const { store, feed, close } = await home.open();
          await store.apply(hidden('Private/E.md'), signal);
          await scan(store, TEXTS);
          await edit(store, 'Private/E.md', body('e'));
          await store.completeScan(new Date().toISOString(), signal);
          const steps = [
            async () => store.apply(changes({ removed: asPaths(from) }), signal),
            async () => {
              await store.apply(isHidden ? hidden(to) : shown(to), signal);
              await edit(store, to, body(from === 'A.md' ? 'a' : 'e'));
            },
          ];
          for (const step of isCreatedFirst ? steps.reverse() : steps) await step();
          await store.completeScan(new Date().toISOString(), signal);
          assert.deepEqual(await told(feed), all);
          await close();
        });

    it('finds by the next scan what was excluded while it could not write', async () => {
      const { store, feed, close } = await home.open();
      await scan(store, TEXTS);
      await home.whileLocked(async () => void (await store.apply(hidden('A.md'), signal)));
      await store.completeScan(new Date().toISOString(), signal);
      assert.deepEqual(await told(feed), ['deleted A.md']);
      await home.whileLocked(async () => void (await store.apply(shown('A.md'), signal)));
      await store.completeScan(new Date().toISOString(), signal);
      assert.deepEqual(await told(feed), ['deleted A.md', 'created A.md']);
      await close();
    });

    it('knows attachments by their content, and those without by size and time', async () => {
      const { store, feed, close } = await home.open();
      const file = (path: string, hash: string | undefined, modifiedMs: number) => ({
        ...found(path, { kind: 'attachment', sizeBytes: 9, modifiedMs }),
        ...(hash && { hash }),
      });
      const files = [file('a.png', 'aa', 1), file('b.png', '~bb', 2), file('c.png', undefined, 3)];
      await store.apply(changes({ added: files }), signal);
      await store.completeScan(new Date().toISOString(), signal);
      assert.deepEqual(await feed.unread(signal), ['c.png']);
      const touched = (...all: ReturnType<typeof file>[]) => store.apply(changes({ touched: all }), signal);
      await touched(file('a.png', 'aa', 4), file('b.png', '~bb', 5), file('c.png', 'cc', 3));
      assert.deepEqual([await told(feed), await feed.unread(signal)], [[], []]);
      await touched(file('a.png', undefined, 6), file('b.png', '~b2', 5));
      await store.apply(changes({ added: [file('d.png', 'cc', 7)], removed: asPaths('c.png') }), signal);
      assert.deepEqual(await told(feed), ['edited a.png', 'edited b.png', 'moved c.png d.png']);
      await close();
    });

    it('hears twice of a change, and records it once', async () => {
      const { store, feed, close } = await home.open();
      await scan(store, TEXTS);
      for (let times = 0; times < 3; times += 1) await edit(store, 'A.md', body('x'));
      assert.deepEqual(await told(feed), ['edited A.md']);
      await close();
    });

    it('keeps what the index rolled back, and hears of it again', async () => {
      const { store, feed, close } = await home.open();
      await scan(store, TEXTS);
      const refused = changes({ indexed: [read('A.md', body('x')), read('Unlisted.md', 'y')] });
      await assert.rejects(store.apply(refused, signal));
      await edit(store, 'A.md', body('x'));
      await store.completeScan(new Date().toISOString(), signal);
      assert.equal((await told(feed)).filter((one) => one.endsWith(' A.md')).length, 1);
      await close();
    });

    it('records nothing of an index that is emptied and built again, but what changed meanwhile', async () => {
      const first = await home.open();
      await scan(first.store, TEXTS);
      await first.store.reset(signal);
      await scan(first.store, TEXTS);
      assert.deepEqual(await told(first.feed), []);
      await first.close();
      await home.loseIndex();
      const { store, feed, close } = await home.open();
      await scan(store, { 'A.md': body('x'), 'B.md': TEXTS['B.md'] });
      assert.deepEqual((await told(feed)).sort(), ['deleted C/D.md', 'edited A.md']);
      await edit(store, 'B.md', 'new\n');
      assert.equal((await records(feed)).at(-1)?.lines?.removed, 10);
      await close();
    });

    it('finds by the next scan what it could not write', async () => {
      const { store, feed, close } = await home.open();
      await scan(store, TEXTS);
      await home.whileLocked(() => edit(store, 'A.md', body('x')));
      const state = await feed.state(signal);
      assert.ok((state?.revision ?? 0) < (await store.progress(signal)).revision);
      await store.completeScan(new Date().toISOString(), signal);
      assert.deepEqual(await told(feed), ['edited A.md']);
      assert.equal((await records(feed))[0]?.lines, undefined);
      await close();
    });

    it('is kept within its days and bytes, and says from when on', async () => {
      const first = await home.open({ days: 1 });
      await scan(first.store, TEXTS);
      for (let at = 0; at < 20; at += 1) await edit(first.store, 'A.md', body(`x${at}`));
      await first.close();
      await home.run('UPDATE changes SET at = at - 2 * 86400000 WHERE seq <= 10', 'UPDATE meta SET pruned_at = 0');
      const { store, feed, close } = await home.open({ days: 1 });
      await store.completeScan(new Date().toISOString(), signal);
      const { forgotten, last, knownSince } = (await feed.state(signal)) ?? {};
      assert.deepEqual([forgotten, last], [10, 20]);
      assert.equal(knownSince, (await records(feed))[0]?.at);
      await close();
      const small = await home.open({ bytes: 100 });
      await small.store.completeScan(new Date().toISOString(), signal);
      assert.deepEqual([(await small.feed.state(signal))?.forgotten, await told(small.feed)], [20, []]);
      await small.close();
    });

    it('forgets nothing by a clock that is suddenly months ahead', async () => {
      const { store, feed, close } = await home.open();
      await scan(store, TEXTS);
      await edit(store, 'A.md', body('x'));
      const year = 400 * 86_400_000;
      await home.run(
        `UPDATE changes SET at = at - ${year}`,
        `UPDATE meta SET pruned_at = 0, seen_at = seen_at - ${year}`,
      );
      await store.completeScan(new Date().toISOString(), signal);
      assert.equal((await records(feed)).length, 1);
      await close();
    });

    it('remembers positions by name', async () => {
      const { store, feed, close } = await home.open();
      await scan(store, TEXTS);
      await feed.remember('weekly', 0, signal);
      await feed.remember('weekly', 3, signal);
      const [one, ...others] = await feed.checkpoints(signal);
      assert.deepEqual([one?.name, one?.seq, others], ['weekly', 3, []]);
      await close();
    });
  });
}
