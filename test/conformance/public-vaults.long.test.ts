// Checks the exports of vaults written by other people: the counts of each kind, and every position.
// The counts were compared with independent searches of the files, note by note, and every kind of difference was examined.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { publicVault } from '../markdown/links/vault-folder.ts';
import { checkPlaces } from './check-places.ts';
import { countVault, type VaultCounts } from './count-vault.ts';
import { exportOnce } from './exported-vault.ts';

const COUNTS: Readonly<Record<string, VaultCounts>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'counts.json'), 'utf8'),
);

for (const [name, counts] of Object.entries(COUNTS)) {
  const { folder, skip } = publicVault(name);
  test(name, { skip }, async () => {
    const vault = await exportOnce(folder);
    assert.deepEqual(countVault(vault.values()), counts);
    assert.ok(checkPlaces(folder, vault.values()) > 0);
  });
}
