// Checks every position in the export of our own vaults: unusual line endings, emoji, combining characters, every case.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readCases, writeVault } from './cases.ts';
import { checkPlaces } from './check-places.ts';
import { exportOnce } from './exported-vault.ts';

const FIXTURES = join(import.meta.dirname, '../../vault-fixtures');

for (const name of ['tiny', 'unicode', 'broken']) {
  test(name, async () => {
    const folder = join(FIXTURES, name);
    assert.ok(checkPlaces(folder, (await exportOnce(folder)).values()) > 0);
  });
}

const LINE_ENDS = { LF: '\n', CRLF: '\r\n', CR: '\r' };

for (const [name, lineEnd] of Object.entries(LINE_ENDS)) {
  test(`all cases together in one vault, with ${name} line endings`, async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-places-'));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    for (const one of readCases()) {
      mkdirSync(join(folder, one.id));
      writeVault(one, join(folder, one.id));
    }
    endLines(folder, lineEnd);
    const places = checkPlaces(folder, (await exportOnce(folder)).values());
    assert.ok(places > 200, `${places} places were checked`);
  });
}

function endLines(folder: string, lineEnd: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/\r\n|\r|\n/g, lineEnd));
  }
}
