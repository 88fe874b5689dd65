// get_timeline over real vaults: which date a passage gets, of which kind, in which order, and what is left out.
import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createGetTimeline } from '../../../src/tools/timeline/get_timeline.ts';
import { withTools } from '../tools-under-test.ts';

const getTimeline = createGetTimeline({});

interface Entry {
  readonly date: string;
  readonly until?: string;
  readonly precision: string;
  readonly by: string;
  readonly year_by?: string;
  readonly note_date?: string;
  readonly task?: string;
  readonly text: string;
  readonly path: string;
  readonly heading?: string;
  readonly line: number;
  readonly rank?: number;
}

const short = ({ date, until, by, line }: Entry): string => `${date}${until ? ` to ${until}` : ''} ${by} ${line}`;
const timesOf = ({ entries }: { readonly entries: readonly Entry[] }): string[] => entries.map(short);

const KINDS = {
  'Log/2024-03-12.md': 'The keel was scraped today.\n',
  'Property.md': '---\ndate: 2024-02-01\n---\nThe keel came from Oslo.\n',
  'Heading.md': '# Boat\n\n## 5 April 2024\n\nNew keel paint.\n\nOn 6 April 2024 the keel dried.\n',
  'Text.md': 'Rain on 1 January 2020. We bought the keel on 3 May 2023, sold the mast on 9 May 2023.\n',
  'Task.md': '- [ ] order a keel 📅 2024-07-01\n- [x] saw the keel ➕ 2024-01-01 ✅ 2024-01-09\n',
  'Undated.md': 'A keel is the spine of a boat.\n',
};

test('each passage has the date nearest to it, by its kind, in order of time', () =>
  withTools(KINDS, async ({ ask }) => {
    const answer = await ask(getTimeline, { topic: 'keel', limit: 20 });
    assert.deepEqual(timesOf(answer), [
      '2023-05-03 text 1',
      '2024-01-09 task 2',
      '2024-02-01 property 4',
      '2024-03-12 name 1',
      '2024-04-05 heading 5',
      '2024-04-06 text 7',
      '2024-07-01 task 1',
    ]);
    assert.equal(answer.total, 7);
    assert.equal(answer.undated, 1);
    const [text, done, , , heading] = answer.entries as readonly [Entry, Entry, Entry, Entry, Entry];
    assert.match(text.text, /bought the keel/);
    assert.equal(done.task, 'done');
    assert.equal(heading.heading, '5 April 2024');
    assert.equal(heading.path, 'Heading.md');
    assert.deepEqual(
      answer.entries.map(({ rank }: Entry) => rank).toSorted((one: number, other: number) => one - other),
      [1, 2, 3, 4, 5, 6, 7],
    );
  }));

test('before and after keep what is at least partly there, around takes the nearest', () =>
  withTools(KINDS, async ({ ask, refusal, warnings }) => {
    const within = async (given: object) => timesOf(await ask(getTimeline, { topic: 'keel', limit: 20, ...given }));
    assert.deepEqual(await within({ before: '2024-01-09' }), ['2023-05-03 text 1']);
    assert.deepEqual(await within({ before: '2024-02', after: '2023' }), ['2024-01-09 task 2']);
    assert.deepEqual(await within({ after: '2024-04-05' }), ['2024-04-06 text 7', '2024-07-01 task 1']);
    assert.deepEqual(await within({ around: '2024-03', limit: 2 }), ['2024-03-12 name 1', '2024-04-05 heading 5']);
    const { period } = await ask(getTimeline, { topic: 'keel', before: '2024-02', around: '2023' });
    assert.deepEqual(period, { before: '2024-02-01', around: { from: '2023-01-01', before: '2024-01-01' } });
    assert.deepEqual(await within({ before: '2020', after: '2021' }), []);
    assert.match(warnings[0]?.message ?? '', /^no time is after 2022-01-01 and before 2020-01-01$/);
    for (const field of ['before', 'after', 'around'])
      assert.match(
        (await refusal(getTimeline, { topic: 'keel', [field]: 'some day' }, 'INVALID_QUERY')).hint,
        /a date as/,
      );
    await refusal(getTimeline, {}, 'INVALID_INPUT');
    await refusal(getTimeline, { around: 'since monday', topic: 'keel' }, 'INVALID_QUERY');
  }));

