// Searches, reads and undoes from the command line: text for people, JSON with --json, and errors with commands in their hints.
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

test('search prints a place that read takes, and a snippet; nothing found is said and is no failure', (context) => {
  const place = ['--vault', copyOfFixture(context, 'tiny'), '--data-dir', temporaryFolder(context), '--quiet'];
  const found = runProgram(context, ['search', 'tide', 'pool', '--limit', '1', ...place]);
  assert.deepEqual([found.status, found.stderr], [0, '']);
  const [reference = '', snippet = ''] = found.stdout.split('\n');
  assert.match(reference, /\.md:\d+(-\d+)?$/);
  assert.match(snippet, /^ {2}\S/);
  assert.match(found.stdout, /^The first 1 of \d+ notes; --limit \d+ shows more\.$/m);
  assert.equal(runProgram(context, ['read', reference, ...place]).status, 0);
  const none = runProgram(context, ['search', 'qqzzqq', '--folder', 'Nowhere', ...place]);
  assert.deepEqual([none.status, none.stdout], [0, 'No note matches "qqzzqq".\n']);
  assert.match(none.stderr, /^Warning: no indexed note has the folder "Nowhere"$/m);
  const json = runProgram(context, ['search', 'tide', '--tag', 'none-such', '--json', ...place]);
  assert.deepEqual([json.status, JSON.parse(json.stdout).data.hits], [0, []]);
  const date = runProgram(context, ['search', 'tide', '--since', 'whenever', ...place]);
  assert.equal(date.status, 1);
  assert.match(date.stderr, /^Error \[INVALID_QUERY\]: since is not a date/);
});

test('read prints one note byte for byte, several under their paths, and each failure by itself', (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const place = ['--vault', vault, '--data-dir', temporaryFolder(context), '--quiet'];
  const one = runProgram(context, ['read', 'Start here', ...place]);
  assert.deepEqual([one.status, one.stdout], [0, readFileSync(join(vault, 'Start here.md'), 'utf8')]);
  const two = runProgram(context, ['read', 'Start here', 'nowhere at all', ...place]);
  assert.equal(two.status, 2);
  assert.ok(two.stdout.startsWith('Start here.md\n'), two.stdout);
  assert.match(
    two.stderr,
    /^Error \[NOTE_NOT_FOUND\]: no note is named "nowhere at all"\nHint: Look it up with `.* call list_notes .*` or `.* search /,
  );
  const none = runProgram(context, ['read', 'nowhere at all', '--json', ...place]);
  assert.equal(none.status, 1);
  assert.equal(JSON.parse(none.stdout).error.details.failed[0].error.code, 'NOTE_NOT_FOUND');
});

test('a read-only vault undoes nothing, and says so of the command', (context) => {
  const place = ['--vault', copyOfFixture(context, 'tiny'), '--data-dir', temporaryFolder(context), '--quiet'];
  const { status, stderr } = runProgram(context, ['undo', 'chg_1', ...place]);
  assert.equal(status, 78);
  assert.match(stderr, /^Error \[READ_ONLY\]: undo writes to the vault, which is read-only/);
});

test('with a model search asks it; if that fails, the hint names a command that works without it', (context) => {
  const vault = JSON.stringify(copyOfFixture(context, 'tiny'));
  const model = '{ type: ollama, model: x, endpoint: "http://127.0.0.1:9" }';
  const config = configFile(context, `vault: { path: ${vault} }\nproviders:\n  embedding: ${model}\n`);
  const place = ['--config', config, '--data-dir', temporaryFolder(context), '--quiet'];
  const { status, stdout, stderr } = runProgram(context, ['search', 'tide', '--json', ...place]);
  assert.deepEqual([status, JSON.parse(stdout).error.code], [1, 'PROVIDER_UNAVAILABLE']);
  assert.match(stderr, /^Hint: .* `\S*node \S+ call search_text --config .*` works without the model/m);
});

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
