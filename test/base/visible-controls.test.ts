// Checks that no control or direction character reaches a terminal, and that JSON keeps the exact text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../src/base/log.ts';
import { oneLine, visibleJson, visibleText } from '../../src/base/visible-controls.ts';
import { renderText } from '../../src/mcp/render/render-text.ts';
import { showView } from '../../src/tools/bases/query_base.ts';

const DECEIVING = '\u001b[31m\u009b31m\u0007\u007f\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff';
const HARMLESS = 'שלום مرحبا می\u200cخواهم 👩\u200d💻 é';
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const RAW = /[\u0007\u001b\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

test('JSON holds escapes and is read back as the exact text', () => {
  const json = visibleJson({ text: DECEIVING + HARMLESS });
  assert.doesNotMatch(json, RAW);
  assert.ok(json.includes(HARMLESS));
  assert.deepEqual(JSON.parse(json), { text: DECEIVING + HARMLESS });
});

test('text for people names each character, and keeps tabs, line ends, joiners and other scripts', () => {
  assert.doesNotMatch(visibleText(DECEIVING), RAW);
  assert.equal(visibleText('a\u202eb\rc'), 'a<U+202E>b<U+000D>c');
  assert.equal(visibleText(`\t${HARMLESS}\r\n`), `\t${HARMLESS}\r\n`);
});

test('a value on one line keeps to it', () => {
  assert.equal(oneLine('a\nb\r\nc\rd'), 'a<U+000A>b<U+000D><U+000A>c<U+000D>d');
});

test('log lines go through it', () => {
  const lines: string[] = [];
  createLog('warn', (line) => lines.push(line))('warn', 'note_skipped', { path: DECEIVING });
  assert.doesNotMatch(lines.join(''), RAW);
});

test('the table of query_base keeps direction marks and names controls', () => {
  const row = { path: 'n\u202etxt.md', cells: ['שלום\u200f', 'a\u009bb'] };
  const text = showView({
    base: 'x.base',
    view: 'All',
    type: 'table',
    columns: ['one', 'two'].map((name) => ({ property: name, name })),
    rows: [row],
    total: 1,
  });
  assert.ok(text.endsWith('| n<U+202E>txt.md | שלום\u200f | a<U+009B>b |'), text);
});

test('in the text of an answer a value with a control is a JSON string, and text of several lines is verbatim', () => {
  assert.equal(renderText({ properties: { 'a\nb\u0085': 1 } }), 'properties: "a\\nb\\u0085"=1');
  assert.equal(renderText({ list: [{ 'a\n': 1 }, { 'a\n': 2 }] }), 'list (2): "a\\n"\n- 1\n- 2');
  const path = 'n\u202etxt\u009b.md';
  assert.equal(
    renderText({ path, title: HARMLESS, mark: 'שלום\u200f' }),
    `path: "n\\u202etxt\\u009b.md"\ntitle: ${HARMLESS}\nmark: שלום\u200f`,
  );
  assert.equal(renderText({ content: `a\u202e\nb` }), 'content:\n```\na\u202e\nb\n```');
});
