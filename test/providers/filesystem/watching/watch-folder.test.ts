// The watcher on real folders: which changes it reports, and its reasons when it cannot watch.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, listenTo } from '../../../contracts/vault.ts';
import { bundledProgram } from '../../../runner/bundles.ts';
import { createVaultFolder, openVault, type VaultFolder } from '../vault-folder.ts';

const CHILD = bundledProgram('test/providers/filesystem/watching/watch-child.ts');
const NOBODY = 65_534;

type Listening = Awaited<ReturnType<typeof listenTo>>;

async function watching(
  check: (folder: VaultFolder, listening: Listening) => Promise<void>,
  fill: (folder: VaultFolder) => void = () => undefined,
  exclude: string[] = [],
): Promise<void> {
  const folder = createVaultFolder();
  fill(folder);
  const { vault, close } = await openVault(folder, exclude);
  try {
    const listening = await listenTo(vault);
    await check(folder, listening);
    await listening.close();
  } finally {
    await close();
    folder.delete();
  }
}

test('a change of a decomposed name is reported with its composed path', () =>
  watching(async (folder, { heard, until }) => {
    folder.put('Sjo\u0308/Na\u0308ve.md', 'x');
    await until(() => heard.paths.has('Sj\u00f6/N\u00e4ve.md'));
    assert.ok([...heard.paths].every((path) => path === path.normalize('NFC')));
  }));

test('settings that are again as they were ask for a new listing if one was made meanwhile', async () => {
  const folder = createVaultFolder();
  folder.put('.obsidian/app.json', '{}');
  folder.put('Private/One.md', '1');
  const { vault, close } = await openVault(folder);
  try {
    const { heard, until, close: endWatch } = await listenTo(vault);
    const excluded = async () =>
      (await vault.list(AbortSignal.timeout(60_000))).files.map(({ excluded = false }) => excluded);
    const settings = join(folder.root, '.obsidian/app.json');
    renameSync(settings, join(folder.outside, 'kept.json'));
    folder.put('.obsidian/app.json', JSON.stringify({ userIgnoreFilters: ['Private/'] }));
    assert.deepEqual(await excluded(), [true]);
    renameSync(join(folder.outside, 'kept.json'), settings);
    await until(() => heard.folders.has(''));
    assert.deepEqual(await excluded(), [false]);
    await endWatch();
  } finally {
    await close();
    folder.delete();
  }
});

test('a new folder with contents is reported with every file in it, and then watched at every depth', () =>
  watching(async (folder, { heard, until }) => {
    mkdirSync(join(folder.outside, 'made/deep/er'), { recursive: true });
    writeFileSync(join(folder.outside, 'made/deep/er/One.md'), '1');
    renameSync(join(folder.outside, 'made'), join(folder.root, 'made'));
    await until(() => heard.paths.has('made/deep/er/One.md') && heard.lost.length > 0);
    writeFileSync(join(folder.root, 'made/deep/er/Two.md'), '2');
    await until(() => heard.paths.has('made/deep/er/Two.md'));
    renameSync(join(folder.root, 'made'), join(folder.root, 'moved'));
    await until(() => heard.folders.has('made') && heard.paths.has('moved/deep/er/Two.md') && heard.lost.length > 1);
    writeFileSync(join(folder.root, 'moved/deep/er/Three.md'), '3');
    await until(() => heard.paths.has('moved/deep/er/Three.md'));
    assert.deepEqual(heard.ended, []);
  }));

test('folders that are moved out of the vault and deleted there do not break the watch', () =>
  watching(
    async (folder, { heard, until }) => {
      renameSync(join(folder.root, 'leaving'), join(folder.outside, 'left'));
      await until(() => heard.folders.has('leaving'));
      rmSync(join(folder.outside, 'left'), { recursive: true });
      for (const round of ['a', 'b', 'c']) {
        mkdirSync(join(folder.outside, round, 'new/deep'), { recursive: true });
        const before = heard.lost.length;
        renameSync(join(folder.outside, round), join(folder.root, round));
        await until(() => heard.lost.length > before);
        folder.put(`${round}/new/deep/Later.md`, 'x');
        await until(() => heard.paths.has(`${round}/new/deep/Later.md`));
      }
      assert.deepEqual(heard.ended, []);
    },
    (folder) => folder.put('leaving/deep/er/One.md', '1'),
  ));

test('changes behind a symbolic link or in an excluded folder are not reported', () =>
  watching(
    async (folder, { heard, until }) => {
      writeFileSync(join(folder.outside, 'elsewhere/Beyond.md'), 'x');
      folder.put('Archive/Old.md', 'changed');
      folder.put('Archive/new/Old.md', 'changed');
      folder.put('Fine.md', 'x');
      await until(() => heard.paths.has('Fine.md'));
      await sleep(600);
      assert.deepEqual([...heard.paths, ...heard.folders, ...heard.lost], ['Fine.md']);
    },
    (folder) => {
      mkdirSync(join(folder.outside, 'elsewhere'));
      symlinkSync(join(folder.outside, 'elsewhere'), join(folder.root, 'link'));
      folder.put('Archive/Old.md', 'x');
    },
    ['Archive/**'],
  ));

test('V2 a new cloud stub is reported with the path of its file', () =>
  watching(async (folder, { heard, until }) => {
    folder.put('a/.Note.md.icloud', 'stub');
    await until(() => heard.paths.has('a/Note.md'));
  }));

test('V1 replacing the vault by another folder ends the watch', () =>
  watching(async (folder, { heard, until }) => {
    folder.vanish();
    mkdirSync(folder.root);
    await until(() => heard.ended.length > 0);
    assert.match(heard.ended.join(), /^(?:ENOENT|ESTALE)$/);
  }));

