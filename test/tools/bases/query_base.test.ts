// Queries bases of a small vault: filters, formulas, order, groups, limits, summaries, `this`, pages and errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ComputeFromIndex, StoreCache } from '../../../src/contracts/session.ts';
import type { Store } from '../../../src/contracts/store.ts';
import { queryBase, showView } from '../../../src/tools/bases/query_base.ts';
import { assertEach } from '../../assert-each.ts';
import { type ToolsUnderTest, withTools } from '../tools-under-test.ts';

const boat = (length: number | string, port: string, more = ''): string =>
  `---\ncategories: ["[[Boats]]"]\nlength: ${length}\nport: "${port}"\n${more}---\n`;

const BOATS = `filters:
  and:
    - categories.contains(link("Boats"))
    - '!file.name.contains("Template")'
formulas:
  feet: (length * 3.28).round(1)
  label: file.name + " (" + formula.feet + ")"
properties:
  file.name:
    displayName: Boat
  note.length:
    displayName: Length
summaries:
  longest: values.filter(value.isType("number")).reduce(if(acc == null || value > acc, value, acc), null)
views:
  - type: table
    name: All
    order: [file.name, length, formula.feet]
    sort:
      - property: length
        direction: DESC
  - type: cards
    name: By port
    order: [file.name, length]
    groupBy:
      property: port
      direction: DESC
    sort:
      - property: file.name
        direction: ASC
    summaries:
      length: Sum
      note.length: longest
      port: Unique
  - type: list
    name: Longest two
    order: [formula.label]
    sort:
      - property: length
        direction: DESC
    limit: 2
  - type: map
    name: Here
    filters:
      and:
        - list(port).contains(this)
    order: [file.name]
  - type: table
    name: Broken
    filters: empty(length.sum())
  - type: table
    name: Odd
    filters: length * port > 1
  - type: table
    name: Linked
    filters:
      or:
        - file.hasLink(this)
        - this.file.hasLink(file)
    order: [file.name, file.backlinks]
`;

const VAULT: Readonly<Record<string, string>> = {
  'Bases/Boats.base': BOATS,
  'Bases/Files.base':
    'views:\n  - name: Files\n    order: [file.path, file.ext, file.size]\n  - name: Rest\n    filters: \'!["md", "base"].contains(file.ext)\'\n',
  'Bases/Torn.base': 'views:\n  - type: table\n    order: 5\n',
  'Boats.md': 'About boats\n',
  'Anna.md': boat(8.5, '[[Quay]]'),
  'Berta.md': boat(12, '[[Quay]]', 'built: 1999-05-01\n'),
  'Clara.md': boat('long', '[[Nowhere]]'),
  'Dora.md': '---\ncategories: ["[[Boats]]"]\n---\nSee [[Anna]] and ![[chart.png]].\n',
  'Boat Template.md': boat(1, '[[Quay]]'),
  'Quay.md': '# Quay\n',
  'chart.png': 'png',
};

const paths = ({ rows }: { rows: { path: string }[] }): string[] => rows.map(({ path }) => path);

test('views of a base', () =>
  withTools(VAULT, async (under) => {
    await sortsWithNullLast(under);
    await groupsAndSummaries(under);
    await limitsAndPages(under);
    await thisNote(under);
    await refusals(under);
    await attachments(under);
    await textTable(under);
  }));

async function sortsWithNullLast({ ask }: ToolsUnderTest): Promise<void> {
  const answer = await ask(queryBase, { base: 'Boats' });
  assert.equal(answer.base, 'Bases/Boats.base');
  assert.deepEqual([answer.view, answer.type, answer.total], ['All', 'table', 4]);
  assert.deepEqual(answer.columns, [
    { property: 'file.name', name: 'Boat' },
    { property: 'note.length', name: 'Length' },
    { property: 'formula.feet', name: 'feet' },
  ]);
  assert.deepEqual(answer.rows, [
    { path: 'Clara.md', cells: ['Clara', 'long', { error: 'string * number is not defined' }] },
    { path: 'Berta.md', cells: ['Berta', 12, 39.4] },
    { path: 'Anna.md', cells: ['Anna', 8.5, 27.9] },
    { path: 'Dora.md', cells: ['Dora', null, null] },
  ]);
}

