// Tests check_note on a real vault, store and indexer: every reason why a note is not found, and its ranks for a query.
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { VaultgraphError } from '../../../src/base/errors.ts';
import { createCheckNote } from '../../../src/tools/diagnose/check_note.ts';
import { createSearch } from '../../../src/tools/search/search.ts';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { assertEach } from '../../assert-each.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { type Filling, fillVectors } from '../fill-vectors.ts';
import { sharedVault, type ToolsUnderTest, withTools } from '../tools-under-test.ts';

const checkNote = createCheckNote({});
const byMeaning = createCheckNote({ embedding: true });

const FILES = {
  'Tide.md': '---\naliases: [Ebb]\n---\n# High water\nThe neap tide is low. The moon pulls. #sea\n',
  'Moon.md': 'The moon pulls at every tide, tide, tide.\n',
  'Bread.md': 'Flour, water and salt make a loaf.\n',
  'sub/Twin.md': 'one\n',
  'Twin.md': 'other\n',
  'Broken.md': '---\na: b: c\n---\nstill text\n',
  'Note (conflicted copy).md': 'copy\n',
  'Board.canvas': '{ no json',
  'Books.base': 'views: []',
  'Archive/Old.md': 'old\n',
  'pic.png': 'x',
};
const EXCLUDE = { exclude: ['Archive/**'] };
const check = (work: (under: ToolsUnderTest) => Promise<void>) => withTools(FILES, work, EXCLUDE);
const reading = sharedVault(FILES, undefined, EXCLUDE);

test('an indexed note is returned with its distinctive words and how it was matched', () =>
  reading(async ({ ask }) => {
    const answer = await ask(checkNote, { note: 'ebb' });
    assert.deepEqual([answer.path, answer.match, answer.state], ['Tide.md', 'alias', 'indexed']);
    assert.equal(answer.verdict, 'Indexed as it is on disk.');
    assert.ok(answer.terms.includes('neap'));
    assert.ok(answer.terms.length <= 8);
    for (const absent of ['embedding', 'query', 'quarantine', 'same_name', 'conflict_copy']) {
      assert.equal(absent in answer, false, absent);
    }
  }));

test('each reason why a note is not, or not completely, in the index is explained', () =>
  check(async ({ ask, folder, run }) => {
    const state = async (note: string) => {
      const { state: status, verdict, rule } = await ask(checkNote, { note });
      return { status, verdict, rule };
    };
    folder.put('Fresh.md', 'fresh\n');
    folder.put('deep/er/Fresher.md', 'fresher\n');
    folder.put('Moon.md', 'The moon was edited.\n');
    folder.remove('Bread.md');
    const cases: [string, string, RegExp][] = [
      ['Fresh.md', 'pending', /not indexed yet; call reindex to read it/],
      ['Fresher', 'pending', /not indexed yet/],
      ['Moon', 'changed', /earlier text/],
      ['Bread', 'missing', /deleted from disk/],
      ['Archive/Old.md', 'ignored', /it is excluded by vault\.exclude: "Archive\/\*\*"\. Whether it exists/],
      ['.obsidian/app.md', 'ignored', /hidden/],
      ['node_modules/read me.md', 'ignored', /node_modules is always left out/],
      ['half.md.tmp', 'ignored', /\.tmp are always left out/],
      ['pic.png', 'no_note', /attachment/],
      ['Note (conflicted copy)', 'indexed', /conflict copy/],
      ['Broken', 'indexed', /not all of it could be read \[PROPERTIES_INVALID\]/],
      ['Board.canvas', 'indexed', /CANVAS_INVALID/],
    ];
    for (const [note, expected, verdict] of cases) {
      const answer = await state(note);
      assert.equal(answer.status, expected, note);
      assert.match(answer.verdict, verdict, note);
    }
    const { quarantine } = await ask(checkNote, { note: 'Broken' });
    const [row] = quarantine;
    assert.deepEqual([row.phase, row.code, row.attempts, row.line], ['parse', 'PROPERTIES_INVALID', 1, 2]);
    await run();
    assert.equal((await state('Fresh')).status, 'indexed');
    assert.equal((await state('Moon')).status, 'indexed');
  }));

