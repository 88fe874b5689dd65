// The change log: what it keeps, for how long, in which order, and how it cleans up after a kill.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { type Bounds, ChangeLog } from '../../../../src/providers/filesystem/writing/change-log.ts';
import { listChanges } from '../../../../src/providers/filesystem/writing/inverse-change.ts';
import { newId, parseFileName } from '../../../../src/providers/filesystem/writing/logged-change.ts';
import { assertEach } from '../../../assert-each.ts';
import { inBench } from './change-kinds.ts';
import { quickDisk, watchedDisk } from './faulty-disks.ts';
import { bytes, note, type Workbench } from './workbench.ts';

const by = { tool: 'a_test', client: '' };
const DAY_MS = 24 * 60 * 60 * 1000;
const KEEP_ALL: Bounds = { bytes: Number.POSITIVE_INFINITY, ms: Number.POSITIVE_INFINITY };

const folderOf = ({ folder }: Workbench): string => join(folder.outside, 'log');

function make(bench: Workbench, path: string, size = 10): string {
  const operations = [{ kind: 'create', path: note(path), bytes: bytes('x'.repeat(size)) }] as const;
  return bench.apply({ ...by, operations }).id;
}

function pruned(bench: Workbench, bounds: Partial<Bounds>, now = Date.now()): string[] {
  const log = new ChangeLog(quickDisk, folderOf(bench), { ...KEEP_ALL, ...bounds });
  log.prune(now);
  return log.entries().map(({ id }) => id);
}

it('the newest changes are kept up to a total size on disk', () => {
  inBench((bench) => {
    const ids = Array.from({ length: 10 }, (_, n) => make(bench, `${n}.md`, 50_000)).toReversed();
    const [{ bytes: each } = { bytes: 0 }] = bench.log.entries();
    assert.ok(each > 50_000 && each < 70_000, `${each}`);
    assert.deepEqual(pruned(bench, { bytes: 4 * each + 1 }), ids.slice(0, 4));
    assert.deepEqual(readdirSync(folderOf(bench)).length, 4);
    assert.deepEqual(pruned(bench, { bytes: 1 }), ids.slice(0, 1), 'the newest stays, however large');
    assert.throws(() => bench.inverse(ids[1]), { code: 'CHANGE_NOT_FOUND' });
  });
});

/** @param days ages of complete changes @returns their ids */
function addOld(bench: Workbench, now: number, days: readonly number[]): string[] {
  const ids = days.map((age) => newId(now - age * DAY_MS));
  for (const id of ids) writeFileSync(join(folderOf(bench), `${id}.1.done`), '');
  return ids;
}

it('changes are kept for a limited time', () => {
  inBench((bench) => {
    const now = Date.now();
    const ids = addOld(bench, now, [0, 5, 89, 91]);
    assert.deepEqual(pruned(bench, { ms: 90 * DAY_MS }, now), ids.slice(0, 3));
  });
});

it('a clock that is suddenly much later removes no change before it has been so for a day', () => {
  inBench((bench) => {
    const wrong = Date.now() + 3_650 * DAY_MS;
    const ids = addOld(bench, Date.now(), [0, 5, 89, 91]);
    const [first = ''] = addOld(bench, wrong, [0]);
    assert.deepEqual(pruned(bench, { ms: 90 * DAY_MS }, wrong + 1), [first, ...ids]);
    const [second] = addOld(bench, wrong + 2 * DAY_MS, [0]);
    assert.deepEqual(pruned(bench, { ms: 90 * DAY_MS }, wrong + 2 * DAY_MS), [second, first]);
  });
});

it('the default limits are 256 MiB and 90 days', () => {
  inBench((bench) => {
    const log = folderOf(bench);
    const [old, recent, newest] = [91, 29, 0].map((days) => newId(Date.now() - days * DAY_MS));
    const MiB = 1024 * 1024;
    for (const [id, size] of [
      [old, 1],
      [recent, 200 * MiB],
      [newest, 50 * MiB],
    ])
      writeFileSync(join(log, `${id}.${size}.done`), '');
    bench.log.prune(Date.now());
    assertEach(bench.log.entries(), ({ id }) => id, [newest, recent]);
    writeFileSync(join(log, `${newId(Date.now() + 1)}.${10 * MiB}.done`), '');
    bench.log.prune(Date.now());
    assert.equal(bench.log.entries().at(-1)?.id, newest);
  });
});

