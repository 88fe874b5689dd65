// An idle leader sends its heartbeats without the writer thread; whatever they cannot do at once is left to the thread.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { afterEach, beforeEach, test } from 'node:test';
import Database from 'better-sqlite3';
import type { Connection } from '../../../../src/providers/sqlite/database/connection.ts';
import { driverOf, loadEngine } from '../../../../src/providers/sqlite/database/engine.ts';
import { CHECKPOINT_BYTES, openReader } from '../../../../src/providers/sqlite/database/open-database.ts';
import { HeartbeatWriter } from '../../../../src/providers/sqlite/sharing/heartbeat.ts';
import { Writer } from '../../../../src/providers/sqlite/write/writer.ts';
import { signal } from '../../../contracts/store/law.ts';
import { until } from '../../../until.ts';
import { createIndexFolder, type IndexFolder } from '../database/index-folder.ts';

const engine = loadEngine();
const beat = { op: 'publish', update: { report: '{"client":"a test"}', jobs: [], answers: [] } } as const;
const take = { op: 'takeLease', request: { client: 'a test', stalled: null, jobs: [] } } as const;

let folder: IndexFolder;
let reader: Connection;
let writer: Writer;
let heartbeats: HeartbeatWriter;
beforeEach(async () => {
  folder = createIndexFolder();
  await (await folder.open()).close();
  reader = openReader(engine, folder.file);
  writer = new Writer({ file: folder.file, driver: driverOf(engine) }, null);
  heartbeats = new HeartbeatWriter(engine, folder.file, writer);
  await heartbeats.run(take, signal);
  await writer.release();
});
afterEach(async () => {
  reader.close();
  heartbeats.close();
  await writer.close();
  folder.remove();
});

const beats = (): unknown => reader.prepare('SELECT beats FROM lease').pluck().get();

test('starts no thread, and counts', async () => {
  const before = Number(beats());
  await heartbeats.run(beat, signal);
  await heartbeats.run(beat, signal);
  assert.equal(writer.isRunning, false);
  assert.equal(beats(), before + 2);
});

test('jobs go to the thread, which then takes the heartbeats until it has had no job for a while', async () => {
  heartbeats.close();
  heartbeats = new HeartbeatWriter(engine, folder.file, writer, 200);
  await heartbeats.run(take, signal);
  assert.equal(writer.isRunning, true);
  await until(async () => {
    await heartbeats.run(beat, signal);
    return !writer.isRunning;
  }, 'the thread ends although heartbeats are sent');
});

test('waits in the thread while another connection writes', async () => {
  const other = new Database(folder.file);
  other.exec('BEGIN IMMEDIATE');
  const before = Number(beats());
  const sent = heartbeats.run(beat, signal);
  await until(() => writer.isRunning, 'the thread starts');
  other.exec('COMMIT');
  await sent;
  assert.equal(beats(), before + 1);
  other.close();
});

test('leaves a long log to the thread, which checkpoints it', async () => {
  appendFileSync(`${folder.file}-wal`, Buffer.alloc(CHECKPOINT_BYTES));
  await heartbeats.run(beat, signal);
  assert.equal(writer.isRunning, true);
});

test('is refused once another process holds the lease', async () => {
  const other = new Writer({ file: folder.file, driver: driverOf(engine) }, null);
  const lease = reader.prepare('SELECT token, beats FROM lease').get() as { token: number; beats: number };
  const stalled = { token: lease.token, heartbeats: lease.beats };
  await other.run({ op: 'takeLease', request: { client: 'another', stalled, jobs: [] } }, signal);
  await assert.rejects(heartbeats.run(beat, signal), { code: 'INDEX_CONFLICT' });
  await other.close();
});
