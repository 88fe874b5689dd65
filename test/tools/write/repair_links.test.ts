// replace_in_notes with broken_links: every form of link, what stays and why, one plan, one undo.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replaceInNotes } from '../../../src/tools/write/replace_in_notes.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
import { withWrites } from './write-under-test.ts';

const FILES = {
  'Places/Boathouse.md': '# Boathouse\n\n## North side\n\nx ^quay\n',
  'People/Mira Holt.md': '---\naliases: [Skipper]\n---\n# Mira Holt\n',
  'img/Chart 2.png': Buffer.from('png'),
  'a/Plan A.md': '',
  'a/Twin.md': '# Same\n\n## Depth\n\n# Other\n\n## Depth\n',
  'b/Twin.md': '',
  'Daily/2026-11-20.md': '',
};
type Repaired = { path: string; line: number; link: string; to: string };
type Left = { link: string; choices?: string[]; reason?: string };

const CASES: readonly (readonly [what: string, before: string, after: string, to: string])[] = [
  ['a misspelled name', '[[Boat house]]', '[[Boathouse]]', 'Places/Boathouse.md'],
  ['a display text stays', 'x [[Boat-house|the shed]] y', 'x [[Boathouse|the shed]] y', 'Places/Boathouse.md'],
  ['an embed', '![[Boathose]]', '![[Boathouse]]', 'Places/Boathouse.md'],
  [
    'a heading that the note has stays',
    '[[Boathuose#North side]]',
    '[[Boathouse#North side]]',
    'Places/Boathouse.md#North side',
  ],
  ['name and heading', '[[Boathuose#Nort side]]', '[[Boathouse#North side]]', 'Places/Boathouse.md#North side'],
  [
    'a misspelled heading',
    '[[Boathouse#Nroth side|n]]',
    '[[Boathouse#North side|n]]',
    'Places/Boathouse.md#North side',
  ],
  [
    'a heading as an anchor',
    '[x](../Places/Boathouse.md#north-sides)',
    '[x](../Places/Boathouse.md#North%20side)',
    'Places/Boathouse.md#North side',
  ],
  [
    'a heading below another one',
    '[[Boathouse#Gone#North side]]',
    '[[Boathouse#North side]]',
    'Places/Boathouse.md#North side',
  ],
  ['a block', '![[Boathouse#^qauy]]', '![[Boathouse#^quay]]', 'Places/Boathouse.md#^quay'],
  [
    'a heading of the note itself',
    '[[#Heer we go]]\n\n# Here we go',
    '[[#Here we go]]\n\n# Here we go',
    'log/N.md#Here we go',
  ],
  ['another folder', '[[Old/Mira Holt]]', '[[People/Mira Holt]]', 'People/Mira Holt.md'],
  ['a relative path', '[m](../Peple/Mira%20Holt.md "t")', '[m](../People/Mira%20Holt.md "t")', 'People/Mira Holt.md'],
  ['a Markdown link by name', '[m](Mira%20Hold.md)', '[m](Mira%20Holt.md)', 'People/Mira Holt.md'],
  ['angle brackets', '[m](<Mira Hold.md>)', '[m](<Mira Holt.md>)', 'People/Mira Holt.md'],
  ['a path from the root', '[[/Mira Hold]]', '[[/People/Mira Holt]]', 'People/Mira Holt.md'],
  ['an extension stays', '[[Mira Hold.md]]', '[[Mira Holt.md]]', 'People/Mira Holt.md'],
  ['an alias stays as the text', 'by [[Skipper]].', 'by [[Mira Holt|Skipper]].', 'People/Mira Holt.md'],
  [
    'an alias in a table',
    '| a | b |\n|-|-|\n| [[Skipper]] | y |',
    '| a | b |\n|-|-|\n| [[Mira Holt\\|Skipper]] | y |',
    'People/Mira Holt.md',
  ],
  ['a property', '---\nby: "[[Mira Hold]]"\n---', '---\nby: "[[Mira Holt]]"\n---', 'People/Mira Holt.md'],
  [
    'an alias in a property',
    "---\nby: ['[[Skipper]]']\n---",
    "---\nby: ['[[Mira Holt|Skipper]]']\n---",
    'People/Mira Holt.md',
  ],
  [
    'a Markdown link in a property',
    '---\nby: "[m](Mira%20Hold.md)"\n---',
    '---\nby: "[m](Mira%20Holt.md)"\n---',
    'People/Mira Holt.md',
  ],
  ['a reference', '[m][1]\n\n[1]: Mira%20Hold.md', '[m][1]\n\n[1]: Mira%20Holt.md', 'People/Mira Holt.md'],
  ['an attachment', '![[Chrat 2.png|100]]', '![[Chart 2.png|100]]', 'img/Chart 2.png'],
  ['an attachment elsewhere', '![c](assets/Chart%202.png)', '![c](img/Chart%202.png)', 'img/Chart 2.png'],
  ['Windows line ends', 'x\r\n[[Mira Hold]]\r\n', 'x\r\n[[Mira Holt]]\r\n', 'People/Mira Holt.md'],
];

