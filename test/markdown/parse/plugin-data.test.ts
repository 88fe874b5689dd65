// Tests what is data of plugins in a note, which texts in it stay, and that lines and offsets are those of the note.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { blankData, pluginData, withoutData } from '../../../src/markdown/parse/plugin-data.ts';
import { hiddenData, shownText, shownWords } from '../../../src/markdown/parse/shown-text.ts';
import { assertEach } from '../../assert-each.ts';
import { runs } from '../../runner/effort.ts';
import { growsTooFast } from '../cpu-growth.ts';
import { hostileTexts } from '../hostile-texts.ts';

const FENCE = '```';
const SCENE =
  '{"type":"excalidraw","version":2,"elements":[{"id":"d1","type":"text","isDeleted":true,"link":"[[Gone]]","text":"gone"},{"id":"a1","type":"text","isDeleted":false,"text":"Old \\"mole\\"\\nharbour","link":"[[Quay]]","originalText":"Old"},{"type":"line","seed":9}]}';
const excalidraw = (above: string, data: string): string =>
  `---\nexcalidraw-plugin: parsed\n---\n==⚠  Switch to EXCALIDRAW VIEW in the MORE OPTIONS menu of this document. ⚠==\n\n# Excalidraw Data\n\n## Text Elements\n${above}\n%%\n## Drawing\n${data}\n%%\n`;
const shape = (text: string): string => `{ "typeName": "shape", "id": "shape:x1", "props": { "text": "${text}" } }`;
const tldraw = (data: string): string => `---\ntldraw-file: true\n---\nBy hand.\n\n${data}\n`;
const [START, END] = [
  '!!!_START_OF_TLDRAW_DATA__DO_NOT_CHANGE_THIS_PHRASE_!!!',
  '!!!_END_OF_TLDRAW_DATA__DO_NOT_CHANGE_THIS_PHRASE_!!!',
];

const wordsOf = (text: string, path = 'a.md'): string =>
  shownWords(path, text)
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/\s+/g, ' ')
    .trim();

test('of a drawing its texts and links remain', () => {
  const elements = `Mole ^a1b2c3d4\n\n[[Quay]] ^b1b2c3d4\n\n## Embedded Files\n${'0a'.repeat(20)}: [[Pier.png]]\n`;
  const drawn = 'Mole ^a1b2c3d4 [[Quay]] ^b1b2c3d4 [[Pier.png]]';
  for (const [written, shown] of [
    [excalidraw(elements, `${FENCE}compressed-json\nN4KAkARALgngDgUw\n\ngLgAQQQDwMYE\n${FENCE}`), drawn],
    [excalidraw(elements, `${FENCE}json\n${SCENE}\n${FENCE}`), drawn],
    // In raw mode, and in files that other programs make, the texts are only in the data.
    [excalidraw('', `${FENCE}json\n${SCENE}\n${FENCE}`), 'Old " mole " harbour [[Quay]]'],
    [`---\nexcalidraw-plugin: raw\n---\n%% Drawing\n${SCENE}\n`, 'Old " mole " harbour [[Quay]]'],
    // Wherever a shape says that it is deleted, and however deep its text is.
    [
      `---\nexcalidraw-plugin: raw\n---\n${FENCE}json\n{"type":"excalidraw","elements":[{"text":"gone","isDeleted":true},{"text":"Pier"},{"at":{"text":"gone, too"},"isDeleted": true},{"isDeleted":false,"text":"{\\"isDeleted\\":true}"},{"text":"Quay"\n${FENCE}\n`,
      'Pier { " isDeleted " :true} Quay',
    ],
    [
      tldraw(`${FENCE}json ${START}\n{ "records": [\n${shape('Low tide')},\n${shape('')}] }\n${END}\n${FENCE}`),
      'By hand. Low tide',
    ],
    [tldraw(`${START}\n{ "records": [${shape('Low\\ntide')}] }\n${END}\nAfter.`), 'By hand. Low tide After.'],
    [
      `Sketch:\n\n> ${FENCE}handdrawn-ink\n> { "versionAtEmbed": "0.3.4", "filepath": "Ink/Hull.drawing" }\n> ${FENCE}\n`,
      'Sketch: Ink/Hull.drawing',
    ],
  ] as const)
    assert.equal(wordsOf(written), shown);
});

test('settings and programs are data, queries and other code are text', () => {
  for (const [written, shown] of [
    [
      `## Todo\n- [ ] Caulk\n\n%% kanban:settings\n${FENCE}\n{"kanban-plugin":"board"}\n${FENCE}\n%%\n`,
      '## Todo - [ ] Caulk',
    ],
    [`Before\n${FENCE}dataviewjs\ndv.list(dv.pages())\n${FENCE}\nafter`, 'Before after'],
    [`- item\n    ${FENCE}dataviewjs\n    dv.list()\n    ${FENCE}\n`, '- item'],
    ['There are `$= dv.pages().length` notes', 'There are notes'],
    ['Knot::A bend <!--SR:!2026-09-01,4,270-->', 'Knot::A bend'],
    [`${FENCE}base\nfilters: file.hasTag("book")\nviews:\n  - type: table\n    name: To read\n${FENCE}`, 'To read'],
    [`${FENCE}js\ndv.list()\n${FENCE} dataviewjs`, `${FENCE}js dv.list() ${FENCE} dataviewjs`],
    [`${FENCE}dataview\nLIST FROM #boat\n${FENCE}`, `${FENCE}dataview LIST FROM #boat ${FENCE}`],
    [`${FENCE}mermaid\ngraph LR; Quay --> Mole\n${FENCE}`, `${FENCE}mermaid graph LR; Quay --> Mole ${FENCE}`],
    // What is shown as an example is text.
    [`~~~md\n${FENCE}dataviewjs\ndv.list()\n${FENCE}\n~~~`, `~~~md ${FENCE}dataviewjs dv.list() ${FENCE} ~~~`],
    [`${FENCE}json\n${SCENE}\n${FENCE}`, `${FENCE}json ${SCENE} ${FENCE}`],
    ['# Drawing\n%%\nof Excalidraw', '# Drawing %% of Excalidraw'],
  ] as const)
    assert.equal(wordsOf(written), shown);
});

