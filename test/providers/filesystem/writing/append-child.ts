// Started by a test: appends lines to a note with a data folder of its own, as another user if one is named.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentHash } from '../../../../src/base/content-hash.ts';
import { VaultgraphError } from '../../../../src/base/errors.ts';
import { vaultFolderAt } from '../vault-folder.ts';
import { becomeUser } from './become-user.ts';
import { openWriter } from './open-writer.ts';
import { bytes, note } from './workbench.ts';

const NOTE = 'Note.md';
const { signal } = new AbortController();
const [root = '', outside = '', name = '', count = '', user] = process.argv.slice(2);
const { capability: writer, close } = await openWriter({ ...vaultFolderAt(outside), root });
// Loads and creates what the writer needs, which another user might not be allowed to.
await writer.recover(signal);
if (user !== undefined) becomeUser(Number(user), outside);

for (let line = 0; line < Number(count); line += 1) while (!(await append(`${name} ${line}`))) {}
await close();

/** @returns false if another process was faster */
async function append(line: string): Promise<boolean> {
  const old = readFileSync(join(root, NOTE), 'utf8');
  const before = contentHash(bytes(old));
  const operations = [{ kind: 'replace', path: note(NOTE), before, bytes: bytes(`${old}${line}\n`) }] as const;
  try {
    await writer.apply({ operations, tool: 'a_test', client: name }, signal);
    return true;
  } catch (thrown) {
    if (thrown instanceof VaultgraphError && thrown.code === 'WRITE_CONFLICT') return false;
    throw thrown;
  }
}
