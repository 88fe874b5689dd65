// Several stores share one index and its cached answers, with or without the lease.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIndexFolder } from '../database/index-folder.ts';

const { signal } = new AbortController();

test('a store without the lease saves answers, and the store with the lease reads them', async () => {
  const folder = createIndexFolder();
  const [leader, follower] = [await folder.open(), await folder.open()];
  try {
    const lease = await leader.capability.takeLease({ client: 'a test', jobs: [] }, signal);
    assert.equal(lease.isMine, true);
    await assert.rejects(follower.capability.completeScan('2026-11-21T00:00:00.000Z', signal), {
      code: 'INDEX_CONFLICT',
    });
    await follower.capability.cacheAnswer('key', 'said', signal);
    assert.equal(await leader.capability.cachedAnswer('key', signal), 'said');
    await leader.capability.cacheAnswer('key', 'said again', signal);
    assert.equal(await follower.capability.cachedAnswer('key', signal), 'said again');
    assert.equal((await leader.capability.lease(signal)).isMine, true);
  } finally {
    await Promise.all([leader.close(), follower.close()]);
    folder.remove();
  }
});
