// Tests the queue of changed paths: waiting, in progress and failed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backoff } from '../../../src/indexing/backoff.ts';
import { ChangeQueue } from '../../../src/indexing/watch/watch-vault.ts';

test('paths are queued once until they are taken, and stay pending until they are indexed', () => {
  const queue = new ChangeQueue();
  assert.deepEqual([queue.pending, queue.waitingSince, queue.oldest], [0, undefined, undefined]);
  queue.add(['a.md', 'b.md'], 10);
  queue.add(['b.md'], 20);
  queue.add([], 30);
  const { first, last } = queue.waitingSince ?? {};
  assert.deepEqual([queue.pending, first, last], [2, 10, 20]);
  assert.deepEqual(queue.take(), { paths: ['a.md', 'b.md'], whole: false });
  queue.add(['a.md', 'c.md'], 40);
  assert.deepEqual([queue.pending, queue.oldest, queue.waitingSince?.first], [3, 10, 40]);
  queue.done(0);
  assert.deepEqual([queue.pending, queue.oldest], [2, 40]);
});

test('paths that failed are queued again with their age, for a full scan', () => {
  const queue = new ChangeQueue();
  queue.add(['a.md'], 10);
  queue.take();
  queue.add(['b.md'], 20);
  queue.putBack();
  const { first, last } = queue.waitingSince ?? {};
  assert.deepEqual([queue.pending, first, last], [2, 10, 20]);
  assert.deepEqual(queue.take(), { paths: ['b.md', 'a.md'], whole: true });
  queue.putBack();
  queue.take();
  queue.done(0);
  queue.putBack();
  assert.equal(queue.pending, 0);
});

test('lost hints count as one, since their number is unknown', () => {
  const queue = new ChangeQueue();
  queue.addWhole(10);
  assert.equal(queue.pending, 1);
  assert.deepEqual(queue.take(), { paths: [], whole: true });
  assert.equal(queue.pending, 1);
  queue.done(0);
  assert.equal(queue.pending, 0);
});

test('events of changes of this server are looked at, but do not count until they came or are too late', () => {
  const queue = new ChangeQueue();
  const stamped = (paths: string[], at: number, stamp = 'own') =>
    queue.add(paths, at, new Map(paths.map((path) => [path, stamp])));
  queue.expect(['a.md', 'b.md'], 100);
  stamped(['a.md', 'c.md'], 10);
  assert.equal(queue.pending, 1);
  assert.deepEqual(queue.take(), { paths: ['a.md', 'c.md'], whole: false });
  assert.equal(queue.pending, 1);
  queue.done(20);
  stamped(['a.md'], 25);
  assert.equal(queue.pending, 0, 'one write can bring several events');
  stamped(['a.md'], 30, 'of another program');
  stamped(['b.md'], 30);
  assert.equal(queue.pending, 1, 'only events of the state that the first one found are expected');
  queue.take();
  queue.done(40);
  queue.expect(['d.md'], 100);
  queue.add(['d.md'], 110);
  assert.equal(queue.pending, 1, 'too late');
  queue.take();
  queue.expect(['e.md'], 120);
  queue.done(130);
  queue.add(['e.md'], 140);
  assert.equal(queue.pending, 1, 'too late after the end of a batch');
});

test('of the folders that a write made or removed, no event counts, nor the scan that they need', () => {
  const queue = new ChangeQueue();
  queue.expect(['New/Deep/a.md'], 100);
  queue.add(['New'], 10, new Map([['New', '1:2']]));
  queue.addFolders(['New', 'New/Deep'], 10);
  assert.equal(queue.pending, 0);
  assert.deepEqual(
    [queue.areExpected(['New/Deep']), queue.areExpected(['Other']), queue.areExpected(undefined)],
    [true, false, false],
  );
  assert.deepEqual(queue.take(), { paths: ['New', 'New/Deep'], whole: true });
  queue.addFolders(['Other'], 20);
  assert.equal(queue.pending, 1);
  queue.putBack();
  queue.take();
  queue.done(30);
  queue.add(['New'], 40, new Map([['New', 'gone']]));
  assert.equal(queue.pending, 1, 'another program removed it');
});

test('failures are retried with growing delays up to the maximum, and immediately after a success', () => {
  const retries = new Backoff(100, 350);
  const pauses = [0, 0, 0, 0].map((at) => {
    retries.failed(at);
    return retries.retryAt;
  });
  assert.deepEqual(pauses, [100, 200, 350, 350]);
  retries.succeeded();
  assert.ok(retries.retryAt < 0);
  retries.failed(1_000);
  assert.equal(retries.retryAt, 1_100);
});
