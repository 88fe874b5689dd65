// Checks the edits of clients' YAML settings: a map of servers, a list of them, and what is left unchanged.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parse } from 'yaml';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { CLIENTS } from '../../../src/cli/install/clients.ts';
import { type SettingsPlace, serverIn, withServer } from '../../../src/cli/install/settings-text.ts';

const SERVER = {
  command: '/opt/node: 24/bin/node',
  args: ['/a "b"/main.js', 'serve', '--vault', 'C:\\Users\\É #1\\Notes'],
};

function setUp(name: string) {
  const client = CLIENTS.find((one) => one.name === name) ?? assert.fail(name);
  const place: SettingsPlace = { file: 'config.yaml', client, name: 'vaultgraph' };
  return { place, entry: client.entry.write(SERVER, place.name) };
}

const GOOSE = `# mine
GOOSE_MODEL: "a" # which

extensions:
  # the one that came with it
  developer:
    enabled: true
    env_keys:
    - A

  memory: { enabled: true, type: builtin } # small
# at the end
GOOSE_MODE: auto
`;
const CONTINUE = `name: Mine
version: 0.0.1
schema: v1
mcpServers:
  - uses: some/block   # from the hub
  - name: other
    command: x
    args: [a,   b]
models: []
`;

suite('a server in YAML', () => {
  for (const [name, text] of [
    ['goose', GOOSE],
    ['goose', GOOSE.replaceAll('\n', '\r\n')],
    ['goose', 'extensions:\nGOOSE_MODE: auto\n'],
    ['goose', 'extensions: {}\nGOOSE_MODE: auto\n'],
    ['goose', 'GOOSE_MODE: auto'],
    ['goose', 'extensions:\n    developer:\n        about: |\n            a text\n\n'],
    ['continue', CONTINUE],
    ['continue', CONTINUE.replaceAll(/^ {2}/gm, '')],
    ['continue', 'name: Mine\nversion: 1.0.0\nschema: v1\nmcpServers: []\n'],
  ] as const) {
    test(`${name}: is added, replaced in its place and removed, and no other line changes: ${JSON.stringify(text.slice(0, 40))}`, () => {
      const { place, entry } = setUp(name);
      const after = withServer(text, entry, place);
      assert.deepEqual(serverIn(after, place), entry);
      const kept = text.split(/\r?\n/).filter((line) => !/^(?:extensions|mcpServers): (?:\{\}|\[\])$/.test(line));
      for (const line of kept) assert.ok(after.includes(line), line);
      if (text.includes('\r\n')) assert.ok(!/[^\r]\n/.test(after), after);
      const changed = { ...entry, args: [] };
      const replaced = withServer(after, changed, place);
      assert.deepEqual(serverIn(replaced, place), changed);
      assert.deepEqual(Object.keys(parse(replaced)), Object.keys(parse(after)));
      assert.equal(withServer(replaced, entry, place), after);
      const removed = withServer(after, undefined, place);
      assert.equal(serverIn(removed, place), undefined);
      const isLast = !/developer|other/.test(text);
      if (!isLast) assert.equal(removed, text);
    });
  }

  test('is added to a new file of Continue with what the client requires of one', () => {
    const { place, entry } = setUp('continue');
    assert.deepEqual(parse(withServer('', entry, place)), {
      name: 'Local Config',
      version: '1.0.0',
      schema: 'v1',
      mcpServers: [entry],
    });
  });

  test('is refused where the text is invalid, or the servers are on one line, of another kind or not there', () => {
    for (const [name, text, said] of [
      ['goose', 'a: [\n', /config\.yaml:\d+:\d+: cannot be read as YAML/],
      ['goose', 'extensions: { developer: { enabled: true } }\n', /by hand/],
      ['goose', 'extensions: [a]\n', /`extensions` is no map of servers/],
      ['continue', 'mcpServers: { a: {} }\n', /`mcpServers` is no list of servers/],
      ['goose', '- a\n', /no map of settings/],
    ] as const) {
      const { place, entry } = setUp(name);
      assert.throws(
        () => withServer(text, entry, place),
        (thrown) => thrown instanceof VaultgraphError && thrown.code === 'CONFIG_INVALID' && said.test(thrown.message),
        text,
      );
    }
  });
});

test('opencode: a server goes where the settings have servers, in the old form or the new one', () => {
  const { place, entry } = setUp('opencode');
  const before = { mcp: { servers: { other: { type: 'local', command: ['x'] } } } };
  const after = JSON.parse(withServer(JSON.stringify(before), entry, place));
  assert.deepEqual(after.mcp.servers, { vaultgraph: entry, other: before.mcp.servers.other });
  const old = { mcp: { servers: { type: 'local', command: ['a server of that name'] } } };
  assert.deepEqual(JSON.parse(withServer(JSON.stringify(old), entry, place)).mcp, { vaultgraph: entry, ...old.mcp });
});
