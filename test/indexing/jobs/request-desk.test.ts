// The requests of followers: each is answered, also where the first answer could not be written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SharedAnswer } from '../../../src/contracts/lease.ts';
import { RequestDesk } from '../../../src/indexing/jobs/shared-jobs.ts';
import { until } from '../../until.ts';
import { signal, withIndex } from '../index-under-test.ts';

test('a request whose answer could not be written is served again, once this process leads again', () =>
  withIndex(async ({ store, run }) => {
    const job = await run();
    const written: SharedAnswer[] = [];
    let asked = 0;
    let mayWrite = false;
    const desk = new RequestDesk(
      store,
      async () => job,
      async (answers) => {
        asked += 1;
        if (mayWrite) written.push(...answers.map(({ answer }) => answer));
      },
    );
    await store.requestFromLeader({ kind: 'refresh', paths: ['A.md'] }, signal);
    await desk.serveOpen(signal);
    await until(() => asked === 1, 'the answer was lost');
    mayWrite = true;
    await desk.serveOpen(signal);
    await until(() => written.length === 1, 'it is served again');
    assert.deepEqual(written, [{ job }]);
  }));
