// The prompts: order, files, contract, and their text over a real vault.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { promptCatalog, toolCatalog } from '../../../src/tools/catalog.ts';
import { promptLaws } from '../../contracts/prompt.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { type OfferUnderTest, sharedOffer, type Wire, withOffer } from '../../mcp/wire/offer-under-test.ts';

const TOOLS = toolCatalog.map(({ name }) => name);
const GIVEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  daily_review: { day: '2026-11-20' },
  explain_topic: { topic: 'tide', note: 'Harbour' },
  fix_broken_links: {},
  connect_note: { note: 'Harbour' },
  weekly_review: { week: 'this week' },
  clean_up_tags: {},
  merge_duplicates: { note: 'Harbour' },
  meeting_note: { topic: 'tide', people: 'Harbour, Nobody', template: 'Storm' },
  what_changed: { since: '2 days ago' },
  timeline: { topic: 'tide' },
  tidy_up: { folder: 'sub' },
  recall: { topic: 'tide', folder: 'sub' },
  remember: { what: 'The tide turns at noon.', folder: 'sub' },
};
/** Each prompt stays below it, whatever the vault holds. */
const MAX_TOKENS = 7_000;

/** The store of these tests keeps no feed of changes; test/journeys/resources-and-prompts.test.ts has it. */
const offered = promptCatalog.filter(({ needs }) => !needs.includes('list_changes'));

for (const prompt of promptCatalog) promptLaws(prompt, TOOLS, GIVEN[prompt.name] ?? {});

test('the prompts are in the order of the manual, each in a file with its name', () => {
  assert.deepEqual(
    promptCatalog.map(({ name }) => name),
    [
      'daily_review',
      'explain_topic',
      'fix_broken_links',
      'connect_note',
      'weekly_review',
      'clean_up_tags',
      'merge_duplicates',
      'meeting_note',
      'what_changed',
      'timeline',
      'tidy_up',
      'recall',
      'remember',
    ],
  );
  for (const { name } of promptCatalog)
    assert.ok(existsSync(join(import.meta.dirname, `../../../src/tools/prompts/${name}.ts`)), name);
});

const FILES = {
  'Harbour.md':
    '---\naliases: [The quay]\ntags: [place/coast]\n---\n# Harbour\nThe storm tide floods the berths. See [[Lighthouse]].\n',
  'Lighthouse.md': '# Lighthouse\nIts lamp is seen from far.\n- [ ] clean the lamp 📅 2026-11-22\n',
  'Storm.md':
    '# Storm\nA storm tide floods the berths of the harbour. The quay was under water. [[Harbor]] [[Nowhere]]\n',
  'sub/Tide.md': '# Tide\nThe storm tide and the berths. [[Gone]] #sea\n',
  '2026-11-20.md': '# 2026-11-20\nWind rising.\n- [ ] call Bram\n',
  'A/Pair.md': 'one\n',
  'B/Pair.md': 'two\n',
  'Log/2026-11-18.md': '# 2026-11-18\nCalm.\n',
};

const reading = sharedOffer(FILES);

test('daily_review contains the daily notes, the open tasks and the changed notes', () =>
  reading(async ({ prompt }) => {
    const text = await prompt('daily_review', { day: '2026-11-20' });
    assert.match(text, /^Review 2026-11-20 with me/);
    for (const found of [/Wind rising\./, /clean the lamp/, /call Bram/, /list_tasks/]) assert.match(text, found);
    assert.match(await prompt('daily_review'), /Storm\.md/, 'changed today');
    const [inFolder, tagged] = [
      await prompt('daily_review', { folder: 'sub' }),
      await prompt('daily_review', { tag: 'sea' }),
    ];
    for (const part of [inFolder, tagged]) {
      assert.match(part, /sub\/Tide\.md/);
      assert.doesNotMatch(part, /Storm\.md|clean the lamp/);
    }
    assert.match(
      await prompt('daily_review', { day: '2026-11-18' }),
      /notes called 2026-11-17 and 2026-11-18; the folder of daily[\s\S]*Calm\./,
    );
    assert.match(await prompt('daily_review', { day: '@2026-01-05' }), /there is none for either day/);
  }));