async function groupsAndSummaries({ ask }: ToolsUnderTest): Promise<void> {
  const answer = await ask(queryBase, { base: 'Bases/Boats.base', view: 'by port' });
  const quay = { link: 'Quay.md', display: 'Quay' };
  const nowhere = { link: 'Nowhere', unresolved: true };
  assert.equal(answer.group_by, 'note.port');
  assert.deepEqual(
    answer.rows.map(({ path, group }: { path: string; group: unknown }) => [path, group]),
    [
      ['Anna.md', quay],
      ['Berta.md', quay],
      ['Clara.md', nowhere],
      ['Dora.md', null],
    ],
  );
  assert.deepEqual(answer.groups, [
    { group: quay, rows: 2 },
    { group: nowhere, rows: 1 },
    { group: null, rows: 1 },
  ]);
  assert.deepEqual(answer.summaries, [
    { property: 'note.length', summary: 'Sum', value: 20.5 },
    { property: 'note.length', summary: 'longest', value: 12 },
    { property: 'note.port', summary: 'Unique', value: 2 },
  ]);
}

async function limitsAndPages({ ask, refusal }: ToolsUnderTest): Promise<void> {
  const limited = await ask(queryBase, { base: 'Boats.base#Longest two' });
  assert.deepEqual([paths(limited), limited.total, limited.matched], [['Clara.md', 'Berta.md'], 2, 4]);
  const first = await ask(queryBase, { base: 'Boats', limit: 3 });
  const second = await ask(queryBase, { base: 'Boats', limit: 3, cursor: first.next_cursor });
  assert.deepEqual([...paths(first), ...paths(second)], ['Clara.md', 'Berta.md', 'Anna.md', 'Dora.md']);
  assert.equal(second.next_cursor, undefined);
  await refusal(queryBase, { base: 'Boats', view: 'By port', cursor: first.next_cursor }, 'INVALID_INPUT');
}

async function thisNote({ ask, warnings }: ToolsUnderTest): Promise<void> {
  const here = await ask(queryBase, { base: 'Boats', view: 'Here', note: 'Quay' });
  assert.deepEqual([paths(here), here.this, here.shown_as], [['Anna.md', 'Berta.md'], 'Quay.md', 'table']);
  assert.deepEqual(paths(await ask(queryBase, { base: 'Boats', view: 'Here' })), []);
  const linked = await ask(queryBase, { base: 'Boats', view: 'Linked', note: 'Dora' });
  assert.deepEqual(linked.rows, [{ path: 'Anna.md', cells: ['Anna', [{ link: 'Dora.md', display: 'Dora' }]] }]);
  assert.deepEqual(paths(await ask(queryBase, { base: 'Boats', view: 'Odd' })), []);
  assert.equal(warnings[0]?.code, 'FILTER_FAILED');
  assert.match(
    warnings[0]?.message ?? '',
    /views\.5\.filters cannot be evaluated for \d of \d+ files.*number \* link is not defined/,
  );
}

async function refusals({ refusal }: ToolsUnderTest): Promise<void> {
  const unsupported = await refusal(queryBase, { base: 'Boats', view: 'Broken' }, 'BASE_UNSUPPORTED');
  assert.match(unsupported.message, /the function \.sum\(\) in views\.4\.filters, line 50/);
  const torn = await refusal(queryBase, { base: 'Torn' }, 'BASE_INVALID');
  assert.equal(torn.message, 'Bases/Torn.base:3 is not a valid base: views.0.order is not a list');
  const view = await refusal(queryBase, { base: 'Boats', view: 'Herre' }, 'INVALID_INPUT');
  assert.match(view.message, /no view "Herre"; its views are "All", "By port"/);
  assert.match(view.hint, /Did you mean `Here`/);
  await refusal(queryBase, { base: 'Gone' }, 'NOTE_NOT_FOUND');
  await refusal(queryBase, { base: '../x.base' }, 'PATH_NOT_ALLOWED');
  await refusal(queryBase, { base: 'Boats', note: 'Gone' }, 'NOTE_NOT_FOUND');
}

async function attachments({ ask }: ToolsUnderTest): Promise<void> {
  const all = await ask(queryBase, { base: 'Files', limit: 100 });
  assert.equal(all.total, Object.keys(VAULT).length);
  const rest = await ask(queryBase, { base: 'Files', view: 'Rest' });
  assert.deepEqual(rest.rows, [{ path: 'chart.png', cells: ['chart.png'] }]);
}

async function textTable({ ask }: ToolsUnderTest): Promise<void> {
  const answer = await ask(queryBase, { base: 'Boats', view: 'By port', limit: 2 });
  assert.equal(
    showView(answer),
    [
      'base: Bases/Boats.base · view: By port (cards) · total: 4',
      'views: All · By port · Longest two · Here · Broken · Odd · Linked',
      'group [[Quay.md\\|Quay]]: 2 rows',
      '| path | note.port | Boat (file.name) | Length (note.length) |',
      '|---|---|---|---|',
      '| Anna.md | [[Quay.md\\|Quay]] | Anna | 8.5 |',
      '| Berta.md | [[Quay.md\\|Quay]] | Berta | 12 |',
      'Sum of note.length: 20.5',
      'longest of note.length: 12',
      'Unique of note.port: 2',
      `next_cursor: ${answer.next_cursor}`,
    ].join('\n'),
  );
}

