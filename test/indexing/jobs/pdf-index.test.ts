// Indexes the text of PDFs: in a vault, after edits, and with the switch turned on and off between runs.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NotePath } from '../../../src/base/note.ts';
import type { Store } from '../../../src/contracts/store.ts';
import { assertEach } from '../../assert-each.ts';
import { encryptedPdf, pdfOf } from '../../pdf/pdf-files.ts';
import { createVaultFolder } from '../../providers/filesystem/vault-folder.ts';
import { longTest } from '../../runner/effort.ts';
import { until } from '../../until.ts';
import {
  coldRebuild,
  contentOf,
  found,
  type IndexUnderTest,
  openIndex,
  signal,
  withIndex,
} from '../index-under-test.ts';

const PAPER = 'Paper.pdf' as NotePath;

async function foundWithPdfs(store: Store, word: string): Promise<readonly string[]> {
  const query = { terms: [{ kind: 'word', text: word, negated: false }], match: 'all' } as const;
  const { hits } = await store.searchText(query, { attachmentTexts: true }, { limit: 100, offset: 0 }, signal);
  return hits.map(({ path }) => path).toSorted();
}

const faultsIn = async ({ store }: IndexUnderTest) =>
  (await store.quarantine({ limit: 10, offset: 0 }, signal)).map(({ path, phase, code, reason }) => [
    path,
    phase,
    code,
    reason,
  ]);

