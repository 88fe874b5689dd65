// Sends long queries and queries in the syntax of other search engines over stdio.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Answer, openSession, type Session, temporaryFolder } from './session.ts';

/** Notes that all contain common words; one also contains a rare word, one a phrase. */
async function indexedSession(context: TestContext): Promise<Session> {
  const vault = temporaryFolder(context);
  const common = Array.from({ length: 100 }, (_, at) => `common${at}`).join(' ');
  for (let at = 0; at < 10; at += 1) writeFileSync(join(vault, `Note ${at}.md`), `${common}\n`);
  writeFileSync(join(vault, 'Rare.md'), `${common} zymurgy\n`);
  writeFileSync(join(vault, 'Phrase.md'), `${common} slack water now\n`);
  const session = await openSession(context, { vault });
  await session.indexed();
  return session;
}

const COMMON = Array.from({ length: 100 }, (_, at) => `common${at}`).join(' ');
const pathsIn = ({ structured }: Answer): string[] => structured.data.hits.map(({ path }: { path: string }) => path);
const warningsOf = ({ structured }: Answer, code: string): string[] =>
  (structured.warnings ?? []).flatMap((warning: { code: string; message: string }) =>
    warning.code === code ? [warning.message] : [],
  );

test('a long query is searched by its most distinctive words, and says what was left out', async (context) => {
  const session = await indexedSession(context);
  const answer = await session.call('search_text', { query: `${COMMON} zymurgy` });
  assert.equal(pathsIn(answer)[0], 'Rare.md');
  const { left_out: leftOut } = answer.structured.data;
  assert.equal(leftOut.count, 37);
  assert.equal(leftOut.words.length, 20);
  assert.ok(!leftOut.words.includes('zymurgy'));
  assert.match(warningsOf(answer, 'TRUNCATED')[0] ?? '', /37 others left out$/);
});

test('phrases and negated words of a long query are kept, and with match: all the rest is not required', async (context) => {
  const session = await indexedSession(context);
  const long = `${COMMON} ${Array.from({ length: 300 }, (_, at) => `unknown${at}`).join(' ')}`;
  const answer = await session.call('search_text', { query: `${long} "slack water" -zymurgy`, match: 'all' });
  assert.equal(answer.structured.ok, true, answer.text);
  assert.deepEqual(pathsIn(answer), ['Phrase.md']);
  assert.match(warningsOf(answer, 'TRUNCATED')[0] ?? '', /not required/);
  const excluded = await session.call('search_text', { query: `${long} -zymurgy`, limit: 50 });
  assert.ok(!pathsIn(excluded).includes('Rare.md'));
});

test('a query of 200,000 words is answered', async (context) => {
  const session = await indexedSession(context);
  const query = 'common1 zymurgy '.repeat(40_000) + Array.from({ length: 20_000 }, (_, at) => `w${at}`).join(' ');
  const answer = await session.call('search_text', { query });
  assert.equal(pathsIn(answer)[0], 'Rare.md', answer.text.slice(0, 500));
  assert.ok(answer.text.length < 10_000);
  const context2 = await session.call('get_context', { topic: query });
  assert.equal(context2.structured.ok, true, context2.text.slice(0, 500));
});

test('the syntax of other search engines is searched as text, with a warning that says what to use', async (context) => {
  const session = await indexedSession(context);
  const warned: readonly [query: string, message: RegExp][] = [
    ['common1 AND zymurgy', /"AND".*match: "all"/],
    ['common1 OR zymurgy', /"OR".*alternatives already/],
    ['common1 NOT zymurgy', /"NOT".*-word/],
    ['tag:#sea common1', /"tag:#sea" .*tags/],
    ['path:Notes common1', /"path:Notes" .*folder/],
    ['title:common1', /"title:common1" .*name equals the query/],
    ['/common[0-9]+/', /regular expressions/],
    ['zymurgy "slack water', /a quote is not closed/],
  ];
  for (const [query, message] of warned) {
    const answer = await session.call('search_text', { query });
    assert.equal(answer.structured.ok, true, query);
    assert.match(warningsOf(answer, 'TAKEN_LITERALLY').join('\n'), message, query);
    assert.match(answer.text, message, query);
  }
  for (const query of ['common1 and zymurgy', '"a AND b" common1', 'AND', '5" common1', 'and/or common1']) {
    assert.deepEqual(warningsOf(await session.call('search_text', { query }), 'TAKEN_LITERALLY'), [], query);
  }
});
