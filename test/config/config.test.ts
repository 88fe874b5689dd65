import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { readConfig } from '../../src/config/config.ts';
import { parseConfigDocument } from '../../src/config/config-document.ts';
import { CATALOG, countingProvider, placeFor } from '../lifecycle/sample-providers.ts';

const settingsOf = async (...given: Parameters<typeof readConfig>) => {
  const { settings } = await readConfig(...given);
  return new Map(settings.map(({ key, value, origin }) => [key, { value, origin }]));
};

test('a vault flag is enough: read-only, default store, no other provider', async (context) => {
  const place = placeFor(context);
  const config = await readConfig(place.sources({ vault: 'Notes' }), CATALOG);
  assert.equal(config.file, null);
  assert.equal(config.vaultRoot, place.vault);
  assert.deepEqual(
    config.sections.map(({ provider, config: section }) => [provider.capability, provider.type, section]),
    [
      [
        'vault',
        'filesystem',
        {
          ...{ path: place.vault, access: 'read-only', consent: 'argument' },
          ...{ exclude: [], excluded_files: 'hide', dialect: 'auto', read: ['**'], write: ['**'] },
        },
      ],
      ['store', 'sqlite', {}],
    ],
  );
  assert.deepEqual(config.limits, { call: 55_000, batch: 50, text: 1_000_000, image: 5_000_000, message: 10_485_760 });
  assert.deepEqual(config.index.mass_delete_guard, { ratio: 0.5, min_notes: 20 });
  assert.deepEqual([config.mcp.structured_content, config.log.level], ['auto', 'info']);
});

test('each set of readable globs has a data folder of its own, and all have the same state folder', async (context) => {
  const place = placeFor(context);
  const read = async (globs: string) =>
    readConfig(place.sources({ config: place.write(`vault: { path: Notes${globs} }\n`) }), CATALOG);
  const whole = await read('');
  assert.equal((await read(', read: ["**"]')).dataFolder, whole.dataFolder);
  assert.equal((await read(', write: ["Work/**"]')).dataFolder, whole.dataFolder);
  assert.equal(whole.viewId, undefined);
  const work = await read(', read: ["Work/**", "!Work/Diary/**"]');
  assert.notEqual(work.dataFolder, whole.dataFolder);
  assert.equal(work.stateFolder, whole.stateFolder);
  assert.equal((await read(', read: ["!Work/Diary/**", "Work/**", "Work/**"]')).dataFolder, work.dataFolder);
  assert.notEqual((await read(', read: ["Work/**"]')).dataFolder, work.dataFolder);
});

test('the default of the longest message has room for the longest text', async (context) => {
  const place = placeFor(context);
  const config = place.write('limits: { text: 10000000 }\n');
  const { limits } = await readConfig(place.sources({ vault: 'Notes', config }), CATALOG);
  assert.equal(limits.message, 60_000_000);
});

test('precedence is flag, variable, file, default, each with its origin', async (context) => {
  const place = placeFor(context);
  for (const name of ['A', 'B', 'C']) mkdirSync(join(place.home, name));
  const config = place.write('vault: { path: C }\nlimits:\n  batch: 7\n');
  const env = { OBSIDIAN_VAULT_PATH: '~/B', XDG_DATA_HOME: join(place.home, 'share') };
  const all = await settingsOf(place.sources({ config, vault: 'A', dataDir: 'D' }, env), CATALOG);
  assert.deepEqual(all.get('vault.path'), { value: join(place.home, 'A'), origin: '--vault' });
  assert.deepEqual(all.get('data_dir'), { value: join(place.home, 'D'), origin: '--data-dir' });
  assert.deepEqual(all.get('config'), { value: config, origin: '--config' });
  assert.deepEqual(all.get('limits.batch'), { value: 7, origin: `${config}:3` });
  assert.deepEqual(all.get('limits.call'), { value: 55_000, origin: 'default' });
  assert.deepEqual(all.get('providers.store.type'), { value: 'sqlite', origin: 'default' });

  const second = await settingsOf(place.sources({ config }, env), CATALOG);
  assert.deepEqual(second.get('vault.path'), { value: join(place.home, 'B'), origin: '$OBSIDIAN_VAULT_PATH' });
  assert.deepEqual(second.get('data_dir'), { value: join(place.home, 'share/vaultgraph'), origin: '$XDG_DATA_HOME' });

  const third = await settingsOf(place.sources({ config }), CATALOG);
  assert.deepEqual(third.get('vault.path'), { value: join(place.home, 'C'), origin: `${config}:1` });
  assert.equal(third.get('data_dir')?.origin, 'default');
});

test('the change log has a folder of its own: by flag, in the data folder that a flag names, or in the place of the platform', async (context) => {
  const place = placeFor(context);
  const { vault, home } = place;
  const env = {
    XDG_DATA_HOME: join(home, 'share'),
    XDG_STATE_HOME: join(home, 'kept'),
    LOCALAPPDATA: join(home, 'local'),
  };
  const stateOf = async (...given: Parameters<typeof readConfig>) => {
    const [row, config] = [(await settingsOf(...given)).get('state_dir'), await readConfig(...given)];
    assert.equal(config.stateFolder, join(String(row?.value), basename(config.dataFolder)), 'named as the index is');
    return row;
  };
  const of = (flags: object, variables = {}) => stateOf(place.sources({ vault, ...flags }, variables), CATALOG);
  assert.deepEqual(await of({ dataDir: 'D', stateDir: 'S' }, env), { value: join(home, 'S'), origin: '--state-dir' });
  assert.deepEqual(await of({ dataDir: 'D' }, env), { value: join(home, 'D/state'), origin: '--data-dir' });
  assert.deepEqual(await of({}, env), { value: join(home, 'kept/vaultgraph'), origin: '$XDG_STATE_HOME' });
  assert.deepEqual(await of({}), { value: join(home, '.local/state/vaultgraph'), origin: 'default' });
  const on = (platform: NodeJS.Platform, variables = {}) =>
    stateOf({ ...place.sources({ vault }, variables), platform }, CATALOG);
  assert.deepEqual(await on('darwin'), { value: join(home, '.local/state/vaultgraph'), origin: 'default' });
  assert.deepEqual(await on('win32', env), { value: join(home, 'local/vaultgraph-state'), origin: '$LOCALAPPDATA' });
  assert.equal((await on('win32'))?.value, join(home, 'AppData/Local/vaultgraph-state'));
});

