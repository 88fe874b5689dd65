// Tool: broken links, unlinked notes and mentions, near-duplicates, stale notes and unused attachments.
import type { NotePath } from '../../base/note.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { LinkedPart, ResolvedLink, Store, UnresolvedGroup } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { deadEnds, orphans } from '../../graph/adjacency.ts';
import { isInFolder } from '../notes/file-names.ts';
import { periodView } from '../notes/filters.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { type MissingPart, missingParts, withNearest } from '../notes/missing-parts.ts';
import { type Suggestion, suggestNotes } from '../notes/name-index.ts';
import { RESOLVE_FAILURES, resolveNote } from '../notes/note-reference.ts';
import { titleBeside } from '../notes/note-view.ts';
import { filterWithoutTemplates, leftOutView, warnOfFilters } from '../notes/vault-filter.ts';
import { attachmentGaps, duplicateGaps, staleGaps } from './clean-up-gaps.ts';
import { type GapQuery, input, isOutside, MAX_PLACES, paging, pathsWithin, type Sources } from './gap-query.ts';
import { sentencesOf } from './sentences.ts';
import { unlinkedMentions } from './unlinked-mentions.ts';

const GAPS = {
  unresolved: unresolvedGaps,
  unlinked_mentions: mentionGaps,
  orphans: unlinkedNotes,
  dead_ends: unlinkedNotes,
  duplicates: duplicateGaps,
  stale: staleGaps,
  unused_attachments: attachmentGaps,
} as const;
export const findGaps = defineTool({
  name: 'find_gaps',
  title: 'Gaps between notes',
  summary:
    'Finds what needs tidying: broken links (unresolved, also to headings), notes without links (orphans; dead_ends: none outwards), unlinked_mentions of note names, near-duplicates, stale notes, unused_attachments. Returns the places.',
  others: { get_neighbors: 'all links of a note' },
  example: { kind: 'unresolved', folder: 'Log' },
  words: 'orphans, clean up, maintenance',
  long: true,
  effect: 'reads',
  references: ['note'],
  needs: ['store', 'vault'],
  index: 'whole',
  fails: [...RESOLVE_FAILURES, 'INVALID_INPUT', 'INVALID_QUERY'],
  input,
  run: async (args, granted, call) => {
    const byNote = args.kind === 'unresolved' || args.kind === 'unlinked_mentions';
    if (args.note !== undefined && !byNote) throw unfit('note', args.kind);
    if (args.before !== undefined && args.kind !== 'stale') throw unfit('before', args.kind);
    const note = args.note === undefined ? undefined : await resolveNote(args.note, 'note', granted, call);
    const filter = await gapFilter(args, note?.path, granted, call);
    await warnOfFilters(filter, granted.store, call);
    const gaps = await GAPS[args.kind]({ args, note: note?.path, filter }, granted, call);
    return { kind: args.kind, ...gaps, ...periodView(filter), ...leftOutView(filter) };
  },
});

/** A template that the caller names counts. */
async function gapFilter(
  { folder, modified_since, templates }: GapQuery['args'],
  note: NotePath | undefined,
  granted: Sources,
  call: CallContext,
): Promise<NoteFilter> {
  const { exceptFolder, ...filter } = await filterWithoutTemplates(
    { folder, modified_since, templates },
    granted,
    call,
  );
  const isNamed = exceptFolder !== undefined && note !== undefined && isInFolder(note, exceptFolder);
  return exceptFolder === undefined || isNamed ? filter : { ...filter, exceptFolder };
}

function unfit(path: string, kind: string) {
  const issue = { path, rule: `does not go with kind ${kind}` };
  return inputRefusal('find_gaps', Object.keys(input.shape), issue);
}

