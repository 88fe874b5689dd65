// get_context over real vaults and a store: what it chooses, that each citation is true, and that no budget is exceeded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { splitLines } from '../../src/markdown/lines.ts';
import { tokenBound } from '../../src/markdown/token-bound.ts';
import { viewOf } from '../../src/mcp/index-view.ts';
import { successAnswer } from '../../src/mcp/result.ts';
import { getContext } from '../../src/tools/get_context.ts';
import { countRoughTokens } from '../bench/rough-tokens.ts';
import { publicVault, readVault } from '../markdown/vault-folder.ts';
import { FRESH } from '../mcp/test-host.ts';
import { type ToolsUnderTest, withTools } from './tools-under-test.ts';

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

/** As a tool's answer goes over the wire, with an index behind it that has everything to tell at once. */
function answered(value: object) {
  const counts = { total: 100_201, indexed: 99_999, pending: 202, quarantined: 12 };
  const holder = { pid: 1, client: 'other', since: FRESH.asOf ?? '', heartbeat_age_ms: 0 };
  const index = viewOf({ ...FRESH, ...counts, role: 'follower', holder, complete: true, freshness: 'unknown' });
  return successAnswer(value, { warnings: [], told: [], index, mask: (text) => text });
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
  const read = tokenBound(text);
  // The bound takes each sign of JSON for a token, which no tokenizer does.
  const parsed = countRoughTokens(JSON.stringify(structured));
  assert.ok(read <= budget, `${read} tokens of text, ${budget} allowed\n${text}`);
  assert.ok(parsed <= budget, `${parsed} tokens of JSON, ${budget} allowed`);
  assert.ok(answer.tokens <= budget, `${answer.tokens} told, ${budget} allowed`);
  assert.ok(answer.tokens >= read, `${answer.tokens} told, ${read} there`);
}

test('a topic: the passages it finds, the sentences that link them, and how their neighbours begin', () =>
  withTools(FILES, async ({ ask }) => {
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

test('notes, and parts of them', () =>
  withTools(FILES, async ({ ask }) => {
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

test('what had no room is counted, with the call that gets it', () => {
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

test('a topic that nothing holds is an answer without sections', () =>
  withTools(FILES, async ({ ask }) => {
    const answer = await ask(getContext, { topic: 'zeppelin' });
    assert.deepEqual(answer.sections, []);
    assert.equal(answer.left_out, undefined);
    assertWithin(answer, 2_000);
  }));

test('refusals', () =>
  withTools(FILES, async ({ refusal, ask }) => {
    await refusal(getContext, {}, 'INVALID_INPUT');
    await refusal(getContext, { topic: 'a b', notes: ['Tide'] }, 'INVALID_INPUT');
    await refusal(getContext, { topic: '-tide' }, 'INVALID_QUERY');
    await refusal(getContext, { notes: ['Nowhere'] }, 'NOTE_NOT_FOUND');
    await refusal(getContext, { notes: ['Tide#Nowhere'] }, 'NOTE_PART_NOT_FOUND');
    const { message } = await refusal(getContext, { topic: 'tide', budget_tokens: 1 }, 'INVALID_INPUT');
    const least = Number(/the least that holds anything here is (\d+)/.exec(message)?.[1]);
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
  const asked = fc.oneof(
    fc.record({ topic: fc.constantFrom(...topics) }),
    fc.record({ notes: fc.uniqueArray(fc.constantFrom(...notes), { minLength: 1, maxLength: 4 }) }),
  );
  return fc.assert(
    fc.asyncProperty(asked, fc.integer({ min: 100, max: 8_000 }), async (given, budget_tokens) => {
      const [outcome] = await Promise.allSettled([ask(getContext, { ...given, budget_tokens })]);
      if (outcome.status === 'rejected') {
        const { code, message } = outcome.reason;
        assert.equal(code, 'INVALID_INPUT', String(outcome.reason.stack));
        const least = /the least that holds anything here is (\d+)/.exec(message)?.[1];
        if (least === undefined) return assert.match(message, /no text there/);
        assert.ok(Number(least) > budget_tokens);
        assertWithin(await ask(getContext, { ...given, budget_tokens: Number(least) }), Number(least));
        return;
      }
      assertTrue(outcome.value.sections, texts);
      assertWithin(outcome.value, budget_tokens);
    }),
    { numRuns: 60 },
  );
}

test('every citation is true and no budget is exceeded, whatever the notes hold', () =>
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