test('symbolic links, folders named like notes and cloud stubs are reported as such', () =>
  check(async ({ ask, folder, run }) => {
    symlinkSync(join(folder.root, 'Tide.md'), join(folder.root, 'Linked.md'));
    mkdirSync(join(folder.root, 'Folder.md'));
    folder.put('.Cloud.md.icloud', 'x');
    const states = async () => {
      const answers = [];
      for (const note of ['Linked.md', 'Folder.md', 'Cloud.md', 'Cloud']) answers.push(await ask(checkNote, { note }));
      return answers.map(({ state, verdict }) => [state, verdict]);
    };
    const expected = [
      ['ignored', 'Excluded: a symbolic link is not followed.'],
      ['ignored', 'Excluded: it is named like a note but is not a file.'],
      ['evicted', 'Not indexed: it is in the cloud and not on this machine, and is read once it is downloaded.'],
      ['evicted', 'Not indexed: it is in the cloud and not on this machine, and is read once it is downloaded.'],
    ];
    assert.deepEqual(await states(), expected);
    await run();
    assert.deepEqual(await states(), expected);
  }));

test('an unreadable note is reported as quarantined, with its reason and attempts', () =>
  check(async ({ ask, folder, run }) => {
    folder.put('Huge.md', 'huge\n');
    truncateSync(join(folder.root, 'Huge.md'), 33 * 1024 * 1024);
    await run();
    const answer = await ask(checkNote, { note: 'Huge' });
    assert.equal(answer.state, 'quarantined');
    assert.equal(answer.verdict, 'Not indexed: it could not be read [LIMIT_EXCEEDED].');
    const [{ phase, code, attempts }] = answer.quarantine;
    assert.deepEqual([phase, code, attempts], ['read', 'LIMIT_EXCEEDED', 1]);
  }));

test('other notes of the same name are listed', () =>
  reading(async ({ ask }) => {
    assert.deepEqual((await ask(checkNote, { note: 'sub/Twin.md' })).same_name, ['Twin.md']);
  }));

test('for a query each word is listed with its fields, and the rank is that of search_text', () =>
  reading(async ({ ask }) => {
    const query = 'tide neap "high water" po* ?!';
    const { query: result, verdict } = await ask(checkNote, { note: 'Tide.md', query });
    assert.deepEqual(
      result.terms.map(({ term, fields, in_notes, dropped }: Record<string, unknown>) => [
        term,
        fields,
        in_notes,
        dropped,
      ]),
      [
        ['tide', ['title', 'body'], 2, undefined],
        ['neap', ['body'], 1, undefined],
        ['"high water"', ['headings'], 1, undefined],
        ['po*', [], 0, undefined],
        ['?!', [], 0, 'no_letters'],
      ],
    );
    assert.deepEqual([result.rank, result.found], [1, 2]);
    assert.equal(verdict, 'Indexed as it is on disk. search_text finds it at rank 1 of 2.');
    const second = await ask(checkNote, { note: 'Moon', query: 'tide' });
    const { hits } = await ask(searchText, { query: 'tide' });
    const at = hits.findIndex(({ path }: { path: string }) => path === 'Moon.md');
    assert.equal(second.query.rank, at + 1);
    assert.equal(second.query.score, hits[at].score);
    assert.deepEqual(second.query.before, at === 0 ? undefined : [{ path: hits[0].path, score: hits[0].score }]);
  }));

test('a misspelled word is listed with its correction', () =>
  reading(async ({ ask }) => {
    const { query } = await ask(checkNote, { note: 'Bread', query: 'Braed' });
    assert.deepEqual(query.corrected, [{ from: 'Braed', to: 'Bread' }]);
    assert.equal(query.rank, 1);
  }));

test('a function word is reported as such', () =>
  reading(async ({ ask }) => {
    const { query } = await ask(checkNote, { note: 'Tide', query: 'how is the neap tide' });
    const dropped = query.terms.filter((term: { dropped?: string }) => term.dropped === 'function_word');
    assert.ok(
      dropped.some(({ term, fields }: { term: string; fields: string[] }) => term === 'the' && fields[0] === 'body'),
    );
  }));

test('the verdict explains why a query does not find a note', () =>
  reading(async ({ ask }) => {
    const verdict = async (query: string) => (await ask(checkNote, { note: 'Tide', query })).verdict;
    assert.match(await verdict('flour'), /does not find it: it contains none of the query's words/);
    assert.match(await verdict('tide -moon'), /leaves it out: it contains what -moon excludes/);
    const { query } = await ask(checkNote, { note: 'Tide', query: 'flour' });
    assert.deepEqual([query.found, 'rank' in query && query.rank !== undefined], [1, false]);
  }));

test('a word that is in most notes is reported as dropped', () => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`n${at}.md`, `common text ${at}`]));
  return withTools({ ...many, 'Odd.md': 'common rarity' }, async ({ ask }) => {
    const { query, verdict } = await ask(checkNote, { note: 'n1', query: 'common rarity' });
    assert.deepEqual(
      query.terms.map(({ term, dropped }: Record<string, unknown>) => [term, dropped]),
      [
        ['common', 'in_most_notes'],
        ['rarity', undefined],
      ],
    );
    assert.match(verdict, /are in most notes and do not count/);
  });
});

