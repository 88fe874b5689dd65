// Finds vaults in Obsidian's own list, for each platform and for invalid lists.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { listFiles, obsidianVaults } from '../../../src/cli/init/obsidian-vaults.ts';
import { assertEach } from '../../assert-each.ts';

function machine(context: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'vaultgraph-home-'));
  context.after(() => rmSync(home, { recursive: true, force: true }));
  return { platform: 'linux', env: {}, home } as const;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

test('the location of the list on each platform', () => {
  assert.deepEqual(listFiles({ platform: 'darwin', env: {}, home: '/Users/e' }), [
    '/Users/e/Library/Application Support/obsidian/obsidian.json',
  ]);
  assert.deepEqual(listFiles({ platform: 'win32', env: { APPDATA: 'C:\\R' }, home: 'C:\\Users\\e' }), [
    'C:\\R\\obsidian\\obsidian.json',
  ]);
  assert.equal(
    listFiles({ platform: 'linux', env: { XDG_CONFIG_HOME: '/x' }, home: '/home/e' })[0],
    '/x/obsidian/obsidian.json',
  );
});

test('existing vaults, the last opened first, without duplicates', (context) => {
  const here = machine(context);
  const [one, two] = [join(here.home, 'One'), join(here.home, 'Zwei ü')];
  for (const path of [one, two]) mkdirSync(path);
  const circle = join(here.home, 'circle');
  symlinkSync(circle, circle);
  const [own = '', flatpak = ''] = listFiles(here);
  write(
    own,
    JSON.stringify({
      vaults: {
        a: { path: one, ts: 1 },
        b: { path: two, ts: 2 },
        c: { path: join(here.home, 'gone') },
        d: { path: circle },
      },
    }),
  );
  write(flatpak, JSON.stringify({ vaults: { z: { path: one, ts: 1 } } }));
  assertEach(obsidianVaults(here), ({ path }) => path, [two, one]);
});

test('a list that is missing, broken or unknown returns no vaults', (context) => {
  const here = machine(context);
  const [own = ''] = listFiles(here);
  assert.deepEqual(obsidianVaults(here), []);
  for (const text of ['{', '[]', 'null', '{"vaults": {"a": 1, "b": {"path": 2}, "c": null}}', '{"vaults": "x"}']) {
    write(own, text);
    assert.deepEqual(obsidianVaults(here), [], text);
  }
});
