// Checks the edits of a client's settings text: one server is added or removed, and everything else is unchanged.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { CLIENTS } from '../../../src/cli/install/clients.ts';
import { type SettingsPlace, serverIn, withServer } from '../../../src/cli/install/settings-text.ts';
import { runs } from '../../runner/effort.ts';

const SERVER = {
  command: '/opt/node 24/bin/node',
  args: ['/a "b"/main.js', 'serve', '--vault', 'C:\\Users\\É\\Notes'],
};

function placeIn(format: 'json' | 'jsonc' | 'toml', servers = 'mcpServers'): SettingsPlace {
  return { file: 'settings', client: { format, servers: [[servers]] }, name: 'vaultgraph' };
}

const JSONC = `// mine
{
\t"theme": "dark", // at night
\t"mcpServers": {
\t\t/* the other one */
\t\t"other": { "command": "x", "args": [] },
\t},
}
`;
const TOML = `# mine
model = "o" # which

[mcp_servers.other]
command = "x" # the other one

[mcp_servers.other.env]
KEY = "1"

# of the profile
[profiles.a]
when = 2026-11-21
`;

suite('a server', () => {
  test('is added to settings with comments, tabs and trailing commas, which stay unchanged', () => {
    const place = placeIn('jsonc');
    const after = withServer(JSONC, SERVER, place);
    assert.deepEqual(serverIn(after, place), SERVER);
    for (const kept of ['// mine', '// at night', '/* the other one */', '\t"theme"'])
      assert.ok(after.includes(kept), kept);
    assert.match(after, /\n\t\t"vaultgraph": \{\n\t\t\t"command"/);
    assert.equal(serverIn(withServer(after, undefined, place), place), undefined);
  });

  test('is added at the end of TOML, is replaced in place, and is removed without changing anything else', () => {
    const place = placeIn('toml', 'mcp_servers');
    const after = withServer(TOML, SERVER, place);
    assert.ok(after.startsWith(TOML));
    assert.deepEqual({ ...(serverIn(after, place) as object) }, SERVER);
    const more = `${after}\n[mcp_servers.vaultgraph.env]\nA = "b"\n\n# last\n[z]\ny = 1\n`;
    const replaced = withServer(more, { ...SERVER, args: [] }, place);
    assert.deepEqual({ ...(serverIn(replaced, place) as object) }, { ...SERVER, args: [] });
    assert.ok(replaced.endsWith('\n\n# last\n[z]\ny = 1\n'));
    assert.ok(withServer(after, undefined, place).startsWith(TOML));
  });

  test('is added to a file with Windows line endings with the same endings, and after a byte order mark', () => {
    const json = withServer('\uFEFF{\r\n    "a": 1\r\n}\r\n', SERVER, placeIn('json'));
    assert.ok(json.startsWith('\uFEFF{\r\n    "mcpServers"') && !/[^\r]\n/.test(json), json);
    const toml = withServer('a = 1\r\n', SERVER, placeIn('toml', 'mcp_servers'));
    assert.ok(!/[^\r]\n/.test(toml), toml);
  });

  test('is added to an empty file for every client, and removed again', () => {
    for (const client of CLIENTS) {
      const place = { file: 'settings', client, name: 'vaultgraph' };
      const entry = client.entry.write(SERVER, place.name);
      const text = withServer('', entry, place);
      assert.deepEqual(structuredClone(serverIn(text, place)), entry, client.name);
      assert.deepEqual(client.entry.read(serverIn(text, place)), [SERVER.command, ...SERVER.args], client.name);
      assert.equal(serverIn(withServer(text, undefined, place), place), undefined);
    }
  });

  test('changes no other setting of any JSON', () => {
    const key = fc.oneof(fc.constantFrom('mcpServers', 'vaultgraph', 'a'), fc.string());
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue()), fc.nat(4), (settings, indent) => {
        const servers = settings.mcpServers;
        fc.pre(servers === undefined || (typeof servers === 'object' && servers !== null && !Array.isArray(servers)));
        const before = JSON.stringify(settings, null, indent);
        const after = JSON.parse(withServer(before, SERVER, placeIn('json')));
        assert.deepEqual(
          after,
          JSON.parse(JSON.stringify({ ...settings, mcpServers: { ...(servers as object), vaultgraph: SERVER } })),
        );
      }),
      { numRuns: runs(200) },
    );
  });
});

suite('settings are refused, with the position', () => {
  const refused = (text: string, place: SettingsPlace): string => {
    try {
      withServer(text, SERVER, place);
    } catch (thrown) {
      assert.ok(thrown instanceof VaultgraphError && thrown.code === 'CONFIG_INVALID', String(thrown));
      return thrown.message;
    }
    return assert.fail(`taken: ${text}`);
  };

  test('invalid syntax', () => {
    assert.match(refused('{\n  "a": 1,,\n}', placeIn('json')), /settings:2:10: cannot be read as JSON/);
    assert.match(refused('{ "a": 1 } // no', placeIn('json')), /settings:1:12: cannot be read as JSON/);
    assert.match(refused('a = 1\nb = = 2\n', placeIn('toml')), /settings:2:5: cannot be read as TOML/);
  });

  test('nesting that no parser has the stack for', () => {
    const levels = 50_000;
    for (const text of [
      '['.repeat(levels),
      `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`,
      '{"a":'.repeat(levels),
    ]) {
      for (const format of ['json', 'jsonc'] as const) assert.match(refused(text, placeIn(format)), /nested too deep/);
    }
    assert.match(refused(`[a${'.a'.repeat(levels)}]\nb = 1\n`, placeIn('toml')), /nested too deep/);
  });

  test('another value where a map is required', () => {
    assert.match(refused('[1]', placeIn('json')), /no map of settings/);
    assert.match(refused('{"mcpServers": ["x"]}', placeIn('jsonc')), /`mcpServers` is no map of servers/);
  });

  test('a TOML table that cannot be extended', () => {
    assert.match(refused('mcp_servers = { other = { command = "x" } }\n', placeIn('toml', 'mcp_servers')), /by hand/);
  });
});
