// The rules of Linux, macOS and Windows side by side, and what is derived from them; all three are checked on every system.
import assert from 'node:assert/strict';
import { constants } from 'node:fs';
import { suite, test } from 'node:test';
import { isEvicted } from '../../../src/base/system/evicted-file.ts';
import { sendable } from '../../../src/base/system/process.ts';
import {
  appFolder,
  joinOn,
  ownRules,
  rulesFor,
  type SystemRules,
  sharedFolder,
  withSlashes,
} from '../../../src/base/system/system-rules.ts';

const SYSTEMS = ['linux', 'darwin', 'win32'] as const;
type Row<T> = readonly [linux: T, macos: T, windows: T];

const TABLE: { readonly [Rule in keyof SystemRules]?: Row<SystemRules[Rule]> } = {
  lockFlag: [undefined, 0x20 | (constants.O_NONBLOCK ?? 0), 0x1000_0000],
  canLockFolders: [true, true, false],
  canSyncFolders: [true, true, false],
  canRemoveOpenFiles: [true, true, false],
  hasModes: [true, true, false],
  hasProc: [true, false, false],
  mountList: ['file', 'command', undefined],
  keepsFreedMemory: [true, false, false],
  hasThreadPriorities: [true, false, false],
  canEvictFiles: [false, true, false],
  missesNewFolders: [true, false, false],
};

for (const [rule, row] of Object.entries(TABLE))
  test(`${rule} on Linux, macOS and Windows`, () => {
    assert.deepEqual(
      SYSTEMS.map((platform) => rulesFor(platform)[rule as keyof SystemRules]),
      row,
    );
  });

test('the rules of this process are those of its system', () => {
  assert.equal(ownRules(), rulesFor(process.platform));
});

suite('folders', () => {
  const USERS = {
    linux: { platform: 'linux', home: '/home/e' },
    darwin: { platform: 'darwin', home: '/Users/é a' },
    win32: { platform: 'win32', home: 'C:\\Users\\e' },
  } as const;
  const on = <T>(work: (user: (typeof USERS)[keyof typeof USERS]) => T): T[] =>
    SYSTEMS.map((platform) => work(USERS[platform]));

  test('settings of desktop programs, without and with the variables', () => {
    assert.deepEqual(
      on((user) => appFolder({ ...user, env: {} })),
      ['/home/e/.config', '/Users/é a/Library/Application Support', 'C:\\Users\\e\\AppData\\Roaming'],
    );
    const env = { XDG_CONFIG_HOME: '/x', APPDATA: '\\\\server\\share\\e' };
    assert.deepEqual(
      on((user) => appFolder({ ...user, env })),
      ['/x', '/Users/é a/Library/Application Support', '\\\\server\\share\\e'],
    );
    const empty = { XDG_CONFIG_HOME: '', APPDATA: '' };
    assert.deepEqual(
      on((user) => appFolder({ ...user, env: empty })),
      on((user) => appFolder({ ...user, env: {} })),
    );
  });

  test('the folder of every user', () => {
    assert.deepEqual(
      on((user) => sharedFolder({ ...user, env: {} })),
      ['/tmp', '/tmp', 'C:\\ProgramData'],
    );
    assert.equal(sharedFolder({ platform: 'win32', env: { ProgramData: 'D:\\Shared' } }), 'D:\\Shared');
  });

  test('paths are joined and split by the rules of the system', () => {
    assert.deepEqual(
      on(({ platform }) => joinOn({ platform }, 'a', 'b c')),
      ['a/b c', 'a/b c', 'a\\b c'],
    );
    assert.deepEqual(
      SYSTEMS.map((platform) => withSlashes('a\\b/c', platform)),
      ['a\\b/c', 'a\\b/c', 'a/b/c'],
    );
  });
});

test('a signal that Windows cannot send is sent as one that it can', () => {
  const sent = (signal: NodeJS.Signals) => SYSTEMS.map((platform) => sendable(signal, platform));
  assert.deepEqual(sent('SIGHUP'), ['SIGHUP', 'SIGHUP', 'SIGTERM']);
  assert.deepEqual(sent('SIGINT'), ['SIGINT', 'SIGINT', 'SIGINT']);
  assert.deepEqual(sent('SIGTERM'), ['SIGTERM', 'SIGTERM', 'SIGTERM']);
});

test('a file without blocks is evicted on macOS, sparse elsewhere, and empty without a size', () => {
  const evicted = (stats: { blocks: number; size: number }) => SYSTEMS.map((platform) => isEvicted(stats, platform));
  assert.deepEqual(evicted({ blocks: 0, size: 10 }), [false, true, false]);
  assert.deepEqual(evicted({ blocks: 8, size: 10 }), [false, false, false]);
  assert.deepEqual(evicted({ blocks: 0, size: 0 }), [false, false, false]);
});
