import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { VaultgraphError } from '../../src/base/errors.ts';
import { readConfig } from '../../src/config/config.ts';
import { CATALOG, countingProvider, placeFor } from '../lifecycle/sample-providers.ts';

const VAULT = 'vault: { path: Notes }\n';

/** YAML and, each on a line, the faults it must give; the file's own name is left out of them. */
const BAD: readonly { readonly name: string; readonly yaml: string; readonly faults: readonly string[] }[] = [
  {
    name: 'an unknown key has its place, the allowed keys and the nearest',
    yaml: `${VAULT}limits:\n  cal: 5\n`,
    faults: ['3:3: unknown key `cal`, allowed: call, batch, text, image, message, did you mean `call`?'],
  },
  {
    name: 'an unknown key at the top',
    yaml: `${VAULT}providrs: {}\n`,
    faults: [
      '2:1: unknown key `providrs`, allowed: vault, vaults, views, providers, startup, tools, limits, consent, retry, breaker, search, index, history, checks, errors, mcp, http, log, metrics, did you mean `providers`?',
    ],
  },
  {
    name: 'a key that appears twice does not hide a later fault',
    yaml: `${VAULT}providrs: {}\nvault: { path: Notes, acess: read-only }\n`,
    faults: [
      '2:1: unknown key `providrs`, allowed: vault, vaults, views, providers, startup, tools, limits, consent, retry, breaker, search, index, history, checks, errors, mcp, http, log, metrics, did you mean `providers`?',
      '3:1: the key `vault` appears twice in the same map',
      '3:23: unknown key `acess`, allowed: path, access, consent, exclude, read, write, config_folder, excluded_files, dialect, guide, language, did you mean `access`?',
    ],
  },
  {
    name: 'an unknown key of the vault, beside the path that the lifecycle reads',
    yaml: 'vault:\n  path: Notes\n  acess: read-only\n',
    faults: [
      '3:3: unknown key `acess`, allowed: path, access, consent, exclude, read, write, config_folder, excluded_files, dialect, guide, language, did you mean `access`?',
    ],
  },
  {
    name: 'an unknown key of a provider, beside the type that the lifecycle reads',
    yaml: `${VAULT}providers:\n  store: { type: sqlite, pth: x }\n`,
    faults: ['3:26: unknown key `pth`, allowed: type, path, driver, did you mean `path`?'],
  },
  {
    name: 'an unknown kind of provider',
    yaml: `${VAULT}providers:\n  embeding: { type: x }\n`,
    faults: ['3:3: unknown key `embeding`, allowed: store, embedding, llm, rerank, did you mean `embedding`?'],
  },
  {
    name: 'an unknown type of a kind that has types',
    yaml: `${VAULT}providers:\n  store: { type: sqllite }\n`,
    faults: ['3:18: unknown provider type `sqllite` for store, allowed: sqlite, postgresql, did you mean `sqlite`?'],
  },
  {
    name: 'a type that only another kind has',
    yaml: `${VAULT}providers:\n  llm:\n    type: model2vec\n    model: m\n`,
    faults: ['4:11: unknown provider type `model2vec` for llm, allowed: ollama, openai-compatible'],
  },
  {
    name: 'what embedding takes and a provider of answers does not',
    yaml: `${VAULT}providers:\n  llm:\n    type: ollama\n    model: m\n    fallback: null\n    timeout: 290001\n`,
    faults: [
      '6:5: unknown key `fallback`, allowed: type, model, timeout, load_timeout, allow_remote, headers, context, failover, endpoint, auto_pull',
      '7:14: `providers.llm.timeout` must be at most 290000, not `290001`',
    ],
  },
  {
    name: 'a failover that nothing could prove',
    yaml: `${VAULT}providers:\n  llm: { type: openai-compatible, model: m, endpoint: "http://127.0.0.1:1/v1", failover: [] }\n`,
    faults: [
      '3:80: unknown key `failover`, allowed: type, model, timeout, load_timeout, allow_remote, headers, context, endpoint, api_key',
    ],
  },
  {
    name: 'a provider without its type',
    yaml: `${VAULT}providers:\n  embedding: { model: m }\n`,
    faults: ['3:3: `providers.embedding.type` is missing'],
  },
  {
    name: 'a wrong type',
    yaml: `${VAULT}limits: { call: 55s }\n`,
    faults: ['2:17: `limits.call` must be a number, not the text `55s`'],
  },
  {
    name: 'a number between whole ones, too small, too big',
    yaml: `${VAULT}limits: { call: 60000, batch: 0, text: 1.5 }\n`,
    faults: [
      '2:17: `limits.call` must be at most 59000, not `60000`',
      '2:31: `limits.batch` must be at least 1, not `0`',
      '2:40: `limits.text` must be a whole number, not `1.5`',
    ],
  },
  {
    name: 'messages that are too short for their texts',
    yaml: `${VAULT}limits: { text: 100000, message: 599999 }\n`,
    faults: [
      '2:34: `limits.message` is not valid: it must be at least 600000, 6 bytes for each character of `limits.text`',
    ],
  },
  {
    name: 'messages that are too short for the default of their texts',
    yaml: `${VAULT}limits: { message: 1000 }\n`,
    faults: [
      '2:20: `limits.message` is not valid: it must be at least 6000000, 6 bytes for each character of `limits.text`',
    ],
  },
  {
    name: 'an infinite number',
    yaml: `${VAULT}index: { mass_delete_guard: { ratio: .inf } }\n`,
    faults: ['2:38: `index.mass_delete_guard.ratio` must be a number, not `Infinity`'],
  },
  {
    name: 'a value that is none of the allowed ones',
    yaml: 'vault:\n  path: Notes\n  access: read-onyl\n',
    faults: ['3:11: `vault.access` cannot be `read-onyl`, allowed: read-only, read-write, did you mean `read-only`?'],
  },
  {
    name: 'globs of a view that lead out of the vault, are absolute or name nothing',
    yaml: 'vault:\n  path: Notes\n  read: ["Work/**", "../Other/**", "/Work", "C:/x"]\n  write: ["!", "a\\\\b", "a//b", "./a"]\n',
    faults: [
      '3:21: `vault.read.1` is not valid: it leads out of the vault',
      '3:36: `vault.read.2` is not valid: it is absolute; a glob is relative to the vault',
      '3:45: `vault.read.3` is not valid: it is absolute; a glob is relative to the vault',
      '4:11: `vault.write.0` is not valid: it names nothing',
      '4:16: `vault.write.1` is not valid: folders are separated by `/`',
      '4:24: `vault.write.2` is not valid: it has an empty or `.` segment',
      '4:32: `vault.write.3` is not valid: it has an empty or `.` segment',
    ],
  },
  {
    name: 'a view without globs',
    yaml: 'vault: { path: Notes, read: [], write: [""] }\n',
    faults: ['1:29: `vault.read` is empty', '1:41: `vault.write.0` is not valid: it names nothing'],
  },
  {
    name: 'yes is a text in YAML 1.2',
    yaml: `${VAULT}mcp: { structured_content: yes }\n`,
    faults: ['2:28: `mcp.structured_content` cannot be `yes`, allowed: auto, both, text, structured'],
  },
  {
    name: 'a list item',
    yaml: 'vault:\n  path: Notes\n  exclude:\n    - a\n    - 5\n',
    faults: ['5:7: `vault.exclude.1` must be text, not `5`'],
  },
  {
    name: 'sections without a value, or that are no map',
    yaml: `${VAULT}limits:\nlog: [a]\nproviders: none\n`,
    faults: [
      '2:1: `limits` is empty',
      '3:6: `log` must be a map of keys and values, not a list',
      '4:12: `providers` must be a map of keys and values, not the text `none`',
    ],
  },
  { name: 'a vault path without a value', yaml: 'vault:\n  path:\n', faults: ['2:3: `vault.path` is empty'] },
  {
    name: 'a vault that is no map',
    yaml: 'vault: Notes\n',
    faults: ['1:8: `vault` must be a map of keys and values, not the text `Notes`'],
  },
  {
    name: 'a word that history does not know',
    yaml: `${VAULT}history: never\n`,
    faults: ['2:10: `history` is not valid: it must be keep, off, or a map with keep, days and mib'],
  },
  {
    name: 'a freshness there is not',
    yaml: `${VAULT}search: { freshness: shown }\n`,
    faults: ['2:22: `search.freshness` cannot be `shown`, allowed: show, require, did you mean `show`?'],
  },
  {
    name: 'what an operator asks for',
    yaml: `${VAULT}errors: { include_health: some }\nmetrics: { file: metrics.prom }\nlog: { file: 5 }\nindex: { allow_mismatched_query: 1 }\nmcp: { output_schemas: yes please }\n`,
    faults: [
      '2:27: `errors.include_health` must be true or false, not the text `some`',
      '3:18: `metrics.file` is not valid: an absolute path, or one that begins with ~/',
      '4:14: `log.file` must be text, not `5`',
      '5:34: `index.allow_mismatched_query` must be true or false, not `1`',
      '6:24: `mcp.output_schemas` is not valid: it must be auto, true or false',
    ],
  },
  {
    name: 'schemas for a half of the answers that is left out',
    yaml: `${VAULT}mcp: { structured_content: text, output_schemas: true }\n`,
    faults: [
      '2:50: `mcp.output_schemas` is not valid: an output schema describes the structured half, which `mcp.structured_content: text` leaves out',
    ],
  },
  {
    name: 'one file for both',
    yaml: `${VAULT}log: { file: ~/both.txt }\nmetrics: { file: ~/both.txt }\n`,
    faults: ['3:18: `metrics.file` is the same file as `log.file`'],
  },
  {
    name: 'one file for the index and the log',
    yaml: `${VAULT}log: { file: ~/both.db }\nmetrics: { file: ~/index.db }\nproviders: { store: { path: ~/both.db } }\n`,
    faults: ['2:14: `log.file` is the same file as `providers.store.path`'],
  },
  {
    name: 'how failing providers are dealt with',
    yaml: `${VAULT}startup: { verify: maybe }\nretry: { attempts: 0, job_attempts: 1.5, atempts: 2 }\nbreaker: { enabled: 1, failures: 0, cooldown: -1 }\nsearch: { on_embedding_failure: textonly }\n`,
    faults: [
      '2:20: `startup.verify` must be true or false, not the text `maybe`',
      '3:20: `retry.attempts` must be at least 1, not `0`',
      '3:37: `retry.job_attempts` must be a whole number, not `1.5`',
      '3:42: unknown key `atempts`, allowed: attempts, job_attempts, did you mean `attempts`?',
      '4:21: `breaker.enabled` must be true or false, not `1`',
      '4:34: `breaker.failures` must be at least 1, not `0`',
      '4:47: `breaker.cooldown` must be at least 1, not `-1`',
      '5:33: `search.on_embedding_failure` cannot be `textonly`, allowed: fail, text_only, did you mean `text_only`?',
    ],
  },
  {
    name: 'names of the object prototype',
    yaml: `${VAULT}__proto__: { polluted: true }\nlimits: { constructor: 1, __proto__: { call: 1 } }\n`,
    faults: [
      '2:1: unknown key `__proto__`, allowed: vault, vaults, views, providers, startup, tools, limits, consent, retry, breaker, search, index, history, checks, errors, mcp, http, log, metrics',
      '3:11: unknown key `constructor`, allowed: call, batch, text, image, message',
      '3:27: unknown key `__proto__`, allowed: call, batch, text, image, message',
    ],
  },
  { name: 'a list at the top', yaml: '- a\n', faults: ['1:1: a config is a map of keys and values'] },
  {
    name: 'the same key twice',
    yaml: `${VAULT}log: { level: info }\nlog: { level: warn }\n`,
    faults: ['3:1: the key `log` appears twice in the same map'],
  },
  {
    name: 'several documents',
    yaml: `${VAULT}---\nlog: {}\n`,
    faults: ['2:1: a config is one YAML document, a second one begins here'],
  },
  {
    name: 'broken YAML',
    yaml: `${VAULT}limits: call: 5\n`,
    faults: ['2:9: not valid YAML: Nested mappings are not allowed in compact mappings'],
  },
  {
    name: 'a tab as indent',
    yaml: 'vault:\n\tpath: Notes\n',
    faults: ['2:1: not valid YAML: Tabs are not allowed as indentation'],
  },
  {
    name: 'merge keys, tags and keys that are no text',
    yaml: `${VAULT}<<: { a: 1 }\nlimits: { call: !!int 5 }\n1: 2\n`,
    faults: [
      '2:1: merge keys (`<<`) are not read in a config',
      '3:23: tags (`tag:yaml.org,2002:int`) are not read in a config',
      '4:1: a key must be plain text',
    ],
  },
  { name: 'another YAML', yaml: '%YAML 1.1\n---\na: 1\n', faults: ['1:1: a config is YAML 1.2, not 1.1'] },
  {
    name: 'an alias bomb',
    yaml: `a: &a [x, x]\nb: &b [${'*a, '.repeat(3)}]\n`,
    faults: [8, 12, 16].map((column) => `2:${column}: write the value itself instead of \`*a\``),
  },
  {
    name: 'brackets that would overflow the parser',
    yaml: `${VAULT}a: ${'['.repeat(5_000)}\n`,
    faults: ['2:1: nested too deep: more than 200 opening brackets'],
  },
  {
    name: 'lists in lists that would overflow the parser',
    yaml: `${VAULT}a:\n${'- '.repeat(5_000)}\n`,
    faults: ['3:1: nested too deep within one line'],
  },
];

