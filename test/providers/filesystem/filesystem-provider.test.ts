// The folder vault on real folders: the vault contract, and cases that only a file system has.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import type { VaultgraphError } from '../../../src/base/errors.ts';
import type { NotePath } from '../../../src/base/note.ts';
import type { Vault, VaultListing } from '../../../src/contracts/vault.ts';
import { filesystemProvider } from '../../../src/providers/filesystem/filesystem-provider.ts';
import { assertEach } from '../../assert-each.ts';
import { vaultLaws } from '../../contracts/vault.ts';
import { createVaultFolder, openVault, type VaultFolder } from './vault-folder.ts';

const { signal } = new AbortController();
const onLinux = { skip: process.platform === 'linux' ? (false as const) : 'only Linux holds such names and files' };

vaultLaws('the filesystem provider', async () => {
  const folder = createVaultFolder();
  const { vault, close } = await openVault(folder);
  const closeAll = async (): Promise<void> => {
    await close();
    folder.delete();
  };
  return { vault, put: folder.put, remove: folder.remove, vanish: folder.vanish, close: closeAll };
});

function inFolder(
  title: string,
  check: (folder: VaultFolder, vault: Vault, probe: () => Promise<{ ok: boolean; detail: string }>) => Promise<void>,
  more: { skip?: string | false; exclude?: string[] } = {},
): void {
  it(title, { skip: more.skip ?? false }, async () => {
    const folder = createVaultFolder();
    const { vault, probe, close } = await openVault(folder, more.exclude);
    try {
      await check(folder, vault, probe);
    } finally {
      await close();
      folder.delete();
    }
  });
}

const pathsOf = ({ files }: VaultListing): string[] => files.map(({ path }) => path);

async function textOf(vault: Vault, path: string): Promise<string | undefined> {
  const { succeeded } = await vault.read([path as NotePath], signal);
  return succeeded.map(({ result }) => new TextDecoder().decode(result.bytes))[0];
}

async function refusal(vault: Vault, path: string): Promise<VaultgraphError | undefined> {
  const { failed } = await vault.read([path as NotePath], signal);
  return failed[0]?.error;
}

it('the config expands `~` and rejects a relative path, an unknown key and a glob that can never match', () => {
  const { config } = filesystemProvider;
  assert.deepEqual(config.parse({ path: '~/Notes' }), {
    path: join(homedir(), 'Notes'),
    access: 'read-only',
    consent: 'argument',
    exclude: [],
    excluded_files: 'hide',
    dialect: 'auto',
    read: ['**'],
    write: ['**'],
  });
  assert.equal(config.parse({ path: '~' }).path, join(homedir()));
  for (const wrong of [
    { path: 'Notes' },
    { path: '~other/Notes' },
    { path: '' },
    {},
    { path: '/n', acces: 'read-only' },
    { path: '/n', access: 'write' },
    { path: '/n', exclude: ['/Archive'] },
    { path: '/n', exclude: ['!Archive'] },
    { path: '/n', exclude: ['Archive\\**'] },
    { path: '/n', exclude: [''] },
  ])
    assert.equal(config.safeParse(wrong).success, false, JSON.stringify(wrong));
});

inFolder('hidden names, node_modules and temporary files are excluded at any depth', async ({ put }, vault) => {
  put('Kept.md', '');
  put('deep/down/Kept too.md', '');
  for (const hidden of [
    '.obsidian/app.json',
    '.git/HEAD',
    '.trash/x.md',
    'a/.b/c.md',
    '.x.md',
    'node_modules/p/read.md',
  ])
    put(hidden, '');
  put('deep/node_modules/p.md', '');
  put('x.md.tmp', '');
  const listing = await vault.list(signal);
  assert.deepEqual(pathsOf(listing), ['Kept.md', 'deep/down/Kept too.md']);
  assert.deepEqual(listing.skipped, []);
});

