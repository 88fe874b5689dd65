// Tests the canvas parser: positions in the JSON, and files that are not a canvas.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { parseCanvas } from '../../../src/markdown/parse/canvas.ts';
import { assertEach } from '../../assert-each.ts';

const CARDS = {
  nodes: [
    { id: '1', type: 'text', text: '# Tides "now"\n\nsee\t[[Ebb|é]] and #flow\n\n- x ^kid', x: 0 },
    { id: '2', type: 'file', file: 'Notes/Ebb "1".md', subpath: '#South' },
    { id: '3', type: 'link', url: 'https://tides.example', text: '[[none]]' },
    { id: '4', type: 'group', label: '[[none]]' },
    { type: 'text', text: '---\ntags: [none]\n---\n\n[y](Calm.md)' },
  ],
  edges: [{ id: 'e', fromNode: '1', toNode: '2', label: '[[none]]' }],
};

suite('a canvas', () => {
  test('has the links of its cards with positions in the file, however the JSON is formatted', () => {
    for (const json of [JSON.stringify(CARDS), JSON.stringify(CARDS, null, '\t'), JSON.stringify(CARDS, null, 1)]) {
      const { links, tags, headings, blocks } = parseCanvas(json);
      const places = links.map(({ kind, link, offset, end }) => [kind, link, json.slice(offset, end)]);
      assert.deepEqual(places, [
        ['wikilink', 'Ebb', '[[Ebb|é]]'],
        ['canvas', 'Notes/Ebb "1".md', 'Notes/Ebb \\"1\\".md'],
        ['markdown', 'Calm.md', '[y](Calm.md)'],
      ]);
      assertEach(links, ({ display }) => display, ['é', 'Notes/Ebb "1".md#South', 'y']);
      assertEach(tags, ({ tag, offset }) => [tag, json.slice(offset, offset + 5)], [['#flow', '#flow']]);
      assertEach(headings, ({ text }) => text, ['Tides "now"']);
      assert.equal(blocks[0]?.line, headings[0]?.line);
    }
  });

  test('that is empty has no content', () => {
    for (const json of ['', '\n', '{}', '{"nodes":[]}']) {
      const { links, fault } = parseCanvas(json);
      assert.deepEqual({ links, fault }, { links: [], fault: undefined });
    }
  });

  test('that is invalid has a fault with the reason', () => {
    for (const [json, reason] of [
      ['{"nodes":', /JSON/],
      ['[]', /not an object/],
      ['null', /not an object/],
      ['{"nodes":{}}', /not a list/],
      ['{"nodes":[{}, 3]}', /node 2/],
    ] as const) {
      const { links, fault } = parseCanvas(json);
      assert.match(fault ?? '', reason);
      assert.deepEqual(links, []);
    }
  });

  test('of any JSON or text never throws', () => {
    fc.assert(fc.property(fc.oneof(fc.json(), fc.string()), (text) => parseCanvas(text) !== undefined));
    const node = fc.record({ type: fc.constantFrom('text', 'file', 'x'), text: fc.jsonValue(), file: fc.string() });
    fc.assert(
      fc.property(fc.array(node), (nodes) => {
        const files = nodes.filter(({ type }) => type === 'file').map(({ file }) => file.normalize('NFC'));
        const { links } = parseCanvas(JSON.stringify({ nodes }));
        assert.deepEqual(
          links.filter(({ kind }) => kind === 'canvas').map(({ link }) => link),
          files,
        );
      }),
    );
  });
});
