// Writes never leave the vault through links, and names that differ little lead to the right file.
import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { it } from 'node:test';
import { VaultgraphError } from '../../../../src/base/errors.ts';
import type { FileOperation } from '../../../../src/contracts/writer.ts';
import { inBench, KINDS, onDisk } from './change-kinds.ts';
import { failingDisk, isChanging, linklessDisk, quickDisk, watchedDisk } from './faulty-disks.ts';
import { asPlatform, assertClean, bytes, note, snapshotOf, type Workbench } from './workbench.ts';

const by = { tool: 'a_test', client: '' };
const onLinux = { skip: process.platform === 'linux' ? (false as const) : 'only Linux holds such names' };
const onPosix = { skip: process.platform === 'win32' ? 'Windows has other links and permissions' : (false as const) };
const PLATFORMS = [process.platform, 'darwin'] as const;

const create = (path: string, text = 'mine') => ({ kind: 'create', path: note(path), bytes: bytes(text) }) as const;
const move = (path: string, to: string) => ({ kind: 'move', path: note(path), to: note(to) }) as const;
const replaceNote = (bench: Workbench) =>
  ({ kind: 'replace', path: note('Note.md'), before: bench.hash('Note.md'), bytes: bytes('x') }) as const;

function refusal(bench: Workbench, ...operations: FileOperation[]): VaultgraphError | undefined {
  try {
    bench.apply({ ...by, operations });
    return undefined;
  } catch (thrown) {
    if (thrown instanceof VaultgraphError) return thrown;
    throw thrown;
  }
}

it('V9 nothing is written through or onto a link to a file or folder', onPosix, () => {
  for (const platform of PLATFORMS) {
    inBench((bench) => {
      const { root, outside } = bench.folder;
      mkdirSync(join(outside, 'private'));
      writeFileSync(join(outside, 'private/Secret.md'), 'secret');
      symlinkSync(join(outside, 'private'), join(root, 'out'));
      symlinkSync(join(outside, 'private/Secret.md'), join(root, 'Secret.md'));
      symlinkSync('Project', join(root, 'within'));
      symlinkSync(join(outside, 'nowhere'), join(root, 'dangling'));
      const before = bench.snapshot();
      const secret = bench.hash('Secret.md');
      asPlatform(platform, () => {
        for (const folder of ['out', 'within', 'dangling', 'Secret.md']) {
          for (const operation of [
            create(`${folder}/New.md`),
            create(`${folder}/deep/New.md`),
            move('Note.md', `${folder}/N.md`),
          ])
            assert.equal(refusal(bench, operation)?.code, 'PATH_NOT_ALLOWED', operation.path);
        }
        for (const path of ['out/Secret.md', 'Secret.md'].map(note)) {
          const operations: FileOperation[] = [
            { kind: 'replace', path, before: secret, bytes: bytes('x') },
            { kind: 'trash', path, before: secret },
            { kind: 'remove', path, before: secret },
            { kind: 'move', path, to: note('Got.md') },
          ];
          for (const operation of operations) assert.equal(refusal(bench, operation)?.code, 'PATH_NOT_ALLOWED');
        }
        assert.equal(refusal(bench, create('Secret.md'))?.code, 'NOTE_EXISTS');
        assert.equal(refusal(bench, create('dangling.md'))?.code, undefined);
      });
      rmSync(join(root, 'dangling.md'));
      assert.deepEqual(bench.snapshot(), before);
      assert.deepEqual(readdirSync(join(outside, 'private')), ['Secret.md']);
      assert.equal(readFileSync(join(outside, 'private/Secret.md'), 'utf8'), 'secret');
    });
  }
});

it('V9 a folder that is swapped for a link before any call of a change redirects no write', onPosix, () => {
  for (const kind of KINDS) {
    for (let moment = 0, isOver = false; !isOver; moment += 1) isOver = !swapped(kind, moment);
  }
});

