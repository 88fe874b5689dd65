// Tests the comparison of a listing with the index, for states that a test disk cannot be put into.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { fileKindOf, type NotePath } from '../../../src/base/note.ts';
import type { FileState, QuarantineEntry } from '../../../src/contracts/change-set.ts';
import type { FileEntry, VaultListing } from '../../../src/contracts/vault.ts';
import {
  type Comparison,
  changeTimes,
  checkMassDelete,
  compareListing,
  type Known,
  quarantineChange,
} from '../../../src/indexing/jobs/comparison.ts';
import { slicesOf } from '../../../src/indexing/jobs/index-slice.ts';

const NOTHING_FORCED = new Set<string>();
const EVICTED = 'Note.md cannot be read (EVICTED)';

const entry = (path: string, more: Partial<FileEntry> = {}): FileEntry => ({
  path: path as NotePath,
  kind: fileKindOf(path),
  sizeBytes: 10,
  modifiedMs: 1,
  evicted: false,
  conflictCopy: false,
  ...more,
});

const state = (path: string, hash: string | null = 'h'): FileState => {
  const { kind, sizeBytes, modifiedMs } = entry(path);
  return { path: path as NotePath, kind, sizeBytes, modifiedMs, hash };
};

const row = (path: string, phase: 'list' | 'read', reason: string): QuarantineEntry => ({
  ...{ path, phase, reason, code: 'FILE_UNREADABLE', attempts: 1, first: '', last: '' },
});

const known = (files: readonly FileState[], rows: readonly QuarantineEntry[] = []): Known => ({
  files: new Map(files.map((file) => [file.path, file])),
  quarantine: new Map(rows.map((entry) => [entry.path, entry])),
});

const listing = (files: readonly FileEntry[], more: Partial<VaultListing> = {}): VaultListing => ({
  ...{ files, skipped: [], unreadableFolders: [] },
  ...more,
});

const pathsOf = (files: readonly { readonly path: string }[]): string[] => files.map(({ path }) => path);

it('V2 an evicted note is reported once and not read, and read again when it is back', async () => {
  const gone = listing([entry('Note.md', { evicted: true, modifiedMs: 2 })]);
  const before = known([state('Note.md')]);
  const first = await compareListing(gone, before, NOTHING_FORCED);
  assert.deepEqual([pathsOf(first.added), first.toRead, first.removed], [['Note.md'], [], []]);
  const marked = { path: 'Note.md', phase: 'list', code: 'FILE_UNREADABLE', reason: EVICTED };
  assert.deepEqual(quarantineChange(gone, first, before), { quarantined: [marked], released: [] });

  const evicted = { ...state('Note.md'), evicted: true };
  const then = known([evicted], [row('Note.md', 'list', EVICTED)]);
  const second = await compareListing(gone, then, NOTHING_FORCED);
  assert.deepEqual([second.added, second.toRead], [[], []]);
  assert.deepEqual(quarantineChange(gone, second, then), { quarantined: [], released: [] });

  const back = listing([entry('Note.md')]);
  const third = await compareListing(back, then, NOTHING_FORCED);
  assert.deepEqual([pathsOf(third.added), pathsOf(third.toRead)], [['Note.md'], ['Note.md']]);
  assert.deepEqual(quarantineChange(back, third, then), { quarantined: [], released: ['Note.md'] });

  // It could not be read either before it was in the cloud only.
  const unread = known([evicted], [row('Note.md', 'read', 'EIO')]);
  assert.deepEqual(pathsOf((await compareListing(back, unread, NOTHING_FORCED)).added), ['Note.md']);
  const picture = known([{ ...state('old.png', null), evicted: true }]);
  assert.deepEqual(pathsOf((await compareListing(listing([entry('old.png')]), picture, NOTHING_FORCED)).added), [
    'old.png',
  ]);
});

it('V2 notes below an unreadable folder are kept and marked, others are not', async () => {
  const before = known(['shut/A.md', 'shut/deep/B.md', 'shutter/C.md'].map((path) => state(path)));
  const shut = listing([], { unreadableFolders: [{ path: 'shut', errno: 'EACCES' }] });
  const comparison = await compareListing(shut, before, NOTHING_FORCED);
  assert.deepEqual(pathsOf(comparison.removed), ['shutter/C.md']);
  const { quarantined } = quarantineChange(shut, comparison, before);
  assert.deepEqual(pathsOf(quarantined), ['shut', 'shut/A.md', 'shut/deep/B.md']);
});

it('V2 a note of the root that the system refuses to examine is kept and marked', async () => {
  const before = known(['A.md', 'A.md.md', 'B.md'].map((path) => state(path)));
  const refused = listing([], { unreadableFolders: [{ path: 'A.md', errno: 'EIO' }] });
  const comparison = await compareListing(refused, before, NOTHING_FORCED);
  assert.deepEqual(pathsOf(comparison.removed), ['A.md.md', 'B.md']);
  assert.deepEqual(pathsOf(quarantineChange(refused, comparison, before).quarantined), ['A.md']);
});

