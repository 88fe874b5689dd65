// Vaults that other people wrote: they index without a crash, a second run changes nothing, and not one byte of them moves.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PROGRAM, ROOT, temporaryFolder } from './session.ts';

const VAULTS = join(ROOT, '../shared/vaults');
const names = existsSync(VAULTS)
  ? readdirSync(VAULTS, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.endsWith('.truth'))
      .map((entry) => entry.name)
  : [];

/** Every path with its time stamps and bytes, as one hash. */
function fingerprint(folder: string): string {
  const hash = createHash('sha256');
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const stat = lstatSync(join(folder, path));
    hash.update(`${path}\0${stat.mtimeMs}\0${stat.size}\0`);
    if (stat.isFile()) hash.update(readFileSync(join(folder, path)));
  }
  return hash.digest('hex');
}

function run(
  command: string,
  vault: string,
  dataFolder: string,
): { status: number | null; stdout: string; stderr: string } {
  const args = [PROGRAM, command, '--vault', vault, '--data-dir', dataFolder];
  if (command === 'index') args.push('--json');
  return spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
}

test('real vaults', { skip: names.length === 0 && 'no ../shared/vaults beside the checkout' }, async (suite) => {
  for (const name of names) {
    await suite.test(name, (context) => {
      const vault = join(VAULTS, name);
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
