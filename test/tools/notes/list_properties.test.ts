// Tests list_properties, the lists of linked notes, the sort by date, and the warning about an unknown property.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPath } from '../../../src/tools/links/find_path.ts';
import { getNeighbors } from '../../../src/tools/links/get_neighbors.ts';
import { listNotes } from '../../../src/tools/notes/list_notes.ts';
import { listProperties } from '../../../src/tools/notes/list_properties.ts';
import { readNotes } from '../../../src/tools/notes/read_notes.ts';
import { everyPage, withTools } from '../tools-under-test.ts';

const FILES = {
  'A.md':
    '---\nStatus: Open\nrating: 4\nowner: "[[B]]"\ncrew:\n  - "[[B]]"\n  - "[[C]]"\n---\n# Top\n\n[[A]] and [[C]].\n',
  'B.md': '---\nstatus: open\nrating: 4.5\ndone: true\n---\n## Work\n\nSee [[A]] twice: [[A]].\n',
  'C.md': '---\nstatus: closed\nplace: { city: Turku, empty: }\n---\n',
  '2026-01-02 D.md': '[[C]]\n',
  '2026-03-04 E.md': 'no links\n',
};
const paths = (rows: readonly { readonly path: string }[]) => rows.map(({ path }) => path);

test('lists each property once in any case, with types, counts and values as they are written', () =>
  withTools(FILES, async (under) => {
    const { properties, total } = await under.ask(listProperties, {});
    const rows = new Map(properties.map((one: { name: string }) => [one.name.toLowerCase(), one]));
    assert.equal(total, rows.size);
    const { count, types, values } = rows.get('status') as { count: number; types: string[]; values: string[] };
    assert.deepEqual([count, types, values.length], [3, ['text'], 2]);
    assert.match(values[0] ?? '', /^open \(2\)$/i);
    assert.deepEqual((rows.get('rating') as { values: string[] }).values, ['4', '4.5']);
    assert.deepEqual((rows.get('crew') as { types: string[]; values: string[] }).types, ['text', 'list']);
    assert.deepEqual((rows.get('crew') as { values: string[] }).values, ['[[B]]', '[[C]]']);
    assert.deepEqual((rows.get('place.city') as { values: string[] }).values, ['Turku']);
    assert.deepEqual((rows.get('done') as { types: string[] }).types, ['boolean']);
    const paged = await everyPage(under, listProperties, { sort: 'count', values: 0 }, 'properties', 2);
    assert.equal(paged.length, total);
    assert.equal(paged[0].name.toLowerCase(), 'status');
    assert.deepEqual(
      (await under.ask(listProperties, { prefix: 'PLACE.' })).properties.map(({ name }: { name: string }) => name),
      ['place.city', 'place.empty'],
    );
    await under.ask(listProperties, { prefix: 'ratng' });
    assert.match(under.warnings.at(-1)?.message ?? '', /similar: "rating"/);
  }));

test('a filter by an unknown property names the nearest one and its values', () =>
  withTools(FILES, async ({ ask, warnings }) => {
    await ask(listNotes, { where: { staus: 'open' } });
    assert.match(warnings[0]?.message ?? '', /similar: "status", .*3 notes.*"closed"/i);
  }));

test('lists the notes that link to a note, or from it, without the note itself', () =>
  withTools(FILES, async ({ ask, refusal }) => {
    assert.deepEqual(paths((await ask(listNotes, { links_to: 'A' })).notes), ['B.md']);
    assert.deepEqual(paths((await ask(listNotes, { links_to: 'C', sort: 'links' })).notes).sort(), [
      '2026-01-02 D.md',
      'A.md',
    ]);
    assert.deepEqual(paths((await ask(listNotes, { linked_from: 'A' })).notes), ['B.md', 'C.md']);
    assert.deepEqual(paths((await ask(listNotes, { linked_from: 'A', links_to: 'A' })).notes), ['B.md']);
    assert.deepEqual(paths((await ask(listNotes, { linked_from: 'A', where: { status: 'closed' } })).notes), ['C.md']);
    assert.equal((await ask(listNotes, { linked_from: 'C' })).total, 0);
    await refusal(listNotes, { links_to: 'Nowhere' }, 'NOTE_NOT_FOUND');
  }));

test('sort: date is by the date of the note, the latest first', () =>
  withTools(FILES, async ({ ask }) => {
    const oldest = (await ask(listNotes, { sort: 'date', order: 'asc', limit: 2 })).notes;
    assert.deepEqual(paths(oldest), ['2026-01-02 D.md', '2026-03-04 E.md']);
    assert.deepEqual([oldest[0].date, oldest[0].dated_by], ['2026-01-02', 'name']);
    const all = (await ask(listNotes, { sort: 'date' })).notes;
    assert.deepEqual(paths(all).slice(-2), ['2026-03-04 E.md', '2026-01-02 D.md']);
  }));

test('sentences of links in properties have the name of the property', () =>
  withTools(FILES, async ({ ask }) => {
    const { neighbors } = await ask(getNeighbors, { note: 'B', direction: 'in' });
    const sentences = neighbors[0].links.map(({ sentence }: { sentence: string }) => sentence);
    assert.ok(
      sentences.some((one: string) => /^owner: "\[\[B\]\]"$/.test(one)),
      String(sentences),
    );
    assert.ok(
      sentences.some((one: string) => /^crew: "\[\[B\]\]"$/.test(one)),
      String(sentences),
    );
    const path = await ask(findPath, { from: '2026-01-02 D', to: 'B' });
    assert.deepEqual(path.paths, [['2026-01-02 D.md', 'C.md', 'A.md', 'B.md']]);
    assert.deepEqual(
      path.hops.map(({ chain, hop, direction, line }: Record<string, unknown>) => [chain, hop, direction, line]),
      [
        [1, 1, 'out', 1],
        [1, 2, 'in', 7],
        [1, 3, 'out', 4],
      ],
    );
    assert.match(path.hops[1].sentence, /^crew: "\[\[C\]\]"/);
  }));

test('read_notes lists the links of other notes with line and heading', () =>
  withTools(FILES, async ({ ask }) => {
    const { succeeded } = await ask(readNotes, { notes: ['A'], include: ['links'] });
    assert.deepEqual(succeeded[0].result.backlinks, [
      { path: 'B.md', line: 8, heading: 'Work' },
      { path: 'B.md', line: 8, heading: 'Work' },
    ]);
  }));