interface Reported {
  readonly kind: string;
  readonly reason?: string;
  readonly paths?: readonly string[];
  readonly isLoaded?: boolean;
}

/** Has a child watch the folder, and ends it once it has reported enough. */
async function childReports(
  folder: VaultFolder,
  command: readonly string[],
  isEnough: (reported: readonly Reported[]) => boolean,
  more: { readonly uid?: number; readonly gid?: number; readonly onWatching?: () => void } = {},
): Promise<readonly Reported[]> {
  const [program = '', ...given] = command;
  const { onWatching, ...identity } = more;
  const child = spawn(program, [...given, CHILD, folder.outside], { ...identity, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const reported = (): Reported[] =>
    output
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const isWatching = (): boolean => reported().some(({ kind }) => kind === 'watching');
  try {
    await eventually(isWatching, () => output);
    onWatching?.();
    await eventually(
      () => isEnough(reported()),
      () => output,
    );
  } finally {
    child.stdin.end();
    await ended;
  }
  return reported();
}

const reasons = (reported: readonly Reported[]): readonly (string | undefined)[] =>
  reported.filter(({ kind }) => kind === 'ended').map(({ reason }) => reason);

async function inFolder(check: (folder: VaultFolder) => Promise<void>): Promise<void> {
  const folder = createVaultFolder();
  for (const path of ['a/b/One.md', 'a/Two.md', 'c/d/Three.md']) folder.put(path, 'x');
  try {
    await check(folder);
  } finally {
    folder.delete();
  }
}

/** A user namespace has limits of its own, which its root may set. */
const withLimit = (name: string, limit: number): readonly string[] => {
  const script = `echo ${limit} > /proc/sys/user/${name} && exec "$0" "$@"`;
  return ['unshare', '-Ur', 'sh', '-c', script, process.execPath];
};
const mayLimit = spawnSync('unshare', withLimit('max_inotify_watches', 9).slice(1, -1).concat('true')).status === 0;
const skip = !mayLimit && "the limits of this system's watchers cannot be set";

for (const [name, limit, errno] of [
  ['max_inotify_watches', 2, 'ENOSPC'],
  ['max_inotify_instances', 0, 'EMFILE'],
] as const)
  test(`V12 ${errno} at the system's limit is reported as the reason, without a hang or a crash`, { skip }, () =>
    inFolder(async (folder) => {
      const reported = await childReports(folder, withLimit(name, limit), (all) => reasons(all).length > 0);
      assert.deepEqual(reasons(reported), [errno]);
      assert.equal(reported.at(-1)?.kind, 'closed');
    }),
  );

test('a watch needs only one event queue', { skip }, () =>
  inFolder(async (folder) => {
    const onWatching = (): void => folder.put('a/b/One.md', 'changed');
    const isEnough = (reported: readonly Reported[]): boolean =>
      reported.some(({ paths }) => paths?.includes('a/b/One.md'));
    const reported = await childReports(folder, withLimit('max_inotify_instances', 1), isEnough, { onWatching });
    assert.deepEqual(reasons(reported), []);
  }),
);

test('V12 without the library Node watches, new folders too; the library is loaded only when a watch begins', () =>
  inFolder(async (folder) => {
    const hooks = join(import.meta.dirname, 'no-watcher.ts');
    const hasHeard = (all: readonly Reported[], path: string): boolean =>
      all.some(({ paths }) => paths?.includes(path));
    let isMade = false;
    const onWatching = (): void => {
      folder.put('a/b/One.md', 'changed');
      rmSync(join(folder.root, 'c'), { recursive: true });
      renameSync(join(folder.root, 'a/Two.md'), join(folder.root, 'Moved.md'));
    };
    const isEnough = (all: readonly Reported[]): boolean => {
      if (!['a/b/One.md', 'a/Two.md', 'Moved.md'].every((path) => hasHeard(all, path))) return false;
      if (!isMade) folder.put('new/deep/Four.md', 'x');
      isMade = true;
      // The folders are listed again once they have arrived.
      if (all.some(({ kind }) => kind === 'lost')) folder.put('new/deep/Five.md', 'x');
      return hasHeard(all, 'new/deep/Four.md') && hasHeard(all, 'new/deep/Five.md');
    };
    const command = [process.execPath, '--import', hooks];
    const missing = await childReports(folder, command, isEnough, { onWatching });
    assert.deepEqual(reasons(missing), []);
    const there = await childReports(folder, [process.execPath], () => true);
    assert.deepEqual(
      there.flatMap(({ isLoaded }) => (isLoaded === undefined ? [] : [isLoaded])),
      [false, true],
    );
  }));

const canRead = spawnSync(process.execPath, ['-e', 'fs.accessSync(process.argv[1])', CHILD], {
  uid: NOBODY,
  gid: NOBODY,
});
const isRoot = process.getuid?.() === 0;

test(
  'V2 folders without permission do not keep the rest from being watched',
  { skip: isRoot && canRead.status !== 0 && 'no other user may read this checkout' },
  () =>
    inFolder(async (folder) => {
      for (const path of ['closed/In.md', 'blind/In.md']) folder.put(path, 'x');
      chmodSync(folder.outside, 0o755);
      chmodSync(join(folder.root, 'closed'), 0);
      chmodSync(join(folder.root, 'blind'), 0o444);
      try {
        const onWatching = (): void => folder.put('a/b/One.md', 'changed');
        const isEnough = (reported: readonly Reported[]): boolean =>
          reported.some(({ paths }) => paths?.includes('a/b/One.md'));
        const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
        const reported = await childReports(folder, [process.execPath], isEnough, { ...identity, onWatching });
        assert.deepEqual(reasons(reported), []);
      } finally {
        for (const path of ['closed', 'blind']) chmodSync(join(folder.root, path), 0o755);
      }
    }),
);