test('explain_topic contains passages about the topic and about the start note', () =>
  reading(async ({ prompt }) => {
    assert.match(await prompt('explain_topic', { topic: 'storm tide' }), /^Explain "storm tide"[\s\S]*Storm\.md:\d/);
    const both = await prompt('explain_topic', { topic: 'lamp', note: 'Harbour#Harbour' });
    assert.match(both, /Data 1: that note[\s\S]*Data 2: what my other notes say/);
    assert.match(await prompt('explain_topic', { topic: 'zzz qqq' }), /sections: \[\]/);
  }));

test('fix_broken_links contains the broken links with suggestions', () =>
  reading(async ({ prompt }) => {
    const text = await prompt('fix_broken_links');
    for (const found of [/Harbor · 1 · suggestion=Harbour\.md/, /Nowhere/, /Gone/]) assert.match(text, found);
    const inFolder = await prompt('fix_broken_links', { folder: 'sub', note: '' });
    assert.match(inFolder, /in the folder "sub"[\s\S]*Gone/);
    assert.doesNotMatch(inFolder, /Nowhere/);
    assert.doesNotMatch(await prompt('fix_broken_links', { note: 'Storm' }), /Gone/);
  }));

test('connect_note contains related unlinked notes and unlinked mentions', () =>
  reading(async ({ prompt }) => {
    const text = await prompt('connect_note', { note: 'Harbour' });
    assert.match(text, /Data 2: notes that share distinctive words[\s\S]*Storm\.md/);
    assert.match(text, /The quay was under water/);
    assert.doesNotMatch(text, /near to it in meaning/);
  }));

test('weekly_review contains the notes and tasks of the week', () =>
  withOffer({ ...FILES, 'Done.md': '- [x] mend the net ✅ 2026-11-19\n' }, async ({ prompt }) => {
    const text = await prompt('weekly_review', { week: 'this week' });
    for (const found of [/^Review this week with me/, /Storm\.md/, /mend the net/]) assert.match(text, found);
    assert.match(await prompt('weekly_review', { week: '2026-W47' }), /^Review 2026-W47[\s\S]*2026-11-20\.md/);
    assert.doesNotMatch(await prompt('weekly_review', { week: 'this week', folder: 'sub' }), /Storm\.md/);
  }));

