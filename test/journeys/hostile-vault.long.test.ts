// Calls every tool on hostile notes of growing size: CPU time grows with the text, and the process ends whatever runs.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { answersOnHostileVault, longestHold, openHostile } from './hostile-calls.ts';
import { ticksOf } from './ticks.ts';

/** Four times the text; quadratic work would take sixteen times as long. */
const MAX_GROWTH = 9;
/** Ticks of 10 ms below which a measure is lost in noise. */
const NOISE_TICKS = 200;

/** Several times what any call takes, and less than a parse of the longest notes. */
const MAX_HOLD_MS = 400;

interface Pass {
  readonly ticks: ReadonlyMap<string, number>;
  /** The longest of each tool. */
  readonly holds: ReadonlyMap<string, number>;
}

async function passOver(context: TestContext, scale: number): Promise<Pass> {
  const session = await openHostile(context, scale);
  await longestHold(session);
  const ticks = new Map<string, number>();
  const holds = new Map<string, number>();
  let before = ticksOf(session.processId);
  for await (const { tool, args, error } of answersOnHostileVault(session)) {
    ticks.set(tool, (ticks.get(tool) ?? 0) + ticksOf(session.processId) - before);
    const held = await longestHold(session);
    holds.set(tool, Math.max(held, holds.get(tool) ?? 0));
    assert.ok(held <= MAX_HOLD_MS, `${tool} ${JSON.stringify(args)} held the main thread for ${held} ms`);
    assert.notEqual(error, 'DEADLINE_EXCEEDED', `${tool} ${JSON.stringify(args)}`);
    before = ticksOf(session.processId);
  }
  await session.close();
  return { ticks, holds };
}

test('no tool holds the main thread for long, nor for longer than the limit of a call, nor takes CPU time that grows faster than the notes', {
  skip: process.platform !== 'linux',
}, async (context) => {
  const small = await passOver(context, 0.05);
  const { ticks, holds } = await passOver(context, 0.2);
  for (const [tool, large] of ticks) {
    const limit = Math.max(NOISE_TICKS, MAX_GROWTH * (small.ticks.get(tool) ?? 0));
    assert.ok(large <= limit, `${tool}: ${small.ticks.get(tool)} ticks, then ${large}`);
  }
  context.diagnostic(`longest holds in ms: ${[...holds].map((each) => each.join(' ')).join(', ')}`);
});

test('a note of 30 MB in one line holds up no other call, and the server ends while it reads one', async (context) => {
  const session = await openHostile(context, 1);
  const answer = session.call('get_context', { notes: ['Long line'] }, { timeout: 120_000 });
  let pings = 0;
  let isOver = false;
  void answer.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await session.client.ping();
    pings += 1;
  }
  assert.equal((await answer).isError, false);
  assert.ok(pings > 20, `${pings} pings were answered meanwhile`);
  const cut = session.call('get_context', { topic: 'harbour' }, { timeout: 120_000 }).catch(() => undefined);
  await session.client.ping();
  process.kill(session.processId, 'SIGTERM');
  await cut;
  await session.close();
});
