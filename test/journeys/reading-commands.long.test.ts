// Searches and reads several vaults from the command line, and shows commands on a screen.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { widthOf } from '../../src/cli/screen/wrap-text.ts';
import { atTerminal, skip } from '../cli/terminal-under-test.ts';
import { configFile, copyOfFixture, runProgram, temporaryFolder } from './session.ts';

const NAME = `潮汐 🌊 ${'a long name of a note '.repeat(4)}end`;

/** A vault with a note whose name and lines are longer than a screen. */
function longNotes(context: TestContext): string {
  const vault = temporaryFolder(context);
  mkdirSync(join(vault, 'Folder'));
  writeFileSync(
    join(vault, 'Folder', `${NAME}.md`),
    `# Tide\n\n${'tide 潮汐の表 🌊 words '.repeat(20)}\n\n- ${'tide '.repeat(50)}\n`,
  );
  return vault;
}

test('of several vaults each hit names its own, in the form that read takes', (context) => {
  const [work, home] = [copyOfFixture(context, 'tiny'), longNotes(context)];
  const config = configFile(
    context,
    `vaults:\n  work: { path: ${JSON.stringify(work)} }\n  home: { path: ${JSON.stringify(home)} }\n`,
  );
  const place = ['--config', config, '--data-dir', temporaryFolder(context), '--quiet'];
  const found = runProgram(context, ['search', 'tide', ...place]).stdout;
  const [reference = ''] = found.split('\n').filter((line) => line.startsWith('home:'));
  assert.match(found, /^work:/m);
  assert.match(runProgram(context, ['read', reference, ...place]).stdout, /tide/);
  const which = runProgram(context, ['read', 'Start here', ...place]);
  assert.equal(which.status, 64);
  assert.match(which.stderr, /vaultgraph read: --vault: is missing: name one of work, home/);
});

/** Such as the folder at the end of a command, which is not divided. */
const isWord = (line: string): boolean => /^\s*\/\S+$/.test(line);

suite('on a screen', { skip }, () => {
  for (const columns of [80, 40]) {
    test(`every command fits ${columns} columns`, (context) => {
      const vault = longNotes(context);
      for (const [args, exit] of [
        [['search', 'tide', '--quiet'], 0],
        [['read', NAME, '--quiet'], 0],
        [['read', 'nowhere', '--quiet'], 1],
        [['index'], 0],
        [['status'], 0],
        [['doctor'], 1],
        [['config'], 0],
        [['serch'], 64],
        [['install', '--help'], 0],
        [['search', '--help'], 0],
      ] as const) {
        const shown = stripVTControlCharacters(
          atTerminal(context, args, { columns, vault, exit, env: { NO_COLOR: '1' } }),
        );
        const long = shown
          .split(/\r?\n|\r/)
          .filter((line) => widthOf(line) > columns && !line.includes('indexing') && !isWord(line));
        assert.deepEqual(long, [], args.join(' '));
      }
    });
  }

  test('the log is a line for people, JSON with --json', (context) => {
    const shown = atTerminal(context, ['call', 'read_notes', '{"notes":["nowhere"]}', '--quiet'], { exit: 1 });
    assert.match(
      stripVTControlCharacters(shown),
      /^\d\d:\d\d:\d\d error call failed: tool=read_notes code=BATCH_FAILED/,
    );
    const json = atTerminal(context, ['call', 'read_notes', '{"notes":["nowhere"]}', '--quiet', '--json'], { exit: 1 });
    assert.match(json, /^\{"ts":"/);
  });

  test('undo shows the newest change and asks', (context) => {
    const vault = copyOfFixture(context, 'tiny');
    const state = temporaryFolder(context);
    const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\n`);
    const place = ['--config', config, '--state-dir', state, '--quiet'];
    const note = (): string => readFileSync(join(vault, 'Start here.md'), 'utf8');
    const before = note();
    atTerminal(context, [
      'call',
      'edit_note',
      '{"note":"Start here","edits":[{"op":"append","text":"one"}]}',
      ...place,
    ]);
    const kept = atTerminal(context, ['undo', ...place], { input: 'n\n' });
    assert.match(kept, /Would undo edit_note [\s\S]*\+?-one[\s\S]*Undo it\? \[y\/N\]/);
    assert.notEqual(note(), before);
    assert.match(atTerminal(context, ['undo', ...place], { input: 'y\n' }), /Undid edit_note/);
    assert.equal(note(), before);
  });
});
