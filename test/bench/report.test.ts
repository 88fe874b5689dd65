// Checks that a missing figure is printed with its reason, and that a missed goal is reported. Takes no measurements.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLedger, FLOORS, MEASURES, VECTOR_FLOORS, VECTOR_MEASURES } from './figures.ts';
import { VECTOR_SIZES } from './goals.ts';
import {
  type BenchResult,
  reportAsJson,
  reportAsText,
  type VectorResult,
  vectorReportAsJson,
  vectorReportAsText,
} from './report.ts';

const NOTES = 10_000;

async function exampleResult(): Promise<BenchResult> {
  const floors = createLedger<keyof typeof FLOORS>(Infinity, () => undefined);
  const measures = createLedger<keyof typeof MEASURES>(Infinity, () => undefined);
  const small = createLedger<keyof typeof MEASURES>(Infinity, () => undefined);
  await floors.attempt(['spawn_server'], async () => ({ spawn_server: 100 }));
  await measures.attempt(['initialize_cold', 'initialize_warm'], async () => ({
    initialize_cold: 120,
    initialize_warm: 230,
  }));
  await measures.attempt(['cold'], () => assert.fail('the disk was full'));
  await small.attempt(['initialize_cold'], async () => ({ initialize_cold: 60 }));
  return {
    notes: NOTES,
    noteBytes: 38e6,
    program: 'main.js',
    floors,
    measures,
    small,
    smallNotes: 1_000,
    elapsedMs: 1,
  };
}

function lineOf(report: string, name: string): string {
  return report.split('\n').find((line) => line.startsWith(`${name}  `)) ?? '';
}

test('every baseline and figure has a line, measured or not', async () => {
  const report = reportAsText(await exampleResult());
  for (const { name } of [...Object.values(FLOORS), ...Object.values(MEASURES)])
    assert.notEqual(lineOf(report, name), '', name);
  assert.match(lineOf(report, MEASURES.cold.name), /not taken/);
  assert.match(report, /because the disk was full/);
  assert.match(report, /because not reached/);
});

test('a ratio uses the baseline of the same run, and each goal is marked as met or missed', async () => {
  const report = reportAsText(await exampleResult());
  assert.match(lineOf(report, MEASURES.initialize_cold.name), /120 .* 100 .* 1\.20 .* yes$/);
  assert.match(lineOf(report, MEASURES.initialize_warm.name), /230 .* 100 .* 2\.30 .* NO$/);
});

test('a limit in milliseconds is held or missed whatever its baseline is, which is beside it', async () => {
  const { floors, measures, ...rest } = await exampleResult();
  await floors.attempt(['spawn_npx'], async () => ({ spawn_npx: 1_000 }));
  await measures.attempt(['npx_first', 'npx_again'], async () => ({ npx_first: 3_500, npx_again: 1_500 }));
  const report = reportAsText({ floors, measures, ...rest });
  assert.match(lineOf(report, MEASURES.npx_first.name), /3,500 {2}ms +1,000 +3\.50 {2}≤ 3,000 +NO$/);
  assert.match(lineOf(report, MEASURES.npx_again.name), /1,500 {2}ms +1,000 +1\.50 {2}≤ 3,000 +yes$/);
  assert.match(lineOf(report, MEASURES.installed_start.name), /not taken .* ≤ 3,000$/);
});

test('growth is the ratio to the smaller vault', async () => {
  const [, growth = ''] = reportAsText(await exampleResult()).split('Growth');
  assert.match(lineOf(growth, MEASURES.initialize_cold.name), /120 .* 60 .* 2\.00 .* NO$/);
  assert.match(growth, /because smaller vault: not reached/);
});

test('the JSON output contains the same figures', async () => {
  const { measures } = JSON.parse(reportAsJson(await exampleResult()));
  const named = (name: string) => measures.find((row: { name: string }) => row.name === name);
  assert.equal(measures.length, Object.keys(MEASURES).length);
  assert.deepEqual(named(MEASURES.cold.name), {
    ...MEASURES.cold,
    value: null,
    reason: 'the disk was full',
    rule: '≤ 2 × reference_cold',
  });
  assert.equal(named(MEASURES.initialize_warm.name).goal, 200);
});

test('after the time limit no measurement starts, and the figure says so', async () => {
  const ledger = createLedger<keyof typeof FLOORS>(performance.now(), () => undefined);
  await ledger.attempt(['walk'], () => assert.fail('was begun'));
  assert.match(ledger.reason('walk'), /time .* was over/);
});

async function exampleOfVectors(): Promise<VectorResult> {
  const floors = createLedger<keyof typeof VECTOR_FLOORS>(Infinity, () => undefined);
  const measures = createLedger<keyof typeof VECTOR_MEASURES>(Infinity, () => undefined);
  await floors.attempt(['look_at_bits'], async () => ({ look_at_bits: 4 }));
  await measures.attempt(['chunks_p50', 'memory'], async () => ({ chunks_p50: 6, memory: 1.4 }));
  const [size] = VECTOR_SIZES;
  return { ...(size ?? assert.fail('there is no size')), floors, measures };
}

test('every vector figure has a line with its goal, and a search has its ratio', async () => {
  const result = await exampleOfVectors();
  const report = vectorReportAsText([result]);
  for (const { name } of [...Object.values(VECTOR_FLOORS), ...Object.values(VECTOR_MEASURES)])
    assert.notEqual(lineOf(report, name), '', name);
  assert.match(lineOf(report, VECTOR_MEASURES.chunks_p50.name), /6 .* 4 .* 1\.50 .* ≤ 8 .* yes$/);
  assert.match(lineOf(report, VECTOR_MEASURES.memory.name), /1\.4 .* ≤ 1\.3 .* NO$/);
  assert.match(lineOf(report, VECTOR_MEASURES.missed.name), /not taken/);
  const { sizes } = JSON.parse(vectorReportAsJson([result]));
  assert.equal(sizes[0].measures.length, Object.keys(VECTOR_MEASURES).length);
});
