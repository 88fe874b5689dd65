// Moves a linked folder while the system refuses one thing, and prints the error and what changed in the vault.
import { execFileSync } from 'node:child_process';
import { chmodSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toVaultgraphError } from '../../../src/base/errors.ts';
import { moveNote } from '../../../src/tools/write/move_note.ts';
import { type WritesUnderTest, withWrites } from './write-under-test.ts';

const [refused = ''] = process.argv.slice(2);
const LINKING = 40;
const FREE_BYTES = 64 * 1024;
const line = (path: string): string => `${'words '.repeat(200)} [[${path}]]\n`;
const FILES: Record<string, string> = { 'Places/Harbour.md': '# Harbour\n' };
for (let i = 0; i < LINKING; i++) FILES[`Log/${i}.md`] = line('Places/Harbour');

/** Makes the system refuse something that the move needs. */
const REFUSALS: Readonly<Record<string, (under: WritesUnderTest) => void>> = {
  'the bytes': ({ folder }) => {
    mountOver(folder.root, 'size=1m');
    for (const [path, text] of Object.entries(FILES)) folder.put(path, text);
    const { bavail, bsize } = statfsSync(folder.root);
    writeFileSync(join(folder.root, 'ballast.bin'), new Uint8Array(bavail * bsize - FREE_BYTES));
  },
  'the files': ({ folder }) => {
    mountOver(folder.root, `nr_inodes=${LINKING + 15}`);
    for (const [path, text] of Object.entries(FILES)) folder.put(path, text);
  },
  'a read': ({ folder }) => chmodSync(join(folder.root, 'Log/7.md'), 0o000),
};

function mountOver(folder: string, options: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'none', folder]);
}

await withWrites(FILES, async (under) => {
  const { ask, files, folder, warnings } = under;
  REFUSALS[refused]?.(under);
  const shown = (): string => JSON.stringify(under.everything());
  const before = shown();
  const move = { note: 'Places/', to: 'Coast', confirm: true, allow_broken: true };
  const [outcome] = await Promise.allSettled([ask(moveNote, move)]);
  const error = outcome.status === 'rejected' ? toVaultgraphError(outcome.reason) : undefined;
  if (refused === 'a read') chmodSync(join(folder.root, 'Log/7.md'), 0o644);
  const isIntact = shown() === before && Object.entries(FILES).every(([path, text]) => files()[path] === text);
  const { code, details, message, hint } = error ?? {};
  const report = { code, details, message, hint, isIntact, warnings: warnings.map((warning) => warning.code) };
  if (refused !== 'a read') execFileSync('umount', ['-l', folder.root]);
  process.stdout.write(`${JSON.stringify(report)}\n`);
});
