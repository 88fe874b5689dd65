// get_context over real vaults: what it selects, that citations are correct, and that budgets are kept.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { splitLines } from '../../../src/markdown/parse/lines.ts';
import { viewOf } from '../../../src/mcp/render/index-view.ts';
import { successAnswer } from '../../../src/mcp/render/result.ts';
import { getContext } from '../../../src/tools/context/get_context.ts';
import { getNeighbors } from '../../../src/tools/links/get_neighbors.ts';
import { readNotes } from '../../../src/tools/notes/read_notes.ts';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { assertEach } from '../../assert-each.ts';
import { publicVault, readVault } from '../../markdown/links/vault-folder.ts';
import { FRESH } from '../../mcp/test-host.ts';
import { runs } from '../../runner/effort.ts';
import { sharedVault, type ToolsUnderTest, withTools } from '../tools-under-test.ts';

const FILES = {
  'Tide.md':
    '# Tide\n\nThe tide rises and falls with the moon. See [[Moon]] for why.\n\n## Neap\n\nA neap tide is low.\n',
  'Moon.md': '---\ntags: [sky]\n---\nThe moon circles the earth once a month.\n',
  'Harbour.md': 'Boats wait in the harbour.\nThey leave with the [[Tide|flood]] in the morning. Nobody rows.\n',
  'Bread.md': 'Flour, water and salt make a loaf.\n',
};

interface Section {
  readonly path: string;
  readonly lines: [number, number];
  readonly text: string;
  readonly why: string;
}

function linesOf(text: string, [from, to]: readonly [number, number]): string {
  const { starts, ends } = splitLines(text);
  return text.slice(starts[from - 1], ends[to - 1]);
}

/** As a tool's answer goes over the wire. */
function answered(value: object) {
  const index = viewOf({ ...FRESH, total: 100_201, indexed: 100_201 });
  return successAnswer(value, { warnings: [], notes: [], index, mask: (text) => text });
}

function assertTrue(sections: readonly Section[], texts: Readonly<Record<string, string | Uint8Array>>): void {
  for (const { path, lines, text } of sections) {
    const written = Buffer.from(texts[path] ?? '')
      .toString('utf8')
      .replace(/^\uFEFF/, '');
    assert.ok(linesOf(written, lines).includes(text), `${path}:${lines.join('-')} holds ${JSON.stringify(text)}`);
    assert.notEqual(text.trim(), '');
  }
}

function assertWithin(answer: object & { tokens: number }, budget: number): void {
  const { text, structured } = answered(answer);
  // As a client pays for it, whichever of the two it hands to its model.
  for (const paid of [text, JSON.stringify(structured)]) {
    const tokens = countTokens(paid);
    assert.ok(tokens <= budget, `${tokens} o200k tokens, ${budget} allowed\n${paid}`);
  }
  assert.ok(answer.tokens <= budget, `${answer.tokens} reported, ${budget} allowed`);
}

const reading = sharedVault(FILES);

test('a topic returns matching passages, linking sentences and the openings of neighbours', () =>
  reading(async ({ ask }) => {
    const answer = await ask(getContext, { topic: 'neap' });
    const shown = answer.sections.map(({ path, why }: Section) => [path, why]);
    assert.deepEqual(shown[0], ['Tide.md', 'hit']);
    assert.ok(
      shown.some(([path, why]: string[]) => path === 'Moon.md' && why === 'linked from Tide.md'),
      String(shown),
    );
    const linking = answer.sections.find(({ why }: Section) => why === 'links to Tide.md');
    assert.deepEqual([linking.path, linking.lines], ['Harbour.md', [2, 2]]);
    assert.equal(linking.text, 'They leave with the [[Tide|flood]] in the morning.');
    assert.ok(!shown.some(([path]: string[]) => path === 'Bread.md'));
    assertTrue(answer.sections, FILES);
    assertWithin(answer, 2_000);
  }));

