// Loss of power after each change of an index with its feed and its history: positions and earlier texts are right, or refused.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { contentHash } from '../../src/base/content-hash.ts';
import type { NotePath } from '../../src/base/note.ts';
import { outcomeOf } from '../../src/base/outcome.ts';
import type { FeedState, StoredFeed, TextHistory } from '../../src/contracts/feed.ts';
import type { Opened } from '../../src/contracts/provider.ts';
import type { Store } from '../../src/contracts/store.ts';
import { createHistory } from '../../src/providers/sqlite/history/kept-history.ts';
import { sqliteProvider } from '../../src/providers/sqlite/provider.ts';
import { body, edit, LIMITS, scan } from '../contracts/feed.ts';
import { asPath, asPaths, changes, signal } from '../contracts/store/law.ts';
import { runs } from '../runner/effort.ts';
import { RecordedDatabases } from './recorded-databases.ts';

type Texts = Readonly<Record<string, string>>;

const NAMES = ['data/index.db', 'state/changes.db', 'state/history.db'];
const STEPS = 10;
/** The states of the disk that are tried after each step. */
const STATES = runs(10);

interface Opening {
  readonly store: Store;
  readonly feed: StoredFeed;
  readonly history: TextHistory;
  close(): Promise<void>;
}

async function openIn(root: string): Promise<Opening> {
  const folders = { vaultRoot: join(root, 'vault'), dataFolder: join(root, 'data'), stateFolder: join(root, 'state') };
  const opened: Opened<Store> = await sqliteProvider.open(
    {},
    { ...folders, log: () => undefined, feed: LIMITS },
    signal,
  );
  const history = createHistory({ file: join(root, 'state/history.db'), days: 90, bytes: 2 ** 26 }, () => undefined);
  assert.ok(opened.feed);
  const close = async (): Promise<void> => void (await Promise.all([opened.close(), history.close()]));
  return { store: opened.capability, feed: opened.feed, history, close };
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What a server does with a whole vault at its start. */
async function begin({ store, history }: Opening, texts: Texts): Promise<void> {
  const known = (await store.fileStates(signal)).map(({ path }) => path as string);
  await scan(
    store,
    texts,
    known.filter((path) => !(path in texts)),
  );
  const newest = Object.entries(texts).map(([path, text]) => ({
    path: asPath(path),
    hash: contentHash(bytesOf(text)),
    sizeBytes: text.length,
  }));
  for (const path of await history.compare(async () => newest, signal))
    await keep(history, path, texts[path] ?? '', true);
  history.filled();
}

const keep = (history: TextHistory, path: string, text: string, isLate = false): Promise<void> =>
  history.keep([{ path: asPath(path), bytes: bytesOf(text), modifiedMs: 0, isLate }]);

/** What a client knew after a step, and the position that it was given. */
interface Seen {
  readonly texts: Texts;
  readonly at: number;
  readonly id: string;
  readonly seq: number;
}

/** Edits, creations and deletions, and now and then another process. */
async function record(root: string, recorded: RecordedDatabases): Promise<readonly Seen[]> {
  let texts: Texts = { 'A.md': body('a'), 'B.md': `${body('b')}[[A]]\n`, 'C/D.md': body('d') };
  let open = await openIn(root);
  await begin(open, texts);
  const seen: Seen[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    if (step % 4 === 3) {
      await open.close();
      open = await openIn(root);
      await begin(open, texts);
    }
    texts = await change(open, texts, step);
    const state = (await open.feed.state(signal)) as FeedState;
    seen.push({ texts, at: Date.now(), id: state.id, seq: state.last });
    recorded.step();
    // The next text is of a later millisecond.
    await sleep(3);
  }
  await open.close();
  return seen;
}

async function change({ store, history }: Opening, texts: Texts, step: number): Promise<Texts> {
  if (step % 5 === 4) {
    const [path = '', ...others] = Object.keys(texts);
    await store.apply(changes({ removed: asPaths(path) }), signal);
    await store.completeScan(new Date().toISOString(), signal);
    await history.leave([path as NotePath]);
    return Object.fromEntries(others.map((other) => [other, texts[other] ?? '']));
  }
  const path = step % 3 === 0 ? `New ${step}.md` : (Object.keys(texts).at(step % 2) ?? '');
  const text = body(`step${step} `.repeat(40));
  if (path in texts) await edit(store, path, text);
  else await scan(store, { ...texts, [path]: text });
  await keep(history, path, text);
  return { ...texts, [path]: text };
}

/** From each position that is taken, a client learns all that is different now. */
async function checkPositions({ feed }: Opening, seen: readonly Seen[], now: Texts, durable: number): Promise<void> {
  const state = (await feed.state(signal)) as FeedState;
  for (const [step, { id, seq, texts }] of seen.entries()) {
    const last = id === state.id ? state.last : state.earlier?.get(id);
    const isTaken = last !== undefined && seq <= last && seq >= state.forgotten;
    if (!isTaken) {
      assert.ok(step > durable, `the position after step ${step} is refused, and ${durable} was flushed`);
      continue;
    }
    const { records } = await feed.read({ after: seq, upTo: state.last }, signal);
    const told = new Set(records.flatMap(({ path, from }) => [path as string, ...(from ? [from as string] : [])]));
    const differing = [...new Set([...Object.keys(texts), ...Object.keys(now)])].filter(
      (path) => texts[path] !== now[path],
    );
    assert.deepEqual(
      differing.filter((path) => !told.has(path)),
      [],
      `not told after step ${step}: ${[...told].join()}`,
    );
  }
}

/** An earlier text is the one that the note had then, or is refused. */
async function checkHistory({ history }: Opening, seen: readonly Seen[], durable: number): Promise<void> {
  for (const [step, { texts, at }] of seen.entries())
    for (const path of new Set(seen.flatMap((each) => Object.keys(each.texts)))) {
      const found = await outcomeOf(history.earlier(asPath(path), { beforeMs: at + 1 }, undefined, signal));
      if ('value' in found)
        assert.equal(new TextDecoder().decode(found.value.bytes), texts[path], `${path} after ${step}`);
      else assert.equal(found.error.code, 'EARLIER_TEXT_MISSING');
      const isFlushed = step < durable && path in texts;
      if (isFlushed) assert.ok('value' in found, `${path} after step ${step} is lost, and ${durable} was flushed`);
    }
}

test('after a loss of power at any step, the index opens, no position of the feed and no earlier text is false', async () => {
  const root = mkdtempSync(join(tmpdir(), 'vaultgraph-power-'));
  const recorded = new RecordedDatabases(root, NAMES);
  const seen = await record(root, recorded);
  for (let step = 0; step < STEPS; step += 1)
    for (let number = 0; number < STATES; number += 1) {
      let state = step * 1_000 + number + 1;
      const random = (): number => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        return (state >>> 8) / 2 ** 24;
      };
      for (let skipped = 0; skipped < 4; skipped += 1) random();
      await checkState(recorded, seen.slice(0, step + 1), step, random);
    }
  rmSync(root, { recursive: true });
});

async function checkState(
  recorded: RecordedDatabases,
  seen: readonly Seen[],
  step: number,
  random: () => number,
): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'vaultgraph-found-'));
  recorded.build(root, step, random);
  const last = seen.at(-1)?.texts ?? {};
  // The vault itself goes on.
  const now = { ...last, 'After.md': body('after') };
  const open = await openIn(root);
  try {
    assert.deepEqual(await open.store.integrity(signal), []);
    await begin(open, now);
    await edit(open.store, 'After.md', body('later'));
    await checkPositions(open, seen, { ...now, 'After.md': body('later') }, recorded.durable('state/changes.db', step));
    await checkHistory(open, seen, recorded.durable('state/history.db', step));
    const files = await open.store.fileStates(signal);
    assert.deepEqual(files.map(({ path }) => path as string).sort(), Object.keys(now).sort());
  } finally {
    await open.close();
    rmSync(root, { recursive: true });
  }
}