it('an unfinished change is never pruned', () => {
  inBench((bench) => {
    make(bench, 'a.md');
    make(bench, 'b.md');
    const [newest, oldest] = bench.log.entries();
    const log = folderOf(bench);
    const renamed = (stage: string): string => `${oldest?.id}.${oldest?.bytes}.${stage}`;
    for (const stage of ['begun', 'committed', 'aborting']) {
      const [name] = readdirSync(log).filter((each) => each.startsWith(String(oldest?.id)));
      renameSync(join(log, String(name)), join(log, renamed(stage)));
      assert.deepEqual(pruned(bench, { bytes: 1, ms: 1 }, Date.now() + DAY_MS), [newest?.id, oldest?.id]);
    }
  });
});

it('pruning removes the partial file that a kill left, and nothing else', () => {
  inBench((bench) => {
    const id = make(bench, 'a.md');
    const log = folderOf(bench);
    for (const name of [`${newId(1)}.new`, 'foreign-file']) writeFileSync(join(log, name), 'half');
    assertEach(bench.log.entries(), (name) => name.id, [id]);
    bench.log.prune(Date.now());
    assert.deepEqual(
      readdirSync(log)
        .map((name) => parseFileName(name)?.id ?? name)
        .toSorted(),
      [id, 'foreign-file'],
    );
  });
});

it('changes are sorted by their start, even if the clock is set back', () => {
  inBench((bench) => {
    const late = newId(Date.now() + DAY_MS);
    writeFileSync(join(folderOf(bench), `${late}.4096.done`), '');
    const first = make(bench, 'a.md');
    const second = make(bench, 'b.md');
    assertEach(bench.log.entries(), ({ id }) => id, [second, first, late]);
    const undo = bench.inverse(second);
    const { id } = bench.apply({ ...by, ...undo, undoes: second });
    assert.equal(listChanges(bench.log, 2)[1]?.undoneBy, id);
  });
});

it('a damaged log file is an error', () => {
  inBench((bench) => {
    const id = make(bench, 'a.md');
    const [name] = readdirSync(folderOf(bench));
    const file = join(folderOf(bench), String(name));
    for (const half of ['', '000000', 'vaultgraph-change 1 000000000002', readFileSync(file).subarray(0, 200)]) {
      writeFileSync(file, half);
      assert.throws(() => bench.inverse(id), { code: 'FILE_WRITE_FAILED', message: /EBADMSG/ });
    }
    rmSync(file);
    assert.throws(() => bench.inverse(id), { code: 'CHANGE_NOT_FOUND' });
  });
});

it('bytes of every kind and size are stored and returned unchanged', () => {
  inBench((bench) => {
    const contents = ['', '\u0000', '\r\n', '灯塔', 'x'.repeat(100_000)].map(bytes);
    const operations = contents.map(
      (content, at) => ({ kind: 'create', path: note(`${at}.md`), bytes: content }) as const,
    );
    const { id, files } = bench.apply({ ...by, operations });
    const log = new ChangeLog(quickDisk, folderOf(bench));
    assertEach(files, ({ after }) => new Uint8Array(log.image(id, String(after))), contents);
    assert.throws(() => log.image(id, 'another'), { code: 'CHANGE_NOT_FOUND' });
  });
});

it('all replaced bytes and the intent are on disk before the vault is touched, and the commit follows', () => {
  inBench((bench) => {
    const { root } = bench.folder;
    const steps: string[] = [];
    const open = new Map<unknown, string>();
    const real = watchedDisk((name, given) => {
      const second = String(given[1]);
      if (name === 'fsyncSync') steps.push(`fsync ${open.get(given[0])}`);
      if (name === 'linkSync' || name === 'renameSync') steps.push(`${name.slice(0, -4)} ${plain(second)}`);
    });
    const plain = (path = ''): string => {
      if (/\.(begun|committed|done)$/.test(path)) return path.slice(path.lastIndexOf('.') + 1);
      if (path.endsWith('.new')) return 'log entry';
      if (path === folderOf(bench)) return 'log';
      if (path.endsWith('.old.tmp')) return 'second name';
      if (path.endsWith('.tmp')) return 'temporary file';
      return path === root || /^\/proc\/self\/fd\/\d+$/.test(path) ? 'folder' : 'note';
    };
    const disk = Object.assign(real, {
      openSync: ((path: string, flags: string | number) => {
        const descriptor = quickDisk.openSync(path, flags);
        open.set(descriptor, plain(path));
        return descriptor;
      }) as typeof quickDisk.openSync,
    });
    const before = bench.hash('Note.md');
    bench.apply(
      { ...by, operations: [{ kind: 'replace', path: note('Note.md'), before, bytes: bytes('new') }] },
      { disk },
    );
    assert.deepEqual(steps, [
      ...['fsync log entry', 'rename begun', 'fsync log'],
      ...['fsync temporary file', 'fsync folder', 'rename committed', 'fsync log'],
      ...['link second name', 'rename note', 'fsync folder', 'rename done', 'fsync log'],
    ]);
    assert.ok(existsSync(join(root, 'Note.md')));
  });
});