inFolder(
  'excluded paths are matched case-sensitively, not listed and not read',
  async ({ put }, vault) => {
    const hidden = [
      'Archive/x.md',
      'Archive/deep/y.md',
      'Old/z.md',
      'Half/z.md',
      'a/draft.bak',
      'b/Private/p.md',
      'One.md',
    ];
    const kept = ['Archive.md', 'archive/x.md', 'Oldest.md', 'c/One.md'];
    for (const path of [...hidden, ...kept]) put(path, '');
    assert.deepEqual(pathsOf(await vault.list(signal)), kept.toSorted());
    for (const path of hidden) assert.equal((await refusal(vault, path))?.code, 'PATH_NOT_ALLOWED', path);
    for (const path of kept) assert.equal(await textOf(vault, path), '', path);
  },
  { exclude: ['Archive/**', 'Old', 'Half/', '**/*.bak', '**/Private/**', 'One.md'] },
);

inFolder('V9 symbolic links are reported but neither followed nor read', async ({ root, outside, put }, vault) => {
  put('real/Note.md', 'inside');
  writeFileSync(join(outside, 'Secret.md'), 'outside');
  symlinkSync(join(outside, 'Secret.md'), join(root, 'Link.md'));
  symlinkSync(outside, join(root, 'way out'));
  symlinkSync(root, join(root, 'real', 'loop'));
  symlinkSync(join(root, 'nowhere'), join(root, 'Dangling.md'));
  symlinkSync(join(root, 'real'), join(root, 'twice'));
  const listing = await vault.list(signal);
  assert.deepEqual(pathsOf(listing), ['real/Note.md']);
  assert.deepEqual(
    listing.skipped,
    ['Dangling.md', 'Link.md', 'real/loop', 'twice', 'way out'].map((path) => ({ path, reason: 'symlink' })),
  );
  for (const path of ['Link.md', 'Dangling.md', 'way out/Secret.md', 'twice/Note.md', 'real/loop/real/Note.md'])
    assert.equal((await refusal(vault, path))?.code, 'PATH_NOT_ALLOWED', path);
});

inFolder('V9 a folder or note that is swapped for a link after the listing is not read', async (folder, vault) => {
  folder.put('a/Note.md', 'inside');
  folder.put('b/Note.md', 'inside');
  await vault.list(signal);
  mkdirSync(join(folder.outside, 'a'));
  writeFileSync(join(folder.outside, 'a', 'Note.md'), 'outside');
  folder.remove('a');
  symlinkSync(join(folder.outside, 'a'), join(folder.root, 'a'));
  unlinkSync(join(folder.root, 'b/Note.md'));
  symlinkSync(join(folder.outside, 'a', 'Note.md'), join(folder.root, 'b/Note.md'));
  for (const path of ['a/Note.md', 'b/Note.md'])
    assert.equal((await refusal(vault, path))?.code, 'PATH_NOT_ALLOWED', path);
});

inFolder(
  'a pipe or socket is reported but not opened; a folder named like a note is reported and walked',
  async ({ root, put }, vault) => {
    execFileSync('mkfifo', [join(root, 'Pipe.md')]);
    put('Folder.md/Inner.md', 'within');
    const listing = await vault.list(signal);
    assert.deepEqual(pathsOf(listing), ['Folder.md/Inner.md']);
    assert.deepEqual(
      listing.skipped,
      ['Folder.md', 'Pipe.md'].map((path) => ({ path, reason: 'not_a_file' })),
    );
    const errnos = await Promise.all(['Pipe.md', 'Folder.md'].map((path) => refusal(vault, path)));
    assertEach(errnos, (error) => (error as VaultgraphError<'FILE_UNREADABLE'>).details.errno, ['ENXIO', 'EISDIR']);
  },
  onLinux,
);

