// Folders opened without following links, while other programs swap them.
import assert from 'node:assert/strict';
import fs, { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { OpenFolders } from '../../../src/providers/filesystem/open-folders.ts';
import { createVaultFolder, type VaultFolder } from './vault-folder.ts';
import { asPlatform } from './writing/workbench.ts';

const onLinux = { skip: process.platform === 'linux' ? (false as const) : 'only Linux has descriptor paths' };
const NAMES = ['closeSync', 'lstatSync', 'openSync', 'readlinkSync', 'realpathSync'] as const;

interface Bench extends VaultFolder {
  /** Replaces a folder of the vault by a link to one outside with other notes. */
  swap(folder: string): void;
}

function withFolder(check: (bench: Bench) => void): void {
  const folder = createVaultFolder();
  try {
    for (const path of ['Note.md', 'a/Note.md', 'a/b/Note.md']) folder.put(path, 'inside');
    mkdirSync(join(folder.outside, 'away/a/b'), { recursive: true });
    for (const path of ['a/Note.md', 'a/b/Note.md']) writeFileSync(join(folder.outside, 'away', path), 'outside');
    check({
      ...folder,
      swap(name) {
        renameSync(join(folder.root, name), join(folder.outside, 'swapped'));
        symlinkSync(join(folder.outside, 'away', name), join(folder.root, name));
      },
    });
  } finally {
    folder.delete();
  }
}

/** Calls that run `before` in front of each. */
const watched = (before: (call: number) => void): typeof fs => {
  let count = 0;
  const native = (path: string): string => {
    before(count++);
    return fs.realpathSync.native(path);
  };
  const wrapped = NAMES.map((name) => {
    const call = (...given: never[]): unknown => {
      before(count++);
      return (fs[name] as (...args: never[]) => unknown)(...given);
    };
    return [name, name === 'realpathSync' ? Object.assign(call, { native }) : call] as const;
  });
  return Object.fromEntries(wrapped) as unknown as typeof fs;
};

const noteIn = (path: string | undefined): string | undefined =>
  path === undefined ? undefined : readFileSync(`${path}/Note.md`, 'utf8');

it('V9 the path of an open folder leads to that folder after it is swapped for a link', onLinux, () => {
  withFolder(({ root, swap }) => {
    const folders = new OpenFolders(root);
    for (const folder of ['', 'a/b', 'a']) assert.equal(noteIn(folders.pathOf(folder)), 'inside', folder);
    swap('a');
    assert.equal(noteIn(folders.pathOf('a')), 'inside', 'the folder itself, at its new place');
    for (const folder of ['a/b', 'a']) assert.equal(folders.pathOf(folder), undefined, folder);
    assert.equal(noteIn(folders.pathOf('')), 'inside');
    folders.close();
  });
});

it('V9 a folder swapped before any system call is never left through the link', onLinux, () => {
  for (const folder of ['a', 'a/b'])
    for (let moment = 0, isOver = false; !isOver; moment += 1)
      withFolder(({ root, swap }) => {
        isOver = true;
        const swapOnce = (call: number): void => {
          if (call !== moment) return;
          isOver = false;
          swap('a');
        };
        const folders = new OpenFolders(root, watched(swapOnce));
        let found: string | undefined;
        try {
          found = noteIn(folders.pathOf(folder));
        } catch (thrown) {
          assert.equal((thrown as NodeJS.ErrnoException).code, 'ENOENT');
        }
        assert.ok(found === undefined || found === 'inside', `moment ${moment}`);
        folders.close();
      });
});

it('a folder that the system names in another case is opened, and a link there is not', onLinux, () => {
  withFolder(({ root, swap }) => {
    const ignoringCase = { ...fs, readlinkSync: (path: string) => String(fs.readlinkSync(path)).toUpperCase() };
    const folders = new OpenFolders(root, ignoringCase as unknown as typeof fs);
    for (const folder of ['', 'a', 'a/b']) assert.equal(noteIn(folders.pathOf(folder)), 'inside', folder);
    swap('a');
    for (const folder of ['a', 'a/b']) assert.equal(folders.pathOf(folder), undefined, folder);
    folders.close();
  });
});

it('no descriptor stays open', onLinux, () => {
  withFolder(({ root, swap }) => {
    const open = (): number => readdirSync('/proc/self/fd').length;
    const before = open();
    const folders = new OpenFolders(root);
    swap('a');
    for (const folder of ['', 'a', 'a/b']) folders.pathOf(folder);
    assert.throws(() => folders.pathOf('none'), { code: 'ENOENT' });
    assert.throws(() => folders.pathOf('Note.md'), { code: 'ENOTDIR' });
    folders.pathOf('');
    folders.close();
    assert.equal(open(), before);
  });
});

it('without descriptor paths, the real path is checked at each use', () => {
  asPlatform('darwin', () => {
    withFolder(({ root, swap }) => {
      const folders = new OpenFolders(root);
      assert.equal(folders.pathOf('a/b'), join(root, 'a/b'));
      assert.ok(folders.isConfined('a/b/Note.md'));
      swap('a');
      assert.equal(folders.pathOf('a/b'), undefined);
      assert.ok(!folders.isConfined('a/b/Note.md'));
      rmSync(join(root, 'a'));
      assert.throws(() => folders.pathOf('a/b'), { code: 'ENOENT' });
    });
  });
});
