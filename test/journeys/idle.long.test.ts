import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateVault } from '../bench/generate-vault.ts';
import { memoryOf } from '../bench/processes.ts';
import { until } from '../until.ts';
import { copyOfFixture, openSession, temporaryFolder } from './session.ts';
import { ticksOf } from './ticks.ts';

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
  const processIds = [leader.processId, follower.processId];
  // On a busy machine they take a while to settle.
  await until(async () => {
    const before = processIds.map(ticksOf);
    await sleep(STRETCH_MS);
    const used = processIds.map((processId, at) => ticksOf(processId) - (before[at] ?? 0));
    const memory = processIds.map((processId) => Math.round(memoryOf(processId).now));
    context.diagnostic(`leader and follower: ${used} ticks in ${STRETCH_MS} ms, ${memory} MiB`);
    return used.every((ticks) => ticks <= MAX_TICKS);
  }, `at most ${MAX_TICKS} ticks in ${STRETCH_MS} ms`);
});

test('a server with subscriptions uses almost no CPU time while the notes do not change', { skip }, async (context) => {
  const session = await openSession(context, { vault: copyOfFixture(context, 'tiny') });
  await session.indexed();
  const { resources } = await session.client.listResources();
  for (const { uri } of resources) await session.client.subscribeResource({ uri });
  await until(async () => {
    const before = ticksOf(session.processId);
    await sleep(STRETCH_MS);
    const used = ticksOf(session.processId) - before;
    context.diagnostic(`${used} ticks in ${STRETCH_MS} ms`);
    return used <= MAX_TICKS;
  }, `at most ${MAX_TICKS} ticks in ${STRETCH_MS} ms`);
});