test('notes and parts of notes', () =>
  reading(async ({ ask }) => {
    const whole = await ask(getContext, { notes: ['Tide', 'Moon'] });
    assert.deepEqual(
      whole.sections.slice(0, 2).map(({ path, why }: Section) => [path, why]),
      [
        ['Tide.md', 'asked for'],
        ['Moon.md', 'asked for'],
      ],
    );
    const part = await ask(getContext, { notes: ['Tide#Neap'] });
    assert.deepEqual([part.sections[0].path, part.sections[0].lines], ['Tide.md', [5, 7]]);
    assertTrue([...whole.sections, ...part.sections], FILES);
  }));

test('a passage of a long line is a part of it, and an embedded file is in no passage', () => {
  const long = `${'Sand and shells. '.repeat(2_000)}The lantern burns.${' Sand and shells.'.repeat(2_000)}`;
  const image = `# Lamp\n\nThe lantern ![x](data:image/png;base64,${'QUJDlantern'.repeat(20_000)}) in a picture.\n`;
  const files = { 'Long.md': `${long}\n`, 'Image.md': image };
  return withTools(files, async ({ ask }) => {
    const { sections } = await ask(getContext, { topic: 'lantern', budget_tokens: 8_000 });
    const [best] = sections.filter(({ path }: Section) => path === 'Long.md');
    assert.match(best.text, /The lantern burns/);
    assert.ok(best.text.length < 4_000, `${best.text.length} characters`);
    const [shown] = sections.filter(({ path }: Section) => path === 'Image.md');
    assert.match(shown.text, /The lantern !\[x\]\(\) in a picture\./);
    const found = await ask(searchText, { query: 'QUJDlantern', detail: 'full' });
    assert.deepEqual(found.hits, []);
    const [{ snippet }] = (await ask(searchText, { query: 'picture', detail: 'full' })).hits;
    assert.match(snippet, /in a picture/);
    assert.doesNotMatch(snippet, /QUJD/);
    const [{ result }] = (await ask(readNotes, { notes: ['Image'], max_chars: 1_000_000 })).succeeded;
    assert.equal(result.content, image);
  });
});

test('nothing is shown twice', () =>
  withTools({ ...FILES, 'Copy.md': FILES['Tide.md'] }, async ({ ask }) => {
    const { sections } = await ask(getContext, { topic: 'tide moon harbour', budget_tokens: 8_000 });
    const texts = sections.map(({ text }: Section) => text);
    assert.equal(new Set(texts).size, texts.length);
    for (const one of sections as Section[]) {
      const inside = (other: Section): boolean =>
        other !== one && other.path === one.path && other.text.includes(one.text);
      assert.ok(!(sections as Section[]).some(inside), `${one.path}:${one.lines}`);
    }
  }));

test('a passage that says nearly the same as another is left out and counted, with the call that gets it', () => {
  const howto = (changed: string) =>
    `# Seams\n\nRake out the old cotton with a hooked iron, prime the bare edges, roll fresh strands into the seam and ${changed}.\n`;
  const files = { 'Seams.md': howto('drive them home'), 'Seams copy.md': howto('push them home') };
  return withTools({ ...FILES, ...files }, async ({ ask }) => {
    const { sections, left_out } = await ask(getContext, { topic: 'cotton seam' });
    assert.equal(sections.length, 1);
    assert.deepEqual([left_out[0].what, left_out[0].count], ['passages', 1]);
    assert.equal(new Set([sections[0].path, left_out[0].arguments.notes[0].replace(/:.*/, '')]).size, 2);
  });
});

test('left-out content is counted, with the call that returns it', () => {
  const many = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [
      `Log ${at}.md`,
      `Day ${at}: the harbour was full. ${'Wind and rain. '.repeat(40)}\n`,
    ]),
  );
  return withTools({ ...FILES, ...many }, async ({ ask }) => {
    const answer = await ask(getContext, { topic: 'harbour', budget_tokens: 600 });
    assertWithin(answer, 600);
    const [hits, passages] = answer.left_out;
    assert.equal(hits.what, 'hits');
    assert.deepEqual([hits.tool, hits.arguments], ['search_text', { query: 'harbour' }]);
    assert.equal(hits.count, 31 - 8);
    assert.deepEqual([passages.what, passages.tool], ['passages', 'read_notes']);
    for (const reference of passages.arguments.notes) assert.match(reference, /\.md:\d+-\d+$/);
  });
});