/** @returns whether there was such a moment */
function swapped(kind: (typeof KINDS)[number], moment: number): boolean {
  return inBench((bench) => {
    const { root, outside } = bench.folder;
    const away = join(outside, 'private');
    mkdirSync(join(away, 'Deep'), { recursive: true });
    for (const path of ['One.md', 'Two.md', 'Deep/Three.md'])
      writeFileSync(join(away, path), readFileSync(join(root, 'Project', path)));
    const request = kind.request(bench);
    const private_ = snapshotOf(away);
    let [moments, isDone] = [0, false];
    const disk = watchedDisk((name, given) => {
      if ((!isChanging(name, given) && name !== 'closeSync') || moments++ !== moment) return;
      if (!existsSync(join(root, 'Project'))) return;
      isDone = true;
      renameSync(join(root, 'Project'), join(root, 'Swapped'));
      symlinkSync(away, join(root, 'Project'));
    });
    try {
      bench.apply(request, { disk });
    } catch (thrown) {
      if (!(thrown instanceof VaultgraphError)) throw thrown;
    }
    assert.deepEqual(snapshotOf(away), private_, `${kind.title}, moment ${moment}`);
    if (!isDone) return false;
    rmSync(join(root, 'Project'));
    renameSync(join(root, 'Swapped'), join(root, 'Project'));
    // A temporary file may have moved with the folder, and is there once the folder is back.
    bench.recover();
    assert.ok(bench.log.entries().every(({ stage }) => stage === 'done' || stage === 'taken_back'));
    return true;
  });
}

it(
  'a folder that is moved within the vault before any call of a change keeps no temporary file, and nothing of a refused change',
  onPosix,
  () => {
    for (const kind of KINDS) {
      for (let moment = 0, isOver = false; !isOver; moment += 2) isOver = !moved(kind, moment, isStep);
    }
    for (const isReplaced of [false, true]) {
      for (let moment = 0, isOver = false; !isOver; moment += 1)
        isOver = !moved(SEVERAL, moment, () => true, isReplaced);
    }
  },
);

/** The notes wherever they are by now. */
const textsIn = (root: string): readonly string[] =>
  [...snapshotOf(root)].flatMap(([path, found]) => (path.endsWith('.md') ? `${basename(path)} ${found}` : [])).sort();

/** Two edits and a new note in one folder. */
const SEVERAL: (typeof KINDS)[number] = {
  title: 'edit two notes of a folder, and create one in it',
  request: ({ hash }) => {
    const edits = ['Project/One.md', 'Project/Two.md'].map((path) => {
      return { kind: 'replace', path: note(path), before: hash(path), bytes: bytes('edited') } as const;
    });
    const made = { kind: 'create', path: note('Project/New.md'), bytes: bytes('new') } as const;
    return { ...by, operations: [...edits, made] };
  },
};

const isStep = (name: Parameters<typeof isChanging>[0], given: readonly unknown[]): boolean =>
  isChanging(name, given) || name === 'closeSync';

/** @param isReplaced whether another folder has its name at once @returns whether there was such a moment */
function moved(kind: (typeof KINDS)[number], moment: number, isCounted: typeof isStep, isReplaced = false): boolean {
  return inBench((bench) => {
    const { root } = bench.folder;
    const request = kind.request(bench);
    let [moments, isDone] = [0, false];
    const disk = watchedDisk((name, given) => {
      if (!isCounted(name, given) || moments++ !== moment) return;
      isDone = true;
      if (existsSync(join(root, 'Project'))) renameSync(join(root, 'Project'), join(root, 'Elsewhere'));
      if (isReplaced) mkdirSync(join(root, 'Project'));
    });
    const before = textsIn(root);
    let isRefused = false;
    try {
      bench.apply(request, { disk });
    } catch (thrown) {
      if (!(thrown instanceof VaultgraphError)) throw thrown;
      isRefused = (thrown.details as { readonly original_intact?: boolean }).original_intact !== false;
    }
    if (isRefused && kind === SEVERAL) assert.deepEqual(textsIn(root), before, `moment ${moment}`);
    const isUndecided = bench.log.entries().some(({ stage }) => stage !== 'done' && stage !== 'taken_back');
    if (isUndecided) bench.recover();
    const left = [...snapshotOf(root).keys()].filter((path) => path.includes('.vaultgraph-') && path.endsWith('.tmp'));
    assert.deepEqual(left, [], `${kind.title}, moment ${moment}`);
    return isDone;
  });
}

