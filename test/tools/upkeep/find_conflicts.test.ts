// find_conflicts: pairs that differ in numbers, dates, negation and state, and near passages that do not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conflictsAmong } from '../../../src/markdown/claims/conflicts.ts';
import { createFindConflicts } from '../../../src/tools/upkeep/find_conflicts.ts';
import { assertEach } from '../../assert-each.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { fakeLLM, llmFailure } from '../../fakes/llm.ts';
import { fillVectors } from '../fill-vectors.ts';
import { everyPage, withTools } from '../tools-under-test.ts';

const findConflicts = createFindConflicts({});

async function kindOf(one: string, other: string, titles = ['A', 'B']): Promise<string> {
  const notes = [one, other].map((text, at) => ({ path: `${at}.md`, title: titles[at] ?? '', text }));
  const { conflicts } = await conflictsAmong({ notes });
  return conflicts.map(({ kind }) => kind).join();
}

const CONFLICTS: readonly (readonly [kind: string, one: string, other: string])[] = [
  ['number', 'The old bridge is 120 m long.', 'The old bridge is 125 m long.'],
  ['number', 'The harbour has 1,200 berths today.', 'Today the harbour has 1.300 berths.'],
  ['number', 'Der Turm ist 30 Meter hoch.', 'Der Turm ist 35 Meter hoch.'],
  ['number', 'जहाज की लंबाई ४० मीटर है', 'जहाज की लंबाई ४५ मीटर है'],
  ['number', 'طول السفينة القديمة ٤٠ مترا', 'طول السفينة القديمة ٤٥ مترا'],
  ['number', '旧桥的长度是120米', '旧桥的长度是125米'],
  ['number', 'The number of berths is 120', 'The number of berths is 140'],
  ['number', '- Ticket price: €12', '- Ticket price: €15'],
  ['date', 'The lighthouse was built in 1874.', 'The lighthouse was built in 1884.'],
  ['date', 'The regatta starts on 5 May 2026.', 'The regatta starts on 12 June 2026.'],
  ['date', 'La regata empieza el 5 de mayo de 2026.', 'La regata empieza el 2026-06-12.'],
  ['negation', 'The north gate is open to visitors.', 'The north gate is not open to visitors.'],
  ['negation', 'Ada can sail the cutter alone.', "Ada can't sail the cutter alone."],
  ['negation', 'Das Nordtor ist für Besucher offen.', 'Das Nordtor ist nicht für Besucher offen.'],
  ['negation', 'La puerta norte está abierta a visitantes.', 'La puerta norte nunca está abierta a visitantes.'],
  ['negation', 'Северные ворота открыты для гостей.', 'Северные ворота не открыты для гостей.'],
  ['negation', '北门对游客开放参观', '北门不对游客开放参观'],
  ['negation', 'O portão norte está aberto aos visitantes.', 'O portão norte não está aberto aos visitantes.'],
  ['negation', 'La porte nord est ouverte aux visiteurs.', "La porte nord n'est pas ouverte aux visiteurs."],
  ['negation', 'उत्तरी द्वार आगंतुकों के लिए खुला है', 'उत्तरी द्वार आगंतुकों के लिए खुला नहीं है'],
  ['negation', 'উত্তর দরজা দর্শনার্থীদের জন্য খোলা', 'উত্তর দরজা দর্শনার্থীদের জন্য খোলা নেই'],
  ['negation', '备用发电机已经连接到医院侧楼。', '备用发电机没有连接到医院侧楼。'],
  ['number', 'The north bridge carries trucks up to 12 t.', 'The north bridge carries trucks up to 7500 kg.'],
  ['number', '北の橋は12トンまでのトラックに耐える。', '北の橋は7500kgまでのトラックに耐える。'],
  ['number', 'Северный мост выдерживает грузовики до 12 тонн.', 'Северный мост выдерживает грузовики до 7500 кг.'],
  ['number', 'Высота старой башни 30 метров.', 'Высота старой башни 34 метра.'],
  ['number', 'Ремонт старой башни займет 3 дня.', 'Ремонт старой башни займет 5 дней.'],
  ['number', 'The night ferry takes 1 hour.', 'The night ferry takes 3 hours.'],
  ['number', 'Die Überfahrt zur Insel dauert 1 Tag.', 'Die Überfahrt zur Insel dauert 3 Tage.'],
  ['number', 'The sea wall is 12 to 15 m high.', 'The sea wall is 18 m high.'],
  ['negation', 'Сторож музея имеет ключ от подвала.', 'Сторож музея не имеет ключа от подвала.'],
  ['state', '- [ ] Paint the northern gate', '- [x] Paint the northern gate'],
  ['state', 'The solar roof project is finished.', 'The solar roof project is cancelled.'],
  ['state', 'Das Projekt Solardach ist abgeschlossen.', 'Das Projekt Solardach wurde abgebrochen.'],
  ['state', 'Le projet du toit solaire est terminé.', 'Le projet du toit solaire est annulé.'],
  ['state', 'La solicitud del muelle norte fue aprobada.', 'La solicitud del muelle norte fue rechazada.'],
  ['state', 'O pedido do cais norte foi aprovado.', 'O pedido do cais norte foi recusado.'],
  ['state', 'Северный причал порта открыт.', 'Северный причал порта закрыт.'],
  ['state', '太阳能屋顶项目已完成。', '太阳能屋顶项目已取消。'],
  ['state', '太陽光屋根のプロジェクトは完了した。', '太陽光屋根のプロジェクトは中止された。'],
  ['state', 'सौर छत परियोजना पूरी हो गई है।', 'सौर छत परियोजना रद्द हो गई है।'],
  ['state', 'مشروع السقف الشمسي مكتمل.', 'مشروع السقف الشمسي ملغى.'],
];

