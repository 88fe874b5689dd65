// Copies of one vault on several machines, kept equal as a sync program keeps them: a change of one copy is made in the others.
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from './session.ts';

const SYNC_EVERY_MS = 100;

export interface VaultCopies {
  /** The copy of the server with this number; made if it is new. */
  copy(at: number): string;
}

/** Ends with the test. @param isSynced whether changes of one copy are made in the others */
export function keepCopies(context: TestContext, notes: string, isSynced = true): VaultCopies {
  const copies: string[] = [];
  let agreed = contentsOf(notes);
  const timer = setInterval(() => {
    if (isSynced) agreed = copies.reduce((before, copy) => spread(copy, copies, before), agreed);
  }, SYNC_EVERY_MS);
  context.after(() => clearInterval(timer));
  return {
    copy: (at) => {
      while (copies.length <= at) {
        const folder = temporaryFolder(context);
        cpSync(copies[0] ?? notes, folder, { recursive: true, preserveTimestamps: true });
        copies.push(folder);
      }
      return copies[at] ?? '';
    },
  };
}

/** By path; what is hidden is not synced. */
type Contents = ReadonlyMap<string, string>;

function contentsOf(folder: string): Contents {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((file) => join(file.parentPath, file.name).slice(folder.length + 1));
  return new Map(
    paths.filter((path) => !/(^|\/)\./.test(path)).map((path) => [path, readFileSync(join(folder, path), 'latin1')]),
  );
}

/** Makes in all copies what changed in one of them since they were equal. @returns what they agree on now */
function spread(from: string, copies: readonly string[], agreed: Contents): Contents {
  const now = contentsOf(from);
  const others = copies.filter((copy) => copy !== from);
  for (const [path, content] of now)
    if (agreed.get(path) !== content) for (const other of others) replace(join(from, path), join(other, path));
  for (const path of agreed.keys())
    if (!now.has(path)) for (const other of others) rmSync(join(other, path), { force: true });
  return now;
}

function replace(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  const part = join(dirname(to), '.sync-part');
  copyFileSync(from, part);
  const { atime, mtime } = statSync(from);
  utimesSync(part, atime, mtime);
  renameSync(part, to);
}
