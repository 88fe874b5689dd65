// Indexing that ends right after it began: what each run leaves to the next one.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createVaultFolder, type VaultFolder } from '../../providers/filesystem/vault-folder.ts';
import { contentOf, openIndex, signal, withIndex } from '../index-under-test.ts';

const NOTES = 160;

function fill(folder: VaultFolder): void {
  for (let at = 0; at < NOTES; at += 1)
    folder.put(
      `${at % 7}/Note ${at}.md`,
      `# Note ${at}\n\nSee [[Note ${(at * 31) % NOTES}]] and ![[${at}.png]]. #tide${at % 5}\n`,
    );
  folder.put('0/0.png', '');
  folder.put('Gone.canvas', 'not JSON');
}

const indexedIn = async (folder: VaultFolder, ends: (run: Awaited<ReturnType<typeof openIndex>>) => Promise<void>) => {
  // So long that a busy machine makes no difference.
  const run = await openIndex(folder, undefined, { lateMs: 60_000 });
  try {
    await ends(run);
    return (await run.store.progress(signal)).indexed;
  } finally {
    await run.close();
  }
};

describe('a first index that ends again and again', () => {
  it('advances in each run, also in one that ends at once', async () => {
    const folder = createVaultFolder();
    try {
      fill(folder);
      const counts: number[] = [];
      for (let run = 0; run < 4; run += 1)
        counts.push(
          await indexedIn(folder, async ({ indexer }) => {
            indexer.attend();
            await indexer.close();
          }),
        );
      for (const [at, count] of counts.entries()) assert.ok(count > (counts[at - 1] ?? 0), `indexed: ${counts}`);
      const run = await openIndex(folder);
      try {
        const { state, counts: last } = await run.run();
        assert.deepEqual([state, last.indexed], ['succeeded', NOTES - (counts.at(-1) ?? 0)]);
        const once = await openIndex(folder, join(folder.outside, 'at once'));
        try {
          await once.run();
          assert.deepEqual(await contentOf(run.store), await contentOf(once.store));
        } finally {
          await once.close();
        }
      } finally {
        await run.close();
      }
    } finally {
      folder.delete();
    }
  });

  it('has indexed notes before the vault is listed, and counts each file once', async () => {
    const before: Promise<number>[] = [];
    const listed = { run: (): void => {} };
    await withIndex(
      async ({ folder, store, run }) => {
        fill(folder);
        listed.run = () => void before.push(store.progress(signal).then(({ indexed }) => indexed));
        const { counts, failures } = await run();
        assert.deepEqual(await Promise.all(before), [72]);
        assert.deepEqual(
          [counts.changed, counts.done, counts.indexed, counts.failed, failures.map(({ id }) => id)],
          [NOTES + 1, NOTES + 1, NOTES, 1, ['Gone.canvas']],
        );
        const again = await run();
        assert.deepEqual([again.counts.changed, again.counts.indexed], [0, 0]);
      },
      // The jobs of other tests, which did not end, would say that notes may have been read since then.
      { afterList: () => listed.run(), fresh: true },
    );
  });

  it('counts a note once that was written just before it was read, and so is read again', () =>
    withIndex(async ({ folder, vault, store, run }) => {
      folder.put('Ebb.md', 'ebb');
      folder.put('Flow.md', 'flow');
      const { listSome } = vault;
      const listing: typeof listSome = async (...given) => {
        const some = await listSome(...given);
        folder.put('Ebb.md', 'ebb again');
        return some;
      };
      Object.assign(vault, { listSome: listing });
      const { counts } = await run();
      assert.deepEqual([counts.listed, counts.changed, counts.done, counts.indexed], [2, 2, 2, 2]);
      assert.equal((await store.progress(signal)).indexed, 2);
    }));
});
