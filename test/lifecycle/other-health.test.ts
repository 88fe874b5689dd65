import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorCode, VaultgraphError } from '../../src/base/errors.ts';
import { createOtherHealth, type LoadedProvider } from '../../src/lifecycle/provider-health.ts';
import { providerFailure } from '../fakes/provider-failure.ts';

interface Requested {
  readonly capability: string;
  readonly limitMs: number | undefined;
}

function providers(states: Readonly<Record<string, { ok: boolean; detail: string; failure?: VaultgraphError }>>) {
  const requested: Requested[] = [];
  const rows = Object.entries(states).map(
    ([capability, state]) =>
      ({
        capability,
        probe: async (_signal: AbortSignal, limitMs?: number) => {
          requested.push({ capability, limitMs });
          return state;
        },
      }) as unknown as LoadedProvider,
  );
  return { rows, requested };
}

const fine = { ok: true, detail: 'well' };

test('the other providers are probed, each within the given time, and the failing one is not', async () => {
  const failure = new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'EIO' });
  const { rows, requested } = providers({
    vault: { ok: false, detail: 'gone', failure },
    writer: fine,
    store: fine,
    embedding: fine,
    llm: { ok: false, detail: 'x'.repeat(300) },
  });
  const health = await createOtherHealth(rows)(providerFailure('PROVIDER_UNAVAILABLE', { cause_code: 'X' }), 700);
  assert.deepEqual(health, { vault: 'VAULT_UNAVAILABLE', store: 'ok', llm: 'x'.repeat(100) });
  assert.deepEqual(
    requested.map(({ capability, limitMs }) => [capability, limitMs]),
    [
      ['vault', 700],
      ['store', 700],
      ['llm', 700],
    ],
  );
});

test('no provider is probed for a caller error, a cancelled call, or when no time is left', async () => {
  const { rows, requested } = providers({ vault: fine, store: fine });
  const look = createOtherHealth(rows);
  assert.deepEqual(await look(new VaultgraphError('CANCELLED', { committed: 'none' }), 700), {});
  assert.deepEqual(await look(new VaultgraphError('JOB_NOT_FOUND', { id: 'x', recent: [] }), 700), {});
  assert.deepEqual(await look(new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'EIO' }), 0), {});
  assert.deepEqual(requested, []);
  const codes: [ErrorCode, object][] = [['INDEX_EMPTY', { capability: 'store' }]];
  for (const [code, details] of codes)
    assert.deepEqual(await look(new VaultgraphError(code, details as never), 5), { vault: 'ok', store: 'ok' });
});