for (const { name, yaml, faults } of BAD) {
  test(`refused with its position: ${name}`, async (context) => {
    const place = placeFor(context);
    const file = place.write(yaml);
    const expected = faults.map((fault) => `${file}:${fault}`);
    assert.deepEqual((await refusal(readConfig(place.sources({ config: file }), CATALOG))).split('\n'), expected);
  });
}

async function refusal(config: Promise<unknown>, code = 'CONFIG_INVALID'): Promise<string> {
  const error = await config.then(
    () => assert.fail('the config was accepted'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof VaultgraphError, String(error));
  assert.equal(error.code, code);
  return error.message;
}

test('a home folder that is relative is refused, as it would be another one in every working directory', async (context) => {
  const place = placeFor(context);
  const file = place.write('vault: { path: . }\n');
  const sources = { ...place.sources({ config: file }, {}), home: 'home' };
  assert.match(await refusal(readConfig(sources, CATALOG)), /^\$HOME: must be an absolute path$/m);
});

test('faults of flags, variables and every part of the file are reported together, in reading order', async (context) => {
  const place = placeFor(context);
  const file = place.write('log: { level: lod }\nvault:\n  acces: x\nproviders: { store: { type: x } }\n');
  const sources = place.sources(
    { config: file, vault: 'Nowhere' },
    { XDG_DATA_HOME: 'relative', XDG_STATE_HOME: './x' },
  );
  assert.deepEqual((await refusal(readConfig(sources, CATALOG))).split('\n'), [
    '$XDG_DATA_HOME: must be an absolute path',
    '$XDG_STATE_HOME: must be an absolute path',
    `--vault: no folder at ${join(place.home, 'Nowhere')}`,
    `${file}:1:15: \`log.level\` cannot be \`lod\`, allowed: debug, info, warn, error`,
    `${file}:3:3: unknown key \`acces\`, allowed: path, access, consent, exclude, read, write, config_folder, excluded_files, dialect, guide, language, did you mean \`access\`?`,
    `${file}:4:29: unknown provider type \`x\` for store, allowed: sqlite, postgresql`,
  ]);
});

test('a vault that is not a folder is refused with the place that names it', async (context) => {
  const place = placeFor(context);
  const note = place.write('text', 'note.md');
  const named = (flags: object, env: Record<string, string> = {}) =>
    refusal(readConfig(place.sources(flags, env), CATALOG));
  assert.equal(await named({ vault: note }), `--vault: ${note} is not a folder`);
  assert.equal(await named({ vault: '' }), '--vault: names no folder');
  assert.equal(
    await named({}, { OBSIDIAN_VAULT_PATH: '~/No' }),
    `$OBSIDIAN_VAULT_PATH: no folder at ${join(place.home, 'No')}`,
  );
  const config = place.write('vault:\n  path: /no/such/folder\n');
  assert.equal(await named({ config }), `${config}:2:9: no folder at /no/such/folder`);
});

test('a named config file that cannot be read as text, or is too large, is a fault', async (context) => {
  const place = placeFor(context);
  const of = (config: string) => refusal(readConfig(place.sources({ config, vault: place.vault }), CATALOG));
  assert.equal(await of('none.yaml'), '--config: no config file at none.yaml');
  assert.equal(await of(place.vault), `${place.vault}: is not a file`);
  const latin = place.write(Uint8Array.of(0x23, 0xc3, 0x28, 0x0a));
  assert.equal(await of(latin), `${latin}: is not UTF-8 text`);
  const large = place.write(`# ${'x'.repeat(256 * 1024)}`);
  assert.equal(await of(large), `${large}: is 262146 bytes long, a config has at most 262144`);
});

test('a folder for the index or the change log inside the vault is a fault, also through a symbolic link and as the default', async (context) => {
  const place = placeFor(context);
  symlinkSync(place.vault, join(place.home, 'link'));
  const of = (flags: object) => refusal(readConfig(place.sources(flags), CATALOG));
  const inside = join(place.vault, 'data');
  const said = (path: string) => `${path} is inside the vault; name another place with --data-dir`;
  const saidOfState = (path: string) => said(path).replace('--data-dir', '--state-dir');
  assert.equal(await of({ vault: place.vault, dataDir: inside }), `--data-dir: ${said(inside)}`);
  const linked = join(place.home, 'link', 'data');
  assert.equal(await of({ vault: place.vault, dataDir: linked }), `--data-dir: ${said(linked)}`);
  const byDefault = join(place.home, '.local/share/vaultgraph');
  const state = join(place.home, '.local/state/vaultgraph');
  const faults = [`data folder: ${said(byDefault)}`, `state folder: ${saidOfState(state)}`];
  assert.equal(await of({ vault: place.home }), faults.join('\n'));
  const outside = join(place.home, 'data');
  assert.equal(
    await of({ vault: place.vault, dataDir: outside, stateDir: linked }),
    `--state-dir: ${saidOfState(linked)}`,
  );
  mkdirSync(outside);
  symlinkSync(place.vault, join(outside, 'state'));
  assert.equal(
    await of({ vault: place.vault, dataDir: outside }),
    `--data-dir: ${saidOfState(join(outside, 'state'))}`,
  );
});

test('without a vault the error is CONFIG_MISSING and lists the places that were checked', async (context) => {
  const place = placeFor(context);
  const byDefault = join(place.home, '.config/vaultgraph/config.yaml');
  assert.equal(
    await refusal(readConfig(place.sources(), CATALOG), 'CONFIG_MISSING'),
    `vault.path is not set; looked in --vault, $OBSIDIAN_VAULT_PATH, ${byDefault} (no such file)`,
  );
  const empty = place.write('# nothing yet\n');
  assert.match(
    await refusal(readConfig(place.sources({ config: empty }), CATALOG), 'CONFIG_MISSING'),
    /vault\.path in .*config\.yaml$/,
  );
});

test('an unset variable in a secret is a fault, and no secret is printed', async (context) => {
  const place = placeFor(context);
  const catalog = [...CATALOG, countingProvider];
  const config = place.write(
    `${VAULT}providers:\n  embedding:\n    type: counting\n    model: m\n    api_key: \${KEY}\n    headers: { Auth: "a \${OTHER}", Number: 77123 }\n`,
  );
  const message = await refusal(readConfig(place.sources({ config }, { KEY: '' }), catalog));
  assert.deepEqual(message.split('\n'), [
    `${config}:6:14: \`providers.embedding.api_key\` needs the environment variable \`KEY\`, which is not set`,
    `${config}:7:22: \`providers.embedding.headers.Auth\` needs the environment variable \`OTHER\`, which is not set`,
    `${config}:7:44: \`providers.embedding.headers.Number\` must be text, not the value given`,
  ]);
});