test('filters apply to the topic and to the call that returns the rest', () => {
  const logs = Array.from({ length: 12 }, (_, at) => [
    `Log/${at}.md`,
    `---\ntags: [log]\n---\nDay ${at}: the harbour was full.\n`,
  ]);
  return withTools({ ...FILES, ...Object.fromEntries(logs) }, async ({ ask, refusal, warnings }) => {
    const narrowed = { folder: 'Log', tags: ['log'], since: '2000-01-01' };
    const answer = await ask(getContext, { topic: 'harbour', ...narrowed, budget_tokens: 900 });
    assert.ok(answer.sections.length > 0);
    assert.ok(answer.sections.every(({ path }: Section) => path.startsWith('Log/')));
    assert.deepEqual(answer.left_out[0].arguments, { query: 'harbour', ...narrowed });
    assertWithin(answer, 900);
    assert.deepEqual((await ask(getContext, { topic: 'harbour', until: '2000-01-01' })).sections, []);
    await ask(getContext, { topic: 'harbour', folder: 'Nix' });
    assertEach(warnings, ({ code }) => code, ['FILTER_MATCHES_NOTHING']);
    await refusal(getContext, { notes: ['Tide'], folder: 'Log' }, 'INVALID_INPUT');
    await refusal(getContext, { topic: 'harbour', since: 'some day' }, 'INVALID_QUERY');
    await refusal(getContext, { topic: 'harbour', folder: '../x' }, 'PATH_NOT_ALLOWED');
  });
});

test('a misspelled word of the topic is corrected, and the result says so', () =>
  withTools({ ...FILES, 'Lighthouse.md': 'A lamp on a rock.\n' }, async ({ ask }) => {
    const answer = await ask(getContext, { topic: 'lightouse', budget_tokens: 400 });
    assert.equal(answer.sections[0]?.path, 'Lighthouse.md');
    assertEach(answer.corrected, ({ from }: { from: string }) => from, ['lightouse']);
    assertWithin(answer, 400);
  }));

test('linking sentences come before the passages of the notes found last', () => {
  const many = Array.from({ length: 8 }, (_, at) => [
    `Boat ${at}.md`,
    `The harbour, boat ${at}. ${`It is painted in colour number ${at}. `.repeat(30)}\n`,
  ]);
  return withTools(
    { ...FILES, ...Object.fromEntries(many), 'Pier.md': 'By the [[Boat 0]] the pier begins.\n' },
    async ({ ask }) => {
      const { sections } = await ask(getContext, { topic: 'harbour boat', budget_tokens: 3_000 });
      const at = sections.findIndex(({ why }: Section) => why.startsWith('links to'));
      assert.ok(at > 0 && at <= 5, String(sections.map(({ why }: Section) => why)));
    },
  );
});

test('a long note that answers best gives several passages before those of the notes found last', () => {
  const filler = 'Nothing of that kind is said in this part of the report. '.repeat(20);
  const report = ['First', 'Second', 'Third'].map(
    (name) => `## ${name}\n\nThe ${name} lantern failed in fog. ${filler}\n\n`,
  );
  const others = Array.from({ length: 7 }, (_, at) => [`Other ${at}.md`, `A lantern of ${at}. ${filler}\n`] as const);
  return withTools({ 'Report.md': report.join(''), ...Object.fromEntries(others) }, async ({ ask }) => {
    const answer = await ask(getContext, { topic: 'why did the lantern fail in fog', budget_tokens: 3_000 });
    const paths = answer.sections.map(({ path }: Section) => path);
    const second = paths.indexOf('Report.md', 1);
    assert.deepEqual([paths[0], second > 0 && second <= 5], ['Report.md', true], String(paths));
    assert.ok(new Set(paths.slice(0, second)).size === second, 'each of the first notes comes once before');
  });
});