for (const [what, before, after, to] of CASES)
  test(`repairs ${what}`, () =>
    withWrites({ ...FILES, 'log/N.md': `${before}\n` }, async ({ ask, text, files }) => {
      const all = files();
      const shown = await ask(replaceInNotes, { broken_links: ['*'] });
      assert.deepEqual([...new Set(shown.repaired.map((one: Repaired) => one.to))], [to]);
      assert.deepEqual(shown.left, []);
      await ask(replaceInNotes, { plan_id: shown.plan_id });
      assert.equal(text('log/N.md'), `${after}\n`);
      await ask(undoChange, {});
      assert.deepEqual(files(), all);
    }));

test('cards of a canvas: files, parts and texts', () => {
  const card = (file: string, more = '') => `{"id":"${file}","type":"file","file":"${file}"${more}}`;
  const board = (...cards: string[]) => `{"nodes":[${cards.join(',')}],"edges":[]}`;
  const before = board(
    card('Old/Boathouse.md'),
    card('Places/Boathouse.md', ',"subpath":"#Nort side"'),
    '{"type":"text","text":"see [[Skipper]]\\n[[Mira Hold]]"}',
  );
  return withWrites({ ...FILES, 'Board.canvas': before }, async ({ ask, text }) => {
    const { plan_id, repaired } = await ask(replaceInNotes, { broken_links: ['*'] });
    assert.deepEqual(
      repaired.map(({ link, to }: Repaired) => [link, to]),
      [
        ['Old/Boathouse.md', 'Places/Boathouse.md'],
        ['Places/Boathouse.md#Nort side', 'Places/Boathouse.md#North side'],
        ['Skipper', 'People/Mira Holt.md'],
        ['Mira Hold', 'People/Mira Holt.md'],
      ],
    );
    await ask(replaceInNotes, { plan_id });
    const now = text('Board.canvas') ?? '';
    assert.deepEqual(
      JSON.parse(now).nodes.map(({ file, subpath, text }: Record<string, string>) => [file, subpath, text]),
      [
        ['Places/Boathouse.md', undefined, undefined],
        ['Places/Boathouse.md', '#North side', undefined],
        [undefined, undefined, 'see [[Mira Holt|Skipper]]\n[[Mira Holt]]'],
      ],
    );
  });
});

test('what may mean several things, another number, another letter or nothing stays, and is named or counted', () =>
  withWrites(
    {
      ...FILES,
      'N.md':
        '[[c/Twin]] [[Plan B]] [[2026-11-21]] [[zzzzzz]] [[a/Twin#Dpeth]] [[Boathouse#Sorth]] [[Chart 2.jpg]] `[[Boat house]]` [[Boathouse]] [[Boathouse#^quay]]\n',
    },
    async ({ ask, files }) => {
      const before = files();
      const shown = await ask(replaceInNotes, { broken_links: ['*'] });
      assert.deepEqual(shown.repaired, []);
      assert.deepEqual(
        shown.left.map(({ link, choices }: Left) => [link, choices]),
        [
          ['c/Twin', ['a/Twin.md', 'b/Twin.md']],
          ['Plan B', ['a/Plan A.md']],
          ['a/Twin#Dpeth', ['Twin#Same#Depth', 'Twin#Other#Depth']],
          ['Chart 2.jpg', ['img/Chart 2.png']],
        ],
      );
      assert.equal(shown.without_suggestion, 3);
      assert.deepEqual(files(), before);
    },
  ));

