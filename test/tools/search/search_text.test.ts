// search_text over a real vault: hits, filters, paging, warnings and errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { assertEach } from '../../assert-each.ts';
import { everyPage, withTools } from '../tools-under-test.ts';

const FILES = {
  'Tide.md': '---\nstatus: open\ntags: [sea]\n---\nIntro.\n\nThe tide rises with the moon.\n',
  'Places/Harbour.md': '---\nstatus: done\n---\nThe harbour at low tide. #sea/coast\n',
  'Places/Hill.md': 'The moon over the hill.\n',
  '日記.md': '今日は港町へ行った。\n',
};
const paths = (answer: { hits: { path: string }[] }) => answer.hits.map(({ path }) => path);

test('hits come best first, with lines, snippet, score and missing terms', () =>
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

test("a snippet shows the note's text, not the front matter with the matching title", () =>
  withTools({ 'a.md': '---\ntitle: Moonrise\n---\nOne.\n\nTwo.\n' }, async ({ ask }) => {
    const { hits } = await ask(searchText, { query: 'moonrise' });
    assert.equal(hits[0].title, 'Moonrise');
    assert.equal(hits[0].snippet, 'One. Two.');
    assert.deepEqual(hits[0].lines, [4, 6]);
  }));

test('an unknown word is corrected from titles, and the result says so', () =>
  withTools(
    {
      ...FILES,
      'Harbour tools.md': 'Ropes. Anchors.',
      'Tools.md': 'all tools',
      'C++.md': 'a language',
      'c.md': 'c c c',
    },
    async ({ ask }) => {
      const answer = await ask(searchText, { query: 'Harbor tols' });
      assert.deepEqual(answer.corrected, [
        { from: 'Harbor', to: 'Harbour' },
        { from: 'tols', to: 'tools' },
      ]);
      assert.deepEqual(paths(answer), ['Harbour tools.md', 'Tools.md', 'Places/Harbour.md']);
      assert.equal(answer.hits[0].named, true);
      assert.deepEqual(answer.hits[1].missing, ['Harbour']);
      const all = await ask(searchText, { query: 'harbour tols', match: 'all', explain: true });
      assert.deepEqual([paths(all), all.corrected], [['Harbour tools.md'], [{ from: 'tols', to: 'tools' }]]);
      assertEach(all.explain.terms, ({ text }: { text: string }) => text, ['Harbour', 'tools']);
      for (const query of ['harbour tools', 'tool*', '-tols tide', 'nowhere', '港区']) {
        assert.equal('corrected' in (await ask(searchText, { query })), false, query);
      }
      // No note in the folder contains a similar word, so the query stays as written.
      assert.deepEqual(await ask(searchText, { query: 'tols', folder: 'Places' }), { hits: [], total: 0 });
      // A word that occurs elsewhere in the vault is not a misspelling.
      assert.deepEqual(await ask(searchText, { query: 'moon', tags: ['sea/coast'] }), { hits: [], total: 0 });
    },
  ));

test('paging through a corrected query returns every hit once', () => {
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`Tidal gauge ${'x'.repeat(at)}.md`, 'text']));
  return withTools(many, async (under) => {
    const hits = await everyPage(under, searchText, { query: 'tidel gauge' }, 'hits', 5);
    assert.equal(new Set(hits.map(({ path }) => path)).size, 12);
  });
});

test('a note named like the query comes first and is marked', () =>
  withTools({ 'C++.md': 'a language', 'c.md': 'c c c', 'd.md': 'c '.repeat(20) }, async ({ ask }) => {
    const { hits } = await ask(searchText, { query: 'c++' });
    assert.deepEqual([hits[0].path, hits[0].named, 'named' in hits[1]], ['C++.md', true, false]);
  }));