test('no section is a heading without text below it', () => {
  const long = `# Tide\n\n## Neap\n\n${'A neap tide is low and says so at length. '.repeat(60)}\n`;
  return withTools({ ...FILES, 'Long.md': long, 'Other.md': long.replaceAll('low', 'high') }, async ({ ask }) => {
    for (const budget_tokens of [500, 700, 900, 1_200, 1_600]) {
      const { sections } = await ask(getContext, { topic: 'neap tide', budget_tokens });
      for (const { text } of (sections as Section[]).slice(1)) assert.doesNotMatch(text, /^#+ [^\n]*$/);
    }
  });
});

test('each suggested call returns what was left out', () => {
  const { folder, skip } = publicVault('foam-docs');
  if (skip) return;
  const files = Object.fromEntries([...readVault(folder)].filter(([path]) => path.endsWith('.md')));
  return withTools(files, async ({ ask }) => {
    for (const topic of ['daily notes', 'publish a website', 'graph']) {
      const { left_out } = await ask(getContext, { topic, budget_tokens: 1_000 });
      const [hits, passages, links] = left_out;
      assert.deepEqual([hits.tool, passages.tool, links.tool], ['search_text', 'read_notes', 'get_neighbors']);
      assert.ok((await ask(searchText, hits.arguments)).total >= hits.count);
      const { succeeded, failed } = await ask(readNotes, passages.arguments);
      assert.deepEqual([succeeded.length, failed.length], [passages.arguments.notes.length, 0]);
      for (const { result } of succeeded) assert.ok(result.content.trim().length > 0);
      assert.ok((await ask(getNeighbors, links.arguments)).neighbors.length > 0);
    }
  });
});

test('a topic without matches returns no sections', () =>
  reading(async ({ ask }) => {
    const answer = await ask(getContext, { topic: 'zeppelin' });
    assert.deepEqual(answer.sections, []);
    assert.equal(answer.left_out, undefined);
    assertWithin(answer, 2_000);
  }));

test('a topic and notes together: the notes first, then what is about the topic', () =>
  withTools(
    {
      'Plan.md': '# Plan\n\nRefit the hull in spring.\n',
      'Log.md': '# Log\n\nThe varnish dries in two days.\n',
      'Other.md': '# Other\n\nNothing of that kind.\n',
    },
    async ({ ask }) => {
      const both = await ask(getContext, { topic: 'varnish', notes: ['Plan'] });
      assert.deepEqual(
        both.sections.map(({ path, why }: { path: string; why: string }) => [path, why]),
        [
          ['Plan.md', 'asked for'],
          ['Log.md', 'hit'],
        ],
      );
    },
  ));

test('a link in a property is shown with the name of the property', () =>
  withTools(
    { 'Plan.md': '# Plan\n\nRefit the hull.\n', 'Talk.md': '---\nattendees:\n  - "[[Plan]]"\n---\n# Talk\n\nHello.\n' },
    async ({ ask }) => {
      const { sections } = await ask(getContext, { notes: ['Plan'] });
      const whys = sections.map(({ why }: { why: string }) => why);
      assert.ok(whys.includes('links to Plan.md as attendees'), String(whys));
    },
  ));

const TOPICS = {
  English: ['harbour', 'The harbour of the town fills twice a day, and the pilots read an almanac in year NUMBER. '],
  German: ['Hafen', 'Der Hafen der kleinen Stadt füllt sich zweimal am Tag, sagen die Lotsen im Jahr NUMBER. '],
  Russian: ['гавань', 'Старая гавань наполняется дважды в день, говорят лоцманы города в году NUMBER. '],
  Chinese: ['港口', '港口每天涨潮两次，领航员在第NUMBER年出海之前会查看潮汐表和天气。'],
  Korean: ['항구', '이 작은 항구에는 하루에 두 번 물이 차고, 도선사들은 NUMBER년의 책력을 읽는다. '],
  Arabic: ['الميناء', 'يمتلئ الميناء القديم مرتين في اليوم، ويقرأ الربابنة تقويم سنة NUMBER قبل الإبحار. '],
} as const;

test('the answer fills its budget by a real tokenizer, in both forms, in six languages', () => {
  const files = Object.entries(TOPICS).flatMap(([language, [, sentence]]) =>
    Array.from({ length: 60 }, (_, note): [string, string] => [
      `${language} ${note}.md`,
      Array.from(
        { length: 24 },
        (_, at) => sentence.replace('NUMBER', String(1000 + note * 30 + at)) + (at % 4 === 3 ? '\n\n' : ''),
      ).join(''),
    ]),
  );
  return withTools(Object.fromEntries(files), async ({ ask }) => {
    for (const [language, [topic]] of Object.entries(TOPICS)) {
      for (const budget_tokens of [500, 1_000, 2_000, 4_000, 8_000]) {
        const answer = await ask(getContext, { topic, budget_tokens });
        const { text, structured } = answered(answer);
        // JSON says more than text around few sections.
        const least = budget_tokens < 1_000 ? 0.7 : budget_tokens < 2_000 ? 0.8 : 0.88;
        for (const [form, paid] of Object.entries({ text, json: JSON.stringify(structured) })) {
          const share = countTokens(paid) / budget_tokens;
          assert.ok(share >= least && share <= 1, `${language}, ${budget_tokens}, ${form}: ${share}`);
        }
      }
    }
  });
});

test('the first passage of a note shows its short properties, and hits come before links of their neighbours', () =>
  withTools(
    {
      'Boat.md': `---\nstatus: afloat\nsummary: ${'long '.repeat(60)}\n---\n# Boat\n\nThe varnish of the hull, see [[Pier]].\n\nMore varnish.\n`,
      ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`Log ${at}.md`, `Varnish, day ${at}, went on.\n`])),
      'Pier.md': 'A pier. Far from [[Boat]]. And [[Boat|the boat]] again. Again [[Boat]] it is.\n',
    },
    async ({ ask }) => {
      const { sections } = await ask(getContext, { topic: 'varnish', budget_tokens: 4_000 });
      const boat = sections.filter(({ path, why }: Section) => path === 'Boat.md' && why === 'hit');
      assert.deepEqual(boat[0].properties, { status: 'afloat' });
      assert.ok(boat.slice(1).every((section: object) => !('properties' in section)));
      const whys: string[] = sections.map(({ why }: Section) => why);
      const lastHit = whys.lastIndexOf('hit');
      assert.ok(whys.slice(0, lastHit).filter((why) => why !== 'hit').length <= 3, String(whys));
    },
  ));