test('only the named links, notes or folder; a link that is in no note is said', () =>
  withWrites(
    { ...FILES, 'A.md': '[[Boat house]] [[Mira Hold#x]]\n', 'sub/B.md': '[[Boat house]] [[Boathouse#Nort side]]\n' },
    async ({ ask, refusal, warnings }) => {
      const links = async (args: object) =>
        (await ask(replaceInNotes, { broken_links: ['*'], ...args })).repaired.map(
          (one: Repaired) => one.path + one.link,
        );
      assert.deepEqual(await links({ notes: ['A'] }), ['A.mdBoat house', 'A.mdMira Hold#x']);
      assert.deepEqual(await links({ filter: { folder: 'sub' } }), [
        'sub/B.mdBoat house',
        'sub/B.mdBoathouse#Nort side',
      ]);
      assert.deepEqual(await links({ broken_links: ['boat house'] }), ['A.mdBoat house', 'sub/B.mdBoat house']);
      assert.deepEqual(await links({ broken_links: ['Mira Hold', 'Boathouse#Nort side'] }), [
        'A.mdMira Hold#x',
        'sub/B.mdBoathouse#Nort side',
      ]);
      assert.ok(!warnings.some(({ code }) => code === 'FILTER_MATCHES_NOTHING'));
      assert.deepEqual(await links({ broken_links: ['Nix'] }), []);
      assert.ok(warnings.some(({ code, message }) => code === 'FILTER_MATCHES_NOTHING' && message.includes('"Nix"')));
      for (const more of [{ find: 'x' }, { regex: true }, { notes: ['A'], everywhere: true }])
        await refusal(replaceInNotes, { broken_links: ['*'], ...more }, 'INVALID_INPUT');
      await refusal(replaceInNotes, { notes: ['A'] }, 'INVALID_INPUT');
    },
  ));

test('a note that changed since the plan is refused, and so is a plan whose meaning changed', () =>
  withWrites(
    { ...FILES, 'A.md': '[[Boat house]]\n', 'B.md': '[[Mira Hold]]\n' },
    async ({ ask, refusal, folder, text }) => {
      const { plan_id } = await ask(replaceInNotes, { broken_links: ['*'] });
      folder.put('A.md', '[[Boat house]] and more\n');
      const { details } = await refusal(replaceInNotes, { plan_id }, 'WRITE_CONFLICT');
      assert.equal((details as { path: string }).path, 'A.md');
      assert.equal(text('B.md'), '[[Mira Hold]]\n');
      const other = await ask(replaceInNotes, { broken_links: ['*'] });
      folder.put('Crew/Mira Hold.md', '');
      await refusal(replaceInNotes, { plan_id: other.plan_id }, 'WRITE_CONFLICT');
    },
  ));

test('notes that are not text stay, and many repairs come in plans that list each', () => {
  const many = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`many/N${String(at).padStart(2, '0')}.md`, '[[Boat house]] '.repeat(10)]),
  );
  const latin = Buffer.from('[[Mira Hold]] caf\xe9', 'latin1');
  return withWrites({ ...FILES, ...many, 'Latin.md': latin }, async ({ ask }) => {
    const shown = await ask(replaceInNotes, { broken_links: ['*'] });
    assert.deepEqual([shown.repaired.length, typeof shown.more], [200, 'string']);
    assert.deepEqual(shown.left, [
      {
        path: 'Latin.md',
        line: 1,
        link: 'Mira Hold',
        choices: ['People/Mira Holt.md'],
        reason: 'it is not UTF-8 text',
      },
    ]);
    await ask(replaceInNotes, { plan_id: shown.plan_id });
    const rest = await ask(replaceInNotes, { broken_links: ['*'] });
    assert.deepEqual([rest.repaired.length, rest.more], [100, undefined]);
  });
});
