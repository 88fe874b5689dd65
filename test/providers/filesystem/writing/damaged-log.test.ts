// Damages the log of changes in every way a disk does: nothing is written back that is not what was kept.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { checkLog, listChanges, setAsideDamaged } from '../../../../src/providers/filesystem/writing/inverse-change.ts';
import { assertEach } from '../../../assert-each.ts';
import { runs } from '../../../runner/effort.ts';
import { inBench } from './change-kinds.ts';
import { assertClean, bytes, note, type Workbench } from './workbench.ts';

const by = { tool: 'test', client: '' };
const NAMES = ['a.md', 'b.md', 'c.md', 'd.md', 'e.md', 'f.md'];
const SECTOR = 512;

const textOf = (name: string, version: string): Uint8Array => bytes(`${version} ${name} `.repeat(400));

/** Six notes, all of them replaced by one change. @returns its id */
function replaceAll(bench: Workbench, on: Parameters<Workbench['apply']>[1] = {}): string {
  bench.apply({
    ...by,
    operations: NAMES.map((path) => ({ kind: 'create', path: note(path), bytes: textOf(path, 'old') })),
  });
  const operations = NAMES.map(
    (path) => ({ kind: 'replace', path: note(path), before: bench.hash(path), bytes: textOf(path, 'new') }) as const,
  );
  return bench.apply({ ...by, operations }, on).id;
}

function fileOf(bench: Workbench, id: string): string {
  const name = readdirSync(bench.log.folder).find((each) => each.startsWith(id));
  return join(bench.log.folder, String(name));
}

type Damaging = (file: string, at: number) => void;

const DAMAGES: Readonly<Record<string, Damaging>> = {
  'cut short': (file, at) => truncateSync(file, at),
  'a sector of zeros': (file, at) => {
    const content = readFileSync(file);
    content.fill(0, at, Math.min(at + SECTOR, content.length));
    writeFileSync(file, content);
  },
  'one bit': (file, at) => {
    const content = readFileSync(file);
    content.writeUInt8(content.readUInt8(at) ^ 4, at);
    writeFileSync(file, content);
  },
  'grown in the middle': (file, at) => {
    const content = readFileSync(file);
    writeFileSync(file, Buffer.concat([content.subarray(0, at), Buffer.from('x'), content.subarray(at)]));
  },
};

for (const [damage, apply] of Object.entries(DAMAGES)) {
  it(`${damage}: undo and its dry run fail before anything is written, and the log check names the change`, () => {
    inBench((bench) => {
      const id = replaceAll(bench);
      const [, first = ''] = listChanges(bench.log, 2).map((change) => change.id);
      const file = fileOf(bench, id);
      const whole = readFileSync(file);
      const before = bench.snapshot();
      const steps = runs(400);
      for (let step = 0; step < steps; step += 1) {
        apply(file, Math.floor(((step + 0.5) * whole.length) / steps));
        for (const each of [id, undefined])
          assert.throws(() => bench.inverse(each), {
            code: 'FILE_WRITE_FAILED',
            message: new RegExp(`the change ${id} cannot be read back`),
          });
        assert.deepEqual(bench.snapshot(), before);
        const { intact, damages } = checkLog({ log: bench.log.folder });
        assert.deepEqual([intact, damages.map(({ change }) => change)], [1, [id]]);
        assert.equal(listChanges(bench.log, 5).length, 2, 'the change is still listed');
        // The other change is not hurt: it is refused for its own reason, that the notes have changed since.
        assert.equal(bench.inverse(first).change.id, first);
        writeFileSync(file, whole);
      }
      const { operations, emptied } = bench.inverse(id);
      bench.apply({ ...by, operations, emptied: emptied ?? [], undoes: id });
      for (const name of NAMES)
        assert.deepEqual(new Uint8Array(readFileSync(join(bench.folder.root, name))), textOf(name, 'old'));
    });
  });
}

it('the error names the notes whose texts are damaged and those that are intact', () => {
  inBench((bench) => {
    const id = replaceAll(bench);
    const file = fileOf(bench, id);
    const content = readFileSync(file);
    content.fill(0, content.indexOf('old c.md'), content.indexOf('old c.md') + 4);
    writeFileSync(file, content);
    assert.throws(
      () => bench.inverse(id),
      (thrown: { details: { damaged: string[]; intact: string[] }; message: string; hint: string }) => {
        assert.deepEqual(
          [thrown.details.damaged, thrown.details.intact],
          [['c.md'], NAMES.filter((name) => name !== 'c.md')],
        );
        assert.match(thrown.message, /`c\.md`/);
        assert.match(thrown.hint, /`a\.md`, `b\.md`, `d\.md`.*changes --diff/);
        return true;
      },
    );
  });
});

class Kill extends Error {}