inFolder(
  'V2 a cloud stub is listed as its note, which is not read, unless the note is there too',
  async ({ put }, vault) => {
    put('deep/.Far away.md.icloud', 'bplist');
    put('.icloud', '');
    put('.Here.md.icloud', 'bplist');
    put('Here.md', 'text');
    const shown = async (paths?: readonly NotePath[]) => {
      const { files, skipped } = await (paths === undefined ? vault.list(signal) : vault.listAt(paths, signal));
      assert.deepEqual(skipped, []);
      return files.map(({ path, evicted }) => [path, evicted]);
    };
    assert.deepEqual(await shown(), [
      ['Here.md', false],
      ['deep/Far away.md', true],
    ]);
    assert.deepEqual(await shown(['deep/Far away.md' as NotePath]), [['deep/Far away.md', true]]);
    const { details } = (await refusal(vault, 'deep/Far away.md')) as VaultgraphError<'FILE_UNREADABLE'>;
    assert.equal(details.errno, 'EVICTED');
  },
);

inFolder(
  'a sparse file is not evicted, except on macOS',
  async ({ root, put }, vault) => {
    put('Sparse.md', '');
    truncateSync(join(root, 'Sparse.md'), 5_000);
    const [file] = (await vault.list(signal)).files;
    assert.deepEqual([file?.sizeBytes, file?.evicted], [5_000, false]);
    assert.equal((await textOf(vault, 'Sparse.md'))?.length, 5_000);
  },
  onLinux,
);

inFolder('V13 conflict copies are listed and flagged', async ({ put }, vault) => {
  const copies = [
    "Plan (Ada's conflicted copy 2026-11-20).md",
    'Plan (conflicted copy).md',
    'Plan.sync-conflict-20261120-081500-ABCDEFG.md',
  ];
  const plain = ['Plan.md', 'Plan (copy).md', 'On conflicted copy machines.md'];
  for (const path of [...copies, ...plain]) put(path, '');
  const { files } = await vault.list(signal);
  assert.deepEqual(
    files.filter(({ conflictCopy }) => conflictCopy).map(({ path }) => path),
    copies.toSorted(),
  );
  assert.equal(files.length, 6);
});

const NFC = 'Cafe\u0301'.normalize('NFC');
const NFD = 'Cafe\u0301';

inFolder(
  'V10 a decomposed name is listed composed, and opened by its name on disk',
  async (folder, vault) => {
    folder.put(`${NFD}/${NFD} au lait.md`, 'warm');
    const path = `${NFC}/${NFC} au lait.md`;
    assert.equal(await textOf(vault, path), 'warm', 'before any listing');
    assert.deepEqual(pathsOf(await vault.list(signal)), [path]);
    assert.equal(await textOf(vault, path), 'warm');
    renameSync(join(folder.root, NFD), join(folder.root, NFC));
    assert.equal(await textOf(vault, path), 'warm', 'after the folder was respelled');
  },
  onLinux,
);

inFolder(
  'V10 of two names that differ in normalization, the composed one has the path and the other keeps its spelling',
  async ({ put }, vault) => {
    put(`${NFC}.md`, 'composed');
    put(`${NFD}.md`, 'decomposed');
    put(`${NFC}/a.md`, 'in composed');
    put(`${NFD}/a.md`, 'in decomposed');
    const listed = pathsOf(await vault.list(signal));
    for (const path of listed) assert.deepEqual(pathsOf(await vault.listAt([path as NotePath], signal)), [path]);
    assert.deepEqual(new Set(listed), new Set([`${NFC}.md`, `${NFD}.md`, `${NFC}/a.md`, `${NFD}/a.md`]));
    assert.deepEqual(
      await Promise.all(listed.map((path) => textOf(vault, path))),
      listed.map((path) => `${path.endsWith('/a.md') ? 'in ' : ''}${path.startsWith(NFC) ? 'composed' : 'decomposed'}`),
    );
  },
  onLinux,
);

inFolder(
  'V10 names that differ only in case are different files',
  async ({ put }, vault) => {
    put('Tide.md', 'upper');
    put('tide.md', 'lower');
    assert.deepEqual(pathsOf(await vault.list(signal)), ['Tide.md', 'tide.md']);
    assert.deepEqual([await textOf(vault, 'Tide.md'), await textOf(vault, 'tide.md')], ['upper', 'lower']);
  },
  onLinux,
);

