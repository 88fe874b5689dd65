// Tests large changes of a vault and a run of the index that is killed in the middle.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import type { IndexJob } from '../../src/contracts/indexer.ts';
import { createVaultFolder, type VaultFolder } from '../providers/filesystem/vault-folder.ts';
import { coldRebuild, contentOf, fill, type IndexUnderTest, openIndex, withIndex } from './index-under-test.ts';

const ok = (job: IndexJob): void => assert.equal(job.state, 'succeeded', String(job.error));

it('V11 after 2,000 changes at once the index equals a cold rebuild', () =>
  withIndex(async (under) => {
    const { folder, run } = under;
    const [removed, changed, moved] = [400, 900, 1000];
    fill(folder, 1500);
    await run();
    for (let n = 0; n < removed; n += 1) folder.remove(`area ${n % 7}/Note ${n}.md`);
    for (let n = removed; n < changed; n += 1)
      folder.put(`area ${n % 7}/Note ${n}.md`, `[[Note ${n + moved}]] changed${n}`);
    for (let n = changed; n < moved; n += 1) folder.move(`area ${n % 7}/Note ${n}.md`, `renamed/${n}.md`);
    fill(folder, 1000, 1500);
    const job = await run();
    ok(job);
    assert.deepEqual([job.counts.removed, job.counts.changed], [500, 1600]);
    assert.deepEqual(await contentOf(under.store), await coldRebuild(under));
  }));

for (const kind of ['catch_up', 'rebuild'] as const)
  it(`a ${kind} killed in the middle is completed by the next run`, async () => {
    const folder = createVaultFolder();
    try {
      fill(folder, 1500);
      if (kind === 'rebuild') await withRun(folder, async () => {});
      const child = spawn(process.execPath, [join(import.meta.dirname, 'index-child.ts'), folder.outside, kind]);
      const ended = once(child, 'exit');
      assert.ok(await killedInTheMiddle(child), 'it was still at work');
      assert.deepEqual(await ended, [null, 'SIGKILL']);
      await withRun(folder, async (under) => {
        assert.deepEqual(await contentOf(under.store), await coldRebuild(under));
      });
    } finally {
      folder.delete();
    }
  });

async function withRun(folder: VaultFolder, check: (under: IndexUnderTest) => Promise<void>): Promise<void> {
  const under = await openIndex(folder);
  try {
    ok(await under.run());
    await check(under);
  } finally {
    await under.close();
  }
}

async function killedInTheMiddle(child: ChildProcess): Promise<boolean> {
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) {
    const [phase, done] = line.split(' ');
    if (phase === 'indexing' && Number(done) > 0) return child.kill('SIGKILL');
  }
  return false;
}
