// Tool: broken links, unlinked notes, and unlinked mentions.
import * as z from 'zod';
import type { NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { ResolvedLink, UnresolvedGroup } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { deadEnds, orphans } from '../../graph/adjacency.ts';
import { folderArgument, noteFilter, warnOfEmptyFilters } from '../notes/filters.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { type Suggestion, suggestNotes } from '../notes/name-index.ts';
import { REFERENCE_FAILURES, resolveNote } from '../notes/note-reference.ts';
import { titleBeside } from '../notes/note-view.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { sentencesOf } from './sentences.ts';
import { unlinkedMentions } from './unlinked-mentions.ts';

/** Places per unresolved name, by level of detail. */
const MAX_PLACES = { brief: 3, full: 50 } as const;

const input = z.strictObject({
  kind: z.enum(['unresolved', 'orphans', 'dead_ends', 'unlinked_mentions']),
  note: z.string().min(1).optional(),
  folder: folderArgument,
  detail: z.enum(['brief', 'full']).default('brief'),
  ...pageShape,
});
const paging = createPaging('find_gaps', input.shape);
type Sources = Granted<'store' | 'vault'>;

interface GapQuery {
  readonly args: z.infer<typeof input>;
  readonly note: NotePath | undefined;
  readonly folder: string | undefined;
}

export const findGaps = defineTool({
  name: 'find_gaps',
  summary: 'Broken links, notes without links in or out, and notes named in text but not linked.',
  effect: 'reads',
  needs: ['store', 'vault'],
  index: 'whole',
  fails: [...REFERENCE_FAILURES, 'INVALID_INPUT'],
  input,
  run: async (args, granted, call) => {
    const { folder } = noteFilter({ folder: args.folder, tag_mode: 'any' });
    const byNote = args.kind === 'unresolved' || args.kind === 'unlinked_mentions';
    if (args.note !== undefined && !byNote) throw noNoteFor(args.kind);
    const note = args.note === undefined ? undefined : await resolveNote(args.note, 'note', granted, call);
    await warnOfEmptyFilters(folder === undefined ? {} : { folder }, granted.store, call);
    const query = { args, note: note?.path, folder };
    if (args.kind === 'unresolved') return unresolvedGaps(query, granted, call);
    if (args.kind === 'unlinked_mentions') return mentionGaps(query, granted, call);
    return unlinkedNotes(query, granted, call);
  },
});

function noNoteFor(kind: string) {
  const issue = { path: 'note', rule: `does not go with kind ${kind}` };
  return inputRefusal('find_gaps', Object.keys(input.shape), issue);
}

async function unresolvedGaps({ args, note, folder }: GapQuery, granted: Sources, call: CallContext) {
  const page = paging.pageOf(args);
  const filter = { ...(note === undefined ? {} : { source: note }), ...(folder === undefined ? {} : { folder }) };
  const { groups, total } = await granted.store.unresolved(filter, MAX_PLACES[args.detail], page, call.signal);
  const links = groups.flatMap((group) => group.links);
  const sentences = await sentencesOf(links, granted.vault, call);
  const suggestions = await suggestNotes(
    groups.map(({ name }) => name),
    granted.store,
    call,
  );
  const gaps = groups.map((group) => unresolvedGap(group, sentences, suggestions.get(group.name)));
  return { kind: args.kind, gaps, total, ...paging.next(args, page, { shown: groups.length, total }) };
}

/** `count` is the number of all links; only the first have places. */
function unresolvedGap(
  { name, count, links }: UnresolvedGroup,
  sentences: ReadonlyMap<ResolvedLink, string>,
  suggestion: Suggestion | undefined,
) {
  const places = links.map((link) => {
    const text = sentences.get(link) ?? link.display;
    return { path: link.source, line: link.line, column: link.column, text };
  });
  return { name, count, ...suggestion, places };
}

async function unlinkedNotes({ args, folder }: GapQuery, { store }: Sources, call: CallContext) {
  const page = paging.pageOf(args);
  const graph = await store.graph(call.signal);
  const nodes = args.kind === 'orphans' ? orphans(graph) : deadEnds(graph);
  const paths = nodes.map((node) => graph.paths[node] as NotePath);
  const all = folder === undefined ? paths : paths.filter((path) => path.startsWith(`${folder}/`));
  const shown = await store.notes(all.slice(page.offset, page.offset + page.limit), call.signal);
  return {
    kind: args.kind,
    gaps: shown.map(({ path, title }) => ({ path, ...titleBeside(path, title) })),
    total: all.length,
    ...paging.next(args, page, { shown: shown.length, total: all.length }),
  };
}

/** A page may be shorter than `limit`, even empty, with more to follow, because the work of one call is limited. */
async function mentionGaps({ args, note, folder }: GapQuery, granted: Sources, call: CallContext) {
  const start = paging.placeOf(args);
  const targets = note === undefined ? (await granted.store.graph(call.signal)).paths : [note];
  const request = { targets, folder, limit: args.limit, start };
  const { gaps, next, unread } = await unlinkedMentions(request, granted, call.signal);
  if (unread > 0) {
    call.warn({ code: 'EXTRA_MISSING', message: `${unread} notes could not be read for mentions`, count: unread });
  }
  return { kind: args.kind, gaps, more: next !== undefined, ...paging.nextPlace(args, next) };
}