test('of a base the names of views and columns, the links and the named notes and folders remain', () => {
  const base =
    'filters: file.hasTag("book")\nproperties:\n  note.by:\n    displayName: Written by\nviews:\n  - type: table\n    name: To read\n    filters: file.hasLink("[[Quay]]") && file.inFolder(\'Old/Pier\') || file.path != "It\'s.md"\n';
  assert.equal(wordsOf(base, 'Books.base'), "Written by To read [[Quay]] Old/Pier It's.md");
});

const piece = fc.constantFrom(
  '\n',
  '\r\n',
  '---\n',
  'excalidraw-plugin: parsed\n',
  '==⚠',
  '%%\n',
  '%% kanban:settings\n',
  '# Drawing\n',
  `${FENCE}compressed-json\n`,
  `${FENCE}dataviewjs\n`,
  `${FENCE}base\n`,
  `${FENCE}\n`,
  '> ',
  '- ',
  START,
  END,
  '{"type":"excalidraw",',
  '"text":"a\\nb\\"c"',
  'name: View\n',
  '`$= x`',
  '<!--SR:!1-->',
  '港 ',
);

test('in any text the data is in order, and lines and offsets are those of the note', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.constantFrom('a.md', 'a.base'), (pieces, path) => {
      const text = pieces.join('');
      const data = hiddenData(path, text);
      const bounds = data.flatMap(({ from, to, texts }) => [from, ...texts.flatMap((one) => [one.from, one.to]), to]);
      assert.deepEqual(
        bounds,
        bounds.toSorted((one, other) => one - other),
      );
      const blank = shownText(path, text);
      assert.equal(blank.length, text.length);
      for (const [at, sign] of [...blank].entries()) assert.ok(sign === ' ' || sign === [...text][at]);
      assert.equal(withoutData(text, data).split(/\r\n?|\n/).length, text.split(/\r\n?|\n/).length);
      assert.equal(blankData(text, pluginData('')), text, 'without data the text is the same');
    }),
    { numRuns: runs(2_000) },
  );
});

const DATA_BLOCKS = [
  ...['compressed-json', 'handwritten-ink', 'drawn-ink', 'annotation-json', 'base', 'dataviewjs', 'datacorejsx'],
  ...['datacorets', 'js-engine', `${START}`, 'js', 'base-like', ''],
];
const block = fc
  .tuple(
    fc.constantFrom('```', '````', '~~~'),
    fc.constantFrom('', ' ', '\t', '\u00a0'),
    fc.constantFrom(...DATA_BLOCKS),
  )
  .map(([fence, blank, info]) => `${fence}${blank}${info}\n{"a": 1}\n${fence}\n\n`);
const settings = fc.constantFrom('%% kanban:settings\n{}\n%%\n\n', '%%\nkanban:settings\n%%\n\n', '%% said %%\n\n');
const others = fc.constantFrom(
  '# Head\n',
  'Text of 100 % with `code`.\n',
  '`$= dv.x` and\n',
  'Card :: back <!--SR:!2-->\n',
  '> ',
);

test('what is hidden of a hostile file is found in time that grows as the file', () => {
  // A quadratic pass takes 64 times the time for eight times the text.
  const [small, large] = [20_000, 160_000].map((length) => [
    ...hostileTexts(length),
    ['blanks', `${' '.repeat(length)}a`] as const,
    [
      'indented keys',
      Array.from({ length: Math.sqrt(2 * length) }, (_, at) => `${' '.repeat(at)}a:\n`).join(''),
    ] as const,
  ]);
  const forms: Readonly<Record<string, (text: string) => unknown>> = {
    base: (text) => hiddenData('a.base', text),
    'base in a note': (text) => hiddenData('a.md', `${FENCE}base\n${text}\n${FENCE}\n`),
    drawing: (text) => hiddenData('a.md', `---\nexcalidraw-plugin: parsed\n---\n${text}`),
    'code of MDX': (text) => hiddenData('a.mdx', text),
  };
  const slow = Object.entries(forms).flatMap(([form, hidden]) =>
    (large ?? []).flatMap(([name, text], at) => {
      const isSlow = growsTooFast(
        () => hidden(small?.[at]?.[1] ?? ''),
        () => hidden(text),
        { noiseMs: 100, maxGrowth: 32 },
      );
      return isSlow ? [`${form}: ${name}`] : [];
    }),
  );
  assertEach(slow, (one) => one, []);
});

test('the quick test of a note hides no data', () => {
  const one = fc.oneof(block, settings, others);
  fc.assert(
    fc.property(
      fc.constantFrom('', '---\ntags: a\n---\n', '---\ntldraw-file: true\n---\n'),
      fc.array(one, { maxLength: 5 }),
      (top, all) => {
        const text = top + all.join('');
        // With one more mark, every note is read as a whole.
        const mark = '\n\n<!--SR:!1-->';
        const whole = pluginData(text + mark).filter(({ from }) => from < text.length);
        assert.deepEqual(pluginData(text), whole);
      },
    ),
    { numRuns: runs(2_000) },
  );
});
