// Tests the freshness of answers, and require_fresh.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { IndexJob, IndexState } from '../../../src/contracts/indexer.ts';
import { type AnyTool, defineTool } from '../../../src/contracts/tool.ts';
import { inputSchemaOf } from '../../../src/mcp/dispatch/arguments.ts';
import { declaredCodes } from '../../../src/mcp/dispatch/dispatch.ts';
import { toolCatalog } from '../../../src/tools/catalog.ts';
import { assertEach } from '../../assert-each.ts';
import { createIndexFolder } from '../../providers/sqlite/database/index-folder.ts';
import { createTestHost, FRESH, type HostScript, RUNNING } from '../test-host.ts';

const { signal } = new AbortController();
const DONE: IndexJob = { ...RUNNING, state: 'succeeded', phase: 'ended', endedAt: '2026-11-21T10:05:00.000Z' };
const POLLING: IndexState = { ...FRESH, watching: { mode: 'polling', reason: 'ENOSPC', pending: 0 } };
const HOLDER = { pid: 1, client: 'other', since: '2026-11-21T10:00:00.000Z', heartbeat_age_ms: 10 };
const until = (stop: AbortSignal): Promise<never> =>
  new Promise((_, reject) => stop.addEventListener('abort', () => reject(stop.reason), { once: true }));

// biome-ignore lint/suspicious/noExplicitAny: what a client reads is JSON of any shape.
type Structured = any;

async function call(script: HostScript, given: object = {}, tool = 'needs_all') {
  const host = createTestHost(script);
  const began = performance.now();
  const { structured, text, isError } = await host.dispatch(tool, given, { signal });
  return { host, structured: structured as Structured, text, isError, tookMs: performance.now() - began };
}

test('V12 while the vault is polled no answer is fresh, even after a complete scan, and each says why', async () => {
  const { structured, text } = await call({ index: POLLING });
  assert.equal(structured.meta.index.stale, 'unknown');
  assertEach(structured.warnings, ({ code }: { code: string }) => code, ['STALE_UNKNOWN']);
  assert.match(text, /ENOSPC/);
});

test('while a change of the vault is not finished, every answer from the index says so', async () => {
  const { structured, text } = await call({ unfinished: 1 });
  const message = '1 change of the vault is being completed; until then answers may mix the notes before and after it';
  assert.deepEqual(structured.warnings, [{ code: 'CHANGE_UNFINISHED', message, count: 1 }]);
  assert.match(text, /^Warning \[CHANGE_UNFINISHED\]: 1 change of the vault/m);
  assert.equal((await call({ unfinished: 1 }, { text: 'x' }, 'echo')).structured.warnings, undefined);
});

for (const index of ['none', 'part', 'whole'] as const) {
  test(`an index that another process emptied is not answered from as a complete one: ${index}`, async (context) => {
    const folder = createIndexFolder();
    const { capability: store, close } = await folder.open();
    context.after(async () => {
      await close();
      folder.remove();
    });
    const countNames: AnyTool = defineTool({
      name: 'count_names',
      title: 'A test',
      summary: 'Counts.',
      ...{ effect: 'reads', needs: ['store', 'indexer'], index, fails: [], input: z.strictObject({}) },
      run: async (_input, granted, { signal: called }) => ({ count: (await granted.store.names(called)).length }),
    });
    const ask = (state: IndexState) => call({ catalog: [countNames], store, index: state }, {}, 'count_names');
    const { structured } = await ask(FRESH);
    assert.deepEqual([structured.error?.code, structured.error?.details], ['NOT_READY', { phase: 'replaced' }]);
    if (index === 'none') assert.equal((await ask({ ...FRESH, complete: false })).structured.data?.count, 0);
    await store.completeScan('2026-11-21T10:00:00.000Z', signal);
    assert.equal((await ask(FRESH)).structured.data?.count, 0);
  });
}

test('unprocessed hints are pending, and make an answer stale that does not wait for them', async () => {
  const watching = { mode: 'events', pending: 3 } as const;
  const { structured, tookMs } = await call({ index: { ...FRESH, watching } });
  assert.deepEqual([structured.meta.index.pending, structured.meta.index.stale], [3, true]);
  assert.deepEqual(structured.warnings, [
    { code: 'INDEX_PENDING', message: '3 changed notes are not indexed yet', count: 3 },
  ]);
  assert.ok(tookMs >= 200 && tookMs < 20_000, `${tookMs} ms`);
});

test('an answer waits for hints that are processed quickly', async () => {
  const host = createTestHost({ index: { ...FRESH, watching: { mode: 'events', pending: 1 } } });
  const answering = host.dispatch('needs_all', {}, { signal });
  setTimeout(() => host.indexer.become(FRESH), 30);
  const structured = (await answering).structured as Structured;
  assert.deepEqual([structured.ok, structured.meta], [true, undefined]);
});

