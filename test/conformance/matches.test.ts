// Checks over stdio that the tools report how a name or a link was matched to its note.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openSession, type Session } from '../journeys/session.ts';
import { exportOnce } from './exported-vault.ts';
import { temporaryVault } from './temporary-vault.ts';

const FILES = {
  'Places/Harbour.md': '---\naliases: [Old quay]\ntitle: The harbour of all winds\n---\nQuay.\n',
  'a/Tie.md': '',
  'b/Tie.md': '',
  'Start.md': [
    'exact [[Harbour]] here.',
    'case [[hARBOUR]] here.',
    'tie [[Tie]] here.',
    'alias [[Old quay]] here.',
    'title [[The harbour of all winds]] here.',
    'slip [[Harbuor]] here.',
    'none [[Nowhere at all]] here.',
  ].join('\n\n'),
};

async function openedOn(context: TestContext): Promise<Session> {
  const session = await openSession(context, { vault: temporaryVault(context, FILES) });
  await session.indexed();
  return session;
}

const NAMES = {
  'Places/Harbour.md': 'exact',
  Harbour: 'exact',
  hARBOUR: 'case',
  'old quay': 'alias',
  'Old quay': 'alias',
  'The harbour of all winds': 'title',
};

test('resolve_names and read_notes report how a name was matched', async (context) => {
  const session = await openedOn(context);
  for (const [tool, argument] of [
    ['resolve_names', 'names'],
    ['read_notes', 'notes'],
  ] as const) {
    const answer = await session.call(tool, { [argument]: [...Object.keys(NAMES), 'Tie'] });
    const { succeeded, failed } = answer.structured.data;
    const matches = succeeded.map(({ id, result }: { id: string; result: { path: string; match: string } }) => {
      assert.equal(result.path, 'Places/Harbour.md');
      return [id, result.match];
    });
    assert.deepEqual(Object.fromEntries(matches), NAMES);
    assert.equal(failed.length, 1);
    assert.equal(failed[0].error.code, 'NOTE_AMBIGUOUS');
    const choices = failed[0].error.choices.map(({ value }: { value: string }) => value);
    assert.deepEqual(choices, ['a/Tie.md', 'b/Tie.md']);
  }
});

test('get_neighbors distinguishes exact, case-insensitive and ambiguous links, and lists the candidates of ambiguous ones', async (context) => {
  const session = await openedOn(context);
  const { neighbors, unresolved } = (await session.call('get_neighbors', { note: 'Start' })).structured.data;
  assert.deepEqual(
    neighbors.map(({ path, out, ambiguous_with }: Record<string, unknown>) => [path, out, ambiguous_with]),
    [
      ['Places/Harbour.md', ['1: exact [[Harbour]] here.', '3 (case): case [[hARBOUR]] here.'], undefined],
      ['a/Tie.md', ['5 (ambiguous): tie [[Tie]] here.'], ['b/Tie.md']],
    ],
  );
  const suggested = unresolved.map(({ name, line, suggestion, suggested_by }: Record<string, unknown>) => {
    return [name, line, suggestion, suggested_by];
  });
  assert.deepEqual(suggested, [
    ['Old quay', 7, 'Places/Harbour.md', 'alias'],
    ['The harbour of all winds', 9, 'Places/Harbour.md', 'title'],
    ['Harbuor', 11, 'Places/Harbour.md', 'near'],
    ['Nowhere at all', 13, undefined, undefined],
  ]);
});

test('read_notes reports the same for the links in a note', async (context) => {
  const session = await openedOn(context);
  const answer = await session.call('read_notes', { notes: ['Start'], include: ['links'] });
  const links = answer.structured.data.succeeded[0].result.links;
  assert.deepEqual(
    links.map(({ link, path, match, unresolved }: Record<string, unknown>) => [link, path ?? unresolved, match]),
    [
      ['Harbour', 'Places/Harbour.md', undefined],
      ['hARBOUR', 'Places/Harbour.md', 'case'],
      ['Tie', 'a/Tie.md', 'ambiguous'],
      ['Old quay', true, undefined],
      ['The harbour of all winds', true, undefined],
      ['Harbuor', true, undefined],
      ['Nowhere at all', true, undefined],
    ],
  );
});

test('find_gaps reports that an alias or a title would match', async (context) => {
  const session = await openedOn(context);
  const { gaps } = (await session.call('find_gaps', { kind: 'unresolved' })).structured.data;
  const suggested = gaps.map(({ name, suggestion, suggested_by }: Record<string, unknown>) => {
    return [name, suggestion, suggested_by];
  });
  assert.deepEqual(suggested, [
    ['Harbuor', 'Places/Harbour.md', 'near'],
    ['Nowhere at all', undefined, undefined],
    ['Old quay', 'Places/Harbour.md', 'alias'],
    ['The harbour of all winds', 'Places/Harbour.md', 'title'],
  ]);
});

test('the export reports the same for every link', async (context) => {
  const links = (await exportOnce(temporaryVault(context, FILES))).get('Start.md')?.links;
  assert.deepEqual(
    links?.map(({ link, path, match, others, suggestion, suggested_by }) => {
      return [link, path, match ?? suggested_by, ...(others ?? []), ...(suggestion === undefined ? [] : [suggestion])];
    }),
    [
      ['Harbour', 'Places/Harbour.md', 'exact'],
      ['hARBOUR', 'Places/Harbour.md', 'case'],
      ['Tie', 'a/Tie.md', 'ambiguous', 'b/Tie.md'],
      ['Old quay', null, 'alias', 'Places/Harbour.md'],
      ['The harbour of all winds', null, 'title', 'Places/Harbour.md'],
      ['Harbuor', null, 'near', 'Places/Harbour.md'],
      ['Nowhere at all', null, undefined],
    ],
  );
});