test('entries of other dates, numbers in names, reviews of other years and statements about other code are no candidates', () =>
  withTools(
    {
      'review/2024.md':
        '# Year\n\nThis year we read 104 books about harbours.\n\n- 2024-12-17 - Greek lessons about harbours / Han Kang\n',
      'review/2025.md':
        '# Year\n\nThis year we read 108 books about harbours.\n\n- 2025-04-03: Greek lessons about harbours / Han Kang\n',
      'rfc/1925.md': '---\ntitle: RFC 1925\n---\nRequest for comments: 1925 of the working group.\n',
      'rfc/1855.md': '---\ntitle: RFC 1855\n---\nRequest for comments: 1855 of the working group.\n',
      'Tracks.md': '# Tracks of the harbour film\n\nHarbour theme 1\n\nid:: 63bc6201-53b1-47a4-834f-83934b69ad49\n',
      'Songs.md': '# Tracks of the harbour film\n\nHarbour theme 2\n\nid:: 641c8e5f-f890-4c98-8221-652a4ef0970d\n',
      'regex/basic.md': '`*` repeats the pattern before it 0 times or more.\n',
      'regex/bre.md': '`\\\\+` repeats the pattern before it 1 times or more.\n',
      'Pier.md': 'The north pier of the harbour is 120 m long.\n',
      'Harbour.md': 'The north pier of the harbour is 140 m long.\n',
    },
    async ({ ask }) => {
      const { candidates } = await ask(findConflicts, {});
      assert.deepEqual(
        candidates.map(({ passages }: { passages: readonly { path: string }[] }) =>
          passages.map(({ path }) => path).sort(),
        ),
        [['Harbour.md', 'Pier.md']],
      );
    },
  ));

