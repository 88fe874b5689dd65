// Checks where the bundle looks for a Node of the user, by the rules of each system; no path is opened.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Computer, nodePlaces } from '../../src/bundle/node-places.ts';

const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  '/home/e/.nvm/versions/node': ['v22.9.0', 'v22.10.0', 'alias', 'v24.1.0'],
  '/Users/e/Library/Application Support/fnm/node-versions': ['v24.2.0'],
  'C:\\Users\\e\\AppData\\Roaming\\nvm': ['v22.1.0', 'settings.txt'],
};
const list = (folder: string): readonly string[] => VERSIONS[folder] ?? [];

const TABLE: readonly (readonly [title: string, computer: Computer, first: string, some: readonly string[]])[] = [
  [
    'on Linux: the PATH first, then the versions of nvm, the newest first',
    { platform: 'linux', env: { PATH: '/a b:relative:/usr/bin' }, home: '/home/e', list },
    '/a b/node',
    [
      '/usr/bin/node',
      '/usr/local/bin/node',
      '/home/e/.volta/bin/node',
      '/home/e/.nvm/versions/node/v24.1.0/bin/node',
      '/home/e/.nvm/versions/node/v22.10.0/bin/node',
      '/home/e/.nvm/versions/node/v22.9.0/bin/node',
    ],
  ],
  [
    'on macOS, whose applications have a short PATH',
    { platform: 'darwin', env: { PATH: '/usr/bin:/bin' }, home: '/Users/e', list },
    '/usr/bin/node',
    [
      '/opt/homebrew/bin/node',
      '/usr/local/bin/node',
      '/Users/e/Library/Application Support/fnm/node-versions/v24.2.0/installation/bin/node',
    ],
  ],
  [
    'on Windows',
    {
      platform: 'win32',
      env: { Path: 'D:\\node;C:\\Windows', ProgramFiles: 'C:\\Programme', NVM_SYMLINK: 'C:\\nvm4w\\nodejs' },
      home: 'C:\\Users\\e',
      list,
    },
    'D:\\node\\node.exe',
    [
      'C:\\Programme\\nodejs\\node.exe',
      'C:\\nvm4w\\nodejs\\node.exe',
      'C:\\Users\\e\\AppData\\Local\\Volta\\bin\\node.exe',
      'C:\\Users\\e\\AppData\\Roaming\\nvm\\v22.1.0\\node.exe',
    ],
  ],
];

for (const [title, computer, first, some] of TABLE) {
  test(title, () => {
    const places = nodePlaces(computer);
    assert.equal(places[0], first);
    assert.deepEqual(
      places.filter((place) => some.includes(place)),
      some,
    );
    assert.equal(new Set(places).size, places.length);
    assert.ok(places.every((place) => !/relative|alias|settings/.test(place)));
  });
}