/** Leaves a change of the six notes in the log that a kill has interrupted. */
function interrupted(bench: Workbench, point: string): string {
  const stop = (at: string): void => {
    if (at === point) throw new Kill();
  };
  assert.throws(() => replaceAll(bench, { at: stop }), Kill);
  return String(bench.log.entries()[0]?.id);
}

it('an interrupted change whose log is damaged stops writes, names the notes in doubt, and can be set aside', () => {
  inBench((bench) => {
    const id = interrupted(bench, 'committed');
    const file = fileOf(bench, id);
    const content = readFileSync(file);
    content.writeUInt8(content.readUInt8(content.length - 9) ^ 1, content.length - 9);
    writeFileSync(file, content);
    const before = bench.snapshot();
    assert.throws(() => bench.recover(), { code: 'FILE_WRITE_FAILED', hint: /`a\.md`.*doctor --set-aside-changes/ });
    assert.deepEqual(bench.snapshot(), before);
    const [aside] = setAsideDamaged({ log: bench.log.folder });
    assert.deepEqual([aside?.change, aside?.unfinished, aside?.file.endsWith('.damaged')], [id, true, true]);
    assert.deepEqual(bench.recover(), []);
    bench.apply({ ...by, operations: [{ kind: 'create', path: note('later.md'), bytes: bytes('x') }] });
    bench.log.prune(Date.now());
    assert.ok(readdirSync(bench.log.folder).includes(String(aside?.file)), 'what is set aside is kept');
  });
});

it('a torn log of a change that has touched nothing is set aside by itself', () => {
  inBench((bench) => {
    const id = interrupted(bench, 'begun');
    truncateSync(fileOf(bench, id), 300);
    assert.deepEqual(bench.recover(), [{ id, outcome: 'set_aside' }]);
    for (const name of NAMES)
      assert.deepEqual(new Uint8Array(readFileSync(join(bench.folder.root, name))), textOf(name, 'old'));
    assertClean(bench);
  });
});

it('a log of another form is damaged, whatever follows', () => {
  inBench((bench) => {
    const id = replaceAll(bench);
    const file = fileOf(bench, id);
    writeFileSync(file, readFileSync(file, 'latin1').replace('vaultgraph-change 1', 'vaultgraph-change 2'), 'latin1');
    assert.throws(() => bench.inverse(id), { code: 'FILE_WRITE_FAILED', message: /EBADMSG|cannot be read back/ });
  });
});

for (const [version, rewrite] of [
  ['a later version', (whole: string) => whole.replace('vaultgraph-change 1 ', 'vaultgraph-change 27 ')],
  ['a build before the first release', (whole: string) => whole.replace(/^.*?\n/, '000000000123')],
] as const) {
  it(`the log of ${version} stays as it is, and only its own changes cannot be undone`, () => {
    inBench((bench) => {
      const id = replaceAll(bench);
      const [, first = ''] = listChanges(bench.log, 2).map((change) => change.id);
      const file = fileOf(bench, id);
      writeFileSync(file, rewrite(readFileSync(file, 'latin1')), 'latin1');
      const before = readFileSync(file);
      assert.throws(() => bench.inverse(id), {
        code: 'FILE_WRITE_FAILED',
        message: /is of another version of vaultgraph, or damaged/,
        hint: /^Nothing was written, and the file stays as it is\. Only the version that made the change can undo it/,
      });
      assertEach(checkLog({ log: bench.log.folder }).damages, ({ other_version }) => other_version, [true]);
      assert.equal(bench.inverse(first).change.id, first);
      bench.apply({ ...by, operations: [{ kind: 'create', path: note('g.md'), bytes: bytes('new') }] });
      assert.equal(listChanges(bench.log, 5).length, 3);
      assert.deepEqual(readFileSync(file), before);
    });
  });
}

it('two changes whose files are exchanged are both damaged', () => {
  inBench((bench) => {
    replaceAll(bench);
    const [one = '', other = ''] = listChanges(bench.log, 2).map((change) => change.id);
    const [file, otherFile] = [fileOf(bench, one), fileOf(bench, other)];
    const [content, otherContent] = [readFileSync(file), readFileSync(otherFile)];
    writeFileSync(file, otherContent);
    writeFileSync(otherFile, content);
    const { intact, damages } = checkLog({ log: bench.log.folder });
    assert.equal(intact, 0);
    assertEach(
      damages.toSorted((a, b) => (a.change < b.change ? 1 : -1)),
      ({ change }) => change,
      [one, other],
    );
    assertEach(damages, ({ damaged }) => damaged.length, [0, 0]);
    for (const id of [one, other]) assert.throws(() => bench.inverse(id), { code: 'FILE_WRITE_FAILED' });
    assertClean(bench);
  });
});