const OF_OTHER_SUBJECTS: readonly (readonly [one: string, other: string, titles?: string[]])[] = [
  ['The ferry to the outer island takes 2 h 30 min.', 'The ferry to the outer island takes 2.5 h.'],
  ['The old pier of the harbour is 1.5 km long.', 'The old pier of the harbour is 1500 m long.'],
  ['The paper on tides was accepted by the board.', 'The paper on winds was rejected by the board.'],
  ['The roof project was paused and then finished.', 'The roof project was cancelled.'],
  ['The roof project was approved by the board.', 'The roof project was cancelled by the board.'],
  [
    'Red Queen is a song of the 1999 album Dark Days.',
    'Something is a song of the 2000 album Dark Days.',
    ['Red Queen', 'Something'],
  ],
  ['Harbour talk (Fri, Oct 28, 2022, 09:00 at the pier)', 'Harbour talk (Fri, Aug 26, 2022, 09:00 at the pier)'],
  ['Hafenrunde am Freitag, 28. Oktober 2022, 19:00', 'Hafenrunde am Freitag, 26. August 2022, 19:00'],
  ['fix(view): invalid commands of the boat are reported', 'Invalid commands of the boat are not reported'],
  ['- [ ] #task Paint one', '- [x] #task Sweep two'],
  [
    'Anchors let you name a paragraph, list or quote, not just the whole note.',
    'Anchors let you name a paragraph, list or quote of the whole note.',
  ],
  ['---\nstatus: seen\n---\n', '---\nstatus: wanted\n---\n', ['Storm', 'Storm 2']],
  ['---\nstatus: seen\n---\n', '---\nstatus: wanted\n---\n', ['Storm', 'Storm: the sea']],
  ['The lock uses 4 old gates here.', 'The lock uses 6 old gates here.', ['Segment 40196', 'Segment 33762']],
  ['Winter log II is an album of 1995.', 'Winter log is an album of 1990.', ['Winter log II', 'Winter log']],
  ['Tide table was printed in 1988.', 'Tide table (large) was printed in 1987.', ['Tide table', 'Tide table (large)']],
  ['so $R_n = n^3$ holds for the tide', 'so $R_n = 1$ holds for the tide'],
  ['date created: 2023-06-09', 'date created: 2022-06-09'],
  ['Next is [[/docs/tide/01-16-lamp-oil]] here', 'Next is [[/docs/tide/02-lamp-oil]] here'],
  ['-- Harbour masters, part 97', '-- Harbour masters, part 128'],
  ['## Sources\nHarbour masters, third print 2018', '## Sources\nHarbour masters, third print 2015'],
  ['## Bug fixes\nissue with outline of boats', '## Notes\nissue with outline of boats not shown'],
  ['img[alt="boat"] { max-height: 400px; }</style>', 'img[alt="boat"] { max-height: 300px; }</style>'],
];

test('statements about other subjects, meetings held again, lines of changelogs and marks of tasks are no candidates', async () => {
  for (const [one, other, titles] of OF_OTHER_SUBJECTS) assert.equal(await kindOf(one, other, titles), '', one);
  const lit = ['The lighthouse was built in 1874.', 'The lighthouse was built in 1884.'] as const;
  assert.equal(await kindOf(...lit, ['The lighthouse', 'History']), 'date');
  assert.equal(
    await kindOf('It sank on May. 12th, 2019 near the pier.', 'It sank on May. 15th, 2019 near the pier.'),
    'date',
  );
  const rent = ['The berth costs $12 or $15 at night.', 'The berth costs $13 or $16 at night.'] as const;
  assert.equal(await kindOf(...rent, ['Meeting 2025-01-03', 'Meeting 2025-02-07']), 'number');
  assert.equal(
    await kindOf('Released on Apr. 12th, 2019 by the harbour.', 'Released on Apr. 15th, 2019 by the harbour.'),
    'date',
  );
  assert.equal(
    await kindOf('Dr. Weber leads the northern yard.', 'Dr. Weber no longer leads the northern yard.'),
    'negation',
  );
});

