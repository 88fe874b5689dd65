// search_text over a real vault: hits, filters, paging, and what it refuses or admits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchText } from '../../src/tools/search_text.ts';
import { everyPage, withTools } from './tools-under-test.ts';

const FILES = {
  'Tide.md': '---\nstatus: open\ntags: [sea]\n---\nIntro.\n\nThe tide rises with the moon.\n',
  'Places/Harbour.md': '---\nstatus: done\n---\nThe harbour at low tide. #sea/coast\n',
  'Places/Hill.md': 'The moon over the hill.\n',
  '日記.md': '今日は港町へ行った。\n',
};
const paths = (answer: { hits: { path: string }[] }) => answer.hits.map(({ path }) => path);

test('hits come best first, with lines, snippet, score and what they lack', () =>
  withTools(FILES, async ({ ask, warnings }) => {
    const answer = await ask(searchText, { query: 'tide moon' });
    assert.equal(answer.hits[0].path, 'Tide.md');
    assert.deepEqual(answer.hits[0].lines, [5, 7]);
    assert.match(answer.hits[0].snippet, /The tide rises with the moon\./);
    assert.equal('missing' in answer.hits[0], false);
    const lacks = new Map(answer.hits.map((hit: { path: string; missing?: string[] }) => [hit.path, hit.missing]));
    assert.deepEqual(lacks.get('Places/Harbour.md'), ['moon']);
    assert.deepEqual(lacks.get('Places/Hill.md'), ['tide']);
    assert.equal(answer.total, 3);
    const scores = answer.hits.map(({ score }: { score: number }) => score);
    assert.deepEqual(
      scores,
      scores.toSorted((one: number, other: number) => other - one),
    );
    assert.deepEqual(warnings, []);
    assert.deepEqual(paths(await ask(searchText, { query: 'tide moon', match: 'all' })), ['Tide.md']);
    assert.deepEqual(paths(await ask(searchText, { query: 'tide -low' })), ['Tide.md']);
    assert.deepEqual(paths(await ask(searchText, { query: '"low tide"' })), ['Places/Harbour.md']);
    assert.deepEqual(paths(await ask(searchText, { query: 'har*' })), ['Places/Harbour.md']);
    assert.deepEqual(paths(await ask(searchText, { query: '港町' })), ['日記.md']);
    assert.deepEqual(await ask(searchText, { query: 'nowhere' }), { hits: [], total: 0 });
  }));

test('a snippet shows the text of the note, not the front matter that its title was found in', () =>
  withTools({ 'a.md': '---\ntitle: Moonrise\n---\nOne.\n\nTwo.\n' }, async ({ ask }) => {
    const { hits } = await ask(searchText, { query: 'moonrise' });
    assert.equal(hits[0].title, 'Moonrise');
    assert.equal(hits[0].snippet, 'One. Two.');
    assert.deepEqual(hits[0].lines, [4, 6]);
  }));

test('filters narrow the hits; one that nothing has is told', () =>
  withTools(FILES, async ({ ask, warnings }) => {
    const query = 'tide moon';
    assert.deepEqual(paths(await ask(searchText, { query, folder: 'Places' })).toSorted(), [
      'Places/Harbour.md',
      'Places/Hill.md',
    ]);
    assert.deepEqual(paths(await ask(searchText, { query, tags: ['sea'] })).toSorted(), [
      'Places/Harbour.md',
      'Tide.md',
    ]);
    assert.deepEqual(paths(await ask(searchText, { query, where: { status: 'open' } })), ['Tide.md']);
    assert.equal((await ask(searchText, { query, since: 'today' })).total, 3);
    assert.equal((await ask(searchText, { query, until: 'yesterday' })).total, 0);
    assert.deepEqual(warnings, []);
    assert.equal((await ask(searchText, { query, folder: 'Nix', tags: ['nix'], where: { nix: 1 } })).total, 0);
    assert.deepEqual(
      warnings.map(({ code, message }) => [code, message]),
      [
        ['FILTER_MATCHES_NOTHING', 'no note has the folder "Nix"'],
        ['FILTER_MATCHES_NOTHING', 'no note has the tag #nix'],
        ['FILTER_MATCHES_NOTHING', 'no note has the property "nix"'],
      ],
    );
  }));

test('explain tells how the query was read', () =>
  withTools(FILES, async ({ ask }) => {
    const answer = await ask(searchText, { query: 'tide & -crab', explain: true });
    assert.deepEqual(answer.explain, {
      match: 'any',
      terms: [
        { text: 'tide', kind: 'word', negated: false },
        { text: 'crab', kind: 'word', negated: true },
      ],
      dropped: { without_letters: ['&'], in_most_notes: [] },
    });
    assert.deepEqual(answer.dropped, ['&']);
    for (const { score, scores } of answer.hits) assert.deepEqual(scores, { bm25: score });
  }));

test('a word in most notes is dropped beside a rarer one, and named', () => {
  const many = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`n${at}.md`, `common ${at === 7 ? 'rare' : ''}`]),
  );
  return withTools(many, async ({ ask }) => {
    const answer = await ask(searchText, { query: 'common rare' });
    assert.deepEqual(paths(answer), ['n7.md']);
    assert.deepEqual(answer.dropped, ['common']);
    assert.equal('missing' in answer.hits[0], false);
    assert.equal((await ask(searchText, { query: 'common' })).total, 60);
  });
});

test('pages hold every hit once', () => {
  const many = Object.fromEntries(Array.from({ length: 23 }, (_, at) => [`n${at}.md`, `tide ${'x '.repeat(at % 5)}`]));
  return withTools(many, async (under) => {
    const hits = await everyPage(under, searchText, { query: 'tide' }, 'hits', 5);
    assert.equal(hits.length, 23);
    assert.equal(new Set(hits.map(({ path }) => path)).size, 23);
    const whole = await under.ask(searchText, { query: 'tide', limit: 100 });
    assert.deepEqual(paths({ hits }), paths(whole));
    assert.equal('next_cursor' in whole, false);
  });
});

test('a hit whose file is gone stays, without snippet, and is counted', () =>
  withTools(FILES, async ({ ask, folder, warnings }) => {
    folder.remove('Places/Hill.md');
    const { hits } = await ask(searchText, { query: 'hill' });
    assert.deepEqual(Object.keys(hits[0]).toSorted(), ['path', 'score', 'title']);
    assert.deepEqual(
      warnings.map(({ code, count }) => [code, count]),
      [['EXTRA_MISSING', 1]],
    );
  }));

test('refusals', () =>
  withTools(FILES, async ({ refusal, ask, folder }) => {
    assert.equal((await refusal(searchText, { query: '"tide' }, 'INVALID_QUERY')).details.position, 0);
    await refusal(searchText, { query: 'tide', since: 'soon' }, 'INVALID_QUERY');
    await refusal(searchText, { query: 'x'.repeat(3_000) }, 'LIMIT_EXCEEDED');
    await refusal(searchText, { query: 'tide', folder: '../x' }, 'PATH_NOT_ALLOWED');
    const { next_cursor: cursor } = await ask(searchText, { query: 'tide', limit: 1 });
    await refusal(searchText, { query: 'moon', cursor }, 'INVALID_INPUT');
    folder.vanish();
    await refusal(searchText, { query: 'tide' }, 'VAULT_UNAVAILABLE');
    folder.comeBack();
    assert.equal((await ask(searchText, { query: 'tide' })).total, 2);
  }));