describe('PDFs in the index', () => {
  it('are found by their words where that is asked for, and nowhere else', async () => {
    await withIndex(
      async (under) => {
        const { folder, store, run } = under;
        folder.put('Note.md', 'See ![[Paper.pdf]] and [[Paper.pdf#page=2]] of the heron.');
        folder.put('Sub/Other.pdf', pdfOf(['the heron nests']));
        folder.put('Paper.pdf', pdfOf(['A heron', 'An egret']));
        const job = await run();
        assert.deepEqual([job.state, job.counts.failed], ['succeeded', 0]);
        assert.deepEqual(await foundWithPdfs(store, 'heron'), ['Note.md', 'Paper.pdf', 'Sub/Other.pdf']);
        assert.deepEqual(await foundWithPdfs(store, 'egret'), ['Paper.pdf']);
        assert.deepEqual(await found(store, 'heron'), ['Note.md']);
        assert.deepEqual(await store.mentions('heron', 10, signal), ['Note.md']);
        const within = { folder: 'Sub', attachmentTexts: true };
        const query = { terms: [{ kind: 'word', text: 'heron', negated: false }], match: 'any' } as const;
        const { hits } = await store.searchText(query, within, { limit: 10, offset: 0 }, signal);
        assertEach(hits, ({ path }) => path, ['Sub/Other.pdf']);
        assert.deepEqual(await store.integrity(signal), []);
        const [text] = await store.attachmentTexts([PAPER, 'Note.md' as NotePath], signal);
        assert.equal(text?.text, 'A heron\n\f\nAn egret');
        const counts = await store.counts(signal);
        assert.deepEqual([counts.notes, counts.pending, counts.links, counts.unresolved], [1, 0, 2, 0]);
      },
      { pdf: {} },
    );
  });

  it('follow edits, and keep notes as they are', async () => {
    await withIndex(
      async ({ folder, store, run }) => {
        folder.put('Paper.pdf', pdfOf(['before']));
        await run();
        folder.put('Paper.pdf', pdfOf(['after']));
        await run({ kind: 'notes', paths: ['Paper.pdf'] });
        assert.deepEqual(await foundWithPdfs(store, 'before'), []);
        assert.deepEqual(await foundWithPdfs(store, 'after'), ['Paper.pdf']);
        folder.remove('Paper.pdf');
        await run();
        assert.deepEqual(await foundWithPdfs(store, 'after'), []);
        assert.deepEqual(await store.attachmentTexts([PAPER], signal), []);
      },
      { pdf: {} },
    );
  });

  longTest('let notes go first, and jobs that wait: what is left is read after them', async () => {
    await withIndex(
      async ({ folder, store, indexer, run }) => {
        const page = Array.from({ length: 40 }, (_, at) => `heron ${at}`).join('\n');
        const large = pdfOf(Array.from({ length: 500 }, () => page));
        // Each is a slice of its own.
        for (let at = 0; at < 6; at += 1) folder.put(`A${at}.pdf`, Buffer.concat([large, Buffer.alloc(2 * 2 ** 20)]));
        folder.put('Z.md', 'egret');
        const scan = run();
        await until(async () => (await store.progress(signal)).scannedAt !== null, 'the notes are complete');
        assert.deepEqual(await found(store, 'egret'), ['Z.md']);
        folder.put('Y.md', 'egret');
        const refreshed = await indexer.refresh(['Y.md'], signal);
        assert.equal(refreshed.state, 'succeeded');
        assert.deepEqual(await found(store, 'egret'), ['Y.md', 'Z.md']);
        const { pending } = indexer.state();
        assert.ok(pending > 0 && (await foundWithPdfs(store, 'heron')).length < 6, `${pending} are left`);
        assert.equal((await scan).state, 'succeeded');
        await until(() => indexer.state().pending === 0, 'nothing is left');
        assert.equal((await foundWithPdfs(store, 'heron')).length, 6);
      },
      { pdf: {} },
    );
  });

  it('that cannot be read are in quarantine with the reason, and the others are indexed', async () => {
    await withIndex(
      async (under) => {
        const { folder, store, run } = under;
        folder.put('Broken.pdf', 'plain text');
        folder.put('Locked.pdf', encryptedPdf());
        folder.put('Sound.pdf', pdfOf(['sound']));
        folder.put('Note.md', 'sound');
        const job = await run();
        assert.deepEqual([job.state, job.counts.failed], ['succeeded', 2]);
        assert.deepEqual(await faultsIn(under), [
          ['Broken.pdf', 'parse', 'ATTACHMENT_INVALID', 'it cannot be parsed: Invalid PDF structure.'],
          ['Locked.pdf', 'parse', 'ATTACHMENT_INVALID', 'it is encrypted, and opens only with a password'],
        ]);
        assert.deepEqual(await foundWithPdfs(store, 'sound'), ['Note.md', 'Sound.pdf']);
        folder.put('Locked.pdf', pdfOf(['unlocked']));
        await run();
        assert.deepEqual(await foundWithPdfs(store, 'unlocked'), ['Locked.pdf']);
        assert.equal((await faultsIn(under)).length, 1);
      },
      { pdf: {} },
    );
  });

  longTest('come and go with the switch at the next scan, and leave nothing behind', async () => {
    const folder = createVaultFolder();
    try {
      folder.put('Note.md', 'See [[Paper.pdf]].');
      folder.put('Paper.pdf', pdfOf(['egret']));
      folder.put('Broken.pdf', 'plain text');
      const scans = [
        { options: {}, hits: [], faults: 0 },
        { options: { pdf: {} }, hits: ['Paper.pdf'], faults: 1 },
        { options: {}, hits: [], faults: 0 },
        { options: { pdf: {} }, hits: ['Paper.pdf'], faults: 1 },
      ];
      for (const { options, hits, faults } of scans) {
        const under = await openIndex(folder, undefined, options);
        await under.run();
        assert.deepEqual(await foundWithPdfs(under.store, 'egret'), hits);
        assert.equal((await faultsIn(under)).length, faults);
        const again = await under.run();
        assert.deepEqual([again.counts.changed, again.counts.removed], [0, 0], 'a second scan has nothing to do');
        if (hits.length === 0) assert.deepEqual(await contentOf(under.store), await coldRebuild(under));
        await under.close();
      }
    } finally {
      folder.delete();
    }
  });
});