test('date filters use the note date, and each hit has the date and its origin', () =>
  withTools(
    {
      '2026-11-03.md': 'the tide of a day',
      'Tide.md': '---\ncreated: 2026-11-20 07:30\n---\nthe tide',
      'now.md': 'tide',
    },
    async ({ ask, refusal }) => {
      const of = async (given: object) => {
        const { hits } = await ask(searchText, { query: 'tide', ...given });
        return hits.map((hit: { path: string; date: string; dated_by: string }) => [hit.path, hit.date, hit.dated_by]);
      };
      const [day, note] = [
        ['2026-11-03.md', '2026-11-03', 'name'],
        ['Tide.md', '2026-11-20T07:30', 'property'],
      ];
      assert.deepEqual(await of({ since: '2026-11-01', until: '2026-11-03' }), [day]);
      assert.deepEqual(await of({ since: '2026-11-20T07:30', until: '2026-11-20' }), [note]);
      assert.deepEqual(await of({ since: '2026-11-20T07:31', until: '2026-11-20' }), []);
      const [changed] = await of({ since: new Date(Date.now() - 60_000).toISOString() });
      assert.deepEqual([changed[0], changed[2]], ['now.md', 'modified']);
      const plain = await ask(searchText, { query: 'tide' });
      assert.ok(plain.hits.every((hit: object) => !('date' in hit)));
      const refused = await refusal(searchText, { query: 'tide', since: 'last wek' }, 'INVALID_QUERY');
      assert.match(refused.hint, /last week/);
    },
  ));

test('filters narrow the hits, and a filter without matches gives a warning', () =>
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
        ['FILTER_MATCHES_NOTHING', 'no indexed note has the folder "Nix"'],
        ['FILTER_MATCHES_NOTHING', 'no indexed note has the tag #nix'],
        ['FILTER_MATCHES_NOTHING', 'no indexed note has the property "nix"'],
      ],
    );
  }));

test('explain shows the parsed query', () =>
  withTools(FILES, async ({ ask }) => {
    const answer = await ask(searchText, { query: 'tide & -crab', explain: true });
    assert.deepEqual(answer.explain, {
      match: 'any',
      terms: [
        { text: 'tide', kind: 'word', negated: false },
        { text: 'crab', kind: 'word', negated: true },
      ],
      dropped: { without_letters: ['&'], function_words: [], in_most_notes: [] },
    });
    assert.deepEqual(answer.dropped, ['&']);
    for (const { score, scores } of answer.hits) assert.deepEqual(scores, { bm25: score });
  }));

test('function words of a sentence are not searched, and are listed', () =>
  withTools({ ...FILES, 'How do I do it.md': 'how do I, how do I' }, async ({ ask }) => {
    const answer = await ask(searchText, { query: 'How do I see the moon?', explain: true });
    assert.deepEqual(paths(answer).toSorted(), ['Places/Hill.md', 'Tide.md']);
    assert.deepEqual(answer.dropped, ['How', 'do', 'I', 'the']);
    assert.deepEqual(answer.explain.dropped.function_words, ['How', 'do', 'I', 'the']);
    assert.deepEqual(paths(await ask(searchText, { query: 'how do I do it' })), ['How do I do it.md']);
    assert.equal('dropped' in (await ask(searchText, { query: 'the moon' })), false);
    assert.equal('dropped' in (await ask(searchText, { query: 'see the moon from here', match: 'all' })), false);
  }));

