// Checks the cases of vault-fixtures/links against the export of the built program.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertEach } from '../assert-each.ts';
import { isLong } from '../runner/effort.ts';
import { FIELDS, readCases } from './cases.ts';
import { runCase, runCases } from './run-case.ts';

const cases = readCases();
/** Each case needs its own vault and process, so `npm test` runs only the first case of each group. */
const sample = [...Map.groupBy(cases, ({ group }) => group).values()].flatMap((group) => group.slice(0, 1));

test('the list of cases is complete', () => {
  assert.equal(cases.length, 166);
  assert.equal(new Set(cases.map(({ id }) => id)).size, 166);
  for (const { id, field, source } of cases) assert.ok(FIELDS.includes(field) && source !== '', id);
});

test('a case with a different result is reported as failed', async () => {
  const [one] = cases;
  assert.ok(one);
  const { passed, got } = await runCase({ ...one, expected: [{ link: 'Harbour', path: 'Places/Quay.md' }] });
  assert.equal(passed, false);
  assert.equal(got?.length, 3);
  assert.equal((await runCase({ ...one, note: 'Nowhere.md' })).got, undefined);
});

test('every case passes with the built program', async () => {
  const failed = (await runCases(isLong ? cases : sample, 2)).filter(({ passed }) => !passed);
  assertEach(failed, (result) => ({ id: result.case.id, expected: result.case.expected, got: result.got }), []);
});
