// Tests how the size and number of requests follow servers of different costs.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RequestPace } from '../../../src/indexing/embed/request-pace.ts';

const BATCH = { items: 16, characters: 32_000, maxItems: 256 };
const CHARACTERS = 1_500;

interface Server {
  readonly requestMs: number;
  readonly textMs: number;
  /** Requests that it computes at a time; the others wait. */
  readonly parallel: number;
}

/** Embeds many texts with a clock of its own. */
function embedTexts(pace: RequestPace, { requestMs, textMs, parallel }: Server, texts = 6_000) {
  const freeAt: number[] = Array.from({ length: parallel }, () => 0);
  const underWay: { items: number; beganMs: number; endedMs: number }[] = [];
  let now = 0;
  let largest = 0;
  const use = (): void => {
    const oldest = underWay.shift();
    if (oldest === undefined) return;
    now = Math.max(now, oldest.endedMs);
    pace.answered({ ...oldest, characters: oldest.items * CHARACTERS });
  };
  for (let left = texts; left > 0; ) {
    const items = Math.min(left, pace.limits.items);
    const computer = freeAt.indexOf(Math.min(...freeAt));
    const endedMs = Math.max(now, freeAt[computer] as number) + requestMs + items * textMs;
    freeAt[computer] = endedMs;
    underWay.push({ items, beganMs: now, endedMs });
    left -= items;
    largest = Math.max(largest, items);
    while (underWay.length >= pace.lanes) use();
  }
  while (underWay.length > 0) use();
  return { ms: now, largest, items: pace.limits.items, lanes: pace.lanes };
}

const paceOf = (batch: typeof BATCH = BATCH, dims = 384): RequestPace => new RequestPace(batch, dims);

describe('the pace of requests', () => {
  it('stays as it begins where a text costs the same in any request', () => {
    const { items, lanes, largest } = embedTexts(paceOf(), { requestMs: 1, textMs: 40, parallel: 1 });
    assert.deepEqual([items, lanes, largest], [16, 1, 32]);
  });

  it('grows to the largest requests where a request costs much, also if it takes seconds', () => {
    for (const requestMs of [40, 400, 2_000])
      assert.equal(embedTexts(paceOf(), { requestMs, textMs: 1, parallel: 1 }, 20_000).items, 256, `${requestMs} ms`);
  });

  it('has two requests under way where the server computes them at a time', () => {
    const { items, lanes } = embedTexts(paceOf(), { requestMs: 1, textMs: 40, parallel: 2 });
    assert.deepEqual([items, lanes], [16, 2]);
    assert.equal(embedTexts(paceOf(), { requestMs: 1, textMs: 40, parallel: 1 }).lanes, 1);
  });

  it('takes at most 1.3 times as long as the best fixed pace, over costs of a thousandfold range', () => {
    for (const requestMs of [0.1, 1, 10, 100])
      for (const textMs of [0.1, 1, 10, 60])
        for (const parallel of [1, 2]) {
          const server = { requestMs, textMs, parallel };
          const fixed = [16, 32, 64, 128, 256].map((items) => {
            const one = items * textMs + requestMs;
            return ((20_000 / items) * one) / parallel;
          });
          const { ms, lanes, items } = embedTexts(paceOf(), server, 20_000);
          const best = Math.min(...fixed);
          const isInteractive = items * textMs + requestMs <= 2_000;
          assert.ok(isInteractive || requestMs > textMs * 16, `${requestMs} ${textMs} ${items}`);
          assert.ok(ms <= best * 1.3, `${JSON.stringify(server)}: ${ms} ms, best ${best} ms; ${items} × ${lanes}`);
        }
  });

  it('follows a server that becomes faster or slower', () => {
    const pace = paceOf();
    assert.equal(embedTexts(pace, { requestMs: 1, textMs: 40, parallel: 1 }).items, 16);
    assert.equal(embedTexts(pace, { requestMs: 40, textMs: 1, parallel: 1 }, 20_000).items, 256);
    assert.equal(embedTexts(pace, { requestMs: 40, textMs: 100, parallel: 1 }).items, 16);
  });

  it('is not misled by a request that other work made slow', () => {
    const pace = paceOf();
    for (let at = 0; pace.limits.items < 256 && at < 40; at += 1) {
      const { items } = pace.limits;
      const endedMs = 40 + items + (at % 3 === 1 ? 500 : 0);
      pace.answered({ items, characters: items * CHARACTERS, beganMs: 0, endedMs });
    }
    assert.equal(pace.limits.items, 256);
  });

  it('never grows where a provider names no larger size, or its vectors are long', () => {
    const { maxItems: _maxItems, ...fixed } = BATCH;
    const pace = new RequestPace(fixed, 384);
    assert.deepEqual(embedTexts(pace, { requestMs: 100, textMs: 1, parallel: 2 }).largest, 16);
    assert.equal(embedTexts(paceOf(BATCH, 4_096), { requestMs: 100, textMs: 1, parallel: 1 }).largest, 32);
  });

  it('keeps below a size that the server refuses, and is small again after a refused text', () => {
    const pace = paceOf();
    const server = { requestMs: 100, textMs: 1, parallel: 1 };
    embedTexts(pace, server, 300);
    assert.ok(pace.limits.items > 16);
    pace.refused(64, false);
    assert.equal(pace.limits.items, 16);
    assert.equal(embedTexts(pace, server).largest, 32);
    const other = paceOf();
    embedTexts(other, server, 300);
    other.refused(64, true);
    assert.equal(other.limits.items, 16);
    assert.equal(embedTexts(other, server).largest, 256);
  });

  it('sends as many times the characters', () => {
    const pace = paceOf();
    embedTexts(pace, { requestMs: 100, textMs: 1, parallel: 1 });
    assert.deepEqual(pace.limits, { items: 256, characters: 512_000 });
  });
});
