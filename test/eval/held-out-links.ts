// The task of finding again what a note links to, once every link is taken out of every note. Knows no way of ranking.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { bodyStart } from '../../src/markdown/front-matter.ts';
import { splitLines } from '../../src/markdown/lines.ts';
import { withoutLinks } from '../../src/markdown/without-links.ts';
import { openIndex, signal } from '../indexing/index-under-test.ts';
import { createVaultFolder } from '../providers/filesystem/vault-folder.ts';
import { type ToolsUnderTest, withTools } from '../tools/tools-under-test.ts';

export interface HeldOut {
  /** The notes a note links to, for every note that links to one: what is right. */
  readonly right: ReadonlyMap<string, ReadonlySet<string>>;
  /** Title and text of every note, without links. */
  readonly texts: ReadonlyMap<string, string>;
  /** Tools over the vault without links. */
  readonly tools: ToolsUnderTest;
}

/** Reads the vault in `folder` and leaves it as it is. */
export async function withHeldOutLinks(folder: string, work: (task: HeldOut) => Promise<void>): Promise<void> {
  const notes = notesIn(folder);
  const right = await linkedNotes(notes);
  const bare = Object.fromEntries([...notes].map(([path, text]) => [path, withoutLinks(text)]));
  await withTools(bare, async (tools) => {
    const records = await tools.store.notes(Object.keys(bare) as never, signal);
    const texts = new Map(records.map(({ path, title }) => [path, `${title}\n${bodyOf(bare[path] ?? '')}`]));
    await work({ right, texts, tools });
  });
}

function notesIn(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name.endsWith('.md'),
  );
  const paths = entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'));
  const shown = paths.filter((path) => !path.split('/').some((segment) => segment.startsWith('.')));
  return new Map(shown.sort().map((path) => [path.normalize('NFC'), readFileSync(join(folder, path), 'utf8')]));
}

async function linkedNotes(notes: ReadonlyMap<string, string>): Promise<Map<string, Set<string>>> {
  const folder = createVaultFolder();
  for (const [path, text] of notes) folder.put(path, text);
  const index = await openIndex(folder);
  try {
    await index.run();
    const { paths, offsets, targets } = await index.store.graph(signal);
    const rows = paths.map((path, node) => {
      const linked = [...targets.subarray(offsets[node], offsets[node + 1])].map((at) => paths[at] as string);
      return [path as string, new Set(linked)] as const;
    });
    return new Map(rows.filter(([, linked]) => linked.size > 0));
  } finally {
    await index.close();
    folder.delete();
  }
}

function bodyOf(text: string): string {
  return text.slice(bodyStart(text, splitLines(text)).bodyOffset);
}
