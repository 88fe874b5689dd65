// What find_gaps calls duplicates in a labelled vault: copies under other names, and no notes that only share boilerplate.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findGaps } from '../../../src/tools/links/find_gaps.ts';
import { withTools } from '../tools-under-test.ts';

const SEAM = `Rake out the old cotton and putty with a hooked iron. Never widen the gap. Prime the bare edges with red lead.
Roll cotton in loops into the seam and drive it home with iron and mallet. It must ring, not thud. Pay with putty a little proud.`;
const SEAM_OF_COURSE = `Rake out old cotton and putty with a hooked iron, do not widen the gap. Prime bare edges.
Roll the cotton into the seam in loops, drive it home with iron and mallet; it should ring, not thud. Pay with putty slightly proud.`;
const BREAD = `Feed the starter in the evening with rye and warm water. In the morning mix flour, salt and water, then fold four times.
Shape the loaf, let it rest in the basket until noon, score it once and bake it dark under a lid.`;
const LAMP = `The keeper trims the wick at dusk and at midnight and polishes the lens with chamois.
In fog he rings the bell by hand, every minute, until the engine of the horn has pressure.`;

const drawing = (text: string, data: string): string =>
  `---\nexcalidraw-plugin: parsed\ntags: [excalidraw]\n---\n==⚠  Switch to EXCALIDRAW VIEW in the MORE OPTIONS menu of this document. ⚠== You can decompress Drawing data with the command palette: 'Decompress current Excalidraw file'. For more info check in plugin settings under 'Saving'\n\n# Excalidraw Data\n\n## Text Elements\n${text} ^a1b2c3d4\n\n%%\n## Drawing\n\`\`\`compressed-json\nN4KAkARALgngDgUwgLgAQQQDwMgCYBOAlgHYBoAJhAA3Q4B7AWgEYA2AJgA4BOAZm${data}\n\`\`\`\n%%\n`;
const daily = (line: string): string =>
  `# Day\n\n## What must be done before noon today\n\n## What went well and what did not go well\n\n${line}\n\n## Whom to thank for help this day\n`;
const clipping = (text: string): string =>
  `${text}\n\nThis article first appeared in the harbour gazette. All rights reserved by the publisher, no part may be copied.\nSubscribe to our newsletter for more stories from the coast every week.\n`;

const pairsOf = (gaps: readonly { readonly notes: readonly string[] }[]): readonly string[][] =>
  gaps.map(({ notes }) => [...notes]).sort(([one = ''], [other = '']) => (one < other ? -1 : 1));

test('boilerplate of drawings, daily notes and clippings makes no duplicates', () =>
  withTools(
    {
      'Drawings/Hull.excalidraw.md': drawing('Keel', 'Abc'),
      'Drawings/Sail.excalidraw.md': drawing('Mast', 'Def'),
      'Drawings/Sail again.excalidraw.md': drawing('Mast', 'Def'),
      ...Object.fromEntries(
        ['Rain.', 'Painted the door.', 'Ada came.', 'Nothing.', 'Long walk.'].map((line, at) => [
          `Daily/2026-01-0${at + 1}.md`,
          daily(line),
        ]),
      ),
      ...Object.fromEntries(
        ['Herring is late.', 'A seal in the yard.', 'New nets.', 'The bell is mended.', 'Ice on the quay.'].map(
          (line, at) => [`Clippings/Story ${'ABCDE'[at]}.md`, clipping(line)],
        ),
      ),
    },
    async ({ ask }) => {
      const { gaps } = await ask(findGaps, { kind: 'duplicates', detail: 'full' });
      assert.deepEqual(pairsOf(gaps), [['Drawings/Sail again.excalidraw.md', 'Drawings/Sail.excalidraw.md']]);
    },
  ));