test('refusals', () =>
  reading(async ({ refusal, ask }) => {
    await refusal(getContext, {}, 'INVALID_INPUT');
    await refusal(getContext, { topic: '-tide' }, 'INVALID_QUERY');
    await refusal(getContext, { notes: ['Nowhere'] }, 'NOTE_NOT_FOUND');
    await refusal(getContext, { notes: ['Tide#Nowhere'] }, 'NOTE_PART_NOT_FOUND');
    const { message } = await refusal(getContext, { topic: 'tide', budget_tokens: 1 }, 'INVALID_INPUT');
    const least = Number(/the minimum for this request is (\d+)/.exec(message)?.[1]);
    const answer = await ask(getContext, { topic: 'tide', budget_tokens: least });
    assert.equal(answer.sections.length, 1);
    assertWithin(answer, least);
    await refusal(getContext, { topic: 'tide', budget_tokens: least - 1 }, 'INVALID_INPUT');
  }));

const HARD = {
  'Code.md': `# Code\n\n\`\`\`\`ts\nconst tide = "\\"\\\\".repeat(9); // [[Tide]] \`\`\`\n${'\tif (a && b) { return `c`; }\n'.repeat(60)}\`\`\`\`\n`,
  'Line.md': `tide ${'one endless line, with "quotes" and \\ signs and [[Code]] in it, '.repeat(120)}\n`,
  '潮汐.md': `# 潮汐\n\n${'潮汐随月亮涨落，港口的船等待涨潮。见[[Code]]。'.repeat(40)}\n\n${'바다는 하루에 두 번 숨을 쉰다. tide '.repeat(30)}\n`,
  'Windows.md': `tide\r\n\r\n${'Ein Satz mit Umlauten äöü über tide. Noch einer, [[潮汐]].\r\n'.repeat(40)}`,
  'Emoji.md': `${'🌊👩‍👩‍👧 tide '.repeat(80)}\n`,
  'Table.md': `| tide | moon |\n|---|---|\n${'| 1 | [[Line]] |\n'.repeat(60)}`,
};

