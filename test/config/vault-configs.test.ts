import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { VaultgraphError } from '../../src/base/errors.ts';
import { readSources, readVaultConfigs } from '../../src/config/config.ts';
import type { ConfigSources } from '../../src/config/config-sources.ts';
import { assertEach } from '../assert-each.ts';
import { CATALOG, placeFor } from '../lifecycle/sample-providers.ts';

const TOOLS = ['search_text', 'read_notes', 'get_context', 'search', 'edit_note'];

function place(context: TestContext) {
  const at = placeFor(context);
  mkdirSync(join(at.home, 'Diary'));
  const read = (text: string, flags: ConfigSources['flags'] = {}, env: ConfigSources['env'] = {}) =>
    readSources(at.sources({ config: at.write(text), ...flags }, env), CATALOG, TOOLS).then(readVaultConfigs);
  const faultsOf = async (...args: Parameters<typeof read>): Promise<readonly string[]> => {
    const [outcome] = await Promise.allSettled([read(...args)]);
    assert.equal(outcome.status, 'rejected', 'it was accepted');
    assert.ok(outcome.reason instanceof VaultgraphError, String(outcome.reason));
    assert.equal(outcome.reason.code, 'CONFIG_INVALID');
    return outcome.reason.message.replaceAll(`${at.home}/`, '').split('\n');
  };
  return { ...at, read, faultsOf };
}

const TWO = 'vaults: { work: { path: Notes, access: read-write }, diary: { path: Diary } }\n';

test('each of several vaults has a config of its own, and shares the rest', async (context) => {
  const { read, home } = place(context);
  const configs = await read(`${TWO}limits: { batch: 7 }\n`);
  assert.ok('several' in configs);
  const rows = configs.several.map(({ name, config }) => [
    name,
    config.vaultRoot,
    config.vaultKey,
    config.limits.batch,
  ]);
  assert.deepEqual(rows, [
    ['work', join(home, 'Notes'), 'vaults.work', 7],
    ['diary', join(home, 'Diary'), 'vaults.diary', 7],
  ]);
  const [work, diary] = configs.several.map(({ config }) => config);
  assert.notEqual(work?.dataFolder, diary?.dataFolder);
  assert.notEqual(work?.stateFolder, diary?.stateFolder);
  assertEach(work?.sections, ({ provider }) => provider.capability, ['vault', 'writer', 'store']);
  assert.deepEqual(diary?.settings.find(({ key }) => key === 'vaults.diary.access')?.value, 'read-only');
});

test('--vault chooses one of them by its name, and a single entry is served like `vault`', async (context) => {
  const { read } = place(context);
  const chosen = await read(TWO, { vault: 'diary' });
  assert.ok('one' in chosen && chosen.one.name === 'diary');
  const only = await read('vaults: { diary: { path: Diary, tools: { only: [read_notes] } } }\n');
  assert.ok('one' in only);
  assert.deepEqual(only.one.vaultTools, { only: ['read_notes'], except: [] });
});

test('`vault` beside `vaults`, empty sections and unsafe names are refused', async (context) => {
  const { faultsOf } = place(context);
  assert.deepEqual(await faultsOf(`vault: { path: Notes }\n${TWO}`), [
    'config.yaml:2:1: `vault` and `vaults` do not go together; use one of the two',
  ]);
  assert.match((await faultsOf('vaults: {}\n'))[0] ?? '', /must be a map from names to vaults/);
  assert.match((await faultsOf('vaults: [Notes]\n'))[0] ?? '', /must be a map/);
  for (const name of ['Work', 'c', 'a b', '"a:b"', '../x', 'note', 'https', '1st'])
    assert.match(
      (await faultsOf(`vaults: { ${name}: { path: Notes }, diary: { path: Diary } }\n`))[0] ?? '',
      /a vault cannot be named/,
      name,
    );
});

test('faults of each vault are listed with their keys', async (context) => {
  const { faultsOf } = place(context);
  const text = [
    'vaults:',
    '  work: { path: Notes, acess: read-only, tools: { except: [serch_text] } }',
    '  diary: { access: none }',
    '',
  ].join('\n');
  assert.deepEqual(await faultsOf(text), [
    'config.yaml:2:24: unknown key `acess`, allowed: tools, path, access, consent, exclude, read, write, config_folder, excluded_files, dialect, guide, language, did you mean `access`?',
    'config.yaml:2:60: there is no tool "serch_text", did you mean `search_text`?',
    'config.yaml:3:20: `vaults.diary.access` cannot be `none`, allowed: read-only, read-write',
  ]);
  assert.deepEqual(await faultsOf('vaults: { work: { path: Notes }, diary: { access: read-only } }\n'), [
    'config.yaml:1:34: `vaults.diary.path` is missing',
  ]);
});

test('two names for one folder, a vault in another, and one index for both are refused', async (context) => {
  const { faultsOf, home } = place(context);
  symlinkSync(join(home, 'Notes'), join(home, 'Link'));
  mkdirSync(join(home, 'Notes', 'Sub'));
  assert.deepEqual(await faultsOf('vaults: { work: { path: Notes }, also: { path: Link } }\n'), [
    'config.yaml:1:48: `vaults.also.path` is the same folder as `vaults.work.path`',
  ]);
  assert.deepEqual(await faultsOf('vaults: { work: { path: Notes }, sub: { path: Notes/Sub } }\n'), [
    'config.yaml:1:47: `vaults.sub.path` is inside `vaults.work.path`, so its notes would show in both',
  ]);
  assert.match(
    (await faultsOf(`${TWO}providers: { store: { path: ~/index.db } }\n`))[0] ?? '',
    /each of several vaults/,
  );
});

test('a folder named outside the file does not go with `vaults`', async (context) => {
  const { faultsOf } = place(context);
  assert.deepEqual(await faultsOf(TWO, { vault: 'dairy' }), [
    '--vault: "dairy" is none of the vaults; config.yaml has `vaults`, and --vault chooses one by its name, allowed: work, diary, did you mean `diary`?',
  ]);
  assert.match(
    (await faultsOf(TWO, {}, { OBSIDIAN_VAULT_PATH: '/x' }))[0] ?? '',
    /^\$OBSIDIAN_VAULT_PATH: names a vault/,
  );
});

test('a missing folder does not affect the others, and is looked for again', async (context) => {
  const { read, home, faultsOf } = place(context);
  const text = 'vaults: { work: { path: Notes }, later: { path: Later } }\n';
  const configs = await read(text);
  assert.ok('several' in configs);
  const later = configs.several[1];
  await assert.rejects(
    async () => later?.read(),
    (error) =>
      error instanceof VaultgraphError && error.code === 'VAULT_UNAVAILABLE' && error.message.includes('ENOENT'),
  );
  symlinkSync(join(home, 'Notes'), join(home, 'Later'));
  await assert.rejects(async () => later?.read(), /is the same folder as/);
  assert.match((await faultsOf('vaults: { later: { path: Nowhere } }\n'))[0] ?? '', /no folder at Nowhere/);
});
