// `vaultgraph export`: the whole graph, one JSON line a note, for other programs. Knows nothing of how the index is kept.
import { once } from 'node:events';
import type { NotePath } from '../base/note.ts';
import type { NoteRecord, ResolvedLink, Store } from '../contracts/store.ts';
import { bringUpToDate } from './bring-up-to-date.ts';
import type { CommonOptions } from './common-options.ts';
import { EXIT } from './exit-code.ts';
import { withCore } from './with-core.ts';

const NOTES_AT_ONCE = 200;
const LINKS_AT_ONCE = 1_000;

export function runExport(options: CommonOptions): Promise<number> {
  return withCore(options, async ({ store, indexer }) => {
    const job = await bringUpToDate(indexer, { kind: 'catch_up' });
    const never = new AbortController().signal;
    const states = await store.fileStates(never);
    const paths = states.filter((state) => state.kind !== 'attachment').map((state) => state.path);
    for (let at = 0; at < paths.length; at += NOTES_AT_ONCE) {
      await printNotes(store, paths.slice(at, at + NOTES_AT_ONCE), never);
    }
    return job.counts.failed > 0 ? EXIT.part : EXIT.done;
  });
}

async function printNotes(store: Store, paths: readonly NotePath[], signal: AbortSignal): Promise<void> {
  for (const note of await store.notes(paths, signal)) {
    const line = JSON.stringify(exported(note, await linksOf(store, note.path, signal)));
    if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
  }
}

async function linksOf(store: Store, path: NotePath, signal: AbortSignal): Promise<ResolvedLink[]> {
  const links: ResolvedLink[] = [];
  for (;;) {
    const page = await store.links(path, 'out', { limit: LINKS_AT_ONCE, offset: links.length }, signal);
    links.push(...page);
    if (page.length < LINKS_AT_ONCE) return links;
  }
}

function exported(note: NoteRecord, links: readonly ResolvedLink[]): object {
  return {
    path: note.path,
    title: note.title,
    aliases: note.aliases,
    tags: note.tags,
    properties: note.properties,
    headings: note.headings.map(({ text, level, line, column }) => ({ text, level, line, column })),
    blocks: note.blocks.map(({ id, line }) => ({ id, line })),
    links: links.map(exportedLink),
  };
}

function exportedLink(link: ResolvedLink): object {
  const { kind, key, target, subpath, display, line, column, offset, match, others } = link;
  return { kind, key, link: link.link, path: target, subpath, display, line, column, offset, match, others };
}
