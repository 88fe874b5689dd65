// Tests every tool that uses a language model with a server that refuses what the config says it can read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAskVault } from '../../../src/tools/llm/ask_vault.ts';
import { extractEntities } from '../../../src/tools/llm/extract_entities.ts';
import { createSuggestLinks } from '../../../src/tools/llm/suggest_links.ts';
import { suggestTags } from '../../../src/tools/llm/suggest_tags.ts';
import { summarizeNotes } from '../../../src/tools/llm/summarize_notes.ts';
import { assertEach } from '../../assert-each.ts';
import { type AskedLLM, fakeLLM, type Script } from '../../fakes/llm.ts';
import { type ToolsUnderTest, withTools } from '../tools-under-test.ts';

const PARTS = 12;
const FILES = {
  'Long.md': Array.from(
    { length: PARTS },
    (_, at) => `Part ${at}x tells of the tide. ${'It comes and goes. '.repeat(12)}\n`,
  ).join('\n'),
  'Moon.md': 'Of the sky. #astronomy\n',
  'Bay.md': `The tide of the bay is ${'very '.repeat(100)}high.\n\nIn winter it is low.\n`,
  'Coast.md': `The tide of the coast is ${'very '.repeat(100)}low.\n`,
};

const partsIn = ({ prompt }: AskedLLM): readonly string[] => prompt.match(/Part \d+x/g) ?? [];
const dataIn = ({ prompt }: AskedLLM): string => prompt.slice(prompt.indexOf('<data-'));

function withModel(
  script: Script,
  reads: number,
  check: (under: ToolsUnderTest, fake: ReturnType<typeof fakeLLM>) => Promise<void>,
  files: Readonly<Record<string, string>> = FILES,
): Promise<void> {
  const fake = fakeLLM(script, { reads });
  return withTools(files, (under) => check(under, fake), { llm: fake.provider });
}

/** Each part of the long note is in exactly one of the requests that were read. */
function assertReadOnce(requests: readonly AskedLLM[]): void {
  assert.deepEqual(requests.flatMap(partsIn).sort(), Array.from({ length: PARTS }, (_, at) => `Part ${at}x`).sort());
}

test('a note is summarized in halves, which are then joined', () =>
  withModel(
    (request) => ({ summary: `of ${partsIn(request).length} parts`, key_points: [] }),
    900,
    async ({ ask }, fake) => {
      const { succeeded, failed } = await ask(summarizeNotes, { notes: ['Long'] });
      assert.deepEqual(failed, []);
      const { sections, covered, total } = succeeded[0].result;
      const read = fake.requests.filter((request) => partsIn(request).length > 0);
      assert.ok(sections >= 2 && sections === read.length, `${sections} sections`);
      assert.equal(covered, total);
      assertReadOnce(read);
      assert.ok(read.every(({ instructions }) => /this section/.test(instructions)));
      assert.match(fake.requests.at(-1)?.prompt ?? '', /of \d+ parts/);
    },
  ));

test('summaries that are too long together are joined in smaller groups', () =>
  withModel(
    (request) => ({ summary: partsIn(request).length > 0 ? 'long '.repeat(60) : 'joined', key_points: [] }),
    700,
    async ({ ask }, fake) => {
      const { succeeded } = await ask(summarizeNotes, { notes: ['Long'] });
      assert.equal(succeeded[0].result.summary, 'joined');
      const joins = fake.requests.filter(({ instructions }) => /one summary/.test(instructions));
      assert.ok(joins.length > 1, `${joins.length} joins of ${succeeded[0].result.sections} sections`);
    },
  ));

test('the names of a note are those of its halves', () =>
  withModel(
    (request) => ({ entities: partsIn(request).map((text) => ({ type: 'work', text })) }),
    900,
    async ({ ask }, fake) => {
      const { entities, sections } = await ask(extractEntities, { note: 'Long' });
      assert.equal(entities.length, PARTS);
      assert.equal(sections, fake.requests.length);
      assertReadOnce(fake.requests);
    },
  ));

test('tags and links of a note are those of its halves, each offered the same candidates', () =>
  withModel(
    (request) => {
      const [evidence = ''] = partsIn(request);
      if (request.instructions.includes('`fresh`')) return { known: [{ tag: '#astronomy', evidence }], fresh: [] };
      return request.prompt.includes('Named in') ? { mentions: [1] } : { related: [] };
    },
    1_000,
    async ({ ask }, fake) => {
      const { suggestions } = await ask(suggestTags, { note: 'Long' });
      assertEach(suggestions, ({ tag }: { tag: string }) => tag, ['#astronomy']);
      assert.ok(fake.requests.length > 1 && fake.requests.every(({ prompt }) => prompt.includes('#astronomy')));
      assertReadOnce(fake.requests);
      const before = fake.requests.length;
      const links = await ask(createSuggestLinks({}), { note: 'Long' });
      assertEach(links.suggestions, ({ path }: { path: string }) => path, ['Moon.md']);
      const asked = fake.requests.slice(before);
      assert.ok(asked.length > 1 && asked.every(({ prompt }) => prompt.includes('Candidate note: Moon')));
    },
    { ...FILES, 'Long.md': `${FILES['Long.md']}\nThe Moon looks on.\n` },
  ));

const QUESTION = 'How high is the tide?';
const quoting: Script = ({ prompt }) => {
  const quotes = [...prompt.matchAll(/n="(\d+)">\n([^<]*)/g)].flatMap(([, number, text]) => {
    const quote = /The tide of the \w+ is|high\.|low\./.exec(text ?? '')?.[0];
    return quote === undefined ? [] : [{ passage: Number(number), text: quote }];
  });
  return { answer: `from ${quotes.length} quotes`, quotes, unanswerable: quotes.length === 0 };
};

test('a question is asked about each half of the passages, and then about the quotes of the answers', () =>
  withModel(quoting, 800, async ({ ask }, fake) => {
    const { answer, quotes, retrieval } = await ask(createAskVault({}), { question: QUESTION });
    assert.equal(answer, `from ${quotes.length} quotes`);
    assert.deepEqual([retrieval.passages, fake.requests.length], [3, retrieval.parts + 1]);
    assert.ok(retrieval.parts >= 2);
    for (const { path, lines, text, verified } of quotes) {
      const own = FILES[path as keyof typeof FILES]
        .split('\n')
        .slice(lines[0] - 1, lines[1])
        .join('\n');
      assert.ok(verified && own.includes(text), `${path}:${lines} ${text}`);
    }
    for (const { prompt } of fake.requests) assert.ok(prompt.endsWith(`Question: ${JSON.stringify(QUESTION)}`));
  }));

test('an answer that only one half holds needs no further request', () =>
  withModel(
    (request) =>
      dataIn(request).includes('Coast.md') ? quoting(request) : { answer: '', quotes: [], unanswerable: true },
    800,
    async ({ ask }, fake) => {
      const { quotes, retrieval } = await ask(createAskVault({}), { question: QUESTION });
      assert.ok(quotes.some(({ path }: { path: string }) => path === 'Coast.md'));
      assert.equal(fake.requests.length, retrieval.parts);
    },
  ));

test('P15 a text that is refused down to 64 characters fails the call', () =>
  withModel(
    () => ({ summary: 'never', key_points: [] }),
    100,
    async ({ refusal }, fake) => {
      await refusal(extractEntities, { note: 'Long' }, 'PROVIDER_INPUT_TOO_LONG');
      assert.ok(fake.requested.generate < 10, `${fake.requested.generate} requests`);
    },
  ));
