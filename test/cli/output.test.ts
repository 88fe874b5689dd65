// Checks what commands print: names controls on the terminal, keeps JSON exact, and colours only what the program colours.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { suite, test } from 'node:test';

const OUTPUT = join(import.meta.dirname, '../../src/cli/output.ts');
const DECEIVING = '\u001b[31m\u009b2J\u202e\u200f\u0007';
const VISIBLE = '<U+001B>[31m<U+009B>2J<U+202E><U+200F><U+0007>';

/** What a program that imports the writer prints with `statement`. */
function printed(statement: string, env: NodeJS.ProcessEnv = {}): string {
  const program = `const { print, printJson, printContent, styled } = await import(${JSON.stringify(OUTPUT)});
    const DECEIVING = ${JSON.stringify(DECEIVING)};
    ${statement}`;
  const args = ['--input-type=module', '--eval', program];
  return execFileSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, ...env } });
}

suite('output', () => {
  test('text shows controls, JSON escapes them, and content for other programs is unchanged', () => {
    const [text, json = '', ...content] = printed(
      `print(DECEIVING + '\\n'); printJson({ DECEIVING }); await printContent(DECEIVING, true);`,
    ).split('\n');
    assert.equal(text, VISIBLE);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
    assert.doesNotMatch(json, /[\u0000-\u001f\u007f-\u009f\u200f\u202e]/);
    assert.deepEqual(JSON.parse(json), { DECEIVING });
    assert.equal(content.join('\n'), DECEIVING);
  });

  test('only the program colours: the sequences of a text inside a colour are shown', () => {
    const coloured = printed(`print(styled('yellow', DECEIVING, 'stdout'))`, { FORCE_COLOR: '1', NO_COLOR: undefined });
    assert.equal(coloured, `\u001b[33m${VISIBLE}\u001b[39m`);
  });
});