test('a question finds the best passages first, and pages go on to the next best', () =>
  withTools(
    Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => [
        `Log/2024-01-0${at + 1}.md`,
        `Day ${at}: we looked at the keel${at === 4 ? ' and painted the keel red' : ''}.`,
      ]),
    ),
    async ({ ask }) => {
      const first = await ask(getTimeline, { topic: 'When did we paint the keel red?' });
      assert.equal(first.entries.length, 5);
      assert.equal(first.entries.find(({ rank }: Entry) => rank === 1)?.date, '2024-01-05');
      const second = await ask(getTimeline, { topic: 'When did we paint the keel red?', cursor: first.next_cursor });
      const all = [...first.entries, ...second.entries].map(({ date }: Entry) => date);
      assert.equal(new Set(all).size, 9);
      assert.equal(second.next_cursor, undefined);
    },
  ));

test('a note: its own dates, and the passages that link to it', () =>
  withTools(
    {
      'Ada.md': '---\nborn: 1815-12-10\ncreated: 2024-05-01\n---\n\nMoved to London in March 1835.\n',
      'Log/2024-06-01.md': 'Rain.\n\nMet [[Ada]] at the pier.\n',
      'Trip.md': '- 3 July 2024\n  - lunch with [[Ada]]\n',
      'Nothing.md': '[[Ada]] is a friend.\n',
      'Alone.md': '',
    },
    async ({ ask }) => {
      const answer = await ask(getTimeline, { notes: ['Ada'] });
      assert.deepEqual(timesOf(answer), [
        '1815-12-10 property 2',
        '1835-03 text 6',
        '2024-06-01 name 3',
        '2024-07-03 text 2',
      ]);
      assert.equal(answer.undated, 1);
      assert.equal(answer.entries[0].note_date, '2024-05-01');
      assert.deepEqual(timesOf(await ask(getTimeline, { notes: ['Ada'], before: '2024-07', limit: 1 })), [
        '2024-06-01 name 3',
      ]);
      assert.deepEqual(timesOf(await ask(getTimeline, { notes: ['Ada'], folder: 'Log', after: '2000' })), [
        '2024-06-01 name 3',
      ]);
      assert.deepEqual(timesOf(await ask(getTimeline, { notes: ['Ada'], topic: 'pier' })), ['2024-06-01 name 3']);
      assert.deepEqual((await ask(getTimeline, { notes: ['Alone'] })).entries, []);
    },
  ));

test('several notes, and filters: a named note counts whatever it has, the others by their tags and properties', () =>
  withTools(
    {
      'Ada.md': '---\nborn: 1815-12-10\n---\nShe wrote #notes in 1843.\n',
      'Charles.md': '# Work\n\nBegun in 1822.\n\n# End\n\nGiven up in 1833.\n',
      'Log/2024-06-01.md': '---\nstatus: open\n---\nMet [[Ada]] and [[Charles]] at the pier.\n\nThe pier again.\n',
      'Log/2024-06-02.md': '---\ntags: [port/pier]\nrating: 5\n---\nMet [[Charles]] at the pier.\n',
    },
    async ({ ask }) => {
      const all = ['1815-12-10 property 2', '1843 text 4', '2024-06-01 name 4'];
      assert.deepEqual(timesOf(await ask(getTimeline, { notes: ['Ada'] })), all);
      assert.deepEqual(timesOf(await ask(getTimeline, { notes: ['Ada', 'Charles#End', 'Ada'] })), [
        ...all.slice(0, 1),
        '1833 text 7',
        ...all.slice(1),
        '2024-06-02 name 5',
      ]);
      const charles = async (filter: object) =>
        timesOf(await ask(getTimeline, { notes: ['Charles'], after: '2000', ...filter }));
      assert.deepEqual(await charles({ tags: ['port'] }), ['2024-06-02 name 5']);
      assert.deepEqual(await charles({ where: ['status = open'] }), ['2024-06-01 name 4']);
      const pier = async (filter: object) => timesOf(await ask(getTimeline, { topic: 'pier', ...filter }));
      assert.deepEqual(await pier({ where: ['rating >= 4'] }), ['2024-06-02 name 5']);
      assert.deepEqual(await pier({ tags: ['#port/pier'] }), ['2024-06-02 name 5']);
      assert.deepEqual(await pier({ tags: ['nowhere'] }), []);
      await assert.rejects(ask(getTimeline, { notes: ['Ada', 'Nobody'] }), { code: 'NOTE_NOT_FOUND' });
    },
  ));

