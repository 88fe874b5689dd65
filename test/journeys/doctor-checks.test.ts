// M15: checks that the findings of doctor's checks decide the exit code, and that a check that throws counts as failed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VaultgraphError } from '../../src/base/errors.ts';
import { type Check, doctorChecks } from '../../src/cli/doctor/checks.ts';
import { exitCodeFor, findingsText, runChecks } from '../../src/cli/doctor/doctor-command.ts';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { assertEach } from '../assert-each.ts';
import { copyOfFixture, temporaryFolder } from './session.ts';

const finding = (status: Finding['status']) => async (): Promise<Finding> => ({
  status,
  detail: 'seen',
  hint: 'do this',
});

const OUTCOMES: readonly { name: string; run: Check['run']; status: Finding['status']; exit: number }[] = [
  { name: 'ok', run: finding('ok'), status: 'ok', exit: 0 },
  { name: 'a warning', run: finding('warning'), status: 'warning', exit: 1 },
  { name: 'failing', run: finding('failing'), status: 'failing', exit: 2 },
  {
    name: 'throwing a VaultgraphError',
    run: async () => {
      throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'EIO' });
    },
    status: 'failing',
    exit: 2,
  },
  {
    name: 'throwing another error',
    run: async () => {
      throw new RangeError('the text of a note');
    },
    status: 'failing',
    exit: 2,
  },
];

test('M15 each check forced to ok, warning, failing and throwing: exit 0, 1, 2, 2, each with a hint, without affecting other checks', async (suite) => {
  const vault = copyOfFixture(suite as never, 'tiny');
  const names = doctorChecks({ vault, dataDir: temporaryFolder(suite as never) }).map((check) => check.name);
  assert.ok(names.length >= 6);
  for (const forced of names) {
    for (const { name, run, status, exit } of OUTCOMES) {
      await suite.test(`M15 ${forced}: ${name}`, async () => {
        const checks = names.map((each) => ({ name: each, run: each === forced ? run : finding('ok') }));
        const findings = await runChecks(checks);
        assertEach(findings, ({ check }) => check, names, 'every check is listed, in order');
        assert.equal(findings.find(({ check }) => check === forced)?.status, status);
        for (const { hint, detail } of findings) assert.ok(hint.trim() !== '' && detail.trim() !== '');
        assert.equal(exitCodeFor(findings), exit);
        assert.doesNotMatch(JSON.stringify(findings), /text of a note/);
      });
    }
  }
});

test('M15 the worst finding decides the exit code; no findings means success', () => {
  const of = (...states: Finding['status'][]): Finding[] =>
    states.map((status) => ({ status, detail: 'seen', hint: 'do this' }));
  assert.equal(exitCodeFor(of('ok', 'warning', 'ok')), 1);
  assert.equal(exitCodeFor(of('warning', 'failing', 'ok')), 2);
  assert.equal(exitCodeFor(of()), 0);
});

test('M15 a fault that stops many checks is reported once in text output, with the names of all those checks', async () => {
  const findings = await runChecks(doctorChecks({ vault: '/no/such/folder' }));
  const text = findingsText(findings);
  assert.equal(text.match(/no folder at \/no\/such\/folder/g)?.length, 1);
  for (const { check } of findings) assert.match(text, new RegExp(`\\b${check}\\b`));
  assert.match(text, /^✗ conflicts, data folder, state folder, vault, .*: the same$/m);
});
