// Checks that the comparison of stores prints every figure, and the reason of those that are missing. Takes no measurements.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BenchSetting } from './bench-setting.ts';
import { createLedger } from './figures.ts';
import { columnsAsJson, columnsAsText } from './store-columns.ts';
import { STORE_FIGURES, type StoreFigureName } from './store-figures.ts';
import { planVault } from './vault-plan.ts';

const SETTING: BenchSetting = {
  vault: { folder: 'vault', plan: planVault(10, 1), noteBytes: 38e6 },
  ...{ program: 'main.js', workFolder: 'work', endsAt: Number.POSITIVE_INFINITY },
};

async function exampleColumns() {
  const [one, other] = [1, 2].map(() => createLedger<StoreFigureName>(Number.POSITIVE_INFINITY, () => undefined));
  assert.ok(one && other);
  await one.attempt(['cold', 'warm'], async () => ({ cold: 1_234.5, warm: 0.12345 }));
  await other.attempt(['cold', 'warm', 'second'], () => assert.fail('the server is down'));
  return [
    { name: 'SQLite', ledger: one },
    { name: 'PostgreSQL, socket', ledger: other },
  ];
}

test('each figure has a row with a cell for each store', async () => {
  const lines = columnsAsText(SETTING, await exampleColumns()).split('\n');
  for (const { name } of Object.values(STORE_FIGURES))
    assert.ok(
      lines.some((line) => line.startsWith(name)),
      name,
    );
  const cells = (start: string) =>
    lines
      .find((line) => line.startsWith(start))
      ?.split(/ {2,}/)
      .slice(1);
  assert.deepEqual(cells(STORE_FIGURES.cold.name), ['1235', '–']);
  assert.deepEqual(cells(STORE_FIGURES.warm.name), ['0.123', '–']);
});

test('figures that are missing for one reason share a line', async () => {
  const text = columnsAsText(SETTING, await exampleColumns());
  assert.equal(text.match(/the server is down/g)?.length, 1);
  assert.match(text, /PostgreSQL, socket: .* and 2 others are not taken, because the server is down/);
  const { stores } = JSON.parse(columnsAsJson(SETTING, await exampleColumns()));
  assert.equal(stores.length, 2);
  assert.equal(stores[0].figures.length, Object.keys(STORE_FIGURES).length);
});
