// A server with another state folder was killed in the middle of a change: its temporary files are in the vault.
import assert from 'node:assert/strict';
import { linkSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../until.ts';
import { openSession, runProgram, temporaryFolder } from './session.ts';

const STEM = '.vaultgraph-chg_0mifg0abc_a1b2c3-0';

test('a read-only server warns of a change that another state folder has the log of, until its files are gone', async (context) => {
  const [vault, dataFolder] = [temporaryFolder(context), temporaryFolder(context)];
  const folder = join(vault, 'Sub');
  mkdirSync(folder);
  writeFileSync(join(folder, 'A.md'), 'The tide.\n');
  linkSync(join(folder, 'A.md'), join(folder, `${STEM}.old.tmp`));
  writeFileSync(join(folder, `${STEM}.tmp`), 'The new tide.\n');
  const session = await openSession(context, { vault, dataFolder });
  await session.indexed();
  const warning = async () => {
    const { structured } = await session.call('search_text', { query: 'tide' });
    return (structured.warnings ?? []).find(({ code }: { code: string }) => code === 'CHANGE_UNFINISHED')?.message;
  };
  assert.match(await warning(), /chg_0mifg0abc_a1b2c3 of 2025-11-26T\S+, .* in the folder Sub/);
  const doctor = runProgram(context, ['doctor', '--vault', vault, '--data-dir', dataFolder]);
  assert.match(
    doctor.stdout,
    /! changes of others: .*old\.tmp \(A\.md still has this old text\); .*-0\.tmp \(a new text/,
  );
  for (const name of readdirSync(folder).filter((file) => file.startsWith(STEM))) rmSync(join(folder, name));
  await until(async () => (await warning()) === undefined, 'the warning ends with the files');
});
