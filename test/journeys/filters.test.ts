// Sends filters of all forms over stdio: which dates are compared, and the error of a filter that is written wrongly.
import assert from 'node:assert/strict';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Answer, openSession, temporaryFolder } from './session.ts';

const OLD = new Date('2020-05-01T12:00:00Z');
const RECENT = new Date(Date.now() - 3_600_000);

/** One note dated long ago and changed an hour ago, and one the other way round. */
function twoDates(context: TestContext): string {
  const vault = temporaryFolder(context);
  mkdirSync(join(vault, 'sub'));
  const write = (path: string, text: string, changed: Date) => {
    writeFileSync(join(vault, path), text);
    utimesSync(join(vault, path), changed, changed);
  };
  const today = new Date(Date.now() - 60_000).toLocaleDateString('sv');
  write('Touched.md', '---\ndate: 2019-01-02\nrating: 5\n---\nA kelp note. [[Nowhere]] Dated today.\n', RECENT);
  write('sub/Dated today.md', `---\ndate: ${today}\nrating: 3\n---\nA kelp note. [[Elsewhere]]\n`, OLD);
  return vault;
}

function pathsIn({ text, structured: { data } }: Answer): string[] {
  assert.ok(data, text);
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the answer as its client does, without types.
  return (data.hits ?? data.notes ?? data.sections ?? data.gaps).map((row: any) => row.path ?? row.places[0].path);
}

test('since compares the date of the note, modified_since the time of the file, and the answer says which', async (context) => {
  const session = await openSession(context, { vault: twoDates(context) });
  await session.indexed();
  const calls: readonly [tool: string, args: Record<string, unknown>][] = [
    ['list_notes', {}],
    ['search_text', { query: 'kelp' }],
    ['get_context', { topic: 'kelp' }],
  ];
  for (const [tool, args] of calls) {
    for (const since of ['@today', 'today', '24h']) {
      const dated = await session.call(tool, { ...args, since });
      assert.deepEqual(pathsIn(dated), ['sub/Dated today.md'], `${tool} ${since}`);
      assert.ok(dated.structured.data.period.note_date_since, tool);
      assert.match(dated.text, /note_date_since/);
    }
    const changed = await session.call(tool, { ...args, modified_since: 'last 7 days' });
    assert.deepEqual(pathsIn(changed), ['Touched.md'], tool);
    assert.deepEqual(Object.keys(changed.structured.data.period), ['modified_since'], tool);
    const both = await session.call(tool, { ...args, since: 'yesterday', modified_since: '7d' });
    assert.deepEqual(pathsIn(both), [], tool);
  }
  for (const kind of ['unresolved', 'orphans', 'unlinked_mentions']) {
    const all = pathsIn(await session.call('find_gaps', { kind }));
    const recent = pathsIn(await session.call('find_gaps', { kind, modified_since: '7d' }));
    assert.ok(all.includes('Touched.md'), `${kind}: ${all}`);
    assert.deepEqual(recent, ['Touched.md'], kind);
  }
});

test('a date that cannot be parsed is refused with the forms that exist', async (context) => {
  const session = await openSession(context, { vault: twoDates(context) });
  for (const argument of ['since', 'until', 'modified_since']) {
    const { structured, text } = await session.call('list_notes', { [argument]: 'the other day' });
    assert.equal(structured.error.code, 'INVALID_QUERY');
    assert.match(text, new RegExp(`${argument} is not a date`));
    for (const form of ['2026-11-20', 'today', 'last week', '7d', '@today']) assert.ok(text.includes(form), form);
  }
});

test('a value that looks like an operator is compared as text, with a warning that shows the operator', async (context) => {
  const session = await openSession(context, { vault: twoDates(context) });
  await session.indexed();
  const { structured } = await session.call('list_notes', { where: { rating: '>= 5' } });
  assert.equal(structured.data.total, 0);
  const [warning] = structured.warnings.filter(({ code }: { code: string }) => code === 'TAKEN_LITERALLY');
  assert.match(warning.message, /\{"rating":\{"gte":5\}\}/);
  const meant = await session.call('list_notes', { where: { rating: { gte: 5 } } });
  assert.deepEqual(pathsIn(meant), ['Touched.md']);
  assert.equal(meant.structured.warnings, undefined);
});

test('every tool that takes where or since describes its forms', async (context) => {
  const session = await openSession(context, { vault: twoDates(context) });
  const { tools } = await session.client.listTools();
  const described = tools.flatMap(({ name, inputSchema }) =>
    ['where', 'since'].flatMap((argument) => {
      const schema = inputSchema.properties?.[argument] as { description?: string } | undefined;
      return schema === undefined ? [] : [[`${name}.${argument}`, schema.description ?? ''] as const];
    }),
  );
  assert.ok(described.length >= 9, String(described.length));
  for (const [where, description] of described) assert.match(description, /exists$|last week$/, where);
});
