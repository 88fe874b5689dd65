// Calls every tool of the built server on a vault of hostile notes: no answer is too large, and lists page to their end.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { answersOnHostileVault, openHostile } from './hostile-calls.ts';

const MAX_ANSWER_BYTES = 1_000_000;

test('no answer is above a megabyte', async (context: TestContext) => {
  const session = await openHostile(context, 0.02);
  const called = new Set<string>();
  for await (const { tool, args, bytes, error } of answersOnHostileVault(session)) {
    called.add(tool);
    const call = `${tool} ${JSON.stringify(args)}`;
    assert.ok(bytes <= MAX_ANSWER_BYTES, `${call}: ${bytes} bytes`);
    assert.ok(error === undefined || error === 'INVALID_INPUT', `${call}: ${error}`);
  }
  assert.deepEqual([...called].sort(), (await session.toolNames()).sort(), 'every tool is called');
});

test('unresolved links and the links of a note page to their end', async (context: TestContext) => {
  const session = await openHostile(context, 0.005);
  const unresolved: string[] = [];
  let cursor: string | undefined;
  do {
    const { structured } = await session.call('get_neighbors', {
      note: 'Many links',
      limit: 100,
      ...(cursor && { cursor }),
    });
    unresolved.push(...(structured.data.unresolved ?? []).map(({ name }: { name: string }) => name));
    cursor = structured.data.next_cursor;
  } while (cursor !== undefined);
  assert.deepEqual(
    unresolved,
    Array.from({ length: 1_000 }, (_, at) => `Gone ${at}`),
  );
  const links: string[] = [];
  do {
    const given = { notes: ['Many links'], include: ['links'], max_chars: 10_000, ...(cursor && { cursor }) };
    const { structured, text } = await session.call('read_notes', given);
    const [{ result }] = structured.data.succeeded;
    assert.ok(JSON.stringify(result.links).length <= 11_000);
    if (links.length === 0) assert.match(text, /Warning \[TRUNCATED\]: Many links\.md: \d+ of 1001 links are listed/);
    links.push(...result.links.map(({ link }: { link: string }) => link));
    cursor = result.next_cursor;
  } while (cursor !== undefined);
  assert.deepEqual(links, [...unresolved, 'Hub']);
  const refused = await session.call('read_notes', { notes: ['Hub'], include: ['links'], cursor: '5.abcdefghijkl' });
  assert.equal(refused.isError, true);
});
