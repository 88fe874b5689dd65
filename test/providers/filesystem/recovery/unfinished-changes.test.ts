// Tests that unfinished changes are found in the log, also if it changes within one step of the file system's clock.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { UnfinishedChanges } from '../../../../src/providers/filesystem/recovery/unfinished-changes.ts';
import { fileNameOf, newId } from '../../../../src/providers/filesystem/writing/logged-change.ts';

function temporaryLog(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-log-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'log');
}

test('each stage but the completed ones is unfinished, oldest first', async (context) => {
  const log = temporaryLog(context);
  const changes = new UnfinishedChanges(log);
  assert.deepEqual(await changes.find(), [], 'before there is a log');
  mkdirSync(log);
  const ids = [5, 4, 3, 2, 1].map(newId);
  const stages = ['done', 'taken_back', 'begun', 'committed', 'aborting'] as const;
  for (const [at, stage] of stages.entries())
    writeFileSync(join(log, fileNameOf({ id: ids[at] ?? '', bytes: 1, stage })), '');
  writeFileSync(join(log, 'lock'), '');
  assert.deepEqual(await changes.find(), [
    { id: ids[4], isCommitted: true },
    { id: ids[3], isCommitted: true },
    { id: ids[2], isCommitted: false },
  ]);
});

test('a change is found although the folder has the same time as at the last look, unless that time is long past', async (context) => {
  const log = temporaryLog(context);
  mkdirSync(log);
  const id = newId(1);
  const [committed, done] = [
    join(log, fileNameOf({ id, bytes: 1, stage: 'committed' })),
    join(log, fileNameOf({ id, bytes: 1, stage: 'done' })),
  ];
  const changes = new UnfinishedChanges(log);
  const [now, past] = [new Date(), new Date('2026-01-01')];
  utimesSync(log, now, now);
  assert.deepEqual(await changes.find(), []);
  writeFileSync(committed, '');
  utimesSync(log, now, now);
  assert.deepEqual(await changes.find(), [{ id, isCommitted: true }]);
  utimesSync(log, past, past);
  assert.deepEqual(await changes.find(), [{ id, isCommitted: true }]);
  renameSync(committed, done);
  assert.deepEqual(await changes.find(), []);
});