inFolder('V10 files are sorted by code points, astral characters last', async ({ put }, vault) => {
  for (const path of ['\u{1F30A}.md', '\uFF5E.md', 'z.md', 'Z.md']) put(path, '');
  assert.deepEqual(pathsOf(await vault.list(signal)), ['Z.md', 'z.md', '\uFF5E.md', '\u{1F30A}.md']);
});

inFolder(
  'V13 names that are invalid on other systems are listed and read',
  async ({ put }, vault) => {
    const odd = [
      '"quoted".md',
      'a*b.md',
      'a:b.md',
      'a\\b.md',
      'line\nend.md',
      'who?.md',
      `${'п'.repeat(119)}.md`,
      ' .md',
    ];
    for (const path of odd) put(path, path);
    assert.deepEqual(pathsOf(await vault.list(signal)), odd.toSorted());
    for (const path of odd) assert.equal(await textOf(vault, path), path);
  },
  onLinux,
);

inFolder(
  'V13 a file or folder whose name is not UTF-8 is reported, and the rest is listed',
  async ({ root, put }, vault) => {
    put('Fine.md', '');
    put('Really \uFFFD.md', 'a real one');
    const bad = Buffer.concat([Buffer.from(`${root}/bad`), Buffer.from([0xff])]);
    writeFileSync(Buffer.concat([bad, Buffer.from('.md')]), '');
    mkdirSync(bad);
    const listing = await vault.list(signal);
    assert.deepEqual(pathsOf(listing), ['Fine.md', 'Really \uFFFD.md']);
    assert.deepEqual(
      listing.skipped,
      ['bad\uFFFD', 'bad\uFFFD.md'].map((path) => ({ path, reason: 'unlistable_name' })),
    );
  },
  onLinux,
);

inFolder(
  'an unreadable file is reported with its reason',
  async ({ put }, vault) => {
    put('Note.md', '');
    const cases: [string, string][] = [
      ['Gone.md', 'ENOENT'],
      ['Note.md/Inner.md', 'ENOTDIR'],
      [`${'x'.repeat(300)}.md`, 'ENAMETOOLONG'],
    ];
    for (const [path, errno] of cases) {
      const error = await refusal(vault, path);
      assert.equal(error?.code, 'FILE_UNREADABLE');
      assert.equal((error as VaultgraphError<'FILE_UNREADABLE'>).details.errno, errno, path);
    }
  },
  onLinux,
);

inFolder(
  'V1 a root that is not a folder is reported, and works again once it is restored',
  async (folder, vault, probe) => {
    folder.put('Note.md', 'text');
    assert.equal((await probe()).ok, true);
    folder.vanish();
    writeFileSync(folder.root, 'a file');
    await assert.rejects(vault.list(signal), { code: 'VAULT_UNAVAILABLE', message: /ENOTDIR/ });
    const { ok, detail } = await probe();
    assert.deepEqual([ok, detail.includes(folder.root)], [false, false]);
    rmSync(folder.root);
    folder.comeBack();
    assert.deepEqual(pathsOf(await vault.list(signal)), ['Note.md']);
    assert.equal(await textOf(vault, 'Note.md'), 'text');
  },
);

inFolder('V4 listing and reading change nothing', async ({ root, put }, vault) => {
  put('a/Note.md', '\uFEFF---\r\ndate: 2026-11-20 # kept\r\n---\r\n');
  utimesSync(join(root, 'a/Note.md'), 1_700_000_000, 1_700_000_000);
  const seen = (): unknown[] =>
    readdirSync(root, { recursive: true }).map((name) => {
      const { mtimeMs, ctimeMs, size, ino } = statSync(join(root, String(name)));
      return [name, mtimeMs, ctimeMs, size, ino];
    });
  const before = seen();
  await vault.read(
    (await vault.list(signal)).files.map(({ path }) => path),
    signal,
  );
  assert.deepEqual(seen(), before);
});