it('V9 only files in the trash are restored', onPosix, () => {
  inBench((bench) => {
    writeFileSync(join(bench.folder.outside, 'Secret.md'), 'secret');
    for (const trashed of [
      '../Secret.md',
      '.trash/../../Secret.md',
      '/etc/hostname',
      'Note.md',
      '.trash',
      '.obsidian/app.json',
    ]) {
      const operation = { kind: 'restore', path: note('Got.md'), bytes: bytes('secret'), trashed } as const;
      assert.equal(refusal(bench, operation)?.code, 'PATH_NOT_ALLOWED', trashed);
    }
    assert.equal(readFileSync(join(bench.folder.outside, 'Secret.md'), 'utf8'), 'secret');
  });
});

it('V9 no folder is removed outside the vault or through a link', onPosix, () => {
  inBench((bench) => {
    const { root, outside } = bench.folder;
    for (const path of [join(outside, 'empty'), join(root, 'hollow')]) mkdirSync(path);
    symlinkSync(outside, join(root, 'out'));
    for (const path of ['../empty', '/tmp', 'Project/../../empty', '.obsidian'])
      assert.throws(() => bench.apply({ ...by, operations: [create('a.md')], emptied: [path] }), {
        code: 'PATH_NOT_ALLOWED',
      });
    const { kept } = bench.apply({
      ...by,
      operations: [create('a.md')],
      emptied: ['out/empty', 'hollow', 'Project', 'gone'],
    });
    assert.deepEqual(kept, ['out/empty', 'Project']);
    assert.ok(existsSync(join(outside, 'empty')));
    assert.ok(!existsSync(join(root, 'hollow')));
  });
});

it('V10 a folder in another spelling is refused, and the error names the spelling on disk', () => {
  inBench((bench) => {
    const error = refusal(bench, create('project/New.md')) as VaultgraphError<'PATH_NOT_ALLOWED'>;
    assert.match(error.details.rule, /"Project"/);
    assert.equal(refusal(bench, create('Project/New.md')), undefined);
  });
});

it('V10 of several folders that differ in spelling, the exact match is used', onLinux, () => {
  inBench((bench) => {
    for (const path of ['PROJECT/x.md', 'project/x.md', 'Caf\u00e9/x.md', 'Cafe\u0301/x.md'])
      bench.folder.put(path, 'x');
    for (const path of ['PROJECT/New.md', 'project/New.md', 'Project/New.md', 'Caf\u00e9/New.md'])
      assert.equal(refusal(bench, create(path)), undefined, path);
    assert.deepEqual(readdirSync(join(bench.folder.root, 'Cafe\u0301')), ['x.md']);
    assert.match(String(refusal(bench, create('pROJECT/New.md'))?.message), /spelled/);
  });
});

it('V10 of notes that differ only in case or normalization, the named one is changed', onLinux, () => {
  inBench((bench) => {
    const names = ['Twin.md', 'twin.md', 'Sj\u00f6.md', 'Sjo\u0308.md'];
    for (const name of names) bench.folder.put(name, `this is ${name}`);
    for (const name of names) {
      const before = bench.snapshot();
      const { id } = bench.apply({
        ...by,
        operations: [{ kind: 'replace', path: note(name), before: bench.hash(name), bytes: bytes('new') }],
      });
      const changed = [...bench.snapshot()].filter(([path, content]) => before.get(path) !== content);
      assert.deepEqual(changed, [[name, '644 new']]);
      const { operations } = bench.inverse(id);
      bench.apply({ ...by, operations, undoes: id });
      assert.deepEqual(bench.snapshot(), before);
    }
    assert.equal(refusal(bench, move('twin.md', 'TWIN.md'))?.code, 'NOTE_EXISTS');
    assert.equal(refusal(bench, move('Twin.md', 'twin.md'))?.code, 'NOTE_EXISTS');
    bench.apply({ ...by, operations: [move('Sjo\u0308.md', 'Pond.md')] });
    assert.equal(readFileSync(join(bench.folder.root, 'Pond.md'), 'utf8'), 'this is Sjo\u0308.md');
    assert.ok(bench.snapshot().has('Sj\u00f6.md'));
  });
});

