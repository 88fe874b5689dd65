// The notes nearest to a note in meaning, by the vectors that are there. Asks no provider.
import * as z from 'zod';
import { fileKindOf, type NotePath } from '../base/note.ts';
import type { Store } from '../contracts/store.ts';
import { type CallContext, defineTool } from '../contracts/tool.ts';
import type { VectorHit } from '../contracts/vectors.ts';
import { folderArgument, noteFilter, warnOfEmptyFilters } from '../queries/filters.ts';
import { inputRefusal } from '../queries/input-refusal.ts';
import { EVERY_LINK } from '../queries/linked-notes.ts';
import { noteMeaning } from '../queries/note-meaning.ts';
import { REFERENCE_FAILURES, resolveNote } from '../queries/note-reference.ts';
import { createPaging, pageShape } from '../queries/page.ts';
import { SNIPPET_CHARS, type Snippet, snippetsOf } from '../queries/snippets.ts';
import { tellSpace } from '../queries/vector-space.ts';

const input = z.strictObject({
  note: z.string().min(1),
  unlinked_only: z.boolean().default(false),
  folder: folderArgument,
  ...pageShape,
});
const paging = createPaging('find_similar', input.shape);

export const findSimilar = defineTool({
  name: 'find_similar',
  summary:
    'Notes near in meaning to a note, each with its nearest passage; `unlinked_only` leaves out those linked with it.',
  effect: 'reads',
  needs: ['store', 'vault', 'indexer', 'embedding'],
  instead: ['find_related'],
  index: 'part',
  fails: [...REFERENCE_FAILURES, 'INVALID_INPUT', 'EMBEDDER_MISMATCH', 'INDEX_JOB_FAILED'],
  input,
  run: async (given, granted, call) => {
    const page = paging.pageOf(given);
    const filter = noteFilter({ folder: given.folder, tag_mode: 'any' });
    const { store, vault } = granted;
    const { path, match } = await resolveNote(given.note, 'note', granted, call.signal);
    if (fileKindOf(path) !== 'note') throw noNote(path);
    const { vector, generation } = await noteMeaning(path, granted, call);
    const linked = await linkedWith(path, store, call);
    const without = given.unlinked_only ? [path, ...linked] : [path];
    // One more than the page tells whether another follows.
    const most = page.offset + page.limit + 1;
    const found = await store.nearestNotes(generation.id, vector, filter, without, most, call.signal);
    await warnOfEmptyFilters(filter, store, call);
    tellSpace(generation, call);
    const hits = found.slice(page.offset, page.offset + page.limit);
    const passages = await snippetsOf(hits, [], SNIPPET_CHARS.brief, vault, call);
    return {
      path,
      match,
      related: hits.map((hit) => relatedView(hit, passages.get(hit.path), linked.has(hit.path))),
      method: `cosine of embedding centroids, model ${generation.fingerprint.model}`,
      ...paging.next(given, page, { shown: hits.length, total: found.length }),
    };
  },
});

function noNote(path: NotePath) {
  return inputRefusal('find_similar', Object.keys(input.shape), {
    path: 'note',
    rule: `${path} is no note: only notes are embedded`,
  });
}

/** In either direction. */
async function linkedWith(path: NotePath, store: Store, { signal }: CallContext): Promise<ReadonlySet<NotePath>> {
  const out = await store.links(path, 'out', EVERY_LINK, signal);
  const incoming = await store.links(path, 'in', EVERY_LINK, signal);
  const targets = out.flatMap(({ target }) => (target === null || target === path ? [] : [target]));
  return new Set([...targets, ...incoming.map(({ source }) => source)]);
}

/** `lines` are those of the passage that is nearest to the note asked for. */
function relatedView({ path, title, cosine, lines }: VectorHit, passage: Snippet | undefined, isLinked: boolean) {
  const evidence = passage === undefined ? [] : [{ lines: passage.lines, text: passage.snippet }];
  return { path, title, score: cosine, lines, linked: isLinked, evidence };
}
