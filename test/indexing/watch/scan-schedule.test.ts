// Tests when the watch scans the whole vault next.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IndexJob } from '../../../src/contracts/indexer.ts';
import { ScanSchedule } from '../../../src/indexing/watch/scan-schedule.ts';

const TIMES = { firstScan: 1, poll: 5, sweep: 300, rescan: 10, pollFactor: 100, sweepFactor: 1_000 };
const HOUR_MS = 3_600_000;

for (const [what, setBy] of [
  ['forward', HOUR_MS],
  ['back', -HOUR_MS],
] as const)
  test(`a system clock that is set ${what} during a scan does not change when the next one is due`, () => {
    const schedule = new ScanSchedule(TIMES);
    schedule.started(0);
    const startedAt = new Date(HOUR_MS).toISOString();
    const endedAt = new Date(HOUR_MS + setBy).toISOString();
    const [began, now] = [1_000, 1_002];
    schedule.scanned({ startedAt, endedAt } as IndexJob, began, true, now);
    assert.equal(schedule.nextAt, now + TIMES.sweepFactor * (now - began));
    schedule.changesIndexed(now);
    assert.equal(schedule.nextAt, now + TIMES.pollFactor * (now - began));
    assert.equal(schedule.lastScanAt, endedAt);
  });
