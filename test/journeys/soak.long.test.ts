// M16: runs one minute of the soak test from a fixed seed; `npm run soak` runs longer ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSoak } from '../soak/run.ts';
import { PROGRAM } from './session.ts';

const SEED = Number(process.env.VAULTGRAPH_TEST_SEED ?? 20_261_121);
const SECONDS = Number(process.env.VAULTGRAPH_SOAK_SECONDS ?? 60);

test(`M16 ${SECONDS} seconds of three servers on one vault, with kills, stops and faults, from seed ${SEED}`, async (context) => {
  const reported: string[] = [];
  const { faults, answers, tools, deeds } = await runSoak({
    ...{ seed: SEED, seconds: SECONDS, notes: 200, program: PROGRAM },
    report: (line) => reported.push(line),
  });
  context.diagnostic(JSON.stringify({ answers, tools, deeds }));
  assert.deepEqual(faults, [], reported.join('\n'));
  assert.ok((answers.ok ?? 0) > 30, 'calls succeed');
});
