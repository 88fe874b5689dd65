// Tests which tags are offered for a note, in what order, and how fast.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCompute } from '../../../src/compute/offload.ts';
import { StoreCache } from '../../../src/contracts/session.ts';
import { tagCandidates } from '../../../src/tools/llm/suggest_tags.ts';
import { readRequestedNote } from '../../../src/tools/notes/requested-note.ts';
import { type ToolsUnderTest, withTools } from '../tools-under-test.ts';

const { signal } = new AbortController();
const compute = createCompute();

async function candidatesOf({ store, vault }: ToolsUnderTest, reference: string) {
  const request = { tool: 'suggest_tags', accepted: [], argument: 'note', reference };
  return tagCandidates(
    await readRequestedNote(request, { store, vault }, { signal, compute, storeCache: new StoreCache() }),
    store,
    signal,
  );
}

test('tags named in the text come before those of neighbors, then those of similar notes, frequent before rare', () =>
  withTools(
    {
      'Note.md': '---\ntags: [own/deep]\n---\nOf slow cooking, 港町 and sails. [[Linked]]\n',
      'Linked.md': '#neighbour\n',
      'A.md': '#kitchen/slow-cooking #港町 #own #own/deep #own/other\n',
      'B.md': '#often #rare\n',
      'C.md': '#often\n',
    },
    async (under) => {
      const { tags, own, all } = await candidatesOf(under, 'Note');
      assert.deepEqual(own, ['#own/deep']);
      assert.equal(all.get('#often')?.count, 2);
      assert.deepEqual(
        tags.map(({ tag }) => tag),
        ['#kitchen/slow-cooking', '#港町', '#neighbour', '#own/other', '#often', '#kitchen', '#rare'],
      );
    },
  ));

test('a large vocabulary and a long note are handled quickly', () => {
  const many = Array.from({ length: 3_000 }, (_, at) => `#word${at}`);
  const files = { 'All.md': `${many.join(' ')}\n`, 'Long.md': `${'Plain words of a long note.\n'.repeat(20_000)}\n` };
  return withTools(files, async (under) => {
    const began = performance.now();
    const { tags, all } = await candidatesOf(under, 'Long');
    assert.deepEqual([tags.length, all.size], [80, 3_000]);
    assert.ok(performance.now() - began < 10_000);
  });
});
