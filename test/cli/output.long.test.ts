// Runs each command on names and texts full of control and direction characters, and looks at the bytes that it prints.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { atTerminal, skip } from './terminal-under-test.ts';

const PROGRAM = join(import.meta.dirname, '../../src/main.ts');
const DECEIVING = '\u001b[31m\u009b2J\u202e\u200f';
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-output-'));
const vault = join(folder, `vault${DECEIVING}`);
const data = join(folder, `data${DECEIVING}`);
const named = (name: string): string => join(folder, `${name}${DECEIVING}`);

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
  ['undo', DECEIVING],
  ['search', DECEIVING],
  ['search', 'n0'],
  ['read', DECEIVING],
  ['tokens'],
  ['tokens', 'revoke', DECEIVING],
  ['models'],
  ['models', 'add', DECEIVING],
  ['models', 'add', 'x', '--from', named('model')],
  ['call', 'list_notes'],
  ['call', 'read_notes', JSON.stringify({ notes: [`n0${DECEIVING}`] })],
  ['call', DECEIVING],
  [DECEIVING],
  ['view', '--export', `${named('picture')}.svg`, '--force'],
  ['view', '--export', named('picture')],
  ['export', '--format', 'site', '--out', named('site'), '--force'],
  ['export', '--format', DECEIVING],
  ['init', '--yes', '--endpoint', 'http://127.0.0.1:1'],
  ['install', '--client', 'vscode', '--dry-run'],
  ['install', '--client', 'codex'],
  ['uninstall', '--client', 'codex'],
  ['install', '--client', DECEIVING],
];

suite('names full of controls', () => {
  before(() => {
    mkdirSync(join(vault, `sub${DECEIVING}`), { recursive: true });
    for (const [at, next] of [1, 2, 0].entries()) {
      const text = `---\naliases: ["${DECEIVING.slice(1)}"]\npublish: true\n---\n# H${DECEIVING}\n[[n${next}${DECEIVING}]] [[gone${DECEIVING}]]\n`;
      writeFileSync(join(vault, `n${at}${DECEIVING}.md`), text);
    }
    writeFileSync(join(vault, `broken${DECEIVING}.md`), `---\ntitle: [${DECEIVING}\n---\n`);
    writeFileSync(join(vault, `broken${DECEIVING}.canvas`), '{');
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
        assert.notEqual(`${stdout}${stderr}`, '');
        if (json.length > 0) JSON.parse(stdout);
      }
    });
  }

  test('an export to a pipe is unchanged, and at a terminal it shows them', { skip }, (context) => {
    const { stdout } = run('export', '--format', 'dot');
    assert.ok(stdout.includes(`n0${DECEIVING}.md`));
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