it('V10 a composed path finds a decomposed file, which keeps its spelling', onLinux, () => {
  const path = note('Caf\u00e9.md');
  for (const kind of ['replace', 'trash', 'remove', 'move'] as const) {
    inBench((bench) => {
      const before = bench.snapshot();
      const hash = bench.hash(onDisk(path));
      const operations: Record<typeof kind, FileOperation> = {
        replace: { kind: 'replace', path, before: hash, bytes: bytes('new') },
        trash: { kind: 'trash', path, before: hash },
        remove: { kind: 'remove', path, before: hash },
        move: { kind: 'move', path, to: note('Bar.md') },
      };
      const { id } = bench.apply({ ...by, operations: [operations[kind]] });
      assert.equal(bench.snapshot().has(onDisk(path)), kind === 'replace');
      assert.ok(!bench.snapshot().has(path));
      const inverse = bench.inverse(id);
      bench.apply({ ...by, ...inverse, undoes: id });
      const respelled = kind === 'replace' ? [] : [onDisk(path), path];
      const without = (all: ReadonlyMap<string, string>) => [...all].filter(([name]) => !respelled.includes(name));
      assert.deepEqual(without(bench.snapshot()), without(before));
      assert.ok([path, onDisk(path)].some((name) => bench.snapshot().get(name) === before.get(onDisk(path))));
    });
  }
});

it('an undo restores a name that is not portable', onLinux, () => {
  inBench((bench) => {
    const odd = note('What: is "this"?.md');
    bench.folder.put(odd, 'odd');
    const before = bench.snapshot();
    assert.equal(refusal(bench, move(odd, 'What # is this.md'))?.code, 'PATH_NOT_ALLOWED');
    for (const operation of [move(odd, 'What.md'), { kind: 'trash', path: odd, before: bench.hash(odd) } as const]) {
      const { id } = bench.apply({ ...by, operations: [operation] });
      bench.apply({ ...by, ...bench.inverse(id), undoes: id });
      assert.deepEqual([...bench.snapshot().keys()], [...before.keys()]);
    }
    bench.apply({ ...by, operations: [move(odd, `Elsewhere/${odd}`)] });
    assert.ok(bench.snapshot().has(`Elsewhere/${odd}`), 'a name that it had already may go along');
  });
});

it('a replaced note keeps its permissions, and a moved one also its times and inode', onPosix, () => {
  inBench((bench) => {
    const at = (path: string): string => join(bench.folder.root, path);
    const long = new Date('2001-02-03T04:05:06Z');
    for (const path of ['Note.md', 'Hub.md']) utimesSync(at(path), long, long);
    chmodSync(at('Hub.md'), 0o600);
    const { ino } = statSync(at('Hub.md'));
    bench.apply({ ...by, operations: [move('Hub.md', 'New/Hub.md')] });
    const moved = statSync(at('New/Hub.md'));
    assert.deepEqual([moved.ino, moved.mode & 0o777, moved.mtime], [ino, 0o600, long]);
    bench.apply({ ...by, operations: [replaceNote(bench)] });
    assert.equal(statSync(at('Note.md')).mode & 0o777, 0o640);
    assert.ok(Math.abs(statSync(at('Note.md')).mtimeMs - Date.now()) < 60_000);
  });
});

it('an undo restores permissions, even after the trash was emptied', onPosix, () => {
  inBench((bench) => {
    const before = bench.snapshot();
    const operations: FileOperation[] = [
      { kind: 'trash', path: note('Note.md'), before: bench.hash('Note.md') },
      { kind: 'remove', path: note('Note.md'), before: bench.hash('Note.md') },
    ];
    for (const operation of operations) {
      const { id, files } = bench.apply({ ...by, operations: [operation] });
      if (files[0]?.to !== undefined) rmSync(join(bench.folder.root, files[0].to));
      bench.apply({ ...by, ...bench.inverse(id), undoes: id });
      assert.deepEqual(bench.snapshot(), before);
    }
  });
});

const asRoot = { skip: process.getuid?.() === 0 ? (false as const) : 'only root may give files away' };

it('a replaced note keeps its owner where the system allows it', asRoot, () => {
  inBench((bench) => {
    const file = join(bench.folder.root, 'Note.md');
    chownSync(file, 65_534, 65_534);
    const { id } = bench.apply({ ...by, operations: [replaceNote(bench)] });
    const { uid, gid, mode } = statSync(file);
    assert.deepEqual([uid, gid, mode & 0o777], [65_534, 65_534, 0o640]);
    const disk = failingDisk({ from: 0, times: 9, errno: 'EPERM', isFailing: (name) => name === 'fchownSync' });
    bench.apply({ ...by, ...bench.inverse(id), undoes: id }, { disk });
    assert.equal(statSync(file).uid, 0);
  });
});