test('a note beside another with its name and an addition is compared by words', () =>
  withTools(
    {
      'Caulking a seam.md': SEAM,
      'Courses/Caulking a seam (course notes).md': SEAM_OF_COURSE,
      'Starters.md': BREAD,
      'Starter copy.md': `${BREAD}\nMore salt.`,
      'Starter.sync-conflict-20260102-101112-ABCDEFG.md': `${BREAD}\nLess salt.`,
      'Starter 2.md': `${BREAD}\nOld flour.`,
      'Copy of Lamp.md': LAMP,
      "Lamp (Ada's conflicted copy 2026-01-02).md": `${LAMP}\nSeen by Ada.`,
      'Lantern.md': LAMP,
      // The same name, another subject.
      'Caulking a seam 2.md': LAMP.replaceAll(/[aeiou]/g, 'x'),
      'Part 1.md': 'The first winter on the rock was dark and the boat came only once, with flour and lamp oil.',
      'Part 2.md': 'Summer brought painters and terns, guests with cameras, and the end of our quiet evenings here.',
    },
    async ({ ask }) => {
      const { gaps } = await ask(findGaps, { kind: 'duplicates', detail: 'full' });
      assert.deepEqual(pairsOf(gaps), [
        ['Caulking a seam.md', 'Courses/Caulking a seam (course notes).md'],
        ['Lantern.md', 'Copy of Lamp.md', "Lamp (Ada's conflicted copy 2026-01-02).md"],
        ['Starters.md', 'Starter 2.md', 'Starter copy.md', 'Starter.sync-conflict-20260102-101112-ABCDEFG.md'],
      ]);
    },
  ));

test('a copy of a short note is found by its name and its words', () =>
  withTools(
    {
      'Knots.md': '---\ntags: a\n---\nA bowline holds.\n',
      'Copy of Knots.md': 'A bowline holds.',
      'Old/Knots (1).md': '# A bowline\n\nholds',
      // Other words, or another name.
      'Knots 2.md': 'A hitch slips.',
      'Splices.md': 'A bowline holds.',
      '结.md': '船结很牢。',
      '结 - 副本.md': '船结很牢。',
      'もやい結びのコピー.md': 'ほどけない。',
      'もやい結び.md': 'ほどけない。',
      'Segel.md': 'Rot.',
      'Kopie von Segel.md': 'Rot.',
      // Only what many notes begin with.
      ...Object.fromEntries(
        ['Go', 'Go 2', 'Rust', 'Zig', 'Perl'].map((name, at) => [`${name}.md`, `---\nat: ${at}\n---\n* TOC\n`]),
      ),
      'Empty.md': '',
      'Empty copy.md': '',
      'Photo.md': '![[a.png]]',
      'Photocopy.md': '![[a.png]]',
      'Sail.excalidraw.md': drawing('A', 'one'),
      'Sail copy.excalidraw.md': drawing('A', 'two'),
    },
    async ({ ask }) => {
      const { gaps } = await ask(findGaps, { kind: 'duplicates', detail: 'full' });
      assert.deepEqual(
        pairsOf(gaps).toSorted(),
        [
          ['Knots.md', 'Copy of Knots.md', 'Old/Knots (1).md'],
          ['Segel.md', 'Kopie von Segel.md'],
          ['もやい結び.md', 'もやい結びのコピー.md'],
          ['结.md', '结 - 副本.md'],
        ].toSorted(),
      );
    },
  ));

test('the groups follow a change of the vault and the filter of a call', () =>
  withTools({ 'A/Starters.md': BREAD, 'Lamp.md': LAMP }, async ({ ask, folder, run }) => {
    const groups = async (input: object = {}) => pairsOf((await ask(findGaps, { kind: 'duplicates', ...input })).gaps);
    assert.deepEqual(await groups(), []);
    folder.put('A/Other bread.md', BREAD);
    await run();
    assert.deepEqual(await groups(), [['A/Other bread.md', 'A/Starters.md']]);
    folder.put('Lantern.md', LAMP);
    await run();
    assert.deepEqual(await groups({ folder: 'A' }), [['A/Other bread.md', 'A/Starters.md']]);
    assert.equal((await groups()).length, 2);
    assert.deepEqual(await groups({ folder: 'A' }), [['A/Other bread.md', 'A/Starters.md']]);
  }));
