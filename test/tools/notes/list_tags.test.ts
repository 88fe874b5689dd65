// list_tags over a real vault: counts by note, prefixes, pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listTags } from '../../../src/tools/notes/list_tags.ts';
import { assertEach } from '../../assert-each.ts';
import { everyPage, withTools } from '../tools-under-test.ts';

const FILES = { 'a.md': '---\ntags: [x/y, z]\n---\n#x/y #Z', 'b.md': '#x/y/w #x', 'c.md': '#only/below' };

test('tags with the number of notes that have the tag or a nested tag', () =>
  withTools(FILES, async ({ ask }) => {
    assert.deepEqual(await ask(listTags), {
      tags: [
        { tag: '#only', count: 1 },
        { tag: '#only/below', count: 1 },
        { tag: '#x', count: 2 },
        { tag: '#x/y', count: 2 },
        { tag: '#x/y/w', count: 1 },
        { tag: '#z', count: 1 },
      ],
      total: 6,
    });
    for (const prefix of ['x/', '#X/']) {
      const { tags } = await ask(listTags, { prefix });
      assertEach(tags, ({ tag }: { tag: string }) => tag, ['#x/y', '#x/y/w']);
    }
    assert.deepEqual(await ask(listTags, { prefix: 'nix' }), { tags: [], total: 0 });
  }));

test('tags by the number of notes, the most used first', () =>
  withTools(FILES, async (under) => {
    const { ask } = under;
    const tags = ({ tags: listed }: { tags: { tag: string }[] }) => listed.map(({ tag }) => tag);
    const byCount = ['#x', '#x/y', '#only', '#only/below', '#x/y/w', '#z'];
    assert.deepEqual(tags(await ask(listTags, { sort: 'count' })), byCount);
    assertEach(await everyPage(under, listTags, { sort: 'count' }, 'tags', 2), ({ tag }) => tag, byCount);
    const { next_cursor: cursor } = await ask(listTags, { limit: 3 });
    await under.refusal(listTags, { sort: 'count', cursor }, 'INVALID_INPUT');
  }));

test('paging returns every tag once, and a cursor of another query is rejected', () =>
  withTools({ 'a.md': Array.from({ length: 20 }, (_, at) => `#t${at}`).join(' ') }, async (under) => {
    const tags = await everyPage(under, listTags, {}, 'tags', 3);
    assert.equal(new Set(tags.map(({ tag }) => tag)).size, 20);
    const { next_cursor: cursor } = await under.ask(listTags, { limit: 3 });
    await under.refusal(listTags, { prefix: 't1', cursor }, 'INVALID_INPUT');
  }));