test('a day without a year has the year of what is around it, where it is certain, and says so', () =>
  withTools(
    {
      'Log/2024-05-10.md': 'On 3 May the kelp was high.\n\nKelp is planned for 24 December.\n',
      '2022.md': '## 3 June\n\nkelp harvest\n',
      'Loose.md': 'On 3 May the kelp was low.\n',
    },
    async ({ ask }) => {
      const { entries, undated } = await ask(getTimeline, { topic: 'kelp', limit: 20 });
      assert.deepEqual(entries.map(short), ['2022-06-03 heading 3', '2024-05-03 text 1', '2024-05-10 name 3']);
      assert.deepEqual(
        entries.map(({ year_by }: Entry) => year_by),
        ['name', 'name', undefined],
      );
      assert.equal(undated, 1);
    },
  ));

test('times of files are used only where they are asked for, whatever the clock said', () =>
  withTools(
    { 'Old.md': 'the buoy', 'Future.md': 'another buoy', 'Dated.md': 'a buoy on 3 May 2023' },
    async ({ ask, folder, run }) => {
      utimesSync(join(folder.root, 'Old.md'), 1, 1);
      utimesSync(join(folder.root, 'Future.md'), 4_083_955_200, 4_083_955_200);
      await run();
      const { entries, undated } = await ask(getTimeline, { topic: 'buoy' });
      assert.deepEqual(entries.map(short), ['2023-05-03 text 1']);
      assert.equal(undated, 2);
      const dated = await ask(getTimeline, { topic: 'buoy', file_times: true });
      assert.equal(dated.undated, 0);
      assert.deepEqual(
        dated.entries.map(({ by }: Entry) => by),
        ['file', 'text', 'file'],
      );
      assert.equal(dated.entries[2].date.slice(0, 4), '2099');
    },
  ));

test('code, addresses, names of files and comments have no dates', () =>
  withTools(
    {
      'Code.md': [
        'kelp `2024-01-01` here',
        'kelp at https://x.org/2024/01/02/kelp here',
        '%%\nkelp 2024-01-03\n%%',
        '```\nkelp 2024-01-04\n```',
        '[kelp](img/2024-01-05.png)',
        'kelp version 1.2.2024',
      ].join('\n\n'),
    },
    async ({ ask }) => {
      const { entries, undated } = await ask(getTimeline, { topic: 'kelp', limit: 20 });
      assert.deepEqual(entries, []);
      assert.ok(undated >= 4, String(undated));
    },
  ));

test('embedded files are no passages, and of properties only those that are a date', () =>
  withTools(
    {
      'Boat.md':
        '---\ntitle: The kelp of 2022-05-05\nkelp found: 2021-04-04\nversion: 2020-01-01\n---\nKelp, 3 May 2023.\n',
      'Shot.md': '![kelp 2019-01-01](kelp.png)\n\n![[kelp 2019-02-02.png]]\n',
    },
    async ({ ask }) => {
      const { entries } = await ask(getTimeline, { topic: 'kelp', limit: 20 });
      assert.deepEqual(entries.map(short), ['2021-04-04 property 3', '2023-05-03 text 6']);
    },
  ));

test('a journal in one note: lines that begin with dates, items below dates, lines that are only a date', () =>
  withTools(
    {
      'Journal.md': [
        '2024-03-01: kelp soup\n2024-03-02: kelp tea',
        '**2024-03-03**',
        'kelp bread',
        '- [[2024-03-04]]\n  - slept\n  - kelp salad\n- kelp later',
        '# 2024-03-05',
        'kelp cake',
        '| day | what |\n| --- | --- |\n| 2024-03-06 | kelp pie |',
      ].join('\n\n'),
    },
    async ({ ask }) => {
      const { entries } = await ask(getTimeline, { topic: 'kelp', limit: 20 });
      assert.deepEqual(
        entries.map(
          ({ date, text }: Entry) => `${date.slice(8)} ${/soup|tea|bread|salad|later|cake|pie/.exec(text)?.[0]}`,
        ),
        ['01 soup', '02 tea', '03 bread', '03 later', '04 salad', '05 cake', '06 pie'],
      );
    },
  ));