test('invalid queries are refused, and NOTE_NOT_FOUND means that nothing matches', () =>
  reading(async ({ refusal }) => {
    const error = await refusal(checkNote, { note: 'Tidee' }, 'NOTE_NOT_FOUND');
    assert.deepEqual((error as VaultgraphError<'NOTE_NOT_FOUND'>).details.suggestions[0], 'Tide.md');
    await refusal(checkNote, { note: '../outside.md' }, 'PATH_NOT_ALLOWED');
    await refusal(checkNote, { note: 'sub/../Twin.md' }, 'PATH_NOT_ALLOWED');
    await refusal(checkNote, { note: 'Tide', query: '-tide' }, 'INVALID_QUERY');
    await refusal(checkNote, { note: 'Archive/Old.md', query: '-tide' }, 'INVALID_QUERY');
  }));

test('two new notes of the same name that are not indexed yet are ambiguous', () =>
  check(async ({ refusal, folder }) => {
    folder.put('x/New.md', 'a');
    folder.put('y/New.md', 'b');
    const error = await refusal(checkNote, { note: 'New' }, 'NOTE_AMBIGUOUS');
    assertEach(error.choices?.items, ({ value }) => value, ['x/New.md', 'y/New.md']);
  }));

function withVectors(
  work: (under: ToolsUnderTest, fake: ReturnType<typeof fakeEmbedding>) => Promise<void>,
  filling?: Filling,
): Promise<void> {
  const fake = fakeEmbedding();
  const filled = async (under: ToolsUnderTest): Promise<void> => {
    if (filling !== undefined) await fillVectors(under, fake.provider, filling);
    await work(under, fake);
  };
  return withTools(FILES, filled, { embedding: fake.provider });
}

test('with embeddings, a note is reported as embedded, with its rank in search and by meaning alone', () =>
  withVectors(async ({ ask, ...under }) => {
    const query = 'neap tide';
    const answer = await ask(byMeaning, { note: 'Moon', query });
    assert.deepEqual(answer.embedding, { embedded: true });
    const { rank, meaning } = answer.query.search;
    const search = createSearch({ textOnly: false });
    const { hits } = await ask(search, { query, explain: true, limit: 50 });
    const shown = hits.findIndex(({ path }: { path: string }) => path === 'Moon.md');
    assert.equal(rank, shown + 1);
    const { vector } = hits[shown].scores;
    assert.equal(meaning.rank, vector.rank);
    assert.ok(Math.abs(meaning.cosine - vector.cosine) < 1e-4);
    assert.ok(
      answer.verdict.endsWith(`search shows it at rank ${rank}; by meaning it is ${meaning.rank} of ${meaning.found}.`),
    );
    assert.equal(under.reported().provider?.capability, 'embedding');
    const base = await ask(byMeaning, { note: 'Books.base' });
    assert.equal(base.embedding.reason, 'only notes and canvases are embedded');
  }, {}));

test('the reason why a note is not embedded is reported', async () => {
  await withVectors(async ({ ask }) => {
    const { embedding, verdict } = await ask(byMeaning, { note: 'Tide' });
    assert.deepEqual(embedding, { embedded: false, reason: 'no note is embedded yet' });
    assert.match(verdict, /Not embedded: no note is embedded yet/);
  });
  await withVectors(
    async ({ ask }) => {
      assert.equal((await ask(byMeaning, { note: 'Tide' })).embedding.reason, 'it is waiting to be embedded');
      assert.equal((await ask(byMeaning, { note: 'Moon' })).embedding.embedded, true);
    },
    { only: ['Moon.md'] },
  );
  await withVectors(
    async ({ ask }) => {
      const { embedding } = await ask(byMeaning, { note: 'Tide' });
      assert.equal(embedding.embedded, false);
      assert.equal(embedding.reason, 'none of its chunks could be embedded');
      const [failed] = embedding.failed_chunks;
      assert.deepEqual([failed.code, failed.reason, failed.attempts], ['PROVIDER_REJECTED_INPUT', 'refused', 1]);
    },
    { refused: ['Tide.md'] },
  );
});

test('a failing provider is reported in the answer', () =>
  withVectors(async ({ ask }, fake) => {
    fake.become({ down: true });
    const answer = await ask(byMeaning, { note: 'Tide', query: 'tide' });
    assert.equal(answer.query.rank, 1);
    assert.equal(typeof answer.query.search.error.code, 'string');
    assert.match(answer.verdict, /The search by meaning failed \[/);
  }, {}));
