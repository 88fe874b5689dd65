// Calls every tool on hostile notes of growing size: CPU time grows with the text, and the process ends whatever runs.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { answersOnHostileVault, longestHold, openHostile } from './hostile-calls.ts';
import { ticksOf } from './ticks.ts';

/** Four times the text; quadratic work would take sixteen times as long. */
const MAX_GROWTH = 9;
/** Ticks of 10 ms below which a measure is lost in noise. */
const NOISE_TICKS = 200;

async function ticksByTool(context: TestContext, scale: number): Promise<Map<string, number>> {
  const session = await openHostile(context, scale);
  const spent = new Map<string, number>();
  let before = ticksOf(session.processId);
  for await (const { tool } of answersOnHostileVault(session)) {
    const now = ticksOf(session.processId);
    spent.set(tool, (spent.get(tool) ?? 0) + now - before);
    before = now;
  }
  await session.close();
  return spent;
}

test('the CPU time of no tool grows faster than the notes', { skip: process.platform !== 'linux' }, async (context) => {
  const small = await ticksByTool(context, 0.05);
  for (const [tool, large] of await ticksByTool(context, 0.2)) {
    const limit = Math.max(NOISE_TICKS, MAX_GROWTH * (small.get(tool) ?? 0));
    assert.ok(large <= limit, `${tool}: ${small.get(tool)} ticks, then ${large}`);
  }
});

/** Several times what any call takes, and less than a parse of the longest notes. */
const MAX_HOLD_MS = 800;

test('no tool holds the main thread for long, nor for longer than the limit of a call', async (context) => {
  const session = await openHostile(context, 0.2);
  await longestHold(session);
  const holds = new Map<string, number>();
  for await (const { tool, args, error } of answersOnHostileVault(session)) {
    const held = await longestHold(session);
    holds.set(tool, Math.max(held, holds.get(tool) ?? 0));
    assert.ok(held <= MAX_HOLD_MS, `${tool} ${JSON.stringify(args)} held the main thread for ${held} ms`);
    assert.notEqual(error, 'DEADLINE_EXCEEDED', `${tool} ${JSON.stringify(args)}`);
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
