// Checks what doctor reports if the environment and a config file disagree, and if a native module does not load.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readConfigFrom } from '../../../src/app/read-configs.ts';
import { conflictsFinding } from '../../../src/cli/doctor/checks.ts';
import { nativeFinding } from '../../../src/cli/doctor/machine.ts';

interface Place {
  readonly one: string;
  readonly two: string;
  /** The default path of the config. */
  readonly usual: string;
  readonly other: string;
  readonly env: Readonly<Record<string, string>>;
  find(env: Readonly<Record<string, string>>): ReturnType<typeof conflictsFinding>;
}

function place(context: TestContext): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'vaultgraph-conflicts-')));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const [one, two] = [join(folder, 'One'), join(folder, 'Two')];
  for (const path of [one, two]) mkdirSync(path);
  const [usual, other] = [join(folder, 'config/vaultgraph/config.yaml'), join(folder, 'other.yaml')];
  mkdirSync(dirname(usual), { recursive: true });
  const own = { XDG_CONFIG_HOME: join(folder, 'config'), APPDATA: join(folder, 'config') };
  const env = { ...own, XDG_DATA_HOME: join(folder, 'data'), LOCALAPPDATA: join(folder, 'data') };
  const find = async (more: Readonly<Record<string, string>>) => {
    const all = { ...env, ...more };
    const sources = { flags: {}, env: all, platform: process.platform, home: homedir(), cwd: folder };
    return conflictsFinding(await readConfigFrom(sources), {}, all);
  };
  return { one, two, usual, other, env, find };
}

const vaultAt = (path: string): string => `vault: { path: ${JSON.stringify(path)} }\n`;

test('a variable that selects another vault than the file is a warning that names both', async (context) => {
  const { one, two, usual, find } = place(context);
  assert.equal((await find({ OBSIDIAN_VAULT_PATH: one })).status, 'ok', 'no file, no conflict');
  writeFileSync(usual, vaultAt(one));
  assert.equal((await find({})).status, 'ok');
  assert.equal((await find({ OBSIDIAN_VAULT_PATH: one })).status, 'ok', 'both the same');
  const found = await find({ OBSIDIAN_VAULT_PATH: two });
  assert.equal(found.status, 'warning');
  assert.ok(found.detail.includes(one) && found.detail.includes(two), found.detail);
  assert.match(found.hint, /unset the variable/);
  writeFileSync(usual, vaultAt(join(one, 'gone')));
  const broken = await find({ OBSIDIAN_VAULT_PATH: two });
  assert.equal(broken.status, 'warning');
  assert.match(broken.detail, /config\.yaml:1/);
});

test('a variable that names another file than the one in the default place is a warning', async (context) => {
  const { one, usual, other, find } = place(context);
  writeFileSync(other, vaultAt(one));
  assert.equal((await find({ VAULTGRAPH_CONFIG: other })).status, 'ok');
  writeFileSync(usual, vaultAt(one));
  const found = await find({ VAULTGRAPH_CONFIG: other });
  assert.equal(found.status, 'warning');
  assert.ok(found.detail.includes(usual) && found.detail.includes(other), found.detail);
});

test('native modules: if one does not load, doctor reports its name, the reason and what to do', () => {
  const here = nativeFinding();
  assert.equal(here.status, 'ok', here.detail);
  assert.match(here.detail, /SQLite 3\.\d+\.\d+, sqlite-vec v\d/);
  const broken = () => {
    throw new Error('wrong ELF class\nRequire stack:\n- /somewhere');
  };
  const found = nativeFinding([{ name: 'better-sqlite3', instead: 'node:sqlite', use: broken }]);
  assert.equal(found.status, 'warning');
  assert.match(found.detail, /^better-sqlite3 does not load \(wrong ELF class\), and node:sqlite is used on /);
  assert.match(found.hint, /reinstall on this machine/);
});
