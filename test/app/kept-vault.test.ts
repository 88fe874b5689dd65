import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeptVault } from '../../src/app/kept-core.ts';
import { NEVER } from '../../src/base/async/waits.ts';
import { VaultgraphError } from '../../src/base/errors.ts';
import { until } from '../until.ts';

/** Counts what is opened and closed; `busy` keeps it open. */
function counted(idleMs: number, refuse: () => VaultgraphError | undefined = () => undefined) {
  const counts = { opened: 0, closed: 0 };
  const state = { busy: false };
  const close = (): void => {
    counts.closed += 1;
  };
  const kept = new KeptVault({
    open: async () => {
      const error = refuse();
      if (error !== undefined) throw error;
      counts.opened += 1;
      return { isBusy: () => state.busy, close: async () => close() };
    },
    onCloseFailure: (error) => assert.fail(error),
    idleMs,
  });
  return { kept, counts, state };
}

const nothing = async () => undefined;

test('it is opened at its first use, once for uses at the same time', async () => {
  const { kept, counts } = counted(60_000);
  assert.equal(kept.current, undefined);
  await Promise.all([kept.use(NEVER, nothing), kept.use(NEVER, nothing)]);
  await kept.use(NEVER, nothing);
  assert.deepEqual(counts, { opened: 1, closed: 0 });
  await kept.end();
  assert.deepEqual(counts, { opened: 1, closed: 1 });
  await assert.rejects(kept.use(NEVER, nothing), { code: 'SHUTTING_DOWN' });
});

test('it is closed some time after its last use, and opened again by the next one', async () => {
  const { kept, counts } = counted(1);
  await kept.use(NEVER, nothing);
  await until(() => counts.closed === 1, 'the idle vault is closed');
  assert.equal(kept.current, undefined);
  await kept.use(NEVER, nothing);
  assert.equal(counts.opened, 2);
  await kept.end();
});

test('it stays open while a use or work of its own runs', async () => {
  const { kept, counts, state } = counted(1);
  const { promise: running, resolve: end } = Promise.withResolvers<undefined>();
  const use = kept.use(NEVER, () => running);
  await until(() => counts.opened === 1, 'it is open');
  // Long after its idle time: a second vault was opened and closed meanwhile.
  const other = counted(1);
  await other.kept.use(NEVER, nothing);
  await until(() => other.counts.closed === 1, 'the other one is closed');
  assert.equal(counts.closed, 0);
  state.busy = true;
  end(undefined);
  await use;
  const third = counted(1);
  await third.kept.use(NEVER, nothing);
  await until(() => third.counts.closed === 1, 'a third one is closed');
  assert.equal(counts.closed, 0);
  state.busy = false;
  await until(() => counts.closed === 1, 'it is closed once it has nothing to do');
});

test('a failure to open is of these calls only, each with an error of its own; later ones try again', async () => {
  let refusal: VaultgraphError | undefined = new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ENOENT' });
  const { kept, counts } = counted(60_000, () => refusal);
  const errors = await Promise.all(
    [1, 2].map(() => kept.use(NEVER, nothing).then(assert.fail, (error: VaultgraphError) => error)),
  );
  errors.push(await kept.use(NEVER, nothing).then(assert.fail, (error: VaultgraphError) => error));
  assert.deepEqual(new Set(errors.map(({ code }) => code)), new Set(['VAULT_UNAVAILABLE']));
  refusal = undefined;
  await until(
    () =>
      kept.use(NEVER, nothing).then(
        () => true,
        () => false,
      ),
    'it is opened once it can be',
  );
  assert.equal(counts.opened, 1);
  await kept.end();
});

test('a caller that goes away does not wait, and the vault is opened all the same', async () => {
  const { promise: opening, resolve: open } = Promise.withResolvers<{ isBusy(): boolean; close(): Promise<void> }>();
  const kept = new KeptVault({ open: () => opening, onCloseFailure: () => undefined });
  const gone = new AbortController();
  const use = kept.use(gone.signal, nothing);
  gone.abort(new VaultgraphError('CANCELLED', { committed: 'none' }));
  await assert.rejects(use, { code: 'CANCELLED' });
  open({ isBusy: () => false, close: async () => undefined });
  await kept.use(NEVER, nothing);
  await kept.end();
});
