// Checks what a terminal gets that a pipe does not: colours, unless NO_COLOR is set, and JSON that is easy to read.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { atTerminal, skip } from './terminal-under-test.ts';

const COLOUR = '\u001B[3';

suite('at a terminal', { skip }, () => {
  test('call prints indented JSON, and with --json one line', (context) => {
    const readable = atTerminal(context, ['call', 'list_tags', '--quiet']);
    assert.match(readable, /^\{\r\n {2}"ok": true,\r\n {2}"data": \{\r\n {4}"tags"/);
    const plain = atTerminal(context, ['call', 'list_tags', '--quiet', '--json']);
    assert.match(plain, /^\{"ok":true.*\}\r\n$/);
  });

  test('the marks of the doctor are coloured, unless NO_COLOR is set', (context) => {
    const coloured = atTerminal(context, ['doctor'], { exit: 1 });
    assert.ok(coloured.includes(`${COLOUR}2m✓`), coloured);
    assert.ok(coloured.includes(`${COLOUR}3m!`), coloured);
    const plain = atTerminal(context, ['doctor'], { exit: 1, env: { NO_COLOR: '1' } });
    assert.equal(plain, stripVTControlCharacters(plain));
  });

  test('so is an error', (context) => {
    const coloured = atTerminal(context, ['call', 'nothing'], { exit: 64 });
    assert.match(stripVTControlCharacters(coloured), /^Error \[INVALID_INPUT\]: .*"nothing"\r\nHint: /);
    assert.ok(coloured.includes(`${COLOUR}1m`), coloured);
    assert.ok(!atTerminal(context, ['call', 'nothing'], { exit: 64, env: { NO_COLOR: '1' } }).includes(COLOUR));
  });
});
