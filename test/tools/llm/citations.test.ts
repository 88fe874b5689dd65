// Tests that the lines an answer cites contain what it cites: snippets, evidence and passages of every tool that quotes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeText, splitLines } from '../../../src/markdown/parse/lines.ts';
import { getContext } from '../../../src/tools/context/get_context.ts';
import { findRelated } from '../../../src/tools/related/find_related.ts';
import { findSimilar } from '../../../src/tools/search/find_similar.ts';
import { createSearch } from '../../../src/tools/search/search.ts';
import { searchText } from '../../../src/tools/search/search_text.ts';
import { fakeEmbedding } from '../../fakes/embedding.ts';
import { publicVault, readVault } from '../../markdown/links/vault-folder.ts';
import { minimum, runs } from '../../runner/effort.ts';
import { fillVectors } from '../fill-vectors.ts';
import { type ToolsUnderTest, withTools } from '../tools-under-test.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

interface Cited {
  readonly path: string;
  readonly lines: readonly [number, number];
  readonly text: string;
}

const search = createSearch({ textOnly: false });
const MARKS = /(?:^|[\r\n])(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])|#{1,6}(?=[ \t])|\[.\](?=[ \t])|\|))+/g;
/** A snippet is as written except for white space; a sentence omits the marks at the start of its lines. */
const written = (text: string): string => text.normalize('NFC').replace(/\s+/g, '');
const unmarked = (text: string): string => written(text.replace(MARKS, ' '));
/** A snippet omits the rules of tables and the marks of quoted lines after its first. */
const withoutRules = (text: string): string => written(text).replace(/[|:>-]/g, '');

function citedLines(files: Files, { path, lines: [from, to] }: Cited): string {
  const { text } = decodeText(Buffer.from(files[path] ?? ''));
  const { starts, ends } = splitLines(text);
  assert.ok(from >= 1 && from <= to && to <= starts.length, `${path}:${from}-${to} of ${starts.length} lines`);
  return text.slice(starts[from - 1], ends[to - 1]);
}

/** The parts between ellipses occur in this order. */
function assertHeld(files: Files, tool: string, cited: Cited): void {
  const lines = citedLines(files, cited);
  const parts = cited.text.split('…');
  const isHeld =
    [written(lines), unmarked(lines)].some((held) => holds(held, parts.map(written))) ||
    holds(withoutRules(lines), parts.map(withoutRules));
  assert.ok(isHeld, `${tool} ${cited.path}:${cited.lines.join('-')} lacks ${JSON.stringify(cited.text)}`);
}

function holds(held: string, parts: readonly string[]): boolean {
  let at = 0;
  return parts.every((part) => {
    const found = held.indexOf(part, at);
    at = found + part.length;
    return found !== -1;
  });
}

type Hit = { readonly path: string; readonly lines: [number, number]; readonly snippet: string };
type Related = { readonly evidence: readonly (Cited & { readonly kind: string })[] };

const snippets = (hits: readonly Hit[]): Cited[] =>
  hits.map(({ path, lines, snippet }) => ({ path, lines, text: snippet }));
const sentences = (related: readonly Related[]): Cited[] =>
  related.flatMap(({ evidence }) => evidence.filter(({ kind }) => kind === 'text'));

/** Everything that the tools cite for some words and a note. */
async function citations(
  { ask }: ToolsUnderTest,
  query: string,
  note: string,
  hasVectors: boolean,
): Promise<[tool: string, cited: Cited][]> {
  const of = (tool: string, cited: readonly Cited[]) => cited.map((one): [string, Cited] => [tool, one]);
  const detail = query.length % 2 === 0 ? 'brief' : 'full';
  return [
    ...of('search_text', snippets((await ask(searchText, { query, detail, limit: 20 })).hits)),
    ...of('get_context', (await ask(getContext, { topic: query, budget_tokens: 1_500 })).sections),
    ...of('get_context', await sectionsAbout(ask, note)),
    ...of('find_related', sentences((await ask(findRelated, { note, limit: 20 })).related)),
    ...(hasVectors
      ? [
          ...of('search', snippets((await ask(search, { query, detail, limit: 20 })).hits)),
          ...of('find_similar', sentences((await ask(findSimilar, { note, limit: 20 })).related)),
        ]
      : []),
  ];
}

