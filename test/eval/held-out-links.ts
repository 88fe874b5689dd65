// The task of finding the former link targets of a note after every link was removed from every note.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Store } from '../../src/contracts/store.ts';
import { withoutLinks } from '../../src/markdown/excerpt/terms.ts';
import type { Grades } from './ranking-measures.ts';

/** A temporary copy of the notes without links: wikilinks, Markdown links and URLs are removed with their text. */
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

/** The notes that each note links to, which are equally relevant. Notes without links are skipped. */
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
