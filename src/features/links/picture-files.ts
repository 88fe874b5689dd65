// The attachments and `.base` files that notes link to, for the graph view.
import type { Graph } from '../../base/graph.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import type { PicturedFile } from '../../contracts/graph-picture.ts';
import type { Store } from '../../contracts/store.ts';

/** More files would only clutter the view. */
const MAX_FILES = 1_000;
/** Links read per file. */
const MAX_LINKS = 60;

/** @param notes the notes that are drawn, a part of `graph` without its bases */
export async function picturedFiles(graph: Graph, notes: Graph, store: Store, signal: AbortSignal) {
  const nodes = new Map<string, number>(notes.paths.map((path, node) => [path, node]));
  const page = { limit: MAX_FILES, offset: 0 };
  const attachments = await store.listNotes({ attachments: 'all' }, 'links', 'desc', page, signal);
  const bases = graph.paths.filter((path) => fileKindOf(path) === 'base');
  const files: PicturedFile[] = [];
  for (const path of [...bases, ...attachments.notes.map((file) => file.path)].slice(0, MAX_FILES)) {
    const sources = await sourcesOf(path, nodes, store, signal);
    if (sources.length > 0) files.push({ path, sources });
  }
  return files;
}

async function sourcesOf(path: NotePath, nodes: ReadonlyMap<string, number>, store: Store, signal: AbortSignal) {
  const links = await store.links(path, 'in', { limit: MAX_LINKS, offset: 0 }, signal);
  return [...new Set(links.flatMap(({ source }) => nodes.get(source) ?? []))];
}
