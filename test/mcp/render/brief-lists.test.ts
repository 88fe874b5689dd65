// Tests that tags, neighbors and related notes take at most 70 % of the tokens of the whole answer, in both halves, with its facts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { AnyTool } from '../../../src/contracts/tool.ts';
import { type Plain, renderText, toPlainObject } from '../../../src/mcp/render/render-text.ts';
import { getNeighbors } from '../../../src/tools/links/get_neighbors.ts';
import { listTags } from '../../../src/tools/notes/list_tags.ts';
import { findRelated } from '../../../src/tools/related/find_related.ts';
import { type ToolsUnderTest, withTools } from '../../tools/tools-under-test.ts';

const TIDES = ['neap', 'spring', 'slack', 'ebb', 'flood', 'storm', 'king', 'double'];
const FILES = {
  'Tide.md': `# Tide\n\nThe pilots compare the ${TIDES.join(', ')} tides of the estuary with the almanac of the harbour office.\n\n${TIDES.map((tide) => `- The [[${tide} tide]] is explained in detail for those who sail by night. #tide/${tide}\n`).join('')}\nThey all belong together: ${TIDES.map((tide) => `[[${tide} tide]]`).join(', ')}.\n`,
  ...Object.fromEntries(
    TIDES.map((tide) => [
      `${tide} tide.md`,
      `# ${tide} tide\n\nThe pilots of the estuary say that the ${tide} [[Tide|tides]] come with the moon, says the almanac of the harbour office.\n\n#harbour #sea/${tide}/old\n`,
    ]),
  ),
};
/** As it was before: member by member. */
const wholeText = (answer: object): string => renderText(toPlainObject(answer));

async function briefOf({ ask }: ToolsUnderTest, tool: AnyTool, input: object) {
  const whole = await ask(tool, input);
  const brief = toPlainObject((tool.brief as unknown as (value: object) => object)(whole));
  const show = tool.show as unknown as ((value: object, render: (value: object) => string) => string) | undefined;
  const text = show?.(brief, renderText as (value: object) => string) ?? renderText(brief);
  const tokens = [countTokens(text), countTokens(JSON.stringify(brief))] as const;
  const before = [countTokens(wholeText(whole)), countTokens(JSON.stringify(whole))] as const;
  for (const [at, half] of (['text', 'structured'] as const).entries()) {
    const share = (tokens[at] ?? 0) / (before[at] ?? 1);
    assert.ok(share <= 0.7, `${tool.name}, ${half}: ${tokens[at]} of ${before[at]} tokens`);
  }
  return { whole, brief: brief as Record<string, Plain>, text };
}

test('tags with their counts, neighbors with their sentences and related notes with their evidence', () =>
  withTools(FILES, async (under) => {
    const tags = await briefOf(under, listTags, {});
    for (const { tag, count } of tags.whole.tags) {
      assert.ok((tags.brief.tags as string[]).includes(`${tag} ${count}`));
      assert.ok(` ${tags.text}`.includes(` ${tag} ${count}`), tag);
    }
    const { whole, brief, text } = await briefOf(under, getNeighbors, { note: 'Tide' });
    for (const [at, { path, links }] of whole.neighbors.entries()) {
      const row = (brief.neighbors as unknown as { path: string; out: string[]; in: string[] }[])[at];
      assert.equal(row?.path, path);
      assert.equal((row?.out.length ?? 0) + (row?.in.length ?? 0), links.length);
      assert.ok(text.includes(path));
      const [first, again] = row?.out ?? [];
      const tide = path.slice(0, -3);
      assert.equal(first, `${5 + at}: The [[${tide}]] is explained in detail for those who sail by night.`);
      assert.match(again ?? '', /^14: /);
      assert.ok(again?.includes(`[[${tide}]]`), again);
      assert.equal(row?.in[0], `3: ${links.at(-1).sentence}`);
    }
    const related = await briefOf(under, findRelated, { note: 'neap tide' });
    const said = JSON.stringify(related.brief);
    for (const { path, score, evidence } of related.whole.related) {
      for (const value of [path, String(score)]) assert.ok(said.includes(value) && related.text.includes(value), value);
      const sentence = evidence.find(({ kind }: { kind: string }) => kind === 'text');
      assert.ok(related.text.includes(sentence.text.slice(0, 100)), sentence.text);
    }
  }));

test('a longer sentence is cut around its link, a broken link keeps its suggestion, and notes farther away say by which note', () =>
  withTools(
    {
      'A.md': `${'So many words before it that nobody reads them. '.slice(0, -2)} ${'and more '.repeat(20)}then [[B]] at last.\n\nSee [[Bee]].\n\n![[B]]\n`,
      'B.md': 'Then to [[C]].\n',
      'C.md': '',
    },
    async (under) => {
      const { brief } = await (async () => {
        const whole = await under.ask(getNeighbors, { note: 'a', depth: 2 });
        return { brief: (getNeighbors.brief as unknown as (value: object) => Record<string, never>)(whole) };
      })();
      const { match, neighbors, unresolved, total } = brief as unknown as {
        match: string;
        total: number;
        neighbors: { path: string; depth?: number; via?: string[]; out: string[] }[];
        unresolved: object[];
      };
      assert.deepEqual([match, total], ['case', 2]);
      const [near, far] = neighbors;
      assert.match(near?.out[0] ?? '', /^1: ….*then \[\[B\]\] at last\.$/);
      assert.ok((near?.out[0]?.length ?? 0) <= 170);
      assert.equal(near?.out[1], '5');
      assert.deepEqual(far, { path: 'C.md', depth: 2, via: ['B.md'], out: ['1: Then to [[C]].'] });
      assert.deepEqual(unresolved, [{ name: 'Bee', line: 3, sentence: 'See [[Bee]].' }]);
    },
  ));