test('names of notes in the forms of languages are dates', () =>
  withTools(
    {
      'March 12th, 2024.md': 'kelp one',
      '12.04.2024.md': 'kelp two',
      '2024年5月12日.md': 'kelp three',
      '2024-W30.md': 'kelp four',
      '2024-Q4.md': 'kelp five',
      '2023.md': 'kelp six',
    },
    async ({ ask }) => {
      const { entries } = await ask(getTimeline, { topic: 'kelp', limit: 20 });
      assert.deepEqual(
        entries.map(({ date, by, precision }: Entry) => `${date} ${by} ${precision}`),
        [
          '2023 name year',
          '2024-03-12 name day',
          '2024-04-12 name day',
          '2024-05-12 name day',
          '2024-W30 name week',
          '2024-Q4 name quarter',
        ],
      );
    },
  ));

const LANGUAGES: readonly (readonly [text: string, topic: string, date: string])[] = [
  ['Wir haben das Boot am 3. Mai 2023 gestrichen.', 'Wann haben wir das Boot gestrichen?', '2023-05-03'],
  ['Nous avons peint le bateau le 3 mai 2023.', 'Quand avons-nous peint le bateau ?', '2023-05-03'],
  ['Pintamos el barco el 3 de mayo de 2023.', '¿Cuándo pintamos el barco?', '2023-05-03'],
  ['Pintámos o barco em 3 de maio de 2023.', 'Quando pintámos o barco?', '2023-05-03'],
  ['Мы покрасили лодку 3 мая 2023 года.', 'Когда мы покрасили лодку?', '2023-05-03'],
  ['हमने नाव को ३ मई २०२३ को रंगा।', 'हमने नाव कब रंगी?', '2023-05-03'],
  ['طلينا القارب في ٣ مايو ٢٠٢٣.', 'متى طلينا القارب؟', '2023-05-03'],
  ['আমরা ৩ মে ২০২৩ তারিখে নৌকা রং করেছি।', 'কখন নৌকা রং করেছি?', '2023-05-03'],
  ['我们在2023年5月3日给船刷了漆。', '什么时候给船刷漆？', '2023-05-03'],
  ['2023年5月3日に船を塗りました。', 'いつ船を塗りましたか', '2023-05-03'],
];

test('a question in each of the largest languages is answered with the day of the text', async () => {
  for (const [text, topic, date] of LANGUAGES)
    await withTools({ 'Note.md': text }, async ({ ask }) => {
      const { entries } = await ask(getTimeline, { topic });
      assert.deepEqual(
        entries.map((entry: Entry) => `${entry.date} ${entry.by}`),
        [`${date} text`],
        text,
      );
    });
});

test('a line of a million digits, and many notes, hold nothing up', () =>
  withTools(
    { 'Digits.md': `kelp ${'1'.repeat(1_000_000)} 3 May 2023`, 'Dashes.md': `kelp ${'2024-03-'.repeat(50_000)}` },
    async ({ ask }) => {
      const before = process.cpuUsage();
      const { entries } = await ask(getTimeline, { topic: 'kelp' });
      const { user, system } = process.cpuUsage(before);
      assert.ok((user + system) / 1e6 < 10);
      assert.deepEqual(entries, []);
    },
  ));

test('notes of the time that is asked for are read first', () => {
  const filler = 'The keel, the mast and the sails were looked at again by all of us, and nothing else was done. ';
  const days = { 'Log/2019-05-04.md': `${filler.repeat(9)}\n`, 'Log/2019-06.md': `${filler.repeat(9)}\n` };
  const others = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`Keel ${at}.md`, 'A keel, on 3 May 2024.\n']),
  );
  return withTools({ ...others, ...days }, async ({ ask }) => {
    const pathsOf = ({ entries }: { readonly entries: readonly Entry[] }): string[] => entries.map(({ path }) => path);
    const around = await ask(getTimeline, { topic: 'keel', around: '2019-05', limit: 1 });
    assert.deepEqual(pathsOf(around), ['Log/2019-05-04.md']);
    assert.deepEqual(pathsOf(await ask(getTimeline, { topic: 'keel', before: '2020' })), [
      'Log/2019-05-04.md',
      'Log/2019-06.md',
    ]);
  });
});

test('notes with the topic that are not read are counted', () =>
  withTools(
    Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`N${at}.md`, `The keel on ${(at % 28) + 1} May 2024.\n`]),
    ),
    async ({ ask }) => {
      const { total, undated, unread_notes: unread } = await ask(getTimeline, { topic: 'keel', limit: 100 });
      assert.equal(total + undated + unread, 50);
    },
  ));
