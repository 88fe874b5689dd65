// Every case of vault-fixtures/links holds for what the built program exports.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIELDS, readCases } from './cases.ts';
import { runCase, runCases } from './run-case.ts';

const cases = readCases();

test('the page of cases is whole', () => {
  assert.equal(cases.length, 146);
  assert.equal(new Set(cases.map(({ id }) => id)).size, 146);
  for (const { id, field, source } of cases) assert.ok(FIELDS.includes(field) && source !== '', id);
});

test('a case that does not hold is told as such', async () => {
  const [one] = cases;
  assert.ok(one);
  const { passed, got } = await runCase({ ...one, expected: [{ link: 'Harbour', path: 'Places/Quay.md' }] });
  assert.equal(passed, false);
  assert.equal(got?.length, 3);
  assert.equal((await runCase({ ...one, note: 'Nowhere.md' })).got, undefined);
});

test('every case, from the files to the export', async () => {
  const results = await runCases(cases, 2);
  const failed = results.filter(({ passed }) => !passed);
  assert.deepEqual(
    failed.map((result) => ({ id: result.case.id, expected: result.case.expected, got: result.got })),
    [],
  );
});