/** Every citation true and every budget kept, or refused with the least that works. */
function holds(
  { ask }: ToolsUnderTest,
  texts: Readonly<Record<string, string | Uint8Array>>,
  topics: readonly string[],
) {
  const notes = Object.keys(texts).filter((path) => path.endsWith('.md'));
  const requested = fc.oneof(
    fc.record({ topic: fc.constantFrom(...topics) }),
    fc.record({ notes: fc.uniqueArray(fc.constantFrom(...notes), { minLength: 1, maxLength: 4 }) }),
  );
  return fc.assert(
    fc.asyncProperty(requested, fc.integer({ min: 100, max: 8_000 }), async (given, budget_tokens) => {
      const [outcome] = await Promise.allSettled([ask(getContext, { ...given, budget_tokens })]);
      if (outcome.status === 'rejected') {
        const { code, message } = outcome.reason;
        assert.equal(code, 'INVALID_INPUT', String(outcome.reason.stack));
        const least = /the minimum for this request is (\d+)/.exec(message)?.[1];
        if (least === undefined) return assert.match(message, /no text there/);
        assert.ok(Number(least) > budget_tokens);
        assertWithin(await ask(getContext, { ...given, budget_tokens: Number(least) }), Number(least));
        return;
      }
      assertTrue(outcome.value.sections, texts);
      assertWithin(outcome.value, budget_tokens);
    }),
    { numRuns: runs(60) },
  );
}

test('every citation is correct and no budget is exceeded for random notes', () =>
  withTools(HARD, (under) => holds(under, HARD, ['tide', '潮汐', '바다', 'return a b', 'Umlauten tide Satz'])));

for (const [name, topics] of [
  ['foam-docs', ['daily notes', 'graph visualization', 'publish with github pages', 'code snippet']],
  ['kepano', ['book template', 'rating', 'movies']],
] as const) {
  const { folder, skip } = publicVault(name);
  test(`every citation is true and no budget is exceeded in ${name}`, { skip }, () => {
    const files = Object.fromEntries([...readVault(folder)].filter(([path]) => path.endsWith('.md')));
    return withTools(files, (under) => holds(under, files, topics));
  });
}

const chinese = publicVault('oldwinter-zh');
test('every citation is true and no budget is exceeded in a Chinese vault', { skip: chinese.skip }, () => {
  const all = [...readVault(chinese.folder)].filter(([path]) => path.endsWith('.md'));
  const files = Object.fromEntries(all.filter((_, at) => at % 12 === 0));
  return withTools(files, (under) => holds(under, files, ['知识管理', '笔记', '学习 方法', 'obsidian 插件']));
});

