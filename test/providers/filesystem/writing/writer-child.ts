// Started by a test: writes to the vault on its command line through the writer's thread.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentHash } from '../../../../src/base/content-hash.ts';
import { VaultgraphError } from '../../../../src/base/errors.ts';
import type { FileOperation } from '../../../../src/contracts/writer.ts';
import { vaultFolderAt } from '../vault-folder.ts';
import { openWriter } from './open-writer.ts';
import { bytes, note } from './workbench.ts';

const { signal } = new AbortController();
const [outside = '', task = '', name = '', count = ''] = process.argv.slice(2);
const folder = vaultFolderAt(outside);
const { capability: writer, close } = await openWriter(folder);

const replace = (path: string, text: string): FileOperation => {
  const before = contentHash(readFileSync(join(folder.root, path)));
  return { kind: 'replace', path: note(path), before, bytes: bytes(text) };
};

/** Writes three files in each round, which must belong to one round after a kill. */
async function goRound(): Promise<never> {
  for (let round = Number(readFileSync(join(folder.root, 'Note.md'), 'utf8')); ; round += 1) {
    const move = { kind: 'move', path: note(`${round}.md`), to: note(`${round + 1}.md`) } as const;
    const operations = [replace('Note.md', `${round + 1}`), replace('deep/Hub.md', `${round + 1}`), move];
    await writer.apply({ operations, tool: 'a_test', client: name }, signal);
  }
}

/** Uses an outdated hash every second time. */
async function race(): Promise<void> {
  const outcomes: Record<string, number> = {};
  const old = replace('Note.md', '');
  for (let at = 0; at < Number(count); at += 1) {
    const text = `${name} ${at}`;
    const operation = at % 2 === 0 ? replace('Note.md', text) : { ...old, bytes: bytes(text) };
    const [outcome] = await Promise.allSettled([
      writer.apply({ operations: [operation as FileOperation], tool: 'a_test', client: name }, signal),
    ]);
    const code = outcome.status === 'fulfilled' ? 'done' : codeOf(outcome.reason);
    outcomes[code] = (outcomes[code] ?? 0) + 1;
  }
  process.stdout.write(JSON.stringify(outcomes));
}

const codeOf = (thrown: unknown): string => (thrown instanceof VaultgraphError ? thrown.code : String(thrown));

if (task === 'rounds') await goRound();
else await race();
await close();