test('an answer does not wait for the hints of many files, nor for those that come while the whole vault is indexed', async () => {
  const looksAt = async (pending: number, running?: IndexJob): Promise<number> => {
    let looks = 0;
    const watching = {
      mode: 'events',
      get pending() {
        looks += 1;
        return pending;
      },
    } as const;
    await call({ index: { ...FRESH, watching, ...(running && { running }) } });
    return looks;
  };
  const whole: IndexJob = { ...RUNNING, kind: 'catch_up' };
  const [none, many, meanwhile, few] = [
    await looksAt(0),
    await looksAt(500),
    await looksAt(1, whole),
    await looksAt(1),
  ];
  assert.ok(many <= none + 1, `${many} looks at many hints, ${none} without a hint`);
  assert.ok(meanwhile <= none + 1, `${meanwhile} looks during a job of the whole vault, ${none} without a hint`);
  assert.ok(few > none + 5, 'a wait looks again and again');
});

test('a follower does not wait for hints, and says that another process writes', async () => {
  const looksAt = async (pending: number): Promise<readonly [looks: number, structured: Structured]> => {
    let looks = 0;
    const index: IndexState = {
      ...FRESH,
      ...{ role: 'follower', holder: HOLDER },
      watching: {
        mode: 'events',
        get pending() {
          looks += 1;
          return pending;
        },
      },
    };
    const { structured } = await call({ index });
    return [looks, structured];
  };
  const [[looks, structured], [least]] = [await looksAt(1), await looksAt(0)];
  assert.deepEqual([structured.meta.index.writer, structured.meta.index.pending], ['other', 1]);
  assert.equal(looks, least, 'a wait looks again and again');
});

test('S13 require_fresh compares the vault with the index before the answer', async () => {
  let requested = 0;
  const catchUp = async (): Promise<IndexJob> => {
    requested += 1;
    return DONE;
  };
  const { structured, isError } = await call({ index: POLLING, catchUp }, { require_fresh: true });
  assert.equal(isError, false);
  assert.deepEqual([requested, structured.meta, structured.warnings], [1, undefined, undefined]);
  await call({ index: POLLING, catchUp }, { require_fresh: false });
  assert.equal(requested, 1);
});

test('S13 INDEX_STALE after the wait, with the pending notes and the time', async () => {
  const watching = { mode: 'events', pending: 2, oldestAt: '2026-11-21T10:01:00.000Z' } as const;
  const script: HostScript = { index: { ...FRESH, watching }, callLimitMs: 4_000, catchUp: until };
  const { structured, isError, text } = await call(script, { require_fresh: true });
  assert.equal(isError, true);
  const { code, details, retryable, retry_after_ms } = structured.error;
  assert.deepEqual([code, retryable, retry_after_ms], ['INDEX_STALE', true, 2_000]);
  assert.deepEqual(details, { pending: 2, as_of: FRESH.asOf, oldest_change: watching.oldestAt });
  assert.match(text, /2 changed notes pending/);
});

test('S13 an error of the vault is returned as it is; a blocked index is INDEX_STALE', async () => {
  const failing = (error: VaultgraphError): HostScript => ({
    catchUp: async () => ({ ...DONE, state: 'failed', error }),
  });
  const away = await call(failing(new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ENOENT' })), {
    require_fresh: true,
  });
  assert.equal(away.structured.error.code, 'VAULT_UNAVAILABLE');
  const blocked = new VaultgraphError('MASS_DELETE_BLOCKED', { known: 50, missing: 40, ratio: 0.8 });
  const guarded = await call(failing(blocked), { require_fresh: true });
  assert.deepEqual(
    [guarded.structured.error.code, guarded.structured.error.details.cause],
    ['INDEX_STALE', blocked.code],
  );
  const conflict = async (): Promise<never> => {
    throw new VaultgraphError('INDEX_CONFLICT', {});
  };
  assert.equal((await call({ catchUp: conflict }, { require_fresh: true })).structured.error.code, 'INDEX_STALE');
});

test('with search.freshness: require every answer from the index must be fresh, whatever the argument says', async () => {
  const script: HostScript = { freshness: 'require', callLimitMs: 2_000, catchUp: until };
  for (const given of [{}, { require_fresh: false }])
    assert.equal((await call(script, given)).structured.error.code, 'INDEX_STALE');
  assert.equal((await call(script, { text: 'a' }, 'echo')).isError, false);
});

test('M3: require_fresh is a boolean, and unknown to tools that do not read the index', async () => {
  for (const value of ['yes', 1]) {
    const { structured } = await call({}, { require_fresh: value });
    assert.equal(structured.error.code, 'INVALID_INPUT');
    assert.equal(structured.error.details.issues[0].path, 'require_fresh');
  }
  const { structured } = await call({}, { text: 'a', require_fresh: true }, 'echo');
  assert.equal(structured.error.details.issues[0].rule, 'unknown argument');
});

test('INDEX_STALE is declared by exactly the tools that read the index', () => {
  for (const tool of toolCatalog)
    assert.equal(declaredCodes(tool).has('INDEX_STALE'), tool.index !== 'none', tool.name);
});

test('only search tools list the argument in their schema', () => {
  const listing = toolCatalog
    .filter((tool) => 'require_fresh' in inputSchemaOf(tool).properties)
    .map(({ name }) => name);
  assert.ok(listing.includes('search_text') && listing.includes('search'));
  assert.ok(listing.length <= 4, listing.join());
});