test('the config file is that of the flag, the variable or the platform folder; a file in the vault is never read', async (context) => {
  const place = placeFor(context);
  const level = async (...given: Parameters<typeof place.sources>) =>
    (await readConfig(place.sources(...given), CATALOG)).log.level;
  const put = (file: string, text: string): string => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  for (const name of ['config.yaml', 'vaultgraph.yaml', '.vaultgraph/config.yaml', 'vaultgraph/config.yaml']) {
    put(join(place.vault, name), 'log: { level: error }\n');
  }
  const flags = { vault: place.vault };
  assert.equal(await level(flags), 'info');
  put(join(place.home, '.config/vaultgraph/config.yaml'), 'log: { level: debug }\n');
  assert.equal(await level(flags), 'debug');
  put(join(place.home, 'xdg/vaultgraph/config.yaml'), 'log: { level: warn }\n');
  const XDG_CONFIG_HOME = join(place.home, 'xdg');
  assert.equal(await level(flags, { XDG_CONFIG_HOME }), 'warn');
  const VAULTGRAPH_CONFIG = put(join(place.home, 'own.yaml'), 'log: { level: error }\n');
  assert.equal(await level(flags, { XDG_CONFIG_HOME, VAULTGRAPH_CONFIG }), 'error');
  const config = put(join(place.home, 'flag.yaml'), '');
  assert.equal(await level({ ...flags, config }, { XDG_CONFIG_HOME, VAULTGRAPH_CONFIG }), 'info');
  const windows = { ...place.sources(flags, { APPDATA: XDG_CONFIG_HOME }), platform: 'win32' as const };
  assert.equal((await readConfig(windows, CATALOG)).log.level, 'warn');
});

test('a vault has one index folder, by whatever path it is opened', async (context) => {
  const place = placeFor(context);
  symlinkSync(place.vault, join(place.home, 'link'));
  const folderOf = async (vault: string) => (await readConfig(place.sources({ vault }), CATALOG)).dataFolder;
  const folder = await folderOf('Notes');
  assert.equal(await folderOf('link'), folder);
  assert.equal(dirname(folder), join(place.home, '.local/share/vaultgraph'));
  mkdirSync(join(place.home, 'Other'));
  assert.notEqual(await folderOf('Other'), folder);
});

test('a path in the file is relative to the file', async (context) => {
  const place = placeFor(context);
  mkdirSync(join(place.home, 'sub/Notes'), { recursive: true });
  const config = place.write('vault: { path: ./Notes }\n', 'sub/config.yaml');
  assert.equal((await readConfig(place.sources({ config }), CATALOG)).vaultRoot, join(place.home, 'sub/Notes'));
});

test('variables are expanded in secrets only, and no secret is printed', async (context) => {
  const place = placeFor(context);
  const config = place.write(
    'vault: { path: Notes }\nproviders:\n  embedding:\n    type: counting\n    model: $' +
      '{KEY}\n    api_key: $' +
      '{KEY}\n    headers: { Auth: "Bearer $' +
      '{KEY}" }\n',
  );
  const given = [place.sources({ config }, { KEY: 'hush' }), [...CATALOG, countingProvider]] as const;
  const { sections } = await readConfig(...given);
  const written = '$' + '{KEY}';
  assert.deepEqual(sections.at(-1)?.config, {
    model: written,
    timeout: 30_000,
    api_key: 'hush',
    headers: { Auth: 'Bearer hush' },
  });
  const settings = await settingsOf(...given);
  assert.deepEqual(settings.get('providers.embedding.api_key'), { value: '(secret)', origin: `${config}:6` });
  assert.deepEqual(settings.get('providers.embedding.headers.Auth'), { value: '(secret)', origin: `${config}:7` });
  assert.deepEqual(settings.get('providers.embedding.model'), { value: written, origin: `${config}:5` });
  assert.ok(!JSON.stringify([...settings]).includes('hush'));
});

test('a BOM and CRLF change neither values nor positions', async (context) => {
  const place = placeFor(context);
  const config = place.write('\uFEFFvault:\r\n  path: Notes\r\nlog:\r\n  level: warn\r\n');
  const settings = await settingsOf(place.sources({ config }), CATALOG);
  assert.deepEqual(settings.get('log.level'), { value: 'warn', origin: `${config}:4` });
});

test('for any text the parser returns a map or faults with positions', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab :-?[]{}\n\t"\'#&*!|>%,<~0.$'), maxLength: 120 });
  fc.assert(
    fc.property(text, (given) => {
      const { document, faults } = parseConfigDocument('c', given);
      assert.equal(document === undefined, faults.length > 0);
      for (const { line = 0, column = 0 } of faults) assert.ok(line >= 1 && column >= 1);
    }),
  );
});