test('pairs of near passages with different numbers, dates, negation or states', async () => {
  for (const [kind, one, other] of CONFLICTS) assert.equal(await kindOf(one, other), kind, `${one} / ${other}`);
  assert.equal(await kindOf('Status: open', 'Status: closed', ['Boat house', 'The boat house']), 'state');
  const inProperties = ['---\nstatus: open\n---\n', '---\nstatus: closed\n---\n'] as const;
  assert.equal(await kindOf(...inProperties, ['Boat house', 'The boat house']), 'state');
});

const NO_CONFLICTS: readonly (readonly [one: string, other: string])[] = [
  ['The old bridge is 120 m long.', 'The old bridge is 120 m long and made of stone.'],
  ['The harbour has 1,200 berths today.', 'Today the harbour has 1200 berths.'],
  ['The harbour has 1.200 berths today.', 'The harbour has 1 200 berths today.'.replace('1 2', '1\u00a02')],
  ['جهاز طوله ٤٠ مترا قديم', 'جهاز طوله 40 مترا قديم'],
  ['The sea wall is 12 to 15 m high.', 'The sea wall is 14 m high.'],
  ['Die Überfahrt dauert 3-5 Tage.', 'Die Überfahrt dauert 4 Tage.'],
  ['The ticket of the ferry costs $5–7 today.', 'The ticket of the ferry costs $6 today.'],
  ['The pier is between 1,200 and 1,500 m long.', 'The pier is 1.3 km long.'],
  ['海堤的高度是12至15米', '海堤的高度是14米'],
  ['The old bridge is 120 m long.', 'The new tunnel takes 125 minutes.'],
  ['Chapter 3 of the book is finished.', 'Chapter 4 of the book is finished.'],
  ['The regatta starts on 5 May 2026.', 'The regatta starts in May 2026.'],
  ['The regatta starts on 5 May 2026.', 'The regatta starts on 2026-05-05.'],
  ['The north gate is open to visitors.', 'The north gate is open to visitors in summer.'],
  ['- [x] Paint the northern gate', '- [x] Paint the northern gate'],
  ['`The bridge is 120 m long.`', '`The bridge is 125 m long.`'],
  ['```\nThe old bridge is 120 m long.\n```', '```\nThe old bridge is 125 m long.\n```'],
  ['See https://example.com/bridge/long/120', 'See https://example.com/bridge/long/125'],
  ['A song is on the album of 1999, wide and long.', ''],
  ['', ''],
];

test('near passages without a conflict', async () => {
  for (const [one, other] of NO_CONFLICTS) assert.equal(await kindOf(one, other), '', `${one} / ${other}`);
});

test('statements that many notes make with other values are a series, and are counted', async () => {
  const notes = Array.from({ length: 8 }, (_, at) => ({
    path: `${at}.md`,
    title: `Day ${at}`,
    text: `The tide was ${at + 2}.5 m high at noon.`,
  }));
  const { conflicts, series } = await conflictsAmong({ notes });
  assert.deepEqual([conflicts.length, series], [0, 1]);
});

const FILES = {
  'Bridge.md': '---\ndate: 2026-01-10\n---\n# Facts\nThe old bridge is 120 m long.\n\nIt was built in 1874.',
  'Crossing.md': '---\ndate: 2026-03-05\n---\n## Size\nThe old bridge is 125 m long.',
  'Gate/North.md': '---\ndate: 2025-05-01\n---\nThe north gate is open to visitors.',
  'Gate/Visit.md': '---\ndate: 2025-06-01\n---\nThe north gate is not open to visitors.',
  'Templates/Gate.md': 'The north gate is not open to visitors.',
};

