// Tests that startup completes or reverts interrupted changes, reports them, and returns the paths to index again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VaultgraphError } from '../../../../src/base/errors.ts';
import type { LogFields } from '../../../../src/base/log.ts';
import type { NotePath } from '../../../../src/base/note.ts';
import type { Store } from '../../../../src/contracts/store.ts';
import type { Change, Recovered, Writer } from '../../../../src/contracts/writer.ts';
import { Recovery, type RecoveryParts } from '../../../../src/providers/filesystem/recovery/recovery.ts';

const { signal } = new AbortController();
const path = (text: string): NotePath => text as NotePath;

function change(id: string, time: string, files: Change['files']): Change {
  return { id, time, tool: 'move_note', client: '', state: 'done', files };
}

const MOVED = { kind: 'move', path: path('a.md'), to: 'b.md', before: 'x', after: 'x' } as const;
const busy = (): VaultgraphError =>
  new VaultgraphError('FILE_WRITE_FAILED', { path: 'x', errno: 'EBUSY', step: 'lock', original_intact: true });
const TRASHED = { kind: 'trash', path: path('c.md'), to: '.trash/c.md', before: 'x', after: null } as const;
const CHANGES = [
  change('new', '2026-11-21T10:00:00.000Z', [MOVED, TRASHED]),
  change('old', '2026-11-20T10:00:00.000Z', [{ ...MOVED, path: path('old.md') }]),
];

/** Of both only what a recovery asks. */
const writerWith = (given: Partial<Writer>): Writer =>
  ({ recover: async () => [], changes: async () => CHANGES, ...given }) as Writer;
const storeScanned = (scannedAt: string | null): Store =>
  ({ progress: async () => ({ scannedAt }) }) as unknown as Store;

function logged(): { log: (level: string, event: string, fields?: LogFields) => void; lines: string[] } {
  const lines: string[] = [];
  return { lines, log: (level, event, fields) => void lines.push(`${level} ${event} ${JSON.stringify(fields)}`) };
}

const recoveryOf = (parts: Partial<RecoveryParts>): Recovery =>
  new Recovery({
    ...{ writer: undefined, store: storeScanned(null), log: () => undefined, unfinished: async () => [] },
    ...parts,
  });

test('each recovered change is reported in the log and the status, with the paths changed since the last scan', async () => {
  const { log, lines } = logged();
  const writer = writerWith({ recover: async () => [{ id: 'new', outcome: 'finished' }] });
  const recovery = recoveryOf({ writer, store: storeScanned('2026-11-21T09:55:00.000Z'), log });
  assert.deepEqual(await recovery.row(), {});
  assert.deepEqual(await recovery.begin(signal), ['a.md', 'b.md', 'c.md']);
  assert.deepEqual(lines, ['warn change_recovered {"change_id":"new","outcome":"finished"}']);
  assert.deepEqual(await recovery.row(), { recovery: { recovered: [{ change_id: 'new', outcome: 'finished' }] } });
});

test('a change that began before the scan ended is included; before the first scan no paths are returned', async () => {
  const { log } = logged();
  const since = (scannedAt: string | null) =>
    recoveryOf({ writer: writerWith({}), store: storeScanned(scannedAt), log }).begin(signal);
  assert.equal((await since('2026-11-21T10:05:00.000Z')).length, 3);
  assert.deepEqual(await since('2026-11-21T11:00:00.000Z'), []);
  assert.deepEqual(await since(null), []);
});

test('a failed recovery is reported and does not stop the start; a read-only vault has nothing to recover', async () => {
  const { log, lines } = logged();
  const recover = () => Promise.reject(new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'EIO' }));
  const recovery = recoveryOf({ writer: writerWith({ recover }), log });
  assert.deepEqual(await recovery.begin(signal), []);
  assert.match(lines[0] ?? '', /^error recovery_failed .*VAULT_UNAVAILABLE/);
  assert.equal((await recovery.row()).recovery?.error?.code, 'VAULT_UNAVAILABLE');
  assert.deepEqual(await recoveryOf({ log }).begin(signal), []);
});

/** A log with one unfinished change of another process, and the writer that completes it after `failures` calls. */
function killedElsewhere(failures: readonly VaultgraphError[]) {
  const left = [...failures];
  const recovered: Recovered[] = [];
  const writer = writerWith({
    recover: async () => {
      const failure = left.shift();
      if (failure !== undefined) throw failure;
      if (recovered.length === 0) recovered.push({ id: 'new', outcome: 'finished' });
      return [...recovered];
    },
  });
  const unfinished = async () => (recovered.length === 0 ? [{ id: 'new', isCommitted: true }] : []);
  return { writer, unfinished };
}

test('while it attends, it completes what another process left, and updates the index before it is finished', async () => {
  const { log, lines } = logged();
  const recovery = recoveryOf({ ...killedElsewhere([busy(), busy()]), log, pollMs: 1 });
  assert.deepEqual(await recovery.row(), { recovery: { recovered: [], unfinished: ['new'] } });
  const indexed = Promise.withResolvers<readonly string[]>();
  let during: readonly string[] = [];
  recovery.attend(async (paths) => {
    during = await recovery.unfinished();
    indexed.resolve(paths);
  });
  assert.deepEqual(await indexed.promise, ['a.md', 'b.md', 'c.md']);
  assert.deepEqual(during, ['new'], 'until the index has its paths');
  await recovery.close();
  assert.deepEqual(
    lines,
    ['warn change_recovered {"change_id":"new","outcome":"finished"}'],
    'a busy lock does not count as a failure',
  );
  assert.deepEqual(await recovery.unfinished(), []);
});

test('a change of which only temporary files exist is completed, but is not reported as unfinished', async () => {
  const unfinished = async () => [{ id: 'new', isCommitted: false }];
  const requested = Promise.withResolvers<void>();
  const recover = async () => {
    requested.resolve();
    return [];
  };
  const recovery = recoveryOf({ writer: writerWith({ recover }), unfinished, pollMs: 1 });
  recovery.attend(async () => undefined);
  await requested.promise;
  assert.deepEqual(await recovery.row(), {});
  await recovery.close();
});