test('a very frequent word beside a rarer word is dropped and listed', () => {
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

test('paging returns every hit once', () => {
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

test('a hit whose file is gone has no snippet and is counted', () =>
  withTools(FILES, async ({ ask, folder, warnings }) => {
    folder.remove('Places/Hill.md');
    const { hits } = await ask(searchText, { query: 'hill' });
    assert.deepEqual(Object.keys(hits[0]).toSorted(), ['named', 'path', 'score', 'title']);
    assertEach(warnings, ({ code, count }) => [code, count], [['EXTRA_MISSING', 1]]);
  }));

test('refusals', () =>
  withTools(FILES, async ({ refusal, ask, folder }) => {
    assert.equal((await refusal(searchText, { query: '-tide' }, 'INVALID_QUERY')).details.position, 0);
    await refusal(searchText, { query: '?! *' }, 'INVALID_QUERY');
    await refusal(searchText, { query: 'tide', since: 'soon' }, 'INVALID_QUERY');
    await refusal(searchText, { query: 'tide', folder: '../x' }, 'PATH_NOT_ALLOWED');
    const { next_cursor: cursor } = await ask(searchText, { query: 'tide', limit: 1 });
    await refusal(searchText, { query: 'moon', cursor }, 'INVALID_INPUT');
    folder.vanish();
    await refusal(searchText, { query: 'tide' }, 'VAULT_UNAVAILABLE');
    folder.comeBack();
    assert.equal((await ask(searchText, { query: 'tide' })).total, 2);
  }));

test('words that begin alike are found, shown and explained; quoted words and match: all stay exact', () => {
  const files = {
    'a.md': 'He directed plays.',
    'b.md': 'She directs films.',
    'c.md': 'A director.',
    'd.md': 'A direct way. Dire straits.',
  };
  return withTools(files, async ({ ask }) => {
    const answer = await ask(searchText, { query: 'directed films', explain: true });
    assert.deepEqual(paths(answer), ['b.md', 'a.md', 'c.md', 'd.md']);
    assert.deepEqual(answer.explain.terms[0].forms, ['direct', 'directs', 'director']);
    assert.equal('missing' in answer.hits[0], false);
    assert.deepEqual(paths(await ask(searchText, { query: '"directed"' })), ['a.md']);
    assert.deepEqual(paths(await ask(searchText, { query: 'directed', match: 'all' })), ['a.md']);
    assert.deepEqual(paths(await ask(searchText, { query: 'directing' })).toSorted(), ['a.md', 'b.md', 'c.md', 'd.md']);
  });
});

test('forms of words are found in every script', () => {
  const files = {
    'ru.md': 'На столе лежит книга о море.',
    'tr.md': 'Limandaki gemiler bekliyor.',
    'ar.md': 'يقع البحر قرب المدينة القديمة',
    'ko.md': '학교 앞에 항구가 있다.',
    'el.md': 'Το λιμάνι είναι μεγάλο.',
    'de.md': 'Der Leuchtturm der Inseln.',
    'fa.md': 'کتاب روی میز است',
  };
  return withTools(files, async ({ ask }) => {
    const found = async (query: string) => paths(await ask(searchText, { query }));
    assert.deepEqual(await found('книгами'), ['ru.md']);
    assert.deepEqual(await found('limandan'), ['tr.md']);
    assert.deepEqual(await found('ومدينة'), ['ar.md']);
    assert.deepEqual(await found('بالبحر'), ['ar.md']);
    assert.deepEqual(await found('학교에서는'), ['ko.md']);
    assert.deepEqual(await found('λιμάνια'), ['el.md']);
    assert.deepEqual(await found('Leuchttürme'), ['de.md']);
    assert.deepEqual(await found('کتابی'), ['fa.md']);
    assert.deepEqual(await found('книжный'), []);
    const { hits } = await ask(searchText, { query: 'Leuchttürmen' });
    assert.equal('missing' in hits[0], false);
  });
});

test('joined words are searched by their parts, quoted ones in sequence', () => {
  const files = {
    'a.md': 'Notes on the Championship of sailors.',
    'b.md': "L'eau est froide.",
    'c.md': 'AFC-Championship-Spiel im Hafen',
    'd.md': 'COVID-19 and a fever of 19 days',
    'e.md': '19 boats',
  };
  return withTools(files, async ({ ask }) => {
    const found = async (query: string) => paths(await ask(searchText, { query }));
    assert.deepEqual(await found('AFC-Championship-Spiels'), ['c.md', 'a.md']);
    assert.deepEqual(await found('"Championship-Spiel"'), ['c.md']);
    assert.deepEqual(await found("d'eau"), ['b.md']);
    assert.deepEqual(await found("sailors'nin"), ['a.md']);
    assert.deepEqual(await found('COVID-19'), ['d.md']);
    assert.deepEqual(await found('Championship -AFC-Championship'), ['a.md']);
  });
});

test('explain shows what names add to a score', () => {
  const files = { 'Old Pier.md': 'built by Ida Holm', 'Ida Holm.md': 'an engineer', 'x.md': 'pier, pier' };
  return withTools(files, async ({ ask }) => {
    const { hits } = await ask(searchText, { query: 'who is the engineer of the old pier', explain: true });
    assert.deepEqual(
      hits.map(({ path, scores }: { path: string; scores: object }) => [path, Object.keys(scores)]),
      [
        ['Old Pier.md', ['bm25', 'name_in_query']],
        ['Ida Holm.md', ['bm25', 'named_by']],
        ['x.md', ['bm25']],
      ],
    );
    assert.equal(hits[1].scores.named_by.path, 'Old Pier.md');
  });
});

const PASTED = {
  'Projects/current.md': 'About `foo.bar()` and sails.',
  'Old/current.md': 'Sails of old.',
  'note.v2.md': 'The second one, from https://example.org/path',
  '🚀.md': 'Plans.',
  '❤️ Love.md': 'Plans of the heart.',
  'Rocket.md': '---\naliases: [Rakete]\ntags: [gear/sail]\n---\nText.',
  '日本.md': '海',
  '2026-11-20.md': 'a day',
};

test('a query that is a reference to a note finds this note first, whatever its words', () =>
  withTools(PASTED, async ({ ask, warnings }) => {
    const first = async (query: string, more = {}) => {
      const { hits } = await ask(searchText, { query, ...more });
      return hits[0]?.named === true ? hits[0].path : undefined;
    };
    for (const query of [
      ...['Projects/current.md', 'Projects\\current.md', '/Projects/current', './Projects/current.md#Part'],
      ...['[[Projects/current]]', '![[Projects/current|now]]', '[now](<Projects/current.md>)', '"Projects/current.md"'],
      ...['note:///Projects/current.md', 'obsidian://open?vault=v&file=Projects%2Fcurrent', 'Projects%2Fcurrent.md'],
      ...['file:///home/me/vault/Projects/current.md', 'C:\\vault\\Projects\\current.md', 'file:Projects/current.md'],
    ])
      assert.equal(await first(query), 'Projects/current.md', query);
    assert.equal(await first('Projects/current.md', { match: 'all' }), 'Projects/current.md');
    assert.equal(await first('Projects/current.md', { folder: 'Old' }), undefined);
    const both = await ask(searchText, { query: 'current.md' });
    assert.deepEqual([paths(both), both.total], [['Old/current.md', 'Projects/current.md'], 2]);
    for (const query of ['note.v2.md', 'note.v2']) assert.equal(await first(query), 'note.v2.md');
    for (const query of ['🚀', '[[🚀]]', '🚀.md']) assert.equal(await first(query), '🚀.md', query);
    for (const query of ['❤️', '❤']) assert.equal(await first(query), '❤️ Love.md', query);
    assert.equal(await first('[[Rakete|x]]'), 'Rocket.md');
    assert.equal(await first('@2026-11-20'), '2026-11-20.md');
    assert.equal(await first('日本.md'), '日本.md');
    assert.deepEqual(
      warnings.filter(({ code }) => code !== 'TAKEN_LITERALLY'),
      [],
    );
    assert.deepEqual((await ask(searchText, { query: '🎉' })).hits, []);
    assert.equal(warnings.at(-1)?.code, 'WORDS_CANNOT_MATCH');
  }));

test('a path, an address or code that no note has as it is written is searched by its words, without a correction', () =>
  withTools(PASTED, async ({ ask }) => {
    const found = async (query: string) => {
      const answer = await ask(searchText, { query });
      assert.equal('corrected' in answer, false, query);
      return paths(answer);
    };
    assert.deepEqual(await found('https://www.example.org/path?q=1#frag'), ['note.v2.md']);
    assert.deepEqual(await found('#gear/rope'), ['Rocket.md']);
    assert.deepEqual(await found('[aliases:Rakete]'), ['Rocket.md']);
    assert.deepEqual(await found('foo.bar(baz)'), ['Projects/current.md']);
    assert.deepEqual(await found('sail *'), await found('sail'));
  }));

test('words of a question are not corrected where it has hits', () =>
  withTools(
    { 'Nedim.md': 'Bir şair.', 'Deniz.md': 'Deniz tuzludur.', 'Harbour.md': 'boats', 'Lines.md': 'ropes' },
    async ({ ask }) => {
      const corrected = async (query: string) => (await ask(searchText, { query })).corrected;
      assert.equal(await corrected('Deniz suyunun tuzu nedir'), undefined);
      assert.equal(await corrected('where are the boats harbuor'), undefined);
      assert.deepEqual(await corrected('who rows to harbuor'), [{ from: 'harbuor', to: 'Harbour' }]);
      assert.deepEqual(await corrected('boats harbuor'), [{ from: 'harbuor', to: 'Harbour' }]);
    },
  ));

test('a long note with all the words comes before short notes with one of them', () => {
  const words = ['heron', 'ledger', 'copper', 'orchard', 'lantern'];
  const short = Array.from({ length: 60 }, (_, at) => [
    `Short ${at}.md`,
    `A ${words[at % 12] ?? 'plain'} note of the day.\n`,
  ]);
  const minutes = `${'We talked of this and of that again. '.repeat(400)}\n\n${`${words.join(' and ')}. `.repeat(3)}\n`;
  return withTools({ ...Object.fromEntries(short), 'Minutes.md': minutes }, async ({ ask }) => {
    assert.equal(paths(await ask(searchText, { query: words.join(' ') }))[0], 'Minutes.md');
  });
});