const BLOCKS = [
  '# Harbour',
  '````markdown',
  '```base',
  'views: [{ name: Shown only }]',
  '```',
  '````',
  '```base',
  'views:',
  '  - name: Own',
  '    filters: file == this.file',
  '  - name: Odd',
  '    filters: odd(1)',
  '```',
  '> [!note]',
  '> ~~~base',
  '> formulas: { bad: /(?<=a)b/.matches("x"), worse: nope(1), good: 1 + 1 }',
  '> views:',
  '>   - name: Quoted',
  '>     order: [formula.good, formula.bad, formula.worse]',
  '>     limit: 1',
  '> ~~~',
  '```base',
  'views: 5',
  '```',
].join('\r\n');

test('bases in code blocks of notes', () =>
  withTools({ 'Harbour.md': BLOCKS, 'Plain.md': '# Plain' }, async ({ ask, refusal }) => {
    const own = await ask(queryBase, { base: 'Harbour' });
    assert.deepEqual(
      [own.base, own.view, own.views, paths(own)],
      ['Harbour.md', 'Own', ['Own', 'Odd', 'Quoted'], ['Harbour.md']],
    );
    const { rows } = await ask(queryBase, { base: 'Harbour.md', view: 'Quoted' });
    assert.deepEqual(rows[0].cells[0], 2);
    assert.match(rows[0].cells[1].error, /^line 16: looking ahead or behind/);
    assert.match(rows[0].cells[2].error, /^line 16: the function nope\(\) is not supported/);
    const odd = await refusal(queryBase, { base: 'Harbour', view: 'Odd' }, 'BASE_UNSUPPORTED');
    assert.match(odd.message, /line 12/);
    const broken = await refusal(queryBase, { base: 'Harbour', view: 'Fourth' }, 'BASE_INVALID');
    assert.match(broken.message, /Harbour\.md:23 .*views is not a list/);
    await refusal(queryBase, { base: 'Plain' }, 'NOTE_NOT_FOUND');
    const plain = await refusal(queryBase, { base: 'Plain.md' }, 'INVALID_INPUT');
    await refusal(queryBase, { base: ' ' }, 'INVALID_INPUT');
    assert.match(plain.message, /Plain\.md is not a \.base file and has no base in a code block/);
  }));

test('properties have the types of the settings', () => {
  const types = { types: { code: 'text', done: 'checkbox', count: 'number' } };
  const files = {
    '.obsidian/types.json': JSON.stringify(types),
    'All.base':
      'filters: file.ext == "md"\nviews:\n  - order: [code, count]\n    sort: [{ property: done, direction: DESC }]\n',
    'a.md': '---\ncode: 2026-01-01\ncount: "7"\n---\n',
    'b.md': '---\ndone: true\n---\n',
    'c.md': '---\ndone: false\n---\n',
    'd.md': '---\ndone:\n---\n',
  };
  return withTools(files, async ({ ask }) => {
    const answer = await ask(queryBase, { base: 'All' });
    assert.deepEqual(paths(answer), ['b.md', 'a.md', 'c.md', 'd.md']);
    assert.deepEqual(answer.rows[1].cells, ['2026-01-01', 7]);
  });
});

test('after a change, a query reads the files that changed, and no others', () => {
  const files = {
    'All.base': 'filters: file.ext == "md"\nviews:\n  - order: [state, file.tags]\n    sort: [file.name]\n',
    'a.md': '---\nstate: old\n---\n',
    'b.md': '---\nstate: kept\n---\n',
    'c.md': '---\nstate: gone\n---\n',
  };
  return withTools(files, async ({ ask, folder, run }) => {
    const asked: string[] = [];
    const storeCache = new (class extends StoreCache {
      override get<T>(compute: ComputeFromIndex<T>, store: Store, signal: AbortSignal): Promise<T> {
        const fileProperties: Store['fileProperties'] = (paths, until) => {
          asked.push(...paths);
          return store.fileProperties(paths, until);
        };
        return super.get(compute, { ...store, fileProperties }, signal);
      }
    })();
    const cells = async () => (await ask(queryBase, { base: 'All' }, { storeCache })).rows;
    assert.equal((await cells()).length, 3);
    assertEach(asked, String, ['All.base', 'a.md', 'b.md', 'c.md']);
    asked.length = 0;
    folder.put('a.md', '---\nstate: new\n---\n#tag');
    folder.put('d.md', 'x');
    folder.remove('c.md');
    await run();
    assertEach(await cells(), ({ path, cells: [state] }: { path: string; cells: unknown[] }) => `${path} ${state}`, [
      'a.md new',
      'b.md kept',
      'd.md null',
    ]);
    assertEach(asked, String, ['a.md', 'd.md']);
  });
});

