// Checks that an idle server uses no measurable CPU time for its watchers and heartbeats.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateVault } from '../bench/generate-vault.ts';
import { memoryOf } from '../bench/processes.ts';
import { openSession, temporaryFolder } from './session.ts';
import { ticksOf } from './ticks.ts';

const SETTLED_AFTER_MS = 3_000;
const STRETCH_MS = 6_000;
/** In Linux clock ticks of 10 ms: a busy loop would use six hundred. */
const MAX_TICKS = 18;

const skip = existsSync('/proc/self/stat') ? false : 'only Linux tells how much time a process used';

test('an idle server uses no measurable CPU time, alone and with a follower', { skip }, async (context) => {
  const vault = temporaryFolder(context);
  await generateVault(vault, 300);
  const leader = await openSession(context, { vault });
  await leader.indexed();
  const follower = await openSession(context, { vault, dataFolder: leader.dataFolder });
  await follower.call('search_text', { query: 'harbour' });
  await sleep(SETTLED_AFTER_MS);
  const servers = [leader, follower];
  const before = servers.map(({ processId }) => ticksOf(processId));
  await sleep(STRETCH_MS);
  for (const [at, { processId }] of servers.entries()) {
    const used = ticksOf(processId) - (before[at] ?? 0);
    const role = at === 0 ? 'leader' : 'follower';
    context.diagnostic(`${role}: ${used} ticks in ${STRETCH_MS} ms, ${Math.round(memoryOf(processId).now)} MiB`);
    assert.ok(used <= MAX_TICKS, `${role}: ${used} ticks in ${STRETCH_MS} ms`);
  }
});
