// Contract tests of links: each resolves as the Markdown rules say, after any order of changes.
import assert from 'node:assert/strict';
import type { Graph } from '../../../src/base/graph.ts';
import type { Store } from '../../../src/contracts/store.ts';
import { assertEach } from '../../assert-each.ts';
import {
  ALL,
  asPath,
  asPaths,
  changes,
  fill,
  found,
  indexed,
  type Law,
  remove,
  rewrite,
  signal,
  targetsIn,
} from './law.ts';

const arrows = ({ paths, offsets, targets, counts }: Graph): string[] =>
  paths.flatMap((path, node) =>
    Array.from(targets.subarray(offsets[node], offsets[node + 1]), (target, at) => {
      return `${path} -> ${paths[target]} ${counts[(offsets[node] ?? 0) + at]}`;
    }),
  );

async function unresolvedNames(store: Store, filter = {}): Promise<string[]> {
  const { groups } = await store.unresolved(filter, 10, ALL, signal);
  return groups.map(({ name, count }) => `${name} ${count}`);
}

const pathOf = (given: { readonly path: string }): string => given.path;

export function linkingLaws(law: Law): void {
  law('a link has its text, position and target', async (store) => {
    const text = '---\nup: "[[Flow]]"\n---\nSee [[d/flow#Depth|the flow]] and ![[pic.png|100]].\n[x](Gone%20far.md#a)';
    await fill(store, { 'Ebb.md': text, 'd/Flow.md': '', 'pic.png': null });
    const links = await store.links(asPath('Ebb.md'), 'out', ALL, signal);
    const parsed = indexed('Ebb.md', text).parsed.links;
    const more = [
      { targetPath: 'Flow', subpath: '', target: 'd/Flow.md', match: 'exact' },
      { targetPath: 'd/flow', subpath: '#Depth', target: 'd/Flow.md', match: 'case' },
      { targetPath: 'pic.png', subpath: '', target: 'pic.png', match: 'exact' },
      { targetPath: 'Gone far.md', subpath: '#a', target: null },
    ];
    assert.deepEqual(
      links,
      parsed.map((link, at) => ({ ...link, source: 'Ebb.md', ...more[at] })),
    );
    assert.deepEqual(await store.links(asPath('Ebb.md'), 'out', { limit: 2, offset: 1 }, signal), links.slice(1, 3));
  });

  law(
    'links to a note are sorted by source, then in document order; self links are in both directions',
    async (store) => {
      await fill(store, { 'b.md': '[[Hub]] [[hub]]', 'a.md': '[[Hub#x]]', 'Hub.md': '[[#here]] [[Hub]] [[b]]' });
      const incoming = await store.links(asPath('Hub.md'), 'in', ALL, signal);
      assert.deepEqual(
        incoming.map(({ source, link }) => `${source} ${link}`),
        ['Hub.md #here', 'Hub.md Hub', 'a.md Hub#x', 'b.md Hub', 'b.md hub'],
      );
      assert.deepEqual(
        await store.links(asPath('Hub.md'), 'in', { limit: 2, offset: 1 }, signal),
        incoming.slice(1, 3),
      );
      assert.deepEqual(await targetsIn(store, 'Hub.md'), ['Hub.md', 'Hub.md', 'b.md']);
      assert.deepEqual(await store.links(asPath('Nobody.md'), 'in', ALL, signal), []);
    },
  );

  law('after an edit anywhere in a note its links are those of its text', async (store) => {
    await fill(store, { 'Log.md': '', 'Ebb.md': '', 'd/Flow.md': '' });
    const texts = [
      '[[Ebb]] [[Flow]]\n[[Gone]] [[Ebb|low]] [[Ebb]]',
      '[[Ebb]] [[Flow]]\n[[Gone]] [[Ebb|low]] [[Ebb]] [[Flow#x]]',
      'water\n\n[[Ebb]] [[Flow]]\n[[Gone]] [[Ebb|low]] [[Ebb]] [[Flow#x]]',
      'water\n\n[[Ebb]] [[Flow]]\n[[Gone]] [[New]] [[Ebb|low]] [[Ebb]] [[Flow#x]]',
      'water\n\n[[ebb]] ![[Flow]]\n[[Gone]] [[New]] [[Ebb|lower]] [Ebb](Ebb.md) [[Flow#y]]',
      '---\nup: "[[Ebb]]"\n---\n[[Flow]]',
      '---\nover: "[[Ebb]]"\n---\n[[Flow]]',
      'none',
    ];
    for (const text of [...texts, ...texts.toReversed()]) {
      await rewrite(store, { 'Log.md': text });
      const links = await store.links(asPath('Log.md'), 'out', ALL, signal);
      const placed = links.map(({ source: _s, target: _t, targetPath: _p, subpath: _u, match: _m, ...link }) => link);
      assert.deepEqual(placed, indexed('Log.md', text).parsed.links, text);
      const targets = links.map(({ targetPath, target }) => [targetPath.replace('.md', '').toLowerCase(), target]);
      const known = { ebb: 'Ebb.md', flow: 'd/Flow.md' } as Readonly<Record<string, string>>;
      assertEach(
        targets,
        ([, target]) => target,
        targets.map(([name]) => known[String(name)] ?? null),
        text,
      );
      assert.deepEqual(await store.integrity(signal), [], text);
    }
    assert.deepEqual(await unresolvedNames(store), ['Gone 1']);
  });

  law('a link resolves when its file appears and is unresolved when it disappears', async (store) => {
    await fill(store, { 'Log.md': '[[Ebb]] [[x/Ebb]] [[ebb.md]] [[ΔΡΟΜΟΣ]] [p](pic.png)' });
    assert.deepEqual(await targetsIn(store, 'Log.md'), [null, null, null, null, null]);
    await store.apply(changes({ added: ['x/Ebb.md', 'ΔΡΟΜΟΣ.md', 'pic.png'].map((path) => found(path)) }), signal);
    assert.deepEqual(await targetsIn(store, 'Log.md'), ['x/Ebb.md', 'x/Ebb.md', 'x/Ebb.md', 'ΔΡΟΜΟΣ.md', 'pic.png']);
    assert.equal((await store.counts(signal)).unresolved, 0);
    await remove(store, 'x/Ebb.md', 'pic.png');
    assert.deepEqual(await targetsIn(store, 'Log.md'), [null, null, null, 'ΔΡΟΜΟΣ.md', null]);
    assert.deepEqual(await unresolvedNames(store), ['Ebb 1', 'ebb.md 1', 'pic.png 1', 'x/Ebb 1']);
  });

  law('names with equal hashes are kept apart', async (store) => {
    await fill(store, { 'Log.md': '[[a_]]', '`~.md': '' });
    assert.deepEqual(await targetsIn(store, 'Log.md'), [null]);
    await fill(store, { 'a_.md': '' });
    assert.deepEqual(await targetsIn(store, 'Log.md'), ['a_.md']);
    assert.deepEqual(await store.links(asPath('`~.md'), 'in', ALL, signal), []);
    await remove(store, '`~.md');
    assert.deepEqual(await targetsIn(store, 'Log.md'), ['a_.md']);
  });

  law('in a change set with thousands of names every link resolves to its file or none', async (store) => {
    const names = Array.from({ length: 1_200 }, (_, number) => `Note ${number}`);
    const text = [...names, 'x/Twin', 'Nowhere'].map((name) => `[[${name}]] [[No ${name}]]`).join(' ');
    const notes = names.map((name) => [`${name}.md`, '[[Twin]]'] as const);
    await fill(store, { ...Object.fromEntries(notes), 'x/Twin.md': '', 'y/Twin.md': '', 'Log.md': text });
    const expected = [...names.map((name) => `${name}.md`), 'x/Twin.md', null].flatMap((path) => [path, null]);
    const links = await store.links(asPath('Log.md'), 'out', { limit: expected.length, offset: 0 }, signal);
    assertEach(links, ({ target }) => target, expected);
    const [last] = await store.links(asPath('Note 1199.md'), 'out', ALL, signal);
    assert.deepEqual([last?.target, last?.others], ['x/Twin.md', ['y/Twin.md']]);
  });

  law('a link resolves to a better match when it appears, and back when it is gone', async (store) => {
    await fill(store, { 'd/Log.md': '[[Ebb]]', 'far/away/Ebb.md': '' });
    assert.deepEqual(await targetsIn(store, 'd/Log.md'), ['far/away/Ebb.md']);
    await fill(store, { 'd/Ebb.md': '' });
    assert.deepEqual(await targetsIn(store, 'd/Log.md'), ['d/Ebb.md']);
    assert.deepEqual(await store.links(asPath('far/away/Ebb.md'), 'in', ALL, signal), []);
    await remove(store, 'd/Ebb.md');
    assert.deepEqual(await targetsIn(store, 'd/Log.md'), ['far/away/Ebb.md']);
  });

  law('an ambiguous link lists the other candidates while there are any', async (store) => {
    await fill(store, { 'Log.md': '[[Tie]]', 'bb/Tie.md': '', 'aa/Tie.md': '' });
    const [tie] = await store.links(asPath('Log.md'), 'out', ALL, signal);
    assert.deepEqual([tie?.target, tie?.match, tie?.others], ['aa/Tie.md', 'ambiguous', ['bb/Tie.md']]);
    await remove(store, 'bb/Tie.md');
    const [alone] = await store.links(asPath('Log.md'), 'out', ALL, signal);
    assert.deepEqual([alone?.target, alone?.match, alone?.others], ['aa/Tie.md', 'exact', undefined]);
  });

  law('a rename by case only removes one file and adds another', async (store) => {
    await fill(store, { 'Log.md': '[[Ebb]]', 'Ebb.md': '' });
    await store.apply(changes({ removed: asPaths('Ebb.md'), added: [found('ebb.md')] }), signal);
    const [link] = await store.links(asPath('Log.md'), 'out', ALL, signal);
    assert.deepEqual([link?.target, link?.match], ['ebb.md', 'case']);
  });

  law('a file card of a canvas resolves only to its exact path', async (store) => {
    const card = (file: string) => ({ type: 'file', file });
    const nodes = [card('Notes/Ebb.md'), card('Ebb.md'), card('Notes/A #1.md'), { type: 'text', text: 'see [[Ebb]]' }];
    await fill(store, { 'Board.canvas': JSON.stringify({ nodes }), 'Notes/Ebb.md': '' });
    assert.deepEqual(await targetsIn(store, 'Board.canvas'), ['Notes/Ebb.md', null, null, 'Notes/Ebb.md']);
    await store.apply(changes({ added: [found('Notes/A #1.md'), found('Ebb.md')] }), signal);
    assert.deepEqual(await targetsIn(store, 'Board.canvas'), ['Notes/Ebb.md', 'Ebb.md', 'Notes/A #1.md', 'Ebb.md']);
  });

  law('the notes that link to a file are each there once, with the number of their links', async (store) => {
    const linking = async (path: string) =>
      (await store.linkingNotes(asPath(path), signal)).map((note) => `${note.path} ${note.links}`);
    await fill(store, {
      'b.md': '[[a]] [[a#x|y]] [[gone]]',
      'a.md': '[[b]] [[#x]] [[a]]',
      'B/c.md': '[[A]] ![[pic.png]]',
      'pic.png': null,
    });
    assert.deepEqual(await linking('a.md'), ['B/c.md 1', 'a.md 2', 'b.md 2']);
    assert.deepEqual(await linking('pic.png'), ['B/c.md 1']);
    assert.deepEqual(await linking('B/c.md'), []);
    assert.deepEqual(await linking('gone.md'), []);
    await remove(store, 'b.md');
    assert.deepEqual(await linking('a.md'), ['B/c.md 1', 'a.md 2']);
  });

  law('the target of each link is found without the link, page by page', async (store) => {
    await fill(store, { 'a.md': '[[b]] [[gone]] [[#x]] [[b#y]] [[c]]', 'b.md': '', 'c.md': '' });
    const targets = (offset: number, limit: number) => store.linkTargets(asPath('a.md'), { offset, limit }, signal);
    assert.deepEqual(await targets(0, 10), ['b.md', null, 'a.md', 'b.md', 'c.md']);
    assert.deepEqual(await targets(1, 2), [null, 'a.md']);
    assert.deepEqual(await targets(5, 10), []);
    assert.deepEqual(await store.linkTargets(asPath('nobody.md'), { offset: 0, limit: 10 }, signal), []);
  });

  law('all links are read at once as they are note by note', async (store) => {
    const files = {
      'a.md': `[[b|B]] ![[pic.png]] [[gone]] [x](C/d.md#y) ${'[[#z]] '.repeat(1_200)}`,
      'b.md': '',
      'C/d.md': '---\nup: "[[a]]"\n---\n[[B]]',
      'C/b.md': '[[b]]',
      'pic.png': null,
    };
    await fill(store, files);
    const isSame = async (): Promise<void> => {
      const all = await store.allLinks(signal);
      for (const path of asPaths(...Object.keys(files))) {
        const links = await store.links(path, 'out', { limit: 10_000, offset: 0 }, signal);
        const texts = links.map(({ kind, link, display, target }) => ({ kind, link, display, target }));
        assert.deepEqual(all.get(path) ?? [], texts, path);
      }
    };
    await isSame();
    const before = (await store.allLinks(signal)).get(asPath('a.md')) ?? [];
    assert.equal(before.length, 1_204);
    assert.equal(before[0]?.target, 'b.md');
    await remove(store, 'b.md');
    await isSame();
    assert.equal((await store.allLinks(signal)).get(asPath('a.md'))?.[0]?.target, 'C/b.md');
  });

  law('thousands of links to a file are counted by note, whatever names they use', async (store) => {
    const many = (link: string, count: number): string => `${link} `.repeat(count);
    await fill(store, {
      'x/Hub.md': many('[[#Part]]', 6_000) + many('[[Hub]]', 3),
      'a.md': many('[[Hub]]', 7_000) + many('[[x/Hub.md|h]]', 2),
      'b.md': many('[h](x/hub.md)', 5_000),
      'y/Hub.md': '',
      'y/c.md': many('[[y/Hub]]', 5_001),
    });
    const linking = await store.linkingNotes(asPath('x/Hub.md'), signal);
    const other = await store.linkingNotes(asPath('y/Hub.md'), signal);
    const all = [...linking, ...other].map(({ path, links }) => `${path} ${links}`);
    assert.deepEqual(all.sort(), ['a.md 7002', 'b.md 5000', 'x/Hub.md 6003', 'y/c.md 5001'].sort());
    const pairs = ['a.md', 'x/Hub.md'].map((source) => ({ source: asPath(source), target: asPath('x/Hub.md') }));
    const first = await store.linksBetween(pairs, 2, signal);
    assertEach(first, ({ source, column }) => `${source} ${column}`, ['a.md 1', 'a.md 9', 'x/Hub.md 1', 'x/Hub.md 11']);
  });

  law('links between pairs are in the order of the pairs', async (store) => {
    await fill(store, { 'a.md': '[[b]] [[c]] [[b#x]]', 'b.md': '[[a]]', 'c.md': '' });
    const pairs = [
      ['b.md', 'a.md'],
      ['a.md', 'b.md'],
      ['c.md', 'a.md'],
      ['a.md', 'nobody.md'],
    ].map(([source, target]) => {
      return { source: asPath(source ?? ''), target: asPath(target ?? '') };
    });
    const links = await store.linksBetween(pairs, 10, signal);
    assertEach(links, ({ source, link }) => `${source} ${link}`, ['b.md a', 'a.md b', 'a.md b#x']);
  });

  law('links of several notes to one are in the order of the pairs, of each the first', async (store) => {
    const many = '[[Hub]] '.repeat(500);
    await fill(store, {
      'x/Hub.md': '',
      'b.md': `[[Hub#x]] [[None]] [h](x/Hub.md) [[x/hub|h]] ${many}`,
      'a.md': '[[Other]] [[Hub]]',
      'none.md': '[[Other]]',
      'Other.md': '[[Hub|h]]',
    });
    const sources = ['b.md', 'none.md', 'gone.md', 'Other.md', 'a.md', 'Other.md'];
    const pairs = sources.map((source) => ({ source: asPath(source), target: asPath('x/Hub.md') }));
    const links = await store.linksBetween(pairs, 3, signal);
    const own = ['b.md Hub#x', 'b.md x/Hub.md', 'b.md x/hub'];
    assertEach(links, ({ source, link }) => `${source} ${link}`, [...own, 'Other.md Hub', 'a.md Hub', 'Other.md Hub']);
  });

  law('a note with more links than are read at once has all of them counted', async (store) => {
    const links = (name: string, count: number): string => `[[${name}]] `.repeat(count);
    const text = `${links('Few', 3)}${links('Many', 25_000)}${links('Hub', 12_000)}${links('Some', 9_990)}${links('Last', 7)}`;
    await fill(store, { 'Plan.md': text, 'Hub.md': links('Many', 2), 'Less.md': links('Hub', 5) });
    const counts = ['Many 25002', 'Some 9990', 'Last 7', 'Few 3'];
    assert.deepEqual(await unresolvedNames(store), counts);
    assert.deepEqual(await unresolvedNames(store, { source: 'Plan.md' }), ['Many 25000', ...counts.slice(1)]);
    assert.deepEqual(await unresolvedNames(store, { source: 'Hub.md' }), ['Many 2']);
    const listed = await store.listNotes({}, 'links', 'desc', ALL, signal);
    assert.deepEqual(listed.notes.map(pathOf), ['Plan.md', 'Hub.md', 'Less.md']);
  });

  law('unresolved names are listed with their links, most links first', async (store) => {
    await fill(store, { 'd/a.md': '[[Two]] [[One]]', 'd/b.md': '[[Two#x]] [[Zwei]] [[zwei]]', 'dd.md': '[[Other]]' });
    assert.deepEqual(await unresolvedNames(store), ['Two 2', 'One 1', 'Other 1', 'Zwei 1', 'zwei 1']);
    assert.deepEqual(await unresolvedNames(store, { folder: 'd', exceptFolders: ['d'] }), []);
    assert.deepEqual(await unresolvedNames(store, { folder: 'd' }), ['Two 2', 'One 1', 'Zwei 1', 'zwei 1']);
    assert.deepEqual(await unresolvedNames(store, { source: 'd/a.md' }), ['One 1', 'Two 1']);
    const page = await store.unresolved({}, 1, { limit: 2, offset: 0 }, signal);
    assert.equal(page.total, 5);
    assertEach(page.groups, ({ links }) => links.map(({ source }) => source), [['d/a.md'], ['d/a.md']]);
    assert.equal((await store.unresolved({ folder: 'd' }, 1, { limit: 1, offset: 3 }, signal)).groups[0]?.name, 'zwei');
  });

  law('the unresolved links with a name are counted in any spelling', async (store) => {
    await fill(store, { 'a.md': '[[Two]] [[two#x]] [[d/Two]] [[a]]', 'b.md': '[[TWO]]' });
    const counts = await Promise.all(['tWo', 'D/two', 'a', 'none'].map((name) => store.unresolvedNamed(name, signal)));
    assert.deepEqual(counts, [3, 1, 0, 0]);
  });

  law('other calls run while many unresolved names are counted', async (store) => {
    const names = Array.from({ length: 30_000 }, (_, at) => `[[n${at}]]`);
    await fill(store, { 'a.md': names.join(' '), 'b.md': '![[a]]' });
    let isCounted = false;
    const counted = store.unresolved({}, 0, { limit: 1, offset: 29_999 }, signal).finally(() => {
      isCounted = true;
    });
    let reads = 0;
    for (; !isCounted; reads++) await store.titles([], signal);
    assert.deepEqual([(await counted).groups[0]?.name, (await counted).total], ['n9999', 30_000]);
    assert.ok(reads > 4, `${reads} reads`);
    const { links, unresolved, embeds } = await store.counts(signal);
    assert.deepEqual([links, unresolved, embeds], [30_001, 30_000, 1]);
  });

  law('the graph has notes, canvases and bases, and their links with counts', async (store) => {
    await fill(store, {
      'b.md': '[[a]] [[a]] ![[a]] [[b]] [[gone]] ![[pic.png]]',
      'a.md': '[[Board.canvas]] [[Deck.base]]',
      'Board.canvas': JSON.stringify({ nodes: [{ type: 'file', file: 'b.md' }] }),
      'Deck.base': '',
      'pic.png': null,
    });
    const graph = await store.graph(signal);
    assert.deepEqual(graph.paths, ['Board.canvas', 'Deck.base', 'a.md', 'b.md']);
    assert.deepEqual(arrows(graph), [
      'Board.canvas -> b.md 1',
      'a.md -> Board.canvas 1',
      'a.md -> Deck.base 1',
      'b.md -> a.md 3',
    ]);
  });

  law('nodes are sorted by code points', async (store) => {
    await fill(store, { '\u{1f30a}.md': '', '\uff5e.md': '', 'é.md': '', 'z.md': '', 'B/a.md': '', 'B.md': '' });
    const expected = ['B.md', 'B/a.md', 'z.md', 'é.md', '\uff5e.md', '\u{1f30a}.md'];
    assert.deepEqual((await store.graph(signal)).paths, expected);
    assert.deepEqual((await store.fileStates(signal)).map(pathOf), expected);
  });

  law('the graph is the same object until a node or a link changes', async (store) => {
    await fill(store, { 'a.md': '[[b]] [[c]]', 'b.md': '', 'c.md': '' });
    const first = await store.graph(signal);
    await rewrite(store, { 'a.md': 'other words [[b]] [[c]]' });
    assert.equal(await store.graph(signal), first);
    await rewrite(store, { 'a.md': '[[c]] [[c]]' });
    const second = await store.graph(signal);
    assert.ok(second.revision > first.revision);
    assert.deepEqual(arrows(second), ['a.md -> c.md 2']);
    await remove(store, 'c.md');
    assert.deepEqual((await store.graph(signal)).paths, ['a.md', 'b.md']);
    assert.deepEqual(arrows(await store.graph(signal)), []);
    await fill(store, { 'c.md': '[[a]]', 'd/e.md': '[[c]]' });
    assert.deepEqual(arrows(await store.graph(signal)), ['a.md -> c.md 2', 'c.md -> a.md 1', 'd/e.md -> c.md 1']);
    assert.deepEqual(arrows(first), ['a.md -> b.md 1', 'a.md -> c.md 1']);
  });
}