/** Empty for a note that is refused because it has no text. */
async function sectionsAbout(ask: ToolsUnderTest['ask'], note: string): Promise<readonly Cited[]> {
  const [outcome] = await Promise.allSettled([ask(getContext, { notes: [note], budget_tokens: 1_500 })]);
  if (outcome.status === 'fulfilled') return outcome.value.sections;
  assert.match(outcome.reason.message, /no text there/);
  return [];
}

const WORDS = [
  'tide',
  'moon',
  'harbour',
  'Flut',
  'Größe',
  '潮汐',
  '灯塔',
  '바다',
  '등대',
  'のり',
  'e\u0301tude',
  '🌊',
  'a.b',
  'U.S.',
  '3.5',
];
const word = fc.constantFrom(...WORDS);
const run = fc.array(
  fc.oneof({ weight: 6, arbitrary: word }, fc.constantFrom('.', '!', '。', ',', '"x"', '`', '…', '(', ')')),
  {
    minLength: 1,
    maxLength: 30,
  },
);
const sentence = run.map((parts) => parts.join(' '));
const line = fc.oneof(
  sentence,
  fc
    .tuple(fc.constantFrom('- ', '> ', '# ', '### ', '1. ', '- [ ] ', '    ', '\t', '> - ', '| '), sentence)
    .map((two) => two.join('')),
  fc.constantFrom('', '---', '```', '$$', '%%', '***', '[[n1]] and [[n2|tide]]', '![[n0]]', '^block', '|---|---|'),
  fc.tuple(word, word).map(([one, other]) => `${one} [${other}](n1.md) and [[n2]]. Then ${other} again.`),
);
const ending = fc.constantFrom('\n', '\r\n', '\r', '\n\n');
const front = fc.constantFrom('', '---\ntags: [sea]\ntitle: tide\n---\n', '---\nbroken: [\n---\n', '\uFEFF', '---\n');
const body = fc
  .array(fc.tuple(line, ending), { minLength: 1, maxLength: 25 })
  .map((lines) => lines.map((two) => two.join('')).join(''));
const note = fc.tuple(front, body).map((two) => two.join(''));

test('in arbitrary notes the lines of every citation contain what it cites', async () => {
  let cited = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(note, { minLength: 3, maxLength: 6 }), word, word, async (texts, one, other) => {
      const files = Object.fromEntries(texts.map((text, at) => [`n${at}.md`, `tide moon ${text}`]));
      const fake = fakeEmbedding();
      const work = async (under: ToolsUnderTest): Promise<void> => {
        await fillVectors(under, fake.provider);
        const query = [one, other].filter((part) => /[\p{L}\p{N}]/u.test(part)).join(' ') || 'tide';
        const all = await citations(under, query, 'n0', true);
        for (const [tool, cite] of all) assertHeld(files, tool, cite);
        cited += all.length;
      };
      await withTools(files, work, { embedding: fake.provider });
    }),
    { numRuns: runs(25) },
  );
  assert.ok(cited > minimum(100), `${cited} citations`);
});

for (const [name, queries] of [
  ['foam-docs', ['daily note', 'publish github pages', '"graph view"', 'snippet json']],
  ['kepano', ['movie rating', 'template', 'trip japan']],
] as const) {
  const { folder, skip } = publicVault(name);
  test(`in ${name} the lines of every citation contain what it cites`, { skip }, () => {
    const files = Object.fromEntries([...readVault(folder)].filter(([path]) => path.endsWith('.md')));
    const notes = Object.keys(files).filter((_, at) => at % 9 === 0);
    return withTools(files, async (under) => {
      for (const [at, path] of notes.entries()) {
        const query = queries[at % queries.length] as string;
        if ((files[path] ?? '').toString().trim() === '') continue;
        for (const [tool, cited] of await citations(under, query, path, false)) assertHeld(files, tool, cited);
      }
    });
  });
}
