// get_neighbors over a real vault: neighbours, links and sentences.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getNeighbors } from '../../../src/tools/links/get_neighbors.ts';
import { assertEach } from '../../assert-each.ts';
import { everyPage, withTools } from '../tools-under-test.ts';

const FILES = {
  'A.md': 'Before. The road to [[B]] is long! After.\n\n- see [[B|that]] and ![[pic.png]]\n\n[[A]] [[Bee]] [[Cee]]\n',
  'B.md': '---\naliases: [Bee]\n---\n\nOn to [[C]].\n',
  'C.md': 'Back to [[A]]. And [[D]].\n',
  'D.md': 'Nothing.\n',
  'pic.png': 'x',
};
const shape = (answer: { neighbors: { path: string; depth: number }[] }) =>
  answer.neighbors.map(({ path, depth }) => `${path} ${depth}`);

test('depth 1: links out in the order of the text, then links in', () =>
  withTools(FILES, async ({ ask, warnings }) => {
    const answer = await ask(getNeighbors, { note: 'A' });
    assert.deepEqual(answer.neighbors, [
      {
        path: 'B.md',
        depth: 1,
        links: [
          { direction: 'out', line: 1, column: 21, text: 'B', sentence: 'The road to [[B]] is long!' },
          { direction: 'out', line: 3, column: 7, text: 'that', sentence: 'see [[B|that]] and ![[pic.png]]' },
        ],
      },
      {
        path: 'pic.png',
        kind: 'attachment',
        depth: 1,
        links: [
          { direction: 'out', line: 3, column: 22, text: 'pic.png', sentence: 'see [[B|that]] and ![[pic.png]]' },
        ],
      },
      {
        path: 'C.md',
        depth: 1,
        links: [{ direction: 'in', line: 1, column: 9, text: 'A', sentence: 'Back to [[A]].' }],
      },
    ]);
    assert.equal(answer.total, 3);
    assert.deepEqual(warnings, []);
    assert.deepEqual(shape(await ask(getNeighbors, { note: 'A', direction: 'in' })), ['C.md 1']);
    assert.deepEqual(shape(await ask(getNeighbors, { note: 'A', direction: 'out' })), ['B.md 1', 'pic.png 1']);
    assert.deepEqual(shape(await ask(getNeighbors, { note: 'D', direction: 'out' })), []);
  }));

test('unresolved links have a suggested note', () =>
  withTools(FILES, async ({ ask }) => {
    const { unresolved } = await ask(getNeighbors, { note: 'A' });
    assert.deepEqual(unresolved, [
      {
        name: 'Bee',
        line: 5,
        column: 7,
        sentence: '[[A]] [[Bee]] [[Cee]]',
        suggestion: 'B.md',
        suggested_by: 'alias',
      },
      {
        name: 'Cee',
        line: 5,
        column: 15,
        sentence: '[[A]] [[Bee]] [[Cee]]',
        suggestion: 'B.md',
        suggested_by: 'near',
      },
    ]);
    assert.equal('unresolved' in (await ask(getNeighbors, { note: 'A', direction: 'in' })), false);
  }));

test('greater depth: nearest first, each with the link to the nearer note', () =>
  withTools(FILES, async ({ ask }) => {
    const out = await ask(getNeighbors, { note: 'A', direction: 'out', depth: 3 });
    assert.deepEqual(shape(out), ['B.md 1', 'pic.png 1', 'C.md 2', 'D.md 3']);
    assert.deepEqual(out.neighbors[2].links, [
      { direction: 'out', line: 5, column: 7, text: 'C', sentence: 'On to [[C]].', via: 'B.md' },
    ]);
    const back = await ask(getNeighbors, { note: 'D', direction: 'in', depth: 2 });
    assert.deepEqual(shape(back), ['C.md 1', 'B.md 2']);
    assert.deepEqual(back.neighbors[1].links[0].via, 'C.md');
    assert.deepEqual(shape(await ask(getNeighbors, { note: 'D', depth: 2 })), ['C.md 1', 'A.md 2', 'B.md 2']);
  }));

test('a sentence comes from the current text, or is left out and counted', () =>
  withTools(FILES, async ({ ask, folder, warnings }) => {
    folder.put('C.md', '# New\n\nMuch is new here. Once more back to [[A]] it goes.\n');
    const [moved] = (await ask(getNeighbors, { note: 'A', direction: 'in' })).neighbors;
    assert.equal(moved.links[0].sentence, 'Once more back to [[A]] it goes.');
    assert.deepEqual(warnings, []);
    folder.put('C.md', 'Gone.');
    const [changed] = (await ask(getNeighbors, { note: 'A', direction: 'in' })).neighbors;
    assert.equal('sentence' in changed.links[0], false);
    assertEach(warnings, ({ code, count }) => [code, count], [['EXTRA_MISSING', 1]]);
  }));

test('a link that fits several notes names the others', () =>
  withTools({ 'a/T.md': '', 'b/T.md': '', 'S.md': '[[T]]' }, async ({ ask }) => {
    const [neighbor] = (await ask(getNeighbors, { note: 'S' })).neighbors;
    assert.equal(neighbor.path, 'a/T.md');
    assert.deepEqual(neighbor.links[0].ambiguous_with, ['b/T.md']);
  }));

test('paging returns every neighbour once, at any depth', () => {
  const names = Array.from({ length: 17 }, (_, at) => `n${at}`);
  const spokes = Object.fromEntries(names.map((name) => [`${name}.md`, `[[Hub]] [[${name}x]]`]));
  const rim = Object.fromEntries(names.map((name) => [`${name}x.md`, '']));
  const files = { 'Hub.md': '[[n1]] ![[p.png]] ![[q.png]]', 'p.png': '', 'q.png': '', ...spokes, ...rim };
  return withTools(files, async (under) => {
    const [near, far] = [
      await under.ask(getNeighbors, { note: 'Hub', limit: 19 }),
      await under.ask(getNeighbors, { note: 'Hub', depth: 2, limit: 19 }),
    ];
    assert.deepEqual(far.neighbors, near.neighbors, 'depth 2 begins with the list of depth 1');
    for (const [depth, total] of [
      [1, 19],
      [2, 36],
    ] as const) {
      const neighbors = await everyPage(under, getNeighbors, { note: 'Hub', depth }, 'neighbors', 5);
      assert.equal(neighbors.length, total);
      assert.equal(new Set(neighbors.map(({ path }) => path)).size, total);
      assert.equal((await under.ask(getNeighbors, { note: 'Hub', depth })).total, total);
    }
  });
});

test('refusals', () =>
  withTools({ ...FILES, 'x/T.md': '', 'y/T.md': '' }, async ({ ask, refusal, folder }) => {
    await refusal(getNeighbors, { note: 'Nix' }, 'NOTE_NOT_FOUND');
    await refusal(getNeighbors, { note: 'T' }, 'NOTE_AMBIGUOUS');
    await refusal(getNeighbors, { note: '../A' }, 'PATH_NOT_ALLOWED');
    const { next_cursor: cursor } = await ask(getNeighbors, { note: 'A', limit: 1 });
    await refusal(getNeighbors, { note: 'B', cursor }, 'INVALID_INPUT');
    folder.vanish();
    await refusal(getNeighbors, { note: 'A' }, 'VAULT_UNAVAILABLE');
    folder.comeBack();
  }));