test('passages that are headings only are left out, also when a passage is cut, unless the note has nothing else', () => {
  const body = Array.from({ length: 12 }, (_, at) => `Sentence ${at} of the tide and its many turns.`).join(' ');
  const files = {
    'Outline.md': '# Tide\n\n## Tide at noon\n\n### Tide at night\n',
    'Underlined.md': 'Tide\n====\n\nTide below\n---\n',
    'Long.md': `# Tide ${'and more words '.repeat(15)}\n\n## Tide again\n\n${body}\n`,
    'Linking.md': 'See [[Opening]] for the tide.\n',
    'Opening.md': `# Opening\n\n${'## Part of the opening and what it is about\n\n'.repeat(8)}${body}\n`,
  };
  return withTools(files, async ({ ask }) => {
    const isHeadings = (text: string): boolean =>
      text
        .split('\n')
        .every((line, at, lines) => /^(?:#.*|\s*|=+|-+)$/.test(line) || /^(?:=+|-+)$/.test(lines[at + 1] ?? ''));
    const outlines = ['Outline.md', 'Underlined.md'];
    for (const budget_tokens of [450, 600, 1_000, 4_000]) {
      const { sections } = await ask(getContext, { topic: 'tide', budget_tokens });
      assert.notEqual(sections.length, 0);
      for (const { path, text } of sections)
        assert.equal(isHeadings(text), outlines.includes(path), `${path} ${budget_tokens}: ${text}`);
    }
    const { sections } = await ask(getContext, { topic: 'tide at noon' });
    assert.equal(sections[0].text, '# Tide\n\n## Tide at noon\n\n### Tide at night');
    const asked = await ask(getContext, { notes: ['Outline'] });
    assert.match(asked.sections[0].text, /Tide at noon/, 'a note that was asked for is shown all the same');
  });
});

test('a note that has only properties is shown by them', () =>
  withTools({ 'Book.md': '---\nauthor: Ann Reed\n---\n', 'Bare.md': '---\nrating: 9\n---\n\n' }, async ({ ask }) => {
    const { sections } = await ask(getContext, { topic: 'Reed' });
    assert.deepEqual(sections, [{ path: 'Book.md', lines: [1, 3], text: '---\nauthor: Ann Reed\n---', why: 'hit' }]);
  }));

test('a large budget is filled with what one long note says about a topic', () => {
  const about = (at: number) => `Part ${at}. ${`The keeper of lamp ${at} rows to the quay. `.repeat(30)}`;
  const other = 'Nobody is here at all and the sea is calm. '.repeat(30);
  const parts = Array.from({ length: 60 }, (_, at) => `${about(at)}\n\n${other.replaceAll('all', `all ${at}`)}`);
  return withTools({ 'Log.md': parts.join('\n\n') }, async ({ ask }) => {
    for (const budget_tokens of [2_000, 8_000]) {
      const { sections, tokens } = await ask(getContext, { topic: 'keeper of the lamp', budget_tokens });
      assert.ok(tokens > 0.85 * budget_tokens, `${tokens} of ${budget_tokens}`);
      for (const { text } of sections) assert.match(text, /keeper/);
    }
  });
});

test('a long line of number signs is cut as fast as any other', () =>
  withTools({ 'Signs.md': `${'# '.repeat(20_000)}\nTide.\n` }, async ({ ask }) => {
    assert.notEqual((await ask(getContext, { topic: 'tide', budget_tokens: 600 })).sections.length, 0);
  }));

test('of a note with many links, it counts all links to other notes and shows the first', async () => {
  const pads = Array.from({ length: 210 }, (_, at) => [`Log/${at}.md`, `Row ${at} to [[Quay]] and [[Quay]].`] as const);
  const out = Array.from({ length: 30 }, (_, at) => `Seen by [[${at}]] and [[gone ${at}]], ![[a.png]], [[Quay]].`);
  const files = { 'Quay.md': `Boats.\n\n${out.join('\n\n')}\n`, 'Pier.md': 'The pier meets [[Quay]].', 'a.png': '' };
  const all = { ...files, ...Object.fromEntries(pads) };
  await withTools(all, async ({ ask }) => {
    const { sections, left_out } = await ask(getContext, { notes: ['Quay', 'Pier'], budget_tokens: 4_000 });
    const linking = (sections as readonly Section[]).filter(({ why }) => why.startsWith('links to'));
    assert.ok(linking.length > 0);
    assertTrue(linking, all);
    const links = (left_out as { what: string; count: number; arguments: object }[]).find(
      ({ what }) => what === 'links',
    );
    assert.deepEqual(links?.arguments, { note: 'Quay.md' });
    const total = 30 + 2 * 210 + 1;
    assert.ok(links.count < total && links.count >= total - 24, `${links.count} of ${total}`);
  });
});

test('the opening of a linked note is its first text, after however long a comment, headings or properties', () => {
  const after = (name: string): string => `The text with which ${name} begins.`;
  const files = {
    'Linking.md': 'See [[Commented]], [[Headed]] and [[Described]] for the tide.\n',
    'Commented.md': `%%\n${'Hidden words of the draft. '.repeat(400)}\n%%\n\n${after('Commented')}\n`,
    'Headed.md': `${Array.from({ length: 300 }, (_, at) => `## Part ${at}\n\n`).join('')}${after('Headed')}\n`,
    'Described.md': `---\n${Array.from({ length: 300 }, (_, at) => `p${at}: some words\n`).join('')}---\n${after('Described')}\n`,
  };
  return withTools(files, async ({ ask }) => {
    const { sections } = await ask(getContext, { topic: 'tide', budget_tokens: 4_000 });
    for (const path of Object.keys(files).slice(1)) {
      const shown = sections.find((section: { path: string }) => section.path === path);
      assert.match(shown?.text ?? '', new RegExp(`${after(path.replace('.md', ''))}$`), path);
      assert.doesNotMatch(shown.text, /Hidden words|some words/);
    }
  });
});
