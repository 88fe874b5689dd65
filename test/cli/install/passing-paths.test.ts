// Checks which paths of a server command are reported as ones that may be gone tomorrow.
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { passingPaths } from '../../../src/cli/install/install-command.ts';

const LASTING = '/usr/lib/node_modules/vaultgraph/dist/main.js';

test('a Node or a program in a cache or a temporary folder is reported, with what to do', () => {
  for (const command of [
    '/home/e/.npm/_npx/17f0/node_modules/node/bin/node',
    '/home/e/.cache/node/bin/node',
    '/run/user/1000/fnm_multishells/12_34/bin/node',
    '/Users/e/Library/Caches/tool/node',
    '/private/var/folders/x/node',
    'C:\\Users\\e\\AppData\\Local\\Temp\\node.exe',
    join(tmpdir(), 'bun-node/node'),
  ]) {
    const [warning = '', ...others] = passingPaths({ command, args: [LASTING] });
    assert.match(warning, /^Node is in a (cache|temporary folder), .* install Node from nodejs\.org/, command);
    assert.deepEqual(others, []);
  }
  const program = '/home/e/.npm/_npx/17f0/node_modules/vaultgraph/dist/main.js';
  assert.match(passingPaths({ command: '/usr/bin/node', args: [program] })[0] ?? '', /^this program is in a cache/);
});

test('an installed Node and program are not', () => {
  for (const command of ['/usr/bin/node', '/home/e/.nvm/versions/node/v24.1.0/bin/node', '/opt/homebrew/bin/node'])
    assert.deepEqual(passingPaths({ command, args: [LASTING] }), []);
});