test('both passages with heading, line and date, newest first; by topic, notes and folder, page by page', () =>
  withTools(FILES, async (tools) => {
    const { ask, refusal } = tools;
    const { candidates, total, compared_notes } = await ask(findConflicts);
    assert.deepEqual([total, compared_notes], [2, 4]);
    assert.deepEqual(candidates[0], {
      kind: 'number',
      similarity: 1,
      passages: [
        {
          path: 'Crossing.md',
          line: 5,
          heading: 'Size',
          date: '2026-03-05',
          dated_by: 'property',
          text: 'The old bridge is 125 m long.',
        },
        {
          path: 'Bridge.md',
          line: 5,
          heading: 'Facts',
          date: '2026-01-10',
          dated_by: 'property',
          text: 'The old bridge is 120 m long.',
        },
      ],
    });
    const kinds = async (given: object) =>
      (await ask(findConflicts, given)).candidates.map(({ kind }: { kind: string }) => kind);
    assert.deepEqual(await kinds({ topic: 'old bridge' }), ['number']);
    assert.deepEqual(await kinds({ notes: ['Crossing'] }), ['number']);
    assert.deepEqual(await kinds({ folder: 'Gate' }), ['negation']);
    assert.deepEqual(await kinds({ topic: 'submarine' }), []);
    assert.equal((await everyPage(tools, findConflicts, {}, 'candidates', 1)).length, total);
    await refusal(findConflicts, { notes: ['Nobody'] }, 'NOTE_NOT_FOUND');
    await refusal(findConflicts, { folder: '../outside' }, 'PATH_NOT_ALLOWED');
    await refusal(findConflicts, { cursor: 'nobody' }, 'INVALID_INPUT');
    assert.equal(findConflicts.input.safeParse({ check: true }).success, false);
  }));

test('check has the model judge each pair, which succeeds or fails alone', () => {
  const fake = fakeLLM(() => ({ verdict: 'conflict', reason: 'A bridge has one length.' }));
  const judging = createFindConflicts({ llm: true });
  return withTools(
    FILES,
    async ({ ask, reported }) => {
      const { succeeded, failed } = await ask(judging, { check: true });
      assert.deepEqual(failed, []);
      assert.deepEqual(
        succeeded.map(({ id }: { id: string }) => id),
        ['Crossing.md:5 | Bridge.md:5', 'Gate/Visit.md:4 | Gate/North.md:4'],
      );
      const { verdict, reason, kind, passages } = succeeded[0].result;
      assert.deepEqual([verdict, reason, kind], ['conflict', 'A bridge has one length.', 'number']);
      assert.equal(passages.length, 2);
      assert.equal(reported().provider?.capability, 'llm');
      assert.match(fake.requests[0]?.prompt ?? '', /<data-[^>]*>\nCrossing\.md[\s\S]*125 m long/);
      fake.failNext(llmFailure('PROVIDER_BAD_RESPONSE', { expected: 'a', received: 'b' }, { level: 'item' }));
      const second = await ask(judging, { check: true });
      assertEach(second.failed, ({ error }: { error: { code: string } }) => error.code, ['PROVIDER_BAD_RESPONSE']);
      assert.equal(second.succeeded.length, 1);
      assert.equal((await ask(judging)).candidates.length, 2);
    },
    { llm: fake.provider },
  );
});

test('in the whole vault, statements of few common words are paired where their passages are near in meaning', async () => {
  const fake = fakeEmbedding();
  const byMeaning = createFindConflicts({ embedding: true });
  await withTools(
    {
      'Boat.md': 'The annual mooring fee for our sailing boat is 1200 EUR at the moment.\n',
      'Costs.md': 'Each year we pay 1350 EUR to keep the boat moored in town.\n',
      'Bread.md': 'A loaf takes 500 g flour.\n',
    },
    async (under) => {
      const { ask, warnings } = under;
      const found = async () => (await ask(byMeaning, {})).candidates.map((one: { found_by?: string }) => one.found_by);
      // Without vectors, pairs are found as without a model.
      assert.deepEqual(await found(), []);
      await fillVectors(under, fake.provider, {});
      assert.deepEqual(await found(), ['meaning']);
      assert.deepEqual((await ask(findConflicts, {})).candidates, []);
      assert.deepEqual(warnings, []);
    },
    { embedding: fake.provider },
  );
});
