// The task of finding again what a note links to, once every link is taken out of every note.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Store } from '../../src/contracts/store.ts';
import { withoutLinks } from '../../src/markdown/excerpt/terms.ts';
import type { Grades } from './ranking-measures.ts';

/** A copy of the notes without links, for as long as `work` takes: wikilinks, Markdown links and addresses with what they show. */
export async function withoutItsLinks<T>(
  notes: ReadonlyMap<string, string>,
  work: (folder: string, bare: ReadonlyMap<string, string>) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'vaultgraph-bare-'));
  const bare = new Map([...notes].map(([path, text]) => [path, withoutLinks(text)]));
  try {
    for (const [path, text] of bare) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return await work(folder, bare);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The notes each note links to: what is right, all alike. Notes that link to none are not asked. */
export async function linkedNotes(
  notes: ReadonlyMap<string, string>,
  store: Store,
): Promise<ReadonlyMap<string, Grades>> {
  const { paths, offsets, targets } = await store.graph(new AbortController().signal);
  const rows = paths.flatMap((path, node) => {
    const linked = [...targets.subarray(offsets[node], offsets[node + 1])].map((at) => paths[at] as string);
    const right = new Map(linked.filter((other) => other !== path && notes.has(other)).map((other) => [other, 1]));
    return notes.has(path) && right.size > 0 ? [[path as string, right] as const] : [];
  });
  return new Map(rows);
}