test('clean_up_tags lists the tags by use, or those below one', () =>
  withOffer(FILES, async ({ prompt }) => {
    assert.match(await prompt('clean_up_tags'), /#sea[\s\S]*/);
    const below = await prompt('clean_up_tags', { tag: 'place' });
    assert.match(below, /#place\/coast/);
    assert.doesNotMatch(below, /#sea/);
  }));

test('merge_duplicates contains notes with the same text, and those related to a note', () => {
  const text = 'The ferry leaves the old harbour at nine and comes back with the evening tide when the light is lit.';
  return withOffer({ ...FILES, 'Ferry.md': text, 'Copy/Ferry.md': `${text} Later.` }, async ({ prompt }) => {
    assert.match(await prompt('merge_duplicates'), /Copy\/Ferry\.md/);
    const both = await prompt('merge_duplicates', { note: 'Harbour' });
    assert.match(both, /share distinctive words with "Harbour"[\s\S]*Storm\.md/);
  });
});

test('meeting_note contains the notes of the people, the topic and the template', () =>
  withOffer(FILES, async ({ prompt }) => {
    const text = await prompt('meeting_note', { topic: 'storm tide', people: 'Lighthouse, Bram', template: 'Harbour' });
    for (const found of [/with Lighthouse, Bram/, /Lighthouse\.md/, /Storm\.md:\d/, /the template \(read_notes\)/])
      assert.match(text, found);
    assert.doesNotMatch(await prompt('meeting_note', { topic: 'storm tide' }), /the template/);
  }));

test('timeline and recall contain dated passages in order of time, recall only those of its folder', () =>
  reading(async ({ prompt }) => {
    const text = await prompt('timeline', { topic: 'wind calm' });
    assert.match(text, /Calm\.[\s\S]*Wind rising/);
    const recalled = await prompt('recall', { topic: 'wind calm', folder: 'Log' });
    assert.match(recalled, /Calm\./);
    assert.doesNotMatch(recalled, /Wind rising/);
  }));

test('tidy_up contains what check_vault finds, in a folder or everywhere', () =>
  reading(async ({ prompt }) => {
    assert.match(await prompt('tidy_up'), /broken_links[\s\S]*Nowhere/);
    const inFolder = await prompt('tidy_up', { folder: 'sub' });
    assert.match(inFolder, /Gone/);
    assert.doesNotMatch(inFolder, /Nowhere/);
  }));

test('remember contains the entries of the memory that may be about the same, and the form of a new one', () =>
  reading(async ({ prompt }) => {
    const text = await prompt('remember', { what: 'The storm tide floods the berths.', folder: 'sub' });
    assert.match(text, /sub\/Tide\.md[\s\S]*\[confidence:: high\] \[source:: \[\[Note\]\]\]/);
    assert.doesNotMatch(text, /Storm\.md/);
  }));

test('an invalid argument is -32602 with the error of the tool', () =>
  reading(async ({ fault }) => {
    const get = (name: unknown, given?: unknown): Promise<Wire> => fault('prompts/get', { name, arguments: given });
    const cases: [string, unknown, string, RegExp][] = [
      ['connect_note', undefined, 'INVALID_INPUT', /note: is missing/],
      ['connect_note', {}, 'INVALID_INPUT', /note: is missing/],
      ['connect_note', { note: ' ' }, 'INVALID_INPUT', /note: must not be empty/],
      ['connect_note', { note: 7 }, 'INVALID_INPUT', /note: must be a string/],
      ['connect_note', { note: 'a\0b' }, 'INVALID_INPUT', /NUL/],
      ['connect_note', { nota: 'Harbour' }, 'INVALID_INPUT', /unknown argument/],
      ['connect_note', [], 'INVALID_INPUT', /must be an object/],
      ['connect_note', 'Harbour', 'INVALID_INPUT', /must be an object/],
      [
        'connect_note',
        { note: 'Nobody at all' },
        'NOTE_NOT_FOUND',
        /^connect_note: \[NOTE_NOT_FOUND\] no note is named "Nobody at all"\. /,
      ],
      ['connect_note', { note: 'Pair' }, 'NOTE_AMBIGUOUS', /Choices: A\/Pair\.md · B\/Pair\.md$/],
      ['connect_note', { note: '../x' }, 'PATH_NOT_ALLOWED', /\.\./],
      ['daily_review', { day: '2026-02-30' }, 'INVALID_INPUT', /no such day/],
      ['daily_review', { day: 'someday' }, 'INVALID_INPUT', /a day such as today, yesterday/],
      ['daily_review', { folder: '../up' }, 'PATH_NOT_ALLOWED', /vault/],
      ['explain_topic', { topic: '-not' }, 'INVALID_QUERY', /explain_topic: /],
      ['explain_topic', { topic: 'tide', note: 'Harbour#Nowhere' }, 'NOTE_PART_NOT_FOUND', /Nowhere/],
      ['fix_broken_links', { note: 'Nobody at all' }, 'NOTE_NOT_FOUND', /Nobody/],
      ['weekly_review', { week: 'some week' }, 'INVALID_INPUT', /this week, last week/],
      ['weekly_review', { week: '2026-W60' }, 'INVALID_QUERY', /no such week/],
      ['merge_duplicates', { note: 'Nobody at all' }, 'NOTE_NOT_FOUND', /Nobody/],
      ['meeting_note', {}, 'INVALID_INPUT', /topic: is missing/],
      ['daily_review', { folder: 'x'.repeat(1_000_001) }, 'LIMIT_EXCEEDED', /length of folder/],
    ];
    for (const [name, given, code, message] of cases) {
      const found = await get(name, given);
      assert.deepEqual([found.code, found.data.code], [-32602, code], `${name} ${JSON.stringify(given)?.slice(0, 80)}`);
      assert.match(found.message, message);
      assert.ok(found.data.hint.length > 0 && found.data.error_id.length > 0);
    }
    const { data } = await get('connect_notes', { note: 'Harbour' });
    assert.equal(data.did_you_mean, 'connect_note');
    for (const name of [undefined, null, 7, 'constructor', '__proto__', { toString: 1 }])
      assert.equal((await get(name)).code, -32602);
  }));

test('a prompt asks for proposals in a read-only vault and for approved changes otherwise', async () => {
  for (const writes of [false, true]) {
    await withOffer(
      FILES,
      async ({ prompt, exposed }) => {
        for (const { name } of offered) {
          const whole = await prompt(name, GIVEN[name]);
          const text = whole.replace(/<(data-[0-9a-f]{16}) n="\d+">[\s\S]*?<\/\1>/g, '');
          for (const tool of TOOLS) {
            if (tool.includes('_') && !exposed.tools.has(tool))
              assert.doesNotMatch(text, new RegExp(`\\b${tool}\\b`), name);
          }
          if (['explain_topic', 'timeline', 'recall'].includes(name)) continue;
          assert.match(
            text,
            writes
              ? /wait for my approval\. Then make .*`edit_note`.*dry_run/
              : /read-only here, so nothing can be edited/,
          );
        }
      },
      { writes },
    );
  }
});

test('notes similar in meaning are included if embedding is configured', async () => {
  const embedding = fakeEmbedding();
  await withOffer(
    FILES,
    async ({ prompt, embed }) => {
      await embed({ kind: 'catch_up' });
      assert.match(await prompt('connect_note', { note: 'Harbour' }), /similar in meaning[^\n]*\(find_similar\)$/m);
    },
    { embedding: embedding.provider },
  );
});

test('V1 without the vault a prompt says what is not known, without INTERNAL', () =>
  withOffer(FILES, async (under) => {
    under.folder.vanish();
    for (const { name } of offered.filter((one) => one.name !== 'explain_topic')) {
      const text = await under.prompt(name, GIVEN[name]);
      assert.doesNotMatch(text, /INTERNAL/);
    }
    assert.match(
      await under.prompt('connect_note', GIVEN.connect_note),
      /the note itself[^\n]*not known, failed with VAULT_UNAVAILABLE/,
    );
    under.folder.comeBack();
  }));

test('M6 a prompt that runs out of time says what is missing', () =>
  withOffer(
    FILES,
    async ({ prompt, records }) => {
      const text = await prompt('connect_note', GIVEN.connect_note);
      assert.match(text, /not known, failed with DEADLINE_EXCEEDED/);
      assert.deepEqual(
        records.filter(({ fields }) => fields.code === 'INTERNAL'),
        [],
      );
    },
    { callLimitMs: 1 },
  ));

test('a prompt stays small over large notes in any script', (context) => {
  const words = (at: number): string =>
    `# N${at}\n${'The storm tide floods the berths of the quay again. '.repeat(400)}\n[[Missing ${at}]]\n`;
  const dense = (at: number): string =>
    `# N${at}\n${'嵐の潮が港の桟橋を洗う。storm tide '.repeat(600)}\n- [ ] ${'長い仕事'.repeat(80)} 📅 2026-11-20\n`;
  const files = Object.fromEntries(
    Array.from({ length: 80 }, (_, at) => [`N${at}.md`, at % 2 === 0 ? words(at) : dense(at)]),
  );
  const daily = { '2026-11-20.md': dense(0), '2026-11-19.md': words(1), 'Harbour.md': words(2) };
  return withOffer({ ...files, ...daily }, async ({ prompt }: OfferUnderTest) => {
    for (const { name } of offered) {
      const tokens = countTokens(await prompt(name, GIVEN[name]));
      context.diagnostic(`${name}: ${tokens} tokens`);
      assert.ok(tokens <= MAX_TOKENS, `${name}: ${tokens}`);
    }
  });
});
