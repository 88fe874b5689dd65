// Runs each command on names and texts full of control and direction characters, and looks at the bytes that it prints.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { atTerminal, skip } from './terminal-under-test.ts';

const PROGRAM = join(import.meta.dirname, '../../src/main.ts');
const DECEIVING = '\u001b[31m\u009b2J\u202e\u200f\u0085\u000b\u000c\u2028';
/** Of files: what follows would look like a line of the program. */
const NAME = `${DECEIVING}\nForged \r\nForged`;
const FORGED = /^Forged/m;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-output-'));
const vault = join(folder, `vault${NAME}`);
const data = join(folder, `data${NAME}`);
const named = (name: string): string => join(folder, `${name}${NAME}`);

function run(...args: readonly string[]) {
  const places = ['--vault', vault, '--data-dir', data, '--state-dir', named('state')];
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: join(folder, '.config'), OBSIDIAN_VAULT_PATH: '' };
  const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args, ...places], { encoding: 'utf8', env });
  return { stdout, stderr };
}

const COMMANDS: readonly (readonly string[])[] = [
  ['index'],
  ['status'],
  ['doctor'],
  ['config'],
  ['changes', '--diff'],
  ['undo', NAME],
  ['search', DECEIVING],
  ['search', 'n0'],
  ['read', NAME],
  ['tokens'],
  ['tokens', 'revoke', NAME],
  ['models'],
  ['models', 'add', NAME],
  ['models', 'add', 'x', '--from', named('model')],
  ['call', 'list_notes'],
  ['call', 'read_notes', JSON.stringify({ notes: [`n0${NAME}`] })],
  ['call', NAME],
  [NAME],
  ['view', '--export', `${named('picture')}.svg`, '--force'],
  ['view', '--export', named('picture')],
  ['export', '--format', 'site', '--out', named('site'), '--force'],
  ['export', '--format', NAME],
  ['init', '--yes', '--endpoint', 'http://127.0.0.1:1'],
  ['install', '--client', 'vscode', '--dry-run'],
  ['install', '--client', 'codex'],
  ['uninstall', '--client', 'codex'],
  ['install', '--client', NAME],
];

suite('names full of controls', () => {
  before(() => {
    mkdirSync(join(vault, `sub${NAME}`), { recursive: true });
    for (const [at, next] of [1, 2, 0].entries()) {
      const text = `---\naliases: ["${DECEIVING.slice(1)}"]\npublish: true\n---\n# H${DECEIVING}\n[[n${next}${DECEIVING}]] [[gone${DECEIVING}]]\n`;
      writeFileSync(join(vault, `n${at}${NAME}.md`), text);
    }
    writeFileSync(join(vault, `broken${NAME}.md`), `---\ntitle: [${DECEIVING}\n---\n`);
    writeFileSync(join(vault, `broken${NAME}.canvas`), '{');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const [at, command] of COMMANDS.entries()) {
    test(`stay visible in command ${at}: ${JSON.stringify(command)}`, () => {
      const isInit = command[0] === 'init';
      for (const json of [[], ['--json']]) {
        const config = isInit ? ['--config', `${named('config')}${json.length}.yaml`] : [];
        const { stdout, stderr } = run(...command, ...json, ...config);
        assert.doesNotMatch(stderr, RAW);
        assert.doesNotMatch(stdout, RAW);
        assert.doesNotMatch(`${stdout}${stderr}`, FORGED);
        assert.notEqual(`${stdout}${stderr}`, '');
        if (json.length > 0) JSON.parse(stdout);
      }
    });
  }

  test('stay visible in the faults of a config, one line for each', () => {
    const config = `${named('faults')}.yaml`;
    const text = JSON.stringify(NAME);
    writeFileSync(
      config,
      `${text}: 1\nlimits: {${text}: 1}\nproviders:\n  store: {type: ${text}}\n  ${text}: {type: sqlite}\nhttp: {host: ${text}}\n`,
    );
    for (const command of ['config', 'status', 'index', 'doctor', 'serve']) {
      const { stdout, stderr } = run(command, '--config', config);
      assert.doesNotMatch(`${stdout}${stderr}`, RAW);
      assert.doesNotMatch(`${stdout}${stderr}`, FORGED);
      assert.match(`${stdout}${stderr}`, /<U\+000A>Forged/);
    }
  });

  test('an export to a pipe is unchanged, and at a terminal it shows them', { skip }, (context) => {
    const { stdout } = run('export', '--format', 'dot');
    assert.ok(stdout.includes(`n0${DECEIVING}`));
    const text = join(folder, 'plain');
    mkdirSync(text);
    writeFileSync(join(text, `a\u202e\u009b.md`), 'text\n');
    for (const format of ['jsonl', 'json', 'csv', 'dot', 'graphml', 'html'])
      assert.doesNotMatch(
        atTerminal(context, ['export', '--format', format, '--quiet'], { vault: text }),
        /[\u009b\u202e]/,
      );
  });
});