it('unreadable files are tried again although they did not change', async () => {
  const before = known([state('Note.md'), state('New.md', null)], [row('Note.md', 'read', 'EIO')]);
  const files = listing([entry('New.md'), entry('Note.md')]);
  const { toRead, added } = await compareListing(files, before, NOTHING_FORCED);
  assert.deepEqual([pathsOf(toRead), added], [['New.md', 'Note.md'], []]);
});

it('attachments are added, updated and removed, but never read', async () => {
  const before = known([state('old.png', null), state('gone.png', null)]);
  const files = listing([entry('new.png'), entry('old.png', { sizeBytes: 11 })]);
  const { added, touched, removed, toRead } = await compareListing(files, before, new Set(['old.png']));
  assert.deepEqual([added, touched, removed, toRead].map(pathsOf), [['new.png'], ['old.png'], ['gone.png'], []]);
});

it('V1 the mass-delete guard counts notes, not attachments, and allows moves', async () => {
  const limits = { ratio: 0.5, minNotes: 20 };
  const notes = Array.from({ length: 20 }, (_, n) => state(`${n}.md`));
  const pictures = Array.from({ length: 50 }, (_, n) => state(`${n}.png`, null));
  const all = known([...notes, ...pictures]);
  const after = (files: readonly FileEntry[]): Promise<Comparison> =>
    compareListing(listing(files), all, NOTHING_FORCED);
  const check = async (files: readonly FileEntry[]): Promise<void> =>
    checkMassDelete(await after(files), files, all, limits);
  const left = (count: number): FileEntry[] => notes.slice(0, count).map(({ path }) => entry(path));

  await check(left(10));
  await assert.rejects(check(left(9)), { code: 'MASS_DELETE_BLOCKED' });
  await check([...left(9), entry('elsewhere/19.md')]);
  await assert.rejects(check([...left(9), entry('elsewhere/19.md', { sizeBytes: 11 })]), {
    code: 'MASS_DELETE_BLOCKED',
  });
  await assert.rejects(check([entry('0.png')]), { code: 'MASS_DELETE_BLOCKED' });
});

it('slices contain every file once, in order, and stay small', async () => {
  const megabyte = 1024 * 1024;
  const sizes = fc.array(fc.oneof(fc.nat(2000), fc.nat(3 * megabyte)), { maxLength: 400 });
  fc.assert(
    fc.property(sizes, (given) => {
      const files = given.map((sizeBytes, id) => ({ id, sizeBytes }));
      const slices = slicesOf(files);
      assert.deepEqual(slices.flat(), files);
      for (const slice of slices) {
        const bytes = slice.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
        assert.ok(slice.length >= 1 && slice.length <= 64);
        assert.ok(slice.length === 1 || bytes <= 2 * megabyte);
      }
    }),
  );
});

it('a file with its former size and time is read if the time of its change is another one than when it was read', async () => {
  const read = async (changedMs: number | undefined, kept: number | undefined, scannedMs: number): Promise<boolean> => {
    const before = known([{ ...state('Note.md'), ...(kept !== undefined && { changedMs: kept }) }]);
    const file = entry('Note.md', changedMs === undefined ? {} : { changedMs });
    const { toRead } = await compareListing(listing([file]), { ...before, scannedMs }, NOTHING_FORCED);
    return toRead.length > 0;
  };
  for (const [changedMs, kept, isRead] of [
    [10_400.5, 10_400.5, false],
    [10_600.5, 10_400.5, true],
    // The clock was set back.
    [9_000.5, 10_400.5, true],
    // It changed just before it was listed.
    [10_400.5, 0, true],
    // The file system does not record it.
    [0, 0, false],
    [undefined, undefined, false],
    // Another machine has read it. A disk that keeps times in steps of two seconds gives 10,000 for what changed before 12,000.
    [10_600.5, undefined, true],
    [10_400.5, undefined, false],
    [10_000, undefined, true],
    [9_000, undefined, true],
    [8_000, undefined, false],
  ] as const)
    assert.equal(await read(changedMs, kept, 10_500), isRead, `${changedMs} ${kept}`);
});

it('another file with the same size and times is listed as it is', async () => {
  const before = known([{ ...state('Note.md'), createdMs: 7 }, state('Other.md')]);
  const files = [entry('Note.md', { createdMs: 8 }), entry('Other.md', { createdMs: 8 })];
  const { toRead } = await compareListing(listing(files), before, NOTHING_FORCED);
  assert.deepEqual(pathsOf(toRead), ['Note.md']);
});

it('the time of a change is kept once another change would have another one', () => {
  const kept = (changedMs: number | undefined): number | undefined =>
    changeTimes([entry('Note.md', changedMs === undefined ? {} : { changedMs })], 10_000).get('Note.md');
  assert.deepEqual([9_900.5, 9_990.5, 10_200.5, 9_000, 7_000, 0, undefined].map(kept), [
    9_900.5,
    0,
    0,
    0,
    7_000,
    0,
    undefined,
  ]);
});
