// Indexes vaults written by other people: no crash, a second run changes nothing, and no file is modified.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import { test } from 'node:test';
import { fingerprint } from './fingerprint.ts';
import { PROGRAM, REAL_VAULTS, temporaryFolder } from './session.ts';

function run(
  command: string,
  vault: string,
  dataFolder: string,
): { status: number | null; stdout: string; stderr: string } {
  const args = [PROGRAM, command, '--vault', vault, '--data-dir', dataFolder];
  if (command === 'index') args.push('--json');
  return spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
}

test('vaults written by other people are indexed without errors or changes', {
  skip: REAL_VAULTS.length === 0 && 'no ../shared/vaults next to the checkout',
}, async (suite) => {
  for (const vault of REAL_VAULTS) {
    await suite.test(basename(vault), (context) => {
      const before = fingerprint(vault);
      const dataFolder = temporaryFolder(context);
      const first = run('index', vault, dataFolder);
      const counts = JSON.parse(first.stdout);
      assert.ok(first.status === 0 || first.status === 2, first.stderr);
      assert.equal(first.status === 2, counts.failed.length > 0);
      for (const { id, error } of counts.failed)
        assert.ok(id && error.code && error.message, 'a quarantined note has its reason');
      const exported = run('export', vault, dataFolder).stdout;
      const second = JSON.parse(run('index', vault, dataFolder).stdout);
      assert.equal(second.counts.indexed, 0, 'nothing changed, so nothing is indexed again');
      assert.equal(run('export', vault, dataFolder).stdout, exported);
      assert.equal(
        run('export', vault, temporaryFolder(context)).stdout,
        exported,
        'a fresh index gives the same graph',
      );
      assert.equal(fingerprint(vault), before);
    });
  }
});
