// Creates vaults from a few texts, for tests of the built program.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '../journeys/session.ts';

/** A folder with the given files that is deleted when the test ends. */
export function temporaryVault(context: TestContext, files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryFolder(context);
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return folder;
}
