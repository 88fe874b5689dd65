// The warning that a query in another script or language cannot match by words: when it is given, and when it must not be.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMultilingual } from '../../../src/contracts/embedding.ts';
import type { AnyTool } from '../../../src/contracts/tool.ts';
import { createSearch } from '../../../src/tools/search/search.ts';
import { createSearchText } from '../../../src/tools/search/search_text.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { type ToolsUnderTest, withTools } from '../tools-under-test.ts';

const searchText = createSearchText({});
const search = createSearch({ textOnly: false });

const ENGLISH = Object.fromEntries(
  Array.from({ length: 12 }, (_, at) => [
    `Note ${at}.md`,
    `# Note ${at}\n\nThe harbour lies quiet before the morning tide, and this is what was seen of it on day ${at}.\n`,
  ]),
);

/** The message of the warning, or undefined; more than one fails. */
async function warningOf(
  { ask, warnings }: ToolsUnderTest,
  query: string,
  tool: AnyTool = searchText,
): Promise<string | undefined> {
  await ask(tool, { query });
  const given = warnings.filter(({ code }) => code === 'WORDS_CANNOT_MATCH');
  assert.ok(given.length <= 1, query);
  return given[0]?.message;
}

const FOREIGN: Readonly<Record<string, RegExp>> = {
  'когда начинается прилив': /not written in Cyrillic script/,
  'прил*': /Cyrillic/,
  満潮はいつですか: /Hiragana or Chinese/,
  满潮是什么时候: /Chinese/,
  '밀물은 언제 시작되나요': /Hangul/,
  'متى يبدأ المد': /Arabic/,
  'מתי מתחילה הגאות': /Hebrew/,
  น้ำขึ้นเมื่อไหร่: /Thai/,
  '"πότε αρχίζει" η παλίρροια': /Greek/,
  'wie backe ich ein Brot ohne Hefe, und warum nicht': /in German/,
  'comment faire pousser les tomates dans une serre': /in French/,
  'cómo cultivar los tomates para el verano': /in Spanish/,
};

test('a query whose script or language no note has is warned about once, with and without vectors', () =>
  withTools(
    ENGLISH,
    async (under) => {
      await under.embed();
      for (const [query, message] of Object.entries(FOREIGN)) {
        assert.match((await warningOf(under, query)) ?? '', message, query);
        assert.match((await warningOf(under, query, search)) ?? '', message, query);
      }
    },
    { embedding: fakeEmbedding().provider, embeds: true },
  ));

test('nothing is said if any word has hits, if words are merely unknown, or if the model is for many languages', () =>
  withTools(ENGLISH, async (under) => {
    for (const query of [
      'когда harbour',
      'harb* прилив',
      'the тide',
      'zirconium welding',
      'Grundgesetz',
      'how is zirconium welded',
      'der Wal',
      '12 🐳',
      'ꦱꦼꦒꦫ',
    ])
      assert.equal(await warningOf(under, query), undefined, query);
    const multilingual = createSearchText({ multilingual: true });
    assert.equal(await warningOf(under, 'когда начинается прилив', multilingual), undefined);
    assert.deepEqual((await under.ask(searchText, { query: 'harbour', tags: ['#none'] })).hits, []);
    assert.deepEqual(
      under.warnings.filter(({ code }) => code === 'WORDS_CANNOT_MATCH'),
      [],
    );
  }));

test('one note in the script of the query is enough', () =>
  withTools({ ...ENGLISH, 'Море.md': 'Лодка в гавани.\n', 'Zh.md': '我的笔记。\n' }, async (under) => {
    for (const query of ['когда начинается прилив', '满潮时候'])
      assert.equal(await warningOf(under, query), undefined, query);
    assert.match((await warningOf(under, '밀물은 언제')) ?? '', /Hangul/);
  }));

test('an English query in a vault of another language is warned about, but not in a small vault', async () => {
  const german = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`N${at}.md`, `Der Hafen ${at} ist still, und die Flut kommt.\n`]),
    );
  const query = 'how does the whale sing with this choir';
  await withTools(german(12), async (under) => assert.match((await warningOf(under, query)) ?? '', /in English/));
  await withTools(german(3), async (under) => assert.equal(await warningOf(under, query), undefined));
  await withTools({}, async (under) => assert.equal(await warningOf(under, 'когда'), undefined));
});

test('models for many languages are known by their names', () => {
  for (const name of [
    'bge-m3',
    'embeddinggemma:300m',
    'intfloat/multilingual-e5-large',
    '~/models/potion-multilingual-128M-int8',
    'paraphrase-multilingual-MiniLM-L12-v2',
    'qwen3-embedding:0.6b',
    'snowflake-arctic-embed2',
    'text-embedding-3-small',
  ])
    assert.ok(isMultilingual(name), name);
  for (const name of ['all-minilm', 'nomic-embed-text', 'potion-base-8M', 'mxbai-embed-large', 'bge-small-en-v1.5'])
    assert.ok(!isMultilingual(name), name);
});
