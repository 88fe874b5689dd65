// Words that are written in another way than in the notes: letters for each other, signs of numbers and units, one word for two.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { withTools } from '../tools-under-test.ts';

/** By the name of the note: its text, and queries for it. */
const NOTES: Readonly<Record<string, readonly [text: string, ...queries: readonly string[]]>> = {
  Greek: ['Ο δρόμος, ἀρχῇ ο μαΐστρος.', 'ΔΡΟΜΟΣ', 'δρομος', 'δρόμους', 'αρχη', 'ΜΑΪΣΤΡΟΣ'],
  Turkish: ['IŞIK parlıyor, Ilık kitaplarımızdan.', 'ışık', 'isik', 'ILIK', 'parliyor', 'kitap'],
  Romanian: ['Știința și țara.', 'Ştiinţa', 'stiinta', 'ţara'],
  French: ['Le cœur de ma sœur.', 'coeur', 'SŒUR'],
  Danish: ['Smørrebrød i Ålborg.', 'smorrebrod', 'aalborg', 'smoerrebroed'],
  German: ['Müller und die Bücher.', 'Mueller', 'muller', 'Buecher'],
  Polish: ['Łódź, złoty.', 'lodz', 'zloty'],
  Croatian: ['Đakovo', 'dakovo'],
  Maltese: ['ħobż', 'hobz'],
  Azeri: ['Şəhər', 'seher'],
  Hausa: ['Ƙasa da ɓarna', 'kasa', 'barna'],
  Hawaiian: ['ʻOhana', "'ohana", 'ohana'],
  Russian: ['Зелёная ёлка', 'зеленая', 'елка'],
  Ukrainian: ["Ґанок, п'ятниця", 'ганок', 'пʼятниця', 'п’ятниця'],
  Persian: ['کتاب‌های علی را می‌خوانم در ۱۴۰۲', 'كتاب', 'کتابهای', 'علي', 'میخوانم', '1402', '١٤٠٢'],
  Arabic: ['قرأت في المدرسة إلى ٢٠٢٣', 'مدرسه', 'إلي', '2023'],
  Urdu: ['پاکستان ہے', 'پاكستان'],
  Yiddish: ['אױפֿן װעג', 'אויפן', 'וועג'],
  Hindi: ['हिन्दी और ज़मीन, अँग्रेज़ १९४७', 'हिंदी', 'जमीन', 'अंग्रेज', '1947'],
  Malayalam: ['അവൻ', 'അവന്‍'],
  Thai: ['ราคาน้ำตาล ๗๕ บาท', '75', 'น\u0E49\u0E4D\u0E32ตาล', 'น\u0E4D\u0E49\u0E32ตาล'],
  Japanese: ['サーバ管理とﾃﾚﾋﾞ', 'サーバー', 'テレビ', 'ｻｰﾊﾞｰ'],
  Japanese2: ['じゃがいもと玉ネギとねこ', 'ジャガイモ', 'ジャガイモの料理', '玉ねぎ', 'ネコ'],
  Armenian: ['Ո՞վ է նա', 'ով'],
  Amharic: ['ፀሐይ ሠው', 'ጸሀይ', 'ሰው'],
  Units: ['A bar of 10kg at 120km/h with 16GB costs 49,990 dollars', '10 kg', '120 km', '16 GB', '49990'],
  Units2: ['A box of 11 kg with 17 GB costs 59990 dollars', '11kg', '17GB', '59,990'],
  Versions: ['Upgrade to v2.10.3, see RFC2616 and iPhone17', '2.10.3', 'RFC 2616', 'RFC-2616', 'iphone 17'],
  Versions2: ['Upgrade to 3.11.4, see RFC 7231', 'v3.11.4', 'RFC7231', 'rfc-7231'],
  English: ["E-mail of O'Brien in the U.S.A., well-known, Ph.D.", 'email', 'obrien', 'USA', 'wellknown', 'phd'],
  English2: ['Cooperation by telegram in the UK', 'co-operation', 'tele-gram', 'U.K.'],
  Code: ['The call getUserById and MAX_RETRY_COUNT', 'get_user_by_id', 'MaxRetryCount', 'maxRetryCount'],
  Dotted: ['A nodejs server', 'Node.js'],
  Dotted2: ['The Vue.js project', 'vuejs'],
  Telephone: ['Plumber: +49 170 1234567', '01701234567', '1701234567', '0170/1234567'],
  Telephone2: [
    'Painter: 01761234599, DE11500105175407324931',
    '0176 1234599',
    '0176-1234599',
    'DE11 5001 0517 5407 3249 31',
  ],
  Account: ['IBAN DE89 3704 0044 0532 0130 00', 'DE89370400440532013000'],
  Okurigana: ['賃貸の申し込みと打ち合わせ', '申込', '申込み', '打合せ'],
  Okurigana2: ['引越の見積', '引っ越し', '見積り', '引っ越しの見積もり'],
  Signs: ['Brand™ of Swatch℠', 'brand', 'swatch'],
};

test('finds words that are written in another way, without a correction', () =>
  withTools(
    Object.fromEntries(Object.entries(NOTES).map(([name, [text]]) => [`${name}.md`, `---\ntags: []\n---\n${text}\n`])),
    async ({ ask }) => {
      const wrong: string[] = [];
      for (const [name, [, ...queries]] of Object.entries(NOTES))
        for (const query of queries) {
          const { hits, corrected } = await ask(searchText, { query });
          if (hits[0]?.path !== `${name}.md` || corrected !== undefined)
            wrong.push(`${query}: ${hits[0]?.path} ${corrected ?? ''}`);
        }
      assert.deepEqual(wrong, []);
    },
  ));

test('finds irregular forms of English words, and none of a word that is also another one', () =>
  withTools(
    {
      'shop.md': 'Dave bought a lamp',
      'sun.md': 'The sun rises',
      'trip.md': 'They went by sea',
      'kids.md': 'Two children',
    },
    async ({ ask }) => {
      const firstOf = async (query: string) => (await ask(searchText, { query })).hits[0]?.path;
      assert.equal(await firstOf('buy'), 'shop.md');
      assert.equal(await firstOf('go'), 'trip.md');
      assert.equal(await firstOf('child'), 'kids.md');
      assert.equal(await firstOf('rise'), 'sun.md');
      assert.equal(await firstOf('rose'), undefined);
    },
  ));

test('a word that notes have is not taken for two, nor for the beginning of a longer one', () =>
  withTools(
    { 'one.md': 'The carpet', 'two.md': 'A car pet', 'three.md': 'carpeting', 'four.md': 'The cat category' },
    async ({ ask }) => {
      const pathsOf = async (query: string) =>
        (await ask(searchText, { query })).hits.map((hit: { readonly path: string }) => hit.path).toSorted();
      assert.deepEqual(await pathsOf('carpet'), ['one.md', 'three.md']);
      assert.deepEqual(await pathsOf('"carpet"'), ['one.md']);
      assert.deepEqual(await pathsOf('categ'), ['four.md']);
      assert.deepEqual(await pathsOf('"categ"'), []);
    },
  ));
