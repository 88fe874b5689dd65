// Creates a vault that contains a cause for every error a call can return, with an index that was never built.
import { mkdirSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { copyOfFixture, indexFile, jobOf, runProgram, type Session, temporaryFolder } from './session.ts';

/** One byte more than the server reads of a file. */
const TOO_LARGE = 32 * 1024 * 1024 + 1;

/** A note that is not UTF-8 text and has a link. */
const LATIN = Buffer.from('caf\xe9 and [[Linked]]\n', 'latin1');

/**
 * Two notes of one name, a note with two equal headings, one with invalid front matter, one that is not text and links to
 * another, one that is too large, one that `forget` evicts from this machine, and an empty folder with the name of a note.
 */
export function provokingVault(context: TestContext): { vault: string; forget(): void } {
  const vault = tinyVault(context);
  const write = (path: string, text: string): void => writeFileSync(join(vault, path), text);
  for (const folder of ['A', 'B']) {
    mkdirSync(join(vault, folder));
    write(`${folder}/Twin.md`, `# Twin of ${folder}\n`);
  }
  write('Parts.md', '# One\n\n# Same\na\n# Same\nb\n');
  write('Gone.md', '# Gone\n');
  write('Broken.md', '---\na: b: c\n---\nbody\n');
  write('Linked.md', '# Linked\n');
  write('Torn.base', 'views: 5\n');
  write('Torn.png', 'no image');
  mkdirSync(join(vault, 'Taken.md'));
  writeFileSync(join(vault, 'Latin.md'), LATIN);
  write('Huge.md', '');
  truncateSync(join(vault, 'Huge.md'), TOO_LARGE);
  // A stub stays, as for a file that is only in the cloud: the index keeps what it knows of it.
  const forget = (): void => {
    write('.Gone.md.icloud', 'stub');
    unlinkSync(join(vault, 'Gone.md'));
  };
  return { vault, forget };
}

/** A copy of the small vault, with a base. */
export function tinyVault(context: TestContext): string {
  const vault = copyOfFixture(context, 'tiny');
  writeFileSync(join(vault, 'Whole.base'), 'views:\n  - name: Files\n  - name: Odd\n    filters: odd(1)\n');
  return vault;
}

/** A vault and a data folder whose index file has empty tables. */
export function unbuiltIndex(context: TestContext, fixture = 'tiny'): { vault: string; dataFolder: string } {
  const vault = fixture === 'tiny' ? tinyVault(context) : copyOfFixture(context, fixture);
  const dataFolder = temporaryFolder(context);
  runProgram(context, ['status', '--vault', vault, '--data-dir', dataFolder]);
  return { vault, dataFolder };
}

/** Takes the index's write lock in this process, like another writing server; the returned function releases it. */
export function holdWriteLock(context: TestContext, dataFolder: string): () => void {
  const holder = new Database(indexFile(dataFolder));
  holder.exec('BEGIN IMMEDIATE');
  context.after(() => holder.close());
  return () => void holder.exec('ROLLBACK');
}

/** Waits until a job has ended, over several calls if necessary. */
export async function jobEnded(session: Session, jobId: string): Promise<{ state: string; error?: { code: string } }> {
  for (;;) {
    const { structured } = await session.call('reindex', { job_id: jobId, wait_ms: 45_000 });
    const job = jobOf(structured);
    if (!['queued', 'running'].includes(job.state)) return job;
  }
}