async function unresolvedGaps({ args, note, filter }: GapQuery, granted: Sources, call: CallContext) {
  const page = paging.pageOf(args);
  const sources = { ...filter, ...(note === undefined ? {} : { source: note }) };
  const { groups, total: names } = await granted.store.unresolved(sources, MAX_PLACES[args.detail], page, call.signal);
  const linked = await granted.store.linkedParts(sources, call.signal);
  const missing = await missingParts(linked, granted.store, call.signal);
  const parts = missing.slice(Math.max(0, page.offset - names), Math.max(0, page.offset + page.limit - names));
  const places = await partPlaces(parts, sources, MAX_PLACES[args.detail], granted.store, call);
  const links = [...groups.flatMap((group) => group.links), ...places.flatMap((place) => place.links)];
  const sentences = await sentencesOf(links, granted.vault, call);
  const suggestions = await suggestNotes(
    groups.map(({ name }) => name),
    granted.store,
    call,
  );
  const gaps = [
    ...groups.map((group) => unresolvedGap(group, sentences, suggestions.get(group.name))),
    ...places.map(({ target, nearest, ...group }) => ({ ...unresolvedGap(group, sentences, { target, nearest }) })),
  ];
  const total = names + missing.length;
  return { gaps, total, ...paging.next(args, page, { shown: gaps.length, total }) };
}

/** The first links to each part, and the nearest parts that its note has. */
async function partPlaces(
  parts: readonly LinkedPart[],
  filter: Parameters<Store['linksToPart']>[1],
  limit: number,
  store: Store,
  { signal }: CallContext,
) {
  const near = await withNearest(parts, store, signal);
  return Promise.all(
    near.map(async ({ target, subpath, count, nearest }) => {
      const links = await store.linksToPart({ target, subpath }, filter, { limit, offset: 0 }, signal);
      return { name: `${target.replace(/\.md$/i, '')}${subpath}`, count, links, target, nearest };
    }),
  );
}

/** `count` is the number of all links; only the first have places. */
function unresolvedGap(
  { name, count, links }: UnresolvedGroup,
  sentences: ReadonlyMap<ResolvedLink, string>,
  suggestion: Suggestion | Pick<MissingPart, 'target' | 'nearest'> | undefined,
) {
  const places = links.map((link) => {
    const text = sentences.get(link) ?? link.display;
    return { path: link.source, line: link.line, column: link.column, text };
  });
  return { name, count, ...suggestion, places };
}

async function unlinkedNotes({ args, filter }: GapQuery, { store }: Sources, call: CallContext) {
  const page = paging.pageOf(args);
  const graph = await store.graph(call.signal);
  const nodes = args.kind === 'orphans' ? orphans(graph) : deadEnds(graph);
  const paths = nodes.map((node) => graph.paths[node] as NotePath);
  const all = paths.filter(await pathsWithin(filter, store, call.signal));
  const shown = await store.notes(all.slice(page.offset, page.offset + page.limit), call.signal);
  return {
    gaps: shown.map(({ path, title }) => ({ path, ...titleBeside(path, title) })),
    total: all.length,
    ...paging.next(args, page, { shown: shown.length, total: all.length }),
  };
}

async function mentionTargets({ exceptFolder }: NoteFilter, store: Store, { signal }: CallContext) {
  return (await store.graph(signal)).paths.filter((path) => isOutside(path as NotePath, exceptFolder)) as NotePath[];
}

/** A page may be shorter than `limit`, even empty, with more to follow, because the work of one call is limited. */
async function mentionGaps({ args, note, filter }: GapQuery, granted: Sources, call: CallContext) {
  const start = paging.placeOf(args);
  const targets = note === undefined ? await mentionTargets(filter, granted.store, call) : [note];
  const isWithin = await pathsWithin(filter, granted.store, call.signal);
  const request = { targets, isWithin, limit: args.limit, start };
  const { gaps, next, unread } = await unlinkedMentions(request, granted, call);
  if (unread > 0) {
    call.warn({ code: 'EXTRA_MISSING', message: `${unread} notes could not be read for mentions`, count: unread });
  }
  return { gaps, more: next !== undefined, ...paging.nextPlace(args, next) };
}
