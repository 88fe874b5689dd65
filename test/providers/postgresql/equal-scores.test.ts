// The same notes have the same scores in PostgreSQL and in SQLite, whatever the ranking takes into account.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '../../../src/contracts/store.ts';
import type { TextQuery } from '../../../src/contracts/text-query.ts';
import { ALL, fill, remove, rewrite, signal } from '../../contracts/store/law.ts';
import { describePostgres } from '../../postgresql/describe-postgres.ts';
import { createIndexFolder } from '../sqlite/database/index-folder.ts';
import { openStore, storeConfig } from './postgres-index.ts';

const FILLER = 'boats sail by the quay at noon '.repeat(200);

/** Names, headings, forms, accents, scripts, dates, long notes, and notes that were indexed again or removed. */
async function write(store: Store): Promise<void> {
  await fill(store, {
    'Hello Moon (song).md': '---\ndate: 2023-10-13\n---\n# A song\nby Ann Reed, über dem Hafen. #sea/coast',
    'Ann Reed.md': 'A singer. She wrote songs and lived in a harbour town, [[Hello Moon (song)]].',
    '2023-10-14.md': 'The day after. книги о гавани',
    '日記.md': '今日は港町へ行った。',
    'Gone.md': 'harbour harbour harbour',
  });
  await fill(store, {
    'Long 1.md': `${FILLER} keeper ${FILLER} lamp ${FILLER} storm`,
    'Long 2.md': `${FILLER} keeper lamp storm ${FILLER} ${FILLER}`,
    'Long 3.md': `${FILLER} ${FILLER} keeper ${FILLER}`,
  });
  await rewrite(store, { 'Ann Reed.md': 'A singer of the harbour. She wrote songs.' });
  await remove(store, 'Gone.md');
}

const word = (text: string, ...forms: string[]) => ({ text, kind: 'word', negated: false, forms }) as const;

const QUERIES: readonly TextQuery[] = [
  { terms: ['keeper', 'lamp', 'storm'].map((text) => word(text)), match: 'any' },
  { terms: ['keeper', 'lamp'].map((text) => word(text)), match: 'any' },
  { terms: [word('song', 'songs'), word('singer'), word('moon')], match: 'any', called: 'the singer of hello moon' },
  { terms: [word('книга', 'книги'), word('港町'), word('uber')], match: 'any' },
  { terms: [{ text: 'harbour', kind: 'phrase', negated: false }, word('boats')], match: 'any' },
  { terms: [word('ha')].map((term) => ({ ...term, kind: 'prefix' as const })), match: 'all' },
  {
    terms: [word('day'), word('song', 'songs')],
    match: 'any',
    dated: [
      { days: ['2023-10-13'], around: ['2023-10-12', '2023-10-14'], written: ['13 october 2023'], isFound: true },
    ],
  },
];

async function answers(store: Store): Promise<object[]> {
  await write(store);
  return Promise.all(QUERIES.map((query) => store.searchText(query, {}, ALL, signal)));
}

describePostgres('scores in PostgreSQL', (server) => {
  test('are those of SQLite', async (context) => {
    const folder = createIndexFolder();
    context.after(() => folder.remove());
    const sqlite = await folder.open();
    const expected = await answers(sqlite.capability).finally(() => sqlite.close());
    for (const { hits } of expected as { hits: unknown[] }[]) assert.ok(hits.length > 0);
    const postgresql = await openStore(storeConfig(server(), await server().freshDatabase()));
    assert.deepEqual(await answers(postgresql.store).finally(() => postgresql.close()), expected);
  });
});