const HOSTILE = [
  'formulas:',
  '  f0: 1 + 1',
  ...Array.from({ length: 99 }, (_, at) => `  f${at + 1}: "${'!'.repeat(60)}formula.f${at}"`),
  '  many: (file.name + "x").repeat(20000).split("").map(value + value).map(value + value)',
  '  long: ("|" + file.name).repeat(5000)',
  '  w0: "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"',
  ...Array.from({ length: 20 }, (_, at) => `  w${at + 1}: "[${Array(10).fill(`formula.w${at}`)}]"`),
  "  deep: \"'x'.repeat(500).split('').reduce([acc], 0)\"",
  '  flat: formula.deep.flat()',
  '  same: formula.w20 == formula.w19',
  'views:',
  '  - order: [formula.f99, formula.many, formula.long, formula.w20, formula.deep, formula.flat, formula.same]',
  '    sort: [formula.w20, formula.deep]',
  '    groupBy: formula.w20',
  '    summaries: { formula.w20: Unique }',
].join('\n');

test('a formula that takes too long, or makes too much, is an error in its cell', () =>
  withTools({ 'Hostile.base': HOSTILE, 'a.md': '' }, async ({ ask }) => {
    const { rows } = await ask(queryBase, { base: 'Hostile' });
    const errors = rows[1].cells.map((cell: { error: string }) => cell.error);
    assertEach(rows, ({ path }: { path: string }) => path, ['Hostile.base', 'a.md']);
    assert.match(errors[0], /more than 500 expressions are within each other/);
    assert.match(errors[1], /characters, the limit is 20000/);
    assert.equal(rows[1].cells[2].length, 10_000);
    assert.match(errors[3], /more than 100000 parts/);
    for (const error of [errors[4], errors[5]]) assert.match(error, /nested more than 32 times/);
  }));

test('a page ends before its answer becomes too large', () => {
  const wide = 'views:\n  - order: [text, text, text, text]\n';
  const notes = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`n${at}.md`, `---\ntext: ${'y'.repeat(3000)}\n---\n`]),
  );
  return withTools({ 'Wide.base': wide, ...notes }, async ({ ask }) => {
    const first = await ask(queryBase, { base: 'Wide', limit: 100 });
    assert.ok(first.rows.length < 30, `${first.rows.length} rows`);
    let [seen, { next_cursor: cursor }] = [first.rows.length, first];
    while (cursor !== undefined) {
      const next = await ask(queryBase, { base: 'Wide', limit: 100, cursor });
      seen += next.rows.length;
      cursor = next.next_cursor;
    }
    assert.equal(seen, 61);
  });
});

test('what a view groups, sorts or summarizes by and cannot be evaluated counts as empty, with a warning', () => {
  const views = [
    'groupBy: { property: formula.torn, direction: ASC }',
    'groupBy: { property: formula.gone, direction: ASC }',
    'sort: [{ property: formula.torn, direction: DESC }]',
    'summaries: { formula.torn: Sum }',
  ];
  const base = `formulas:\n  torn: "n +"\nviews:\n${views.map((view) => `  - { type: table, ${view} }\n`).join('')}`;
  return withTools({ 'A.md': 'a', 'B.md': 'b', 'Views.base': base }, async ({ ask, warnings }) => {
    const places = [
      'the group formula.torn',
      'the group formula.gone',
      'the order by formula.torn',
      'Sum of formula.torn',
    ];
    for (const [at, place] of places.entries()) {
      const { total } = await ask(queryBase, { base: 'Views.base', view: `View ${at + 1}` });
      assert.equal(total, 3);
      const [{ code, message } = { code: '', message: '' }] = warnings;
      assert.deepEqual([code, message.split(' cannot')[0]], ['FILTER_FAILED', place]);
      assert.match(
        message,
        /for 3 of 3 files, where it counts as empty; first A\.md: line \d+: .*(?:missing|no formula)/,
      );
    }
  });
});

test('an empty text or list is in the group of the files without a value; a base is named as it is embedded', () => {
  const view = 'views:\n  - name: V\n    filters: file.ext == "md"\n    groupBy: kind\n';
  const files = { 'A.md': '---\nkind: ""\n---\n', 'B.md': 'b', 'C.md': '---\nkind: []\n---\n', 'V.base': view };
  return withTools({ ...files, 'D.md': '---\nkind: 0\n---\n' }, async ({ ask }) => {
    for (const base of ['![[V.base#V]]', '[[V.base]]', ' ![[V.base#V|shown]]']) {
      const { groups } = await ask(queryBase, { base });
      assert.deepEqual(groups, [
        { group: 0, rows: 1 },
        { group: null, rows: 3 },
      ]);
    }
  });
});