it('without hard links, a moved file is still the same inode', onPosix, () => {
  inBench((bench) => {
    const { ino } = statSync(join(bench.folder.root, 'Hub.md'));
    bench.apply({ ...by, operations: [move('Hub.md', 'New/Hub.md')] }, { disk: linklessDisk() });
    assert.equal(statSync(join(bench.folder.root, 'New/Hub.md')).ino, ino);
    assert.throws(() => bench.apply({ ...by, operations: [create('Note.md')] }, { disk: linklessDisk() }), {
      code: 'NOTE_EXISTS',
    });
  });
});

it('replacing a note with a hard link outside the vault leaves the other name unchanged', onPosix, () => {
  inBench((bench) => {
    const { root, outside } = bench.folder;
    linkSync(join(root, 'Note.md'), join(outside, 'backup.md'));
    const old = readFileSync(join(root, 'Note.md'), 'utf8');
    const { id } = bench.apply({ ...by, operations: [replaceNote(bench)] });
    assert.equal(readFileSync(join(outside, 'backup.md'), 'utf8'), old);
    bench.apply({ ...by, ...bench.inverse(id), undoes: id });
    assert.equal(readFileSync(join(root, 'Note.md'), 'utf8'), old);
    assertClean(bench);
  });
});

it('V7 a read-only note is not written, but can be moved and trashed', onPosix, () => {
  inBench((bench) => {
    const file = join(bench.folder.root, 'Note.md');
    chmodSync(file, 0o444);
    const before = bench.hash('Note.md');
    const error = refusal(bench, { kind: 'replace', path: note('Note.md'), before, bytes: bytes('x') });
    assert.equal(error?.code, 'FILE_WRITE_FAILED');
    assert.deepEqual(error?.details, { path: 'Note.md', errno: 'EACCES', step: 'access', original_intact: true });
    assert.equal(refusal(bench, { ...move('Note.md', 'b.md'), bytes: bytes('x') })?.code, 'FILE_WRITE_FAILED');
    assert.equal(refusal(bench, move('Note.md', 'b.md')), undefined);
    assert.equal(lstatSync(join(bench.folder.root, 'b.md')).mode & 0o777, 0o444);
    assert.equal(refusal(bench, { kind: 'trash', path: note('b.md'), before }), undefined);
  });
});

it('V2 a file that is only in the cloud is neither read nor moved', onLinux, () => {
  inBench((bench) => {
    const file = join(bench.folder.root, 'Project/lamp.png');
    writeFileSync(file, '');
    truncateSync(file, 5_000);
    const hidden = watchedDisk(() => undefined, quickDisk);
    const evicted = Object.assign(hidden, {
      lstatSync: ((path: string, options: object) => {
        const stats = lstatSync(path, options);
        return path.endsWith('lamp.png') && stats !== undefined ? Object.assign(stats, { blocks: 0 }) : stats;
      }) as typeof lstatSync,
    });
    asPlatform('darwin', () => {
      const operations = [move('Project/lamp.png', 'lamp.png')];
      assert.throws(() => bench.apply({ ...by, operations }, { disk: evicted }), {
        code: 'FILE_UNREADABLE',
        details: { path: 'Project/lamp.png', errno: 'EVICTED' },
      });
    });
  });
});

it('a large attachment moves with its folder and is hashed in pieces', () => {
  inBench((bench) => {
    const file = join(bench.folder.root, 'Project/film.mp4');
    writeFileSync(file, '');
    truncateSync(file, 80 * 1024 * 1024);
    let beats = 0;
    const { files, id } = bench.apply(
      { ...by, operations: [move('Project/film.mp4', 'Film/film.mp4')] },
      {
        checkStop() {
          beats += 1;
        },
      },
    );
    assert.equal(files[0]?.before, files[0]?.after);
    assert.ok(beats > 80, `${beats} signs of life`);
    bench.apply({ ...by, ...bench.inverse(id), undoes: id });
    assert.equal(statSync(file).size, 80 * 1024 * 1024);
    assert.ok(!existsSync(join(bench.folder.root, 'Film')));
  });
});
